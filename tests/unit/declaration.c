/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/declaration: nothing in a format ends the comment that it is written into. */
#include "lib/format/declaration.h"

#include <stdlib.h>

#include "check.h"
#include "lib/format/format.h"

static void check_comment(const char *system, const char *name, const char *print_fmt, const char *expected)
{
	const struct format format = { .system = system, .name = name, .print_fmt = print_fmt };
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	declaration__put_struct(&format, "tp_tag", to);
	fclose(to);
	CHECK_STR(text, expected);
	free(text);
}

int main(void)
{
	/* names that format__parse() refuses: a second line of defence */
	check_comment("x*", "int", "y = 0; char injected[] = \"x\"; // \\",
		      "\n/*\n * x* /int\n *\n * y = 0; char injected[] = \"x\"; // \\\n */\nstruct tp_tag {\n"
		      "} __attribute__((preserve_access_index));\n");
	check_comment("a\nb", "*c", "*/ int evil;", "\n/*\n * a\\nb/ *c\n *\n * * / int evil;\n */\nstruct tp_tag {\n"
		      "} __attribute__((preserve_access_index));\n");
	return check_done();
}
