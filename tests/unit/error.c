/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers and open flags by name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "check.h"
#include "lib/print/error.h"
#include "lib/print/open_flags.h"

static void test_errors(void)
{
	char name[ERROR_NAME_MAX];

	/* every one that the C library knows, by the name that it gives it; two names of one number are as the kernel's list has them */
	CHECK_STR(error__name(134, name), "EFTYPE");
	for (int error = 1; error < 200; error++) {
		const char *libc = error == 134 ? "EFTYPE" : strerrorname_np(error);

		if (libc)
			CHECK_STR(error__name(error, name), error == ENOTSUP ? "EOPNOTSUPP" : libc);
		else
			CHECK_INT(atoi(error__name(error, name)), error);
	}
	CHECK_STR(error__name(0, name), "0");
	CHECK_STR(error__name(-2, name), "-2");
	CHECK_STR(error__name(512, name), "ERESTARTSYS");
	CHECK_STR(error__name(524, name), "ENOTSUPP");
	CHECK_STR(error__name(520, name), "520");
	CHECK_STR(error__name(4095, name), "4095");
}

static void check_flags(uint32_t flags, const char *expected)
{
	char text[OPEN_FLAGS_TEXT_MAX];
	uint32_t parsed, mask;

	CHECK_STR(open_flags__text(flags, text), expected);
	CHECK_INT(open_flags__parse(text, &parsed, &mask), 0);
	CHECK_INT(parsed, flags);
	CHECK_INT(flags & ~mask, 0);
}

static void check_bad(const char *text)
{
	uint32_t flags, mask;

	CHECK_INT(open_flags__parse(text, &flags, &mask), -EINVAL);
}

static void test_flags(void)
{
	char text[OPEN_FLAGS_TEXT_MAX];
	uint32_t flags, mask;

	check_flags(O_RDONLY, "O_RDONLY");
	check_flags(O_WRONLY | O_CREAT | O_TRUNC, "O_WRONLY|O_CREAT|O_TRUNC");
	check_flags(O_RDWR | O_TMPFILE, "O_RDWR|O_TMPFILE");
	check_flags(O_DIRECTORY | O_CLOEXEC, "O_RDONLY|O_DIRECTORY|O_CLOEXEC");
	check_flags(O_SYNC, "O_RDONLY|O_SYNC");
	check_flags(O_DSYNC, "O_RDONLY|O_DSYNC");
	check_flags(1u << 31, "O_RDONLY|0x80000000");
	check_flags(3, "0x3");
	check_flags(1 << 26 | O_PATH, "O_RDONLY|O_PATH|O_EMPTYPATH");
	/* all bits at once fit */
	CHECK(strlen(open_flags__text(UINT32_MAX, text)) < OPEN_FLAGS_TEXT_MAX);
	CHECK_INT(open_flags__parse("creat,wronly", &flags, &mask), 0);
	CHECK_INT(flags, O_CREAT | O_WRONLY);
	CHECK_INT(mask, O_CREAT | O_ACCMODE);
	CHECK_INT(open_flags__parse("O_RDONLY", &flags, &mask), 0);
	CHECK_INT(flags, 0);
	CHECK_INT(mask, O_ACCMODE);
	CHECK_INT(open_flags__parse("0x241", &flags, &mask), 0);
	CHECK_INT(flags, 0x241);
	CHECK_INT(mask, 0x243);
	check_bad("");
	check_bad("O_");
	check_bad("O_NOSUCH");
	check_bad("O_CREAT|");
	check_bad("12x");
}

int main(void)
{
	test_errors();
	test_flags();
	return check_done();
}
