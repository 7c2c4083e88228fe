/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/format: what it gives for the shapes that format files have, and its errors on what no format file is. */
#include "lib/format/format.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "corpus.h"

#define HEAD "name: foo\nID: 7\nformat:\n"
#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define TAIL "\nprint fmt: \"x\"\n"

static struct format_error error;

static struct format *parse(const char *text)
{
	struct format *format = NULL;
	/* Of the exact size, so that the sanitizer sees a read beyond it. */
	char *copy = malloc(strlen(text));

	memcpy(copy, text, strlen(text));
	error = (struct format_error){};
	if (format__parse(&format, "sys", copy, strlen(text), &error))
		format = NULL;
	free(copy);
	return format;
}

/* One field line between a head and a tail that are right. */
static struct format *parse_field(const char *field)
{
	char text[1024];

	snprintf(text, sizeof(text), HEAD COMMON "%s\n" TAIL, field);
	return parse(text);
}

static void check_field(const char *line, const char *name, const char *type, unsigned array_len, unsigned elem_size,
			enum format_loc loc, int is_array)
{
	struct format *format = parse_field(line);
	const struct format_field *field;

	if (!check_report(!!format, __FILE__, __LINE__, "%s: %s", line, error.why))
		return;
	field = &format->fields[1];
	check_report(!strcmp(field->name, name) && !strcmp(field->type, type) && field->array_len == array_len &&
		     field->elem_size == elem_size && field->loc == loc && field->is_array == is_array &&
		     !field->is_common && strstr(line, field->decl), __FILE__, __LINE__,
		     "%s: \"%s\" name \"%s\" type \"%s\" [%u] of %u, loc %d array %d", line, field->decl, field->name,
		     field->type, field->array_len, field->elem_size, field->loc, field->is_array);
	format__free(format);
}

static void test_fields(void)
{
#define AT(size) ";\toffset:8;\tsize:" #size ";\tsigned:0;"
	check_field("\tfield:int prio" AT(4), "prio", "int", 0, 4, FORMAT_PLAIN, 0);
	check_field("\tfield:unsigned long long x" AT(8), "x", "unsigned long long", 0, 8, FORMAT_PLAIN, 0);
	check_field("\tfield:const char * filename" AT(8), "filename", "const char *", 0, 8, FORMAT_PLAIN, 0);
	check_field("\tfield:struct iocb * * iocbpp" AT(8), "iocbpp", "struct iocb * *", 0, 8, FORMAT_PLAIN, 0);
	check_field("\tfield:void *p" AT(8), "p", "void *", 0, 8, FORMAT_PLAIN, 0);
	check_field("\tfield:char comm[16]" AT(16), "comm", "char", 16, 1, FORMAT_PLAIN, 1);
	check_field("\tfield:unsigned long caller[8]" AT(64), "caller", "unsigned long", 8, 8, FORMAT_PLAIN, 1);
	check_field("\tfield:struct x data[3]" AT(36), "data", "struct x", 3, 12, FORMAT_PLAIN, 1);
	check_field("\tfield:char func[30+1]" AT(31), "func", "char", 31, 1, FORMAT_PLAIN, 1);
	check_field("\tfield:__u8 a[sizeof(struct sockaddr_in6)]" AT(28), "a", "__u8", 28, 1, FORMAT_PLAIN, 1);
	check_field("\tfield:struct x a[sizeof(y[2])]" AT(28), "a", "struct x", 0, 0, FORMAT_PLAIN, 1);
	check_field("\tfield:u32 m[2][3]" AT(24), "m", "u32", 6, 4, FORMAT_PLAIN, 1);
	check_field("\tfield:u32 buf[]" AT(0), "buf", "u32", 0, 4, FORMAT_PLAIN, 1);
	check_field("\tfield:__data_loc char[] msg" AT(4), "msg", "char", 0, 1, FORMAT_DATA_LOC, 1);
	check_field("\tfield:__data_loc unsigned long[] cpus" AT(4), "cpus", "unsigned long", 0, 8, FORMAT_DATA_LOC, 1);
	check_field("\tfield:__data_loc cpumask_t cpum" AT(4), "cpum", "cpumask_t", 0, 8, FORMAT_DATA_LOC, 0);
	check_field("\tfield:__data_loc char[][3] texts" AT(12), "texts", "char", 3, 1, FORMAT_DATA_LOC, 1);
	check_field("\tfield:__data_loc char[][1] texts" AT(4), "texts", "char", 1, 1, FORMAT_DATA_LOC, 1);
	check_field("\tfield:__rel_loc char msg[]" AT(4), "msg", "char", 0, 1, FORMAT_REL_LOC, 1);
	check_field("\tfield:__rel_loc unsigned long bitmask[]" AT(4), "bitmask", "unsigned long", 0, 8, FORMAT_REL_LOC,
		    1);
	/* a name that only looks like the prefix */
	check_field("\tfield:__data_location x" AT(4), "x", "__data_location", 0, 4, FORMAT_PLAIN, 0);
	/* spaces instead of tabs, carelessly copied */
	check_field("  field:int x;  offset:8;  size:4;  signed:1;  ", "x", "int", 0, 4, FORMAT_PLAIN, 0);
}

