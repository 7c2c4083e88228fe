/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/ftrace/page on any bytes, as a page and as events/header_page. */
#include "lib/ftrace/page.h"

#include "fuzz.h"

static const struct page_layout usual = { .timestamp = 0, .commit = 8, .commit_size = 8, .data = 16, .size = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_layout layout;
	struct page_record record;
	struct page page;
	uint8_t *copy = fuzz_copy(data, size);
	size_t bytes = 0;
	int more;

	if (!page_layout__parse(&layout, (const char *)copy, size))
		REQUIRE(layout.size <= 2 * FTRACE_PAGE_MAX && layout.timestamp + 8 <= layout.data &&
			layout.commit + layout.commit_size <= layout.data && layout.data < layout.size);
	if (!page__open(&page, &usual, copy, size)) {
		REQUIRE(!page.lost || page.lost_some);
		while ((more = page__next(&page, &record)) > 0) {
			REQUIRE(record.data >= copy + 20 && record.data + record.size <= copy + size);
			/* each record has a word of its own before its data */
			bytes += record.size + 4;
			REQUIRE(bytes <= size);
			REQUIRE(record.size >= 2 || !record.type);
		}
		REQUIRE(page.at == page.end);
		REQUIRE(!page__next(&page, &record));
	}
	free(copy);
	return 0;
}
