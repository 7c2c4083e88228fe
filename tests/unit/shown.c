/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>

#include "check.h"
#include "corpus.h"
#include "lib/layout/ctx.h"
#include "lib/layout/print_fmt.h"
#include "lib/layout/shown.h"

static const char text[] =
	"name: all\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int hex;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:void * pointer;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t dev;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:int name;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int flags;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:long state;\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:char text[16];\toffset:48;\tsize:16;\tsigned:0;\n"
	"\tfield:u16 list[4];\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t cpus;\toffset:72;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 address[4];\toffset:76;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 address6[16];\toffset:80;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 bytes[3];\toffset:96;\tsize:3;\tsigned:0;\n"
	"\tfield:struct pair pair;\toffset:100;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%d%% %#x \" \"%p %*d %s %s %s%s %pI4 %pI6c\", REC->number, (unsigned long)(REC->hex), REC->pointer, 3, REC->hex + 1, "
	"__print_symbolic(REC->name, { 1, \"ONE, (\" }, { -1, \"ALL\" }), __print_flags(REC->flags, \"|\", { 1, \"A\" }, { 4, \"B\" }), "
	"(REC->state & 3) ? __print_flags(REC->state & 3, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", REC->state & 4 ? \"+\" : \"\", "
	"REC->address, REC->address6\n";

static struct format *parse(void)
{
	struct format_error error;
	struct format *format;

	if (format__parse(&format, "test", text, strlen(text), &error)) {
		fprintf(stderr, "line %u: %s\n", error.line, error.why);
		exit(1);
	}
	return format;
}

/* A value of a field, both ways. */
static void check_shown(const char *name, const void *bytes, size_t size, size_t more, const char *expected, const char *expected_json)
{
	struct format *format = parse();
	const struct format_field *field = format__field(format, name);
	struct ctx_number number = {};
	struct shown shown;
	char *got;

	ctx__number(format, field, &number);
	CHECK_INT(shown__make(&shown, format, field, number.size, number.is_signed), 0);
	/* exactly what it says that it needs */
	got = malloc(shown__room(&shown, size) + 1);
	*shown__text(&shown, got, bytes, size, more, true) = 0;
	CHECK_STR(got, expected);
	*shown__json(&shown, got, bytes, size, more) = 0;
	CHECK_STR(got, expected_json);
	free(got);
	shown__free(&shown);
	format__free(format);
}

#define SHOWN(name, type, value, expected, json) check_shown(name, &(type){ value }, sizeof(type), 0, expected, json)
#define TEXT(value, expected, json) check_shown("text", value, sizeof(value) - 1, 0, expected, json)

static void check_values(void)
{
	const uint64_t cpus[] = { 0x2f, 1ULL << 63 }, none[] = { 0 };
	const uint16_t list[] = { 1, 65535 };

	SHOWN("number", int32_t, -7, "-7", "\"number\":-7");
	SHOWN("hex", uint32_t, 0xff, "0xff", "\"hex\":255");
	SHOWN("pointer", uint64_t, 0xffff888000000000, "0xffff888000000000", "\"pointer\":\"0xffff888000000000\"");
	SHOWN("dev", uint32_t, 8 << 20 | 1, "8:1", "\"dev\":\"8:1\"");
	SHOWN("name", int32_t, 1, "\"ONE, (\"", "\"name\":1,\"name_name\":\"ONE, (\"");
	SHOWN("name", int32_t, -1, "ALL", "\"name\":-1,\"name_name\":\"ALL\"");
	SHOWN("name", int32_t, 2, "2", "\"name\":2,\"name_name\":null");
	SHOWN("flags", uint32_t, 13, "A|B|0x8", "\"flags\":13,\"flags_name\":\"A|B|0x8\"");
	SHOWN("flags", uint32_t, 0, "0", "\"flags\":0,\"flags_name\":\"0\"");
	SHOWN("state", int64_t, 0, "R", "\"state\":0,\"state_name\":\"R\"");
	SHOWN("state", int64_t, 4, "R+", "\"state\":4,\"state_name\":\"R+\"");
	SHOWN("state", int64_t, 3, "S|D", "\"state\":3,\"state_name\":\"S|D\"");
	TEXT("plain\0xx", "plain", "\"text\":\"plain\"");
	TEXT("a b\"c", "\"a b\\x22c\"", "\"text\":\"a b\\\"c\"");
	TEXT("a=b", "\"a=b\"", "\"text\":\"a=b\"");
	TEXT("\xff\n", "\\xff\\n", "\"text\":\"\xef\xbf\xbd\\n\",\"text_hex\":\"ff0a\"");
	TEXT("", "''", "\"text\":\"\"");
	check_shown("text", "ab", 2, 5, "ab[+more]", "\"text\":\"ab\",\"text_more\":5");
	check_shown("list", list, sizeof(list), 0, "[1,65535]", "\"list\":[1,65535]");
	check_shown("list", list, 0, 0, "[]", "\"list\":[]");
	check_shown("cpus", cpus, sizeof(cpus), 0, "0-3,5,127", "\"cpus\":\"0-3,5,127\"");
	check_shown("cpus", none, sizeof(none), 0, "''", "\"cpus\":\"\"");
	check_shown("address", "\x7f\0\0\1", 4, 0, "127.0.0.1", "\"address\":\"127.0.0.1\"");
	check_shown("address6", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16, 0, "::1", "\"address6\":\"::1\"");
	check_shown("bytes", "\1\2\xfe", 3, 0, "0102fe", "\"bytes\":\"0102fe\"");
	check_shown("pair", "\1\2\3\4\5\6\7\10", 8, 0, "0102030405060708", "\"pair\":\"0102030405060708\"");
}

