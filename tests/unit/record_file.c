/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of records: their chunks, names of cgroups, the numbers of a run; cut off and damaged ones. */
#include "check.h"
#include "lib/run/record_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include <unistd.h>

static char bytes[4096];
static size_t size;

static void add(const void *data, size_t data_size)
{
	memcpy(bytes + size, data, data_size);
	size += data_size;
}

static void add_chunk(uint32_t kind, uint32_t data_size, const char *data)
{
	struct record_chunk chunk = { data_size, kind };

	add(&chunk, sizeof(chunk));
	memset(bytes + size, 0, (data_size + 7) & ~7u);
	memcpy(bytes + size, data, data_size);
	size += (data_size + 7) & ~7u;
}

static void add_head(uint32_t format)
{
	struct record_head head = { .format = format };

	memcpy(head.magic, RECORD_FILE_MAGIC, sizeof(head.magic));
	size = 0;
	add(&head, sizeof(head));
}

/* How many chunks the first `bytes` bytes have, and what comes then, in *last. */
static int count(size_t length, int *last, struct fault *fault)
{
	struct record_reader reader = { .fd = memfd_create("record", 0) };
	struct record_chunk chunk;
	const void *data;
	int chunks = 0;

	CHECK_INT(write(reader.fd, bytes, length), (ssize_t)length);
	lseek(reader.fd, 0, SEEK_SET);
	fault->text[0] = '\0';
	while ((*last = record_reader__next(&reader, &chunk, &data, fault)) > 0) {
		CHECK_INT((uintptr_t)data % 8, 0);
		chunks++;
	}
	close(reader.fd);
	record_reader__free(&reader);
	return chunks;
}

static void test_chunks(void)
{
	struct fault fault;
	int last;

	add_head(RECORD_FILE_FORMAT);
	add_chunk(RECORD_EVENT, 5, "abcde");
	add_chunk(RECORD_EVENT, 8, "abcdefgh");
	add_chunk(RECORD_END, 0, "");
	CHECK_INT(size, 16 + 16 + 16 + 8);
	CHECK_INT(count(size, &last, &fault), 3);
	CHECK_INT(last, 0);
	/* cut off anywhere: what is whole before that, and whether it ends between two chunks */
	for (size_t length = 0; length < size; length++) {
		int whole = length >= 48 ? 2 : length >= 32 ? 1 : 0;
		bool is_between = length == 16 || length == 32 || length == 48;

		CHECK_INT(count(length, &last, &fault), whole);
		CHECK_INT(last, is_between ? 0 : length < 16 ? -EPROTO : -ENODATA);
		CHECK(!*fault.text == is_between);
	}
}

static void test_damaged(void)
{
	struct record_chunk chunk = { RECORD_SIZE_MAX + 1, RECORD_EVENT };
	struct fault fault;
	int last;

	add_head(RECORD_FILE_FORMAT + 1);
	CHECK_INT(count(size, &last, &fault), 0);
	CHECK_INT(last, -EPROTO);
	CHECK_STR(fault.text, "a file of format 2; this probelight reads format 1");
	add_head(RECORD_FILE_FORMAT);
	add_chunk(RECORD_EVENT, 8, "abcdefgh");
	add(&chunk, sizeof(chunk));
	CHECK_INT(count(size, &last, &fault), 1);
	CHECK_INT(last, -EBADMSG);
	CHECK_STR(fault.text, "damaged after 32 bytes");
	add_head(RECORD_FILE_FORMAT);
	add_chunk(RECORD_KINDS, 0, "");
	CHECK_INT(count(size, &last, &fault), 0);
	CHECK_INT(last, -EBADMSG);
}

static void test_cgroups(void)
{
	const struct cgroup_names names = { .path = "/a/b.service", .name = "b.service", .unit = "b.service", .pod = "" };
	static char data[RECORD_CGROUP_MAX];
	struct cgroup_names got;
	size_t used = record__put_cgroup(data, 0x123456789a, &names);
	uint64_t id;

	CHECK(record__get_cgroup(data, used, &id, &got));
	CHECK_INT(id, 0x123456789a);
	CHECK_STR(got.path, "/a/b.service");
	CHECK_STR(got.name, "b.service");
	CHECK_STR(got.unit, "b.service");
	CHECK_STR(got.pod, "");
	CHECK(!got.container && !got.slice && !got.container_id && !got.pod_uid);
	/* in memory of its own: what is read behind it is seen */
	for (size_t less = 1; less <= used; less++) {
		char *copy = malloc(used - less + 1);

		memcpy(copy, data, used - less);
		CHECK(!record__get_cgroup(copy, used - less, &id, &got));
		free(copy);
	}
	data[8] = 2;
	CHECK(!record__get_cgroup(data, used, &id, &got));
}

static void test_end(void)
{
	const struct tally tally = {
		.delivered = 3, .lost = count__exact(7), .filtered = count__at_least(5, NULL), .missed = count__unknown("before Linux 6.7"),
		.no_room = 2, .unread = 1,
	};
	struct record_end end = record__end_of(&tally);
	struct tally got = { .delivered = 3 };
	char text[TALLY_TEXT_SIZE], wanted[TALLY_TEXT_SIZE];

	CHECK(record__tally_of(&end, &got));
	tally__text(&tally, wanted);
	tally__text(&got, text);
	CHECK_STR(text, wanted);
	CHECK_INT(got.no_room, 2);
	/* the longest reasons that a file can have fit into the line */
	got = (struct tally){ .delivered = UINT64_MAX, .unread = UINT64_MAX };
	memset(end.lost.why, 'x', sizeof(end.lost.why) - 1);
	end.lost = end.missed = end.filtered = (struct record_count){ .kind = COUNT_UNKNOWN };
	memset(end.lost.why, 'x', sizeof(end.lost.why) - 1);
	end.missed = end.filtered = end.lost;
	CHECK(record__tally_of(&end, &got));
	got.unread = UINT64_MAX;
	tally__text(&got, text);
	CHECK(strlen(text) < TALLY_TEXT_SIZE - 1);
	end.lost.why[0] = '\n';
	CHECK(!record__tally_of(&end, &got));
	end.lost.why[0] = 'x';
	end.lost.why[sizeof(end.lost.why) - 1] = 'x';
	CHECK(!record__tally_of(&end, &got));
	end.lost = (struct record_count){ .kind = COUNT_UNKNOWN + 1 };
	CHECK(!record__tally_of(&end, &got));
}

static void test_start(void)
{
	static const char good[] = "{\"type\":\"start\",\"start\":{\"schema\":1}}", bad[] = "{\"type\":\"start\",\"start\":{\"schema\":\x1b}}";

	CHECK(record__is_start(good, sizeof(good) - 1));
	CHECK(!record__is_start(good, sizeof(good) - 4));
	CHECK(!record__is_start(bad, sizeof(bad) - 1));
}

int main(void)
{
	test_chunks();
	test_damaged();
	test_cgroups();
	test_end();
	test_start();
	return check_done();
}
