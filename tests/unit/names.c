/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lib/printfmt/value_names.h"

static struct value_names *parse(const char *print_fmt, const char *field)
{
	struct value_names *names = NULL;
	int err = value_names__parse(&names, print_fmt, field);

	CHECK_INT(err, names ? 0 : -ENOENT);
	return names;
}

int main(void)
{
	static const char two[] = "\"%s %s\", __print_symbolic(REC->old, { 1, \"A\" }, { 0x10, \"B, {\" }), "
				  "__print_symbolic((u32)REC->older, { 1, \"C\" }, { ENUM, \"D\" }, { -1, \"E\" }), "
				  "__print_flags(REC->flags, \"|\", {1<<2, \"F\"}, { NONE, \"no\" })";
	char text[64], deep[4096] = "", print_fmt[8192];
	struct value_names *names;

	names = parse(two, "old");
	CHECK_INT(value_names__count(names), 2);
	CHECK_STR(value_names__find(names, 1), "A");
	CHECK_STR(value_names__find(names, 16), "B, {");
	CHECK_STR(value_names__find(names, 2), NULL);
	value_names__free(names);

	/* not the one whose name it begins with; what the kernel did not resolve is skipped */
	names = parse(two, "older");
	CHECK_INT(value_names__count(names), 2);
	CHECK_STR(value_names__find(names, 1), "C");
	CHECK_STR(value_names__find(names, (uint64_t)-1), "E");
	value_names__free(names);

	names = parse(two, "flags");
	CHECK_INT(value_names__count(names), 1);
	CHECK_STR(value_names__find(names, 4), "F");
	value_names__free(names);

	/* the kernel's flags of allocations, in the ways of 5.10 and 6.12 */
	names = parse("\"%s\", (REC->gfp) ? __print_flags(REC->gfp, \"|\", "
		      "{(unsigned long)(((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)) & ~(( gfp_t)(0x400u))), \"BOTH\"}, "
		      "{( unsigned long)(( gfp_t)((((1UL))) << (6))), \"SIX\"}, {(unsigned long)(NOBODY(1, 2)), \"NO\"}, "
		      "{( unsigned long)(( gfp_t)((((1UL))) << (2)|((((1UL))) << (3)))), \"LOW\"}, { 0, ((void *)0) } ) : \"none\"", "gfp");
	CHECK_INT(value_names__count(names), 3);
	CHECK_STR(value_names__find(names, 0x840), "BOTH");
	CHECK_STR(value_names__find(names, 0x40), "SIX");
	CHECK_STR(value_names__find(names, 0xc), "LOW");
	CHECK_INT(value_names__flags(names, 0x84d, text, sizeof(text)), 12);
	CHECK_STR(text, "BOTH|LOW|0x1");
	CHECK_INT(value_names__flags(names, 0x40, text, sizeof(text)), 3);
	CHECK_STR(text, "SIX");
	CHECK_INT(value_names__flags(names, 0, text, sizeof(text)), 0);
	CHECK_STR(text, "");
	CHECK_INT(value_names__flags(NULL, 0x30, text, sizeof(text)), 4);
	CHECK_STR(text, "0x30");
	/* cut */
	CHECK_INT(value_names__flags(names, 0x84d, text, 7), 6);
	CHECK_STR(text, "BOTH|L");
	value_names__free(names);

	/* too many parentheses are none */
	memset(deep, '(', sizeof(deep) - 1);
	snprintf(text, sizeof(text), "%s", "");
	snprintf(print_fmt, sizeof(print_fmt), "\"\", __print_flags(REC->gfp, \"|\", {%s1, \"A\"}, { 2, \"B\" })", deep);
	CHECK(!parse(print_fmt, "gfp"));

	CHECK(!parse(two, "none"));
	CHECK(!parse("", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1, \"A", "old"));
	CHECK(!parse("\"\", __print_symbolic(REC->old, { 1, \"A\" ", "old"));
	CHECK(!parse("\"\", __print_flags(REC->old, \"", "old"));
	CHECK_STR(value_names__find(NULL, 1), NULL);
	value_names__free(NULL);
	return check_done();
}