/* The largest values need no more room than they say: the sanitizer sees a write beyond it. */
static void check_room(void)
{
	struct format *format = parse();
	unsigned char bytes[256];

	for (int fill = 0; fill < 256; fill += 0x55) {
		memset(bytes, fill, sizeof(bytes));
		for (unsigned i = format->common_count; i < format->fields_count; i++) {
			struct ctx_number number = {};
			struct shown shown;
			size_t size;
			char *got;

			ctx__number(format, &format->fields[i], &number);
			CHECK_INT(shown__make(&shown, format, &format->fields[i], number.size, number.is_signed), 0);
			size = number.size ? number.size : sizeof(bytes);
			got = malloc(shown__room(&shown, size));
			shown__text(&shown, got, bytes, size, 1, true);
			shown__json(&shown, got, bytes, size, UINT32_MAX);
			free(got);
			shown__free(&shown);
		}
	}
	format__free(format);
}

static void check_conversion(const char *print_fmt, const char *field, const char *expected)
{
	char conversion[PRINT_FMT_CONVERSION_SIZE] = "";

	CHECK_INT(print_fmt__conversion(print_fmt, field, conversion), !!*expected);
	if (*expected)
		CHECK_STR(conversion, expected);
}

static void check_print_fmt(void)
{
	char none[8];

	check_conversion("\"a=%d b=%08lx\", REC->a, (unsigned long)((REC->b))", "b", "x");
	check_conversion("\"a=%d b=%08lx\", REC->a, (unsigned long)((REC->b))", "a", "d");
	check_conversion("\"%d,%x\", REC->a >> 2, REC->b[0]", "a", "");
	check_conversion("\"%d,%x\", REC->a >> 2, REC->b[0]", "b", "");
	check_conversion("\"%s %d\", __print_flags(REC->f, \",\", { 1, \")\" }), REC->a", "a", "d");
	check_conversion("\"%*d %pI6c %%x\", 3, REC->a, REC->b", "b", "pI6c");
	check_conversion("\"%d\", REC->ab", "a", "");
	check_conversion("\"%", "a", "");
	check_conversion("\"%d", "a", "");
	check_conversion("", "a", "");
	check_conversion("\"%d\", REC->", "a", "");
	check_conversion("\"%pABCDEFGHIJKLMNOP\", REC->a", "a", "pABCDEF");
	CHECK(!print_fmt__none("\"%s\", __print_flags(REC->a, \"|\", { 1, \"A\" })", "a", none, sizeof(none)));
	CHECK(!print_fmt__none("\"%s\", __print_flags(REC->a", "a", none, sizeof(none)));
	CHECK(!print_fmt__none("\"%s\", REC->a ? __print_flags(REC->a, \"|\", { 1, \"A\" }) : \"much too long\"", "a", none, sizeof(none)));
	CHECK(print_fmt__none("\"%s\", REC->a ? __print_flags(REC->a & (1|2), \"|\", { 1, \"A\" }) : \"no\"", "a", none, sizeof(none)));
	CHECK_STR(none, "no");
}

/* All fields of all events that there are: something is shown, and within its room. */
static void check_corpora(void)
{
	unsigned int fields = 0, kinds[SHOWN_IPV6 + 1] = {};
	unsigned char bytes[4096] = {};

	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		char *corpus = corpus_read(corpora[i]);
		const char *pos = corpus;
		struct corpus_event event;

		while (corpus_next(&pos, &event)) {
			struct format_error error;
			struct format *format;

			if (format__parse(&format, event.system, event.text, event.length, &error))
				continue;
			for (unsigned f = format->common_count; f < format->fields_count; f++) {
				const struct format_field *field = &format->fields[f];
				struct ctx_number number = {};
				struct shown shown;
				char *got, *end;

				ctx__number(format, field, &number);
				CHECK_INT(shown__make(&shown, format, field, number.size, number.is_signed), 0);
				got = malloc(shown__room(&shown, field->size));
				end = shown__text(&shown, got, bytes, field->size, 0, true);
				CHECK(end > got || !strcmp(shown.none, ""));
				end = shown__json(&shown, got, bytes, field->size, 0);
				CHECK(end > got && memchr(got, ':', (size_t)(end - got)));
				kinds[shown.kind]++;
				fields++;
				free(got);
				shown__free(&shown);
			}
			format__free(format);
		}
		free(corpus);
	}
	printf("%u fields:", fields);
	for (int kind = 0; kind <= SHOWN_IPV6; kind++) {
		printf(" %u", kinds[kind]);
		CHECK(kinds[kind]);
	}
	printf("\n");
}

int main(void)
{
	check_values();
	check_room();
	check_print_fmt();
	check_corpora();
	return check_done();
}
