/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/text_buffer: pieces are joined, cut at an array's end, refused beyond a limit. */
#include "lib/print/text_buffer.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"

static const char *const names[] = { "a", "bc", "d" };

static void fixed(void)
{
	char array[12] = "garbage";
	struct text_buffer text = text_buffer__fixed(array, sizeof(array));

	CHECK_STR(array, "");
	text_buffer__add(&text, "%d, %s", 12, "abc");
	CHECK_STR(array, "12, abc");
	CHECK_INT(text.length, 7);
	text_buffer__add(&text, "defg");
	CHECK_STR(array, "12, abcdefg");
	CHECK_INT(text.err, 0);
	text_buffer__add(&text, "h");
	CHECK_STR(array, "12, abcdefg");
	CHECK_INT(text.err, -ENOSPC);
	text = text_buffer__fixed(array, sizeof(array));
	text_buffer__add(&text, "%s", "a piece that is too long");
	CHECK_STR(array, "a piece tha");
	text_buffer__add(&text, "%s", "");
	CHECK_INT(text.length, 11);
	text = text_buffer__fixed(array, 1);
	text_buffer__add(&text, "x");
	CHECK_STR(array, "");
}

static void quoted(void)
{
	char array[64];
	struct text_buffer text = text_buffer__fixed(array, sizeof(array));

	text_buffer__add_quoted(&text, names, 3, " or ");
	CHECK_STR(array, "'a' or 'bc' or 'd'");
	text_buffer__add_quoted(&text, names, 0, ", ");
	CHECK_STR(array, "'a' or 'bc' or 'd'");
}

static void growing(void)
{
	struct text_buffer text = text_buffer__growing(1000);
	char *all;

	all = text_buffer__take(&text);
	CHECK_STR(all, "");
	free(all);
	for (int i = 0; i < 99; i++)
		text_buffer__add(&text, "%010d", i);
	CHECK_INT(text.err, 0);
	CHECK_INT(text.length, 990);
	all = text_buffer__take(&text);
	CHECK(all && !strncmp(all + 980, "0000000098", 11));
	free(all);

	/* one byte fewer than the limit is text, the last is the 0 byte */
	text_buffer__add(&text, "%999s", "");
	CHECK_INT(text.err, 0);
	text_buffer__add(&text, "x");
	CHECK_INT(text.err, -EFBIG);
	CHECK_INT(strlen(text.text), 999);
	text_buffer__add(&text, "%s", "");
	CHECK_INT(text.length, 999);
	CHECK(!text_buffer__take(&text));
	CHECK_INT(text.err, 0);
	text_buffer__add(&text, "y");
	CHECK_STR(text.text, "y");
	text_buffer__free(&text);
	text_buffer__free(&text);
}

/* Bytes as they are: the same ends as text_buffer__add() has. */
static void put(void)
{
	char array[8];
	struct text_buffer fixed = text_buffer__fixed(array, sizeof(array)), text = text_buffer__growing(1000);

	text_buffer__put(&fixed, "%s%n", 4);
	CHECK_STR(array, "%s%n");
	text_buffer__put(&fixed, "567", 3);
	CHECK_INT(fixed.err, 0);
	text_buffer__put(&fixed, "8", 1);
	CHECK_STR(array, "%s%n567");
	CHECK_INT(fixed.err, -ENOSPC);
	for (int i = 0; i < 99; i++)
		text_buffer__put(&text, "0123456789", 10);
	CHECK_INT(text.length, 990);
	CHECK_INT(strlen(text.text), 990);
	text_buffer__put(&text, "123456789", 9);
	CHECK_INT(text.err, 0);
	text_buffer__put(&text, "x", 1);
	CHECK_INT(text.err, -EFBIG);
	CHECK_INT(strlen(text.text), 999);
	text_buffer__free(&text);
}

/* A piece that the caller writes itself, and a text that begins again in the same memory. */
static void reserve(void)
{
	struct text_buffer text = text_buffer__growing(1000);
	char *to, *memory;

	to = text_buffer__reserve(&text, 3);
	CHECK(to);
	memcpy(to, "abc", 3);
	text_buffer__end_at(&text, to + 2);
	CHECK_STR(text.text, "ab");
	CHECK_INT(text.length, 2);
	/* more than there is room for at first, and the text before it stays */
	to = text_buffer__reserve(&text, 900);
	CHECK(to);
	memset(to, 'x', 900);
	text_buffer__end_at(&text, to + 900);
	CHECK_INT(strlen(text.text), 902);
	CHECK(!strncmp(text.text, "abxx", 4));
	CHECK(!text_buffer__reserve(&text, 98));
	CHECK_INT(text.err, -EFBIG);
	CHECK(!text_buffer__reserve(&text, 1));
	CHECK_INT(text.length, 902);
	memory = text.text;
	text_buffer__clear(&text);
	CHECK_INT(text.err, 0);
	CHECK_INT(text.length, 0);
	CHECK_STR(text.text, "");
	text_buffer__put(&text, "y", 1);
	CHECK(text.text == memory);
	CHECK_STR(text.text, "y");
	text_buffer__free(&text);
	text_buffer__clear(&text);
	CHECK(!text.text);
}

int main(void)
{
	put();
	reserve();
	fixed();
	quoted();
	growing();
	return check_done();
}
