/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of arrays as fields. */
#include "lib/format/elements.h"

#include <errno.h>
#include <string.h>

#include "check.h"

static const char text[] =
	"name: made\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
	"\tfield:s16 pair[2];\toffset:64;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u32[] list;\toffset:68;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%ld\", REC->id\n";

static struct format *parse(void)
{
	struct format_error error;
	struct format *format = NULL;

	CHECK_INT(format__parse(&format, "test", text, strlen(text), &error), 0);
	return format;
}

static void check_fields(void)
{
	static const char *const names[] = { "id", "args[5]", "pair[1]", "args[5]", "args", "args[x]", "none[1]", "[1]" };
	struct format *format = parse();
	const struct format_field *field;
	unsigned before = format->fields_count;
	struct fault fault = {};

	CHECK_INT(elements__add(&format, names, sizeof(names) / sizeof(*names), &fault), 0);
	CHECK_INT(format->fields_count, before + 2);
	field = format__field(format, "args[5]");
	CHECK(field && field->offset == 56 && field->size == 8 && !field->is_array && field->is_extra && !field->is_signed);
	field = format__field(format, "pair[1]");
	CHECK(field && field->offset == 66 && field->size == 2 && field->is_signed);
	field = format__field(format, "args");
	CHECK(field && field->is_array && !field->is_extra);
	format__free(format);
}

static void check_refused(const char *name, const char *expected)
{
	struct format *format = parse();
	struct fault fault = {};

	CHECK_INT(elements__add(&format, &name, 1, &fault), -EINVAL);
	CHECK_STR(fault.text, expected);
	format__free(format);
}

int main(void)
{
	check_fields();
	check_refused("args[6]", "args[6]: args has 6 elements");
	check_refused("id[0]", "id[0]: id is no array of numbers of a fixed size: long id");
	check_refused("list[0]", "list[0]: list is no array of numbers of a fixed size: __data_loc u32[] list");
	return check_done();
}