static void test_whole(void)
{
	struct format *format = parse(HEAD COMMON
		"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:char b[];\toffset:8;\tsize:0;\tsigned:0;\n"
		"\nprint fmt: \"a\n\", REC->a\n");

	if (!CHECK(format))
		return;
	CHECK_STR(format->system, "sys");
	CHECK_STR(format->name, "foo");
	CHECK_INT(format->id, 7);
	CHECK_INT(format->fields_count, 3);
	CHECK_INT(format->common_count, 1);
	CHECK_INT(format->fields[0].is_common, 1);
	CHECK_INT(format->fields[0].is_signed, 0);
	CHECK_INT(format->fields[1].is_signed, 1);
	CHECK_INT(format->fields[1].offset, 4);
	CHECK_INT(format->fields[2].size, 0);
	CHECK_STR(format->print_fmt, "\"a\n\", REC->a");
	CHECK(format__field(format, "b") == &format->fields[2]);
	CHECK(!format__field(format, "c"));
	format__free(format);

	/* no own fields at all: an event that says only that it happened */
	format = parse(HEAD COMMON TAIL);
	CHECK(format && format->fields_count == 1 && format->common_count == 1);
	format__free(format);
	format__free(NULL);
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *why;
	} bad[] = {
		{ "", 1, "the text ends here" },
		{ "\n", 1, "\"name:\" is expected" },
		{ "hello\n", 1, "\"name:\" is expected" },
		{ "name: \n", 1, "the name is empty" },
		{ "name: a b\n", 1, "the name of an event has" },
		{ "name: ../etc\n", 1, "the name of an event has" },
		{ "name: foo\nID: x\n", 2, "the ID is not a number" },
		{ "name: foo\nID: 99999999999\n", 2, "the ID is not a number" },
		{ "name: foo\nID: 7\nfield:\n", 3, "\"format:\" is expected" },
		{ HEAD, 4, "the text ends here" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:0;\n", 5, "the text ends here" },
		{ HEAD "\tfield:int a;\toff", 4, "in the middle of a line" },
		{ HEAD "\tfield:int a\toffset:0;\tsize:4;\tsigned:0;\n", 4, "\"offset:\" is expected" },
		{ HEAD "\tfield:int a\n", 4, "a semicolon is missing" },
		{ HEAD "\tfield:int a;\toffset:0\tsize:4;\tsigned:0;\n", 4,
		  "a semicolon is missing after the offset" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4\tsigned:0;\n", 4, "a semicolon is missing after the size" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:0\n", 4, "a semicolon is missing after signed" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:2;\n", 4, "\"signed:0\" or \"signed:1\"" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\n", 4, "\"signed:0\" or \"signed:1\"" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:0; x\n", 4, "there is more on the line" },
		{ HEAD "\tfield:int a;\toffset:-1;\tsize:4;\tsigned:0;\n", 4, "the offset is no number, or beyond" },
		{ HEAD "\tfield:int a;\toffset:4294967295;\tsize:4;\tsigned:0;\n", 4,
		  "the offset is no number, or beyond" },
		{ HEAD "\tfield:int a;\toffset:99999999999999999999999;\tsize:4;\tsigned:0;\n", 4,
		  "the offset is no number" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:18446744073709551620;\tsigned:0;\n", 4,
		  "the size is no number" },
		{ HEAD "\tfield:int a;\toffset:65535;\tsize:4;\tsigned:0;\n", 4, "the size is no number, or beyond" },
		{ HEAD "\tfield:;\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field has no name" },
		{ HEAD "\tfield:a;\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field has no type" },
		{ HEAD "\tfield:int 9;\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field has no name" },
		{ HEAD "\tfield:int *;\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field has no name" },
		{ HEAD "\tfield:int a];\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field's brackets do not match" },
		{ HEAD "\tfield:int a[3]];\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field's brackets do not match" },
		{ HEAD "\tfield:int[2] a[3];\toffset:0;\tsize:24;\tsigned:0;\n", 4,
		  "the field has brackets on both sides" },
		{ HEAD "\tfield:int a[3];\toffset:0;\tsize:4;\tsigned:0;\n", 4, "the field's size is no multiple" },
		{ HEAD "\tfield:int a\033[3];\toffset:0;\tsize:4;\tsigned:0;\n", 4,
		  "the field's declaration has bytes" },
		{ HEAD "\tfield:__data_loc char[] a;\toffset:0;\tsize:8;\tsigned:0;\n", 4,
		  "the field is a __data_loc" },
		{ HEAD "\tfield:__data_loc char[][2] a;\toffset:0;\tsize:12;\tsigned:0;\n", 4, "the field is a __data_loc" },
		{ HEAD "\tfield:__data_loc char[][65] a;\toffset:0;\tsize:260;\tsigned:0;\n", 4, "the field is a __data_loc" },
		{ HEAD "\tfield:__data_loc long[][2] a;\toffset:0;\tsize:8;\tsigned:0;\n", 4, "the field is a __data_loc" },
		{ HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:0;\n"
		       "\tfield:int b;\toffset:3;\tsize:4;\tsigned:0;\n",
		  5, "the field overlaps the one before it" },
		{ HEAD COMMON "\tfield:int b;\toffset:1;\tsize:4;\tsigned:0;\n", 6,
		  "the field overlaps the one before it" },
		{ HEAD COMMON "\n", 7, "the text ends here, before its print fmt" },
		{ HEAD COMMON "\nprint", 7, "\"print fmt:\" is expected" },
		{ HEAD COMMON "\nprint fmt: \"half", 7, "the text ends in the middle of the print fmt" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct format *format = parse(bad[i].text);

		check_report(!format && error.line == bad[i].line && error.why && strstr(error.why, bad[i].why),
			     __FILE__, __LINE__, "bad text %zu: line %u: %s; expected line %u: %s", i, error.line,
			     error.why, bad[i].line, bad[i].why);
		format__free(format);
	}
}

/* A file that is cut anywhere is an error, except where only its last newline is at stake inside a print fmt. */
static void test_cut(void)
{
	char *corpus = corpus_read("6.12-lat-with-sample-module");
	const char *pos = corpus;
	struct corpus_event event;

	while (corpus_next(&pos, &event)) {
		if (strcmp(event.system, "sample-trace"))
			continue;
		for (size_t length = 0; length < event.length; length++) {
			struct format *format = NULL;
			char *text = malloc(length ? length : 1);

			memcpy(text, event.text, length);
			check_report(format__parse(&format, event.system, text, length, &error) == -EINVAL, __FILE__,
				     __LINE__, "%s cut to %zu bytes is accepted", event.name, length);
			format__free(format);
			free(text);
		}
	}
	free(corpus);
}

/* Milliseconds of CPU time for a text of length bytes, of which block is repeated behind head. */
static double parse_repeated(const char *head, const char *block, size_t length, int expected)
{
	size_t used = strlen(head), step = strlen(block);
	struct format *format = NULL;
	char *text = malloc(length);
	clock_t start;

	memcpy(text, head, used);
	for (; used + step <= length; used += step)
		memcpy(text + used, block, step);
	start = clock();
	CHECK_INT(format__parse(&format, "sys", text, used, &error), expected);
	start = clock() - start;
	format__free(format);
	free(text);
	return start * 1e3 / CLOCKS_PER_SEC;
}

static void test_large(void)
{
	/* 10 MB: refused before anything is read; 50 ms are far more than that takes, sanitizers included. */
	CHECK(parse_repeated(HEAD, "\tfield:int a;\toffset:0;\tsize:0;\tsigned:0;\n", 10 << 20, -EFBIG) < 50);
	CHECK(strstr(error.why, "larger than any format file"));
	CHECK(parse_repeated("", "x", 10 << 20, -EFBIG) < 50);

	/* The worst of what is read, and none of it takes long: nothing is quadratic in the text. */
	CHECK(parse_repeated(HEAD, "\tfield:int a;\toffset:0;\tsize:0;\tsigned:0;\n", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated(HEAD "\tfield:int a", "[1]", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated(HEAD "\tfield:int a", "]", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated(HEAD "\tfield:", " ", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated(HEAD "\tfield:int a;\toffset:", "9", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated("name: ", "n", FORMAT_SIZE_MAX, -EINVAL) < 100);
	CHECK(parse_repeated(HEAD COMMON "\nprint fmt: ", "\n", FORMAT_SIZE_MAX, 0) < 100);
	CHECK(parse_repeated("", "\n", FORMAT_SIZE_MAX, -EINVAL) < 100);
}

static void test_zero_byte(void)
{
	struct format *format = NULL;
	const char text[] = HEAD COMMON "\nprint fmt: \"a\0b\"\n";

	CHECK_INT(format__parse(&format, "sys", text, sizeof(text) - 1, &error), -EINVAL);
	CHECK_INT(error.line, 7);
	CHECK_STR(error.why, "it has a 0 byte, so the file is no text");
	CHECK_INT(format__parse(&format, "sys", "\0", 1, &error), -EINVAL);
	CHECK_INT(error.line, 1);
	CHECK_INT(format__parse(&format, "sys", NULL, 0, &error), -EINVAL);
}

/* The system is a directory's name; in a copy that can be anything. */
static void test_system_names(void)
{
	static const char text[] = HEAD COMMON TAIL;
	static const char *const bad[] = { "", "x*", "a b", "a/b", "a\nb", "\033[31m", "\xc3\xa9", "\xe2\x80\xae" };
	struct format *format = NULL;

	CHECK_INT(format__parse(&format, "sample-trace.x_9", text, sizeof(text) - 1, &error), 0);
	CHECK_STR(format->system, "sample-trace.x_9");
	format__free(format);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK_INT(format__parse(&format, bad[i], text, sizeof(text) - 1, &error), -EINVAL);
		CHECK_INT(error.line, 0);
		CHECK_STR(error.why, "the name of an event's system has letters, digits, \"_\", \"-\" and \".\"");
	}
}

/* As long as a name may be, and longer. */
static void test_long_names(void)
{
	char name[FORMAT_NAME_MAX + 2], text[1024];
	struct format *format;

	memset(name, 'n', sizeof(name));
	name[FORMAT_NAME_MAX + 1] = 0;
	snprintf(text, sizeof(text), "name: %s\nID: 7\nformat:\n" COMMON TAIL, name);
	CHECK(!parse(text));
	CHECK_INT(error.line, 1);
	CHECK_STR(error.why, "the name has more than 255 characters");
	snprintf(text, sizeof(text), "\tfield:int %s[2];\toffset:8;\tsize:8;\tsigned:0;", name);
	CHECK(!parse_field(text));
	CHECK_INT(error.line, 6);
	CHECK_STR(error.why, "the field's name has more than 255 characters");

	name[FORMAT_NAME_MAX] = 0;
	snprintf(text, sizeof(text), "name: %s\nID: 7\nformat:\n" COMMON TAIL, name);
	format = parse(text);
	CHECK(format && !strcmp(format->name, name));
	format__free(format);
	snprintf(text, sizeof(text), "\tfield:__data_loc char[] %s;\toffset:8;\tsize:4;\tsigned:0;", name);
	format = parse_field(text);
	CHECK(format && !strcmp(format->fields[1].name, name));
	format__free(format);
}

static void test_type_size(void)
{
	bool is_signed = true;

	CHECK_INT(format__type_size("u32", &is_signed), 4);
	CHECK_INT(is_signed, 0);
	CHECK_INT(format__type_size("const int", &is_signed), 4);
	CHECK_INT(is_signed, 1);
	CHECK_INT(format__type_size("struct sock *", &is_signed), 8);
	CHECK_INT(format__type_size("struct sock", NULL), 0);
	CHECK_INT(format__type_size("", NULL), 0);
}

int main(void)
{
	test_fields();
	test_whole();
	test_bad();
	test_cut();
	test_large();
	test_zero_byte();
	test_system_names();
	test_long_names();
	test_type_size();
	return check_done();
}
