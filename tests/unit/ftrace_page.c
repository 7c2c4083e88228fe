/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/page: pages made by hand, and thousands of made-up ones against libtraceevent. */
#include "lib/ftrace/page.h"

#include <errno.h>
#include <stdlib.h>

#include <traceevent/kbuffer.h>

#include "check.h"
#include "ftrace_pages.h"

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static struct page_layout layout;

static void test_layout(void)
{
	struct page_layout other;

	CHECK_INT(page_layout__parse(&layout, header_page, strlen(header_page)), 0);
	CHECK_INT(layout.timestamp, 0);
	CHECK_INT(layout.commit, 8);
	CHECK_INT(layout.commit_size, 8);
	CHECK_INT(layout.data, 16);
	CHECK_INT(layout.size, 4096);
	CHECK_INT(page_layout__parse(&other, header_page, 60), -EINVAL);
	CHECK_INT(page_layout__parse(&other, "", 0), -EINVAL);
}

/* Every kind of record, by hand. */
static void test_kinds(void)
{
	struct made_page made = made_page__of(1000);
	struct page_record record;
	struct page page;

	made_page__record(&made, 5, 24, 1);			/* 1005 */
	made_page__extend(&made, 1ull << 30);			/* + 2^30 */
	made_page__record(&made, 1, 200, 11);			/* longer than 28 words */
	made_page__padding(&made, 3, 12);			/* a record that was given back */
	made_page__record(&made, 2, 4, 10);
	made_page__stamp(&made, (1ull << 58) + 77);
	made_page__record(&made, 0, 8, 4);
	made_page__rest(&made);
	CHECK_INT(page__open(&page, &layout, made.bytes, made_page__end(&made, false, 0)), 0);
	CHECK(!page.lost_some);
	CHECK_INT(page__next(&page, &record), 1);
	CHECK(record.time == 1005 && record.size == 24 && record.type == 1);
	CHECK_INT(page__next(&page, &record), 1);
	CHECK(record.time == 1006 + (1ull << 30) && record.size == 200 && record.type == 11);
	CHECK_INT(page__next(&page, &record), 1);
	CHECK(record.time == 1011 + (1ull << 30) && record.size == 4 && record.type == 10);
	CHECK_INT(page__next(&page, &record), 1);
	CHECK(record.time == (1ull << 58) + 77 && record.size == 8 && record.type == 4);
	CHECK_INT(page__next(&page, &record), 0);
	CHECK_INT(page__next(&page, &record), 0);
}

static void test_lost(void)
{
	struct made_page made = made_page__of(1);
	struct page page;
	size_t size;

	made_page__record(&made, 1, 8, 1);
	size = made_page__end(&made, true, 4711);
	CHECK_INT(page__open(&page, &layout, made.bytes, size), 0);
	CHECK(page.lost_some && page.lost == 4711);
	/* the kernel had no room for the number */
	size = made_page__end(&made, true, 0);
	CHECK_INT(page__open(&page, &layout, made.bytes, size), 0);
	CHECK(page.lost_some && !page.lost);
	/* the number is said to be there, and is not */
	made_page__end(&made, true, 4711);
	CHECK_INT(page__open(&page, &layout, made.bytes, 16 + 12), 0);
	CHECK(page.lost_some && !page.lost);
}

static void test_broken(void)
{
	struct made_page made = made_page__of(1);
	struct page_record record;
	struct page page;

	CHECK_INT(page__open(&page, &layout, made.bytes, 15), -EINVAL);
	CHECK_INT(page__next(&page, &record), 0);
	made_page__record(&made, 1, 8, 1);
	made_page__end(&made, false, 0);
	CHECK_INT(page__open(&page, &layout, made.bytes, 27), -EINVAL);
	/* a record that is longer than the page */
	made.used -= 8;
	CHECK_INT(page__open(&page, &layout, made.bytes, made_page__end(&made, false, 0)), 0);
	CHECK_INT(page__next(&page, &record), -EINVAL);
	CHECK_INT(page__next(&page, &record), 0);
}

/* What libtraceevent reads out of the same page. */
static void compare(struct kbuffer *theirs, const struct made_page *made, size_t size)
{
	unsigned long long their_time;
	struct page_record record;
	struct page page;
	void *their_data;

	CHECK_INT(page__open(&page, &layout, made->bytes, size), 0);
	CHECK_INT(kbuffer_load_subbuffer(theirs, (void *)made->bytes), 0);
	/* it forgets them where the page does not begin with a record */
	if (!kbuffer_curr_index(theirs))
		CHECK_INT(kbuffer_missed_events(theirs), !page.lost_some ? 0 : page.lost ? (int)page.lost : -1);
	for (their_data = kbuffer_read_event(theirs, &their_time); page__next(&page, &record) > 0;
	     their_data = kbuffer_next_event(theirs, &their_time)) {
		if (!CHECK(their_data) || !CHECK(record.data == their_data) || !CHECK(record.time == their_time) ||
		    !CHECK_INT(record.size, kbuffer_event_size(theirs)))
			return;
	}
	CHECK(!their_data);
}

static void test_against_libtraceevent(void)
{
	struct kbuffer *theirs = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);

	srandom(1);
	for (int i = 0; i < 5000 && !check_failures; i++) {
		struct made_page made = made_page__of((uint64_t)random() << 10);
		bool lost = random() % 4 == 0;

		while (made.used < 4096 - 600) {
			switch (random() % 8) {
			case 0: made_page__extend(&made, (uint64_t)random() << 20); break;
			case 1: made_page__stamp(&made, (uint64_t)random() << 25 | (uint64_t)random()); break;
			case 2: made_page__padding(&made, 1 + (uint32_t)random() % 1000, 8 + 4 * ((uint32_t)random() % 20)); break;
			default: made_page__record(&made, (uint32_t)random() % (1u << 27), 4 + 4 * ((uint32_t)random() % 60), 1);
			}
			if (random() % 200 == 0)
				break;
		}
		if (random() % 2)
			made_page__rest(&made);
		compare(theirs, &made, made_page__end(&made, lost, lost && random() % 2 ? 1 + (uint64_t)random() % 10000 : 0));
	}
	kbuffer_free(theirs);
}

int main(void)
{
	test_layout();
	test_kinds();
	test_lost();
	test_broken();
	test_against_libtraceevent();
	return check_done();
}
