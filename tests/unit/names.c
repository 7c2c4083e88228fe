/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "check.h"
#include "lib/layout/names.h"

static struct names *parse(const char *print_fmt, const char *field)
{
	struct names *names = NULL;
	int err = names__parse(&names, print_fmt, field);

	CHECK_INT(err, names ? 0 : -ENOENT);
	return names;
}

int main(void)
{
	static const char two[] = "\"%s %s\", __print_symbolic(REC->old, { 1, \"A\" }, { 0x10, \"B, {\" }), "
				  "__print_symbolic((u32)REC->older, { 1, \"C\" }, { ENUM, \"D\" }, { -1, \"E\" }), "
				  "__print_flags(REC->flags, \"|\", {1<<2, \"no\"}, { 4, \"F\" })";
	struct names *names;

	names = parse(two, "old");
	CHECK_INT(names__count(names), 2);
	CHECK_STR(names__find(names, 1), "A");
	CHECK_STR(names__find(names, 16), "B, {");
	CHECK_STR(names__find(names, 2), NULL);
	names__free(names);

	/* not the one whose name it begins with; what the kernel did not resolve is skipped */
	names = parse(two, "older");
	CHECK_INT(names__count(names), 2);
	CHECK_STR(names__find(names, 1), "C");
	CHECK_STR(names__find(names, (uint64_t)-1), "E");
	names__free(names);

	names = parse(two, "flags");
	CHECK_INT(names__count(names), 1);
	CHECK_STR(names__find(names, 4), "F");
	names__free(names);

	CHECK(!parse(two, "none"));
	CHECK(!parse("", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1, \"A", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1, \"A\" ", "old"));
	CHECK(!parse("\"\", __print_flags(REC->old, \"", "old"));
	CHECK_STR(names__find(NULL, 1), NULL);
	names__free(NULL);
	return check_done();
}
