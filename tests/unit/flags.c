/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/flags: names of bits, bits without one, texts that do not fit. */
#include "lib/print/flags.h"

#include "check.h"

static const struct flag_name names[] = {
	{ 1, "ONE" },
	{ 2, "TWO" },
	{ 12, "BOTH" },
	{ 4, "PART" },
	{ 0x8000000000000000, "LAST" },
	{ 0, NULL },
};

static void test_names(void)
{
	char text[64];

	CHECK_STR(flags__text(names, 0, text, sizeof(text)), "0");
	CHECK_STR(flags__text(names, 1, text, sizeof(text)), "ONE");
	CHECK_STR(flags__text(names, 3, text, sizeof(text)), "ONE|TWO");
	CHECK_STR(flags__text(names, 0x8000000000000001, text, sizeof(text)), "ONE|LAST");
	/* of two bits one */
	CHECK_STR(flags__text(names, 8, text, sizeof(text)), "0x8");
	CHECK_STR(flags__text(names, 4, text, sizeof(text)), "PART");
	CHECK_STR(flags__text(names, 15, text, sizeof(text)), "ONE|TWO|BOTH");
	CHECK_STR(flags__text(names, 0x101, text, sizeof(text)), "ONE|0x100");
	CHECK_STR(flags__text(NULL, 0x30, text, sizeof(text)), "0x30");
	CHECK_STR(flags__text(NULL, 0, text, sizeof(text)), "0");
}

static void test_no_room(void)
{
	char text[64];

	CHECK_STR(flags__text(names, 3, text, 8), "ONE|TWO");
	CHECK_STR(flags__text(names, 3, text, 7), "ONE|TW");
	CHECK_STR(flags__text(names, 0x103, text, 4), "ONE");
	CHECK_STR(flags__text(names, 3, text, 1), "");
}

int main(void)
{
	test_names();
	test_no_room();
	return check_done();
}
