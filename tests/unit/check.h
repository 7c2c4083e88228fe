/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the unit tests: a failure is one line with its place, and the test goes on; end main with check_done(). */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

__attribute__((format(printf, 4, 5), unused))
static int check_report(int passed, const char *file, int line, const char *format, ...)
{
	__builtin_va_list args;

	if (passed)
		return 1;
	check_failures++;
	fprintf(stderr, "%s:%d: ", file, line);
	__builtin_va_start(args, format);
	vfprintf(stderr, format, args);
	__builtin_va_end(args);
	fputc('\n', stderr);
	return 0;
}

/* Each gives whether it passed. */
#define CHECK(condition) check_report(!!(condition), __FILE__, __LINE__, "not so: %s", #condition)

static inline int check_int(long long got, long long expected, const char *what, const char *file, int line)
{
	return check_report(got == expected, file, line, "%s is %lld, expected %lld", what, got, expected);
}

#define CHECK_INT(got, expected) check_int(got, expected, #got, __FILE__, __LINE__)

static inline int check_str(const char *got, const char *expected, const char *what, const char *file, int line)
{
	int same = got && expected ? !strcmp(got, expected) : got == expected;

	return check_report(same, file, line, "%s is \"%s\", expected \"%s\"", what, got ? got : "(null)",
			    expected ? expected : "(null)");
}

#define CHECK_STR(got, expected) check_str(got, expected, #got, __FILE__, __LINE__)

/* The exit status for main. */
static inline int check_done(void)
{
	if (check_failures)
		fprintf(stderr, "%d checks failed\n", check_failures);
	return check_failures ? 1 : 0;
}

#endif
