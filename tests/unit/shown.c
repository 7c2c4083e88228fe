/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>

#include "check.h"
#include "corpus.h"
#include "lib/format/ctx.h"
#include "lib/print/meaning.h"
#include "lib/gen/record.h"
#include "lib/printfmt/shown_texts.h"

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

/* As kprobe_events makes print fmts of arrays. */
static const char probe_text[] =
	"name: arrays\nID: 2\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 words[2];\toffset:16;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 numbers[3];\toffset:32;\tsize:3;\tsigned:0;\n"
	"\tfield:s8 digits[2];\toffset:35;\tsize:2;\tsigned:1;\n"
	"\tfield:__data_loc char[][3] texts;\toffset:40;\tsize:12;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) words={0x%Lx,0x%Lx} numbers={%u,%u,%u} digits={0x%x,0x%x}\", REC->__probe_ip, REC->words[0], "
	"REC->words[1], REC->numbers[0], REC->numbers[1], REC->numbers[2], REC->digits[0], REC->digits[1]\n";

static struct format *parse_text(const char *of)
{
	struct format_error error;
	struct format *format;

	if (format__parse(&format, "test", of, strlen(of), &error)) {
		fprintf(stderr, "line %u: %s\n", error.line, error.why);
		exit(1);
	}
	return format;
}

static struct format *parse(void)
{
	return parse_text(text);
}

/* A value of a field, both ways. */
static void check_shown_of(const char *of, const char *name, const void *bytes, size_t size, size_t more, const char *expected,
			   const char *expected_json)
{
	struct format *format = parse_text(of);
	const struct format_field *field = format__field(format, name);
	struct ctx_number number = {};
	struct shown shown;
	char *got;

	ctx__number(format, field, &number);
	CHECK_INT(shown__make(&shown, format, field, number.size, number.is_signed), 0);
	/* exactly what it says that it needs */
	got = malloc(shown__room(&shown, size) + 1);
	/* the second time names come from those that are kept (kept_names.h), also where JSON comes first */
	for (int round = 0; round < 2; round++) {
		*shown__text(&shown, got, bytes, size, more, true) = 0;
		CHECK_STR(got, expected);
		*shown__json(&shown, got, bytes, size, more) = 0;
		CHECK_STR(got, expected_json);
	}
	free(got);
	shown__free(&shown);
	format__free(format);
}

static void check_shown(const char *name, const void *bytes, size_t size, size_t more, const char *expected, const char *expected_json)
{
	check_shown_of(text, name, bytes, size, more, expected, expected_json);
}

/* Elements that the print fmt has one by one are shown as it has them; a byte in hexadecimal is one of many digits. */
static void check_elements(void)
{
	const uint64_t words[] = { UINT64_MAX, 0 }, ip = 0xffff;

	check_shown_of(probe_text, "words", words, sizeof(words), 0, "[0xffffffffffffffff,0x0]", "\"words\":[18446744073709551615,0]");
	check_shown_of(probe_text, "numbers", "\0\200\377", 3, 0, "[0,128,255]", "\"numbers\":[0,128,255]");
	check_shown_of(probe_text, "digits", "\1\376", 2, 0, "01fe", "\"digits\":\"01fe\"");
	check_shown_of(probe_text, "__probe_ip", &ip, sizeof(ip), 0, "0xffff", "\"__probe_ip\":\"0xffff\",\"__probe_ip_name\":null");
}

static void check_texts_of(const struct shown_text *texts, size_t count, const char *expected, const char *expected_json)
{
	struct shown shown = { .kind = SHOWN_TEXT, .key = strdup("of") };
	size_t most = 0;
	char *got;

	for (size_t i = 0; i < count; i++)
		most = texts[i].size > most ? texts[i].size : most;
	got = malloc(shown_texts__room(&shown, count, most) + 1);
	*shown_texts__put(&shown, got, texts, count, false) = 0;
	CHECK_STR(got, expected);
	*shown_texts__put(&shown, got, texts, count, true) = 0;
	CHECK_STR(got, expected_json);
	free(got);
	shown__free(&shown);
}

/* Arrays of texts, and where they are in a record that the kernel wrote. */
static void check_texts(void)
{
	static const struct shown_text three[] = { { "one", 4, 0 }, { "", 0, 0 }, { "a \"b\" \n", 7, 0 } };
	static const struct shown_text odd[] = { { NULL, 0, 0 }, { "\377x", 2, 5 } };
	struct format *format = parse_text(probe_text);
	const char *const names[] = { "texts" };
	char raw[256] = "", copy[RECORD_MAX];
	const uint32_t locs[] = { 4 << 16 | 100, 200u << 16 | 52, 0 };
	struct record record;
	struct fault fault;

	check_texts_of(three, 3, "[\"one\",\"\",\"a \\x22b\\x22 \\n\"]", "\"of\":[\"one\",\"\",\"a \\\"b\\\" \\n\"]");
	check_texts_of(odd, 2, "[<fault>,\"\\xffx\"[+more]]", "\"of\":[null,\"\uFFFDx\"],\"of_hex\":[null,\"ff78\"],\"of_more\":[0,5]");
	check_texts_of(three, 1, "[\"one\"]", "\"of\":[\"one\"]");
	CHECK_INT(record__plan(&record, format, names, 1, &fault), 0);
	memcpy(raw + 40, locs, sizeof(locs));
	strcpy(raw + 100, "one");
	CHECK_INT(record__take(&record, copy, raw, sizeof(raw)), 0);
	CHECK_STR(record__text(&record, record.fields, copy, 0).bytes, "one");
	CHECK_INT(record__text(&record, record.fields, copy, 1).size, 200);
	CHECK_INT(record__text(&record, record.fields, copy, 2).size, 0);
	CHECK_INT(record__texts(format, format__field(format, "texts")).max, RECORD_DYNAMIC_MAX);
	/* the second one ends behind the record */
	CHECK_INT(record__take(&record, copy, raw, 251), -EINVAL);
	record__free(&record);
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
	SHOWN("name", int32_t, 2, "0x2", "\"name\":2,\"name_name\":null");
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

static bool tell_name(uint64_t address, bool with_place, char name[SHOWN_SYMBOL_MAX])
{
	sprintf(name, "%s", with_place ? "do_exit+0x1/0x2" : "do_exit");
	return address == 0xffff;
}

static void check_symbol_of(const char *type, const char *print_fmt, bool has_names, uint64_t address, const char *expected,
			    const char *expected_json)
{
	const struct format_field field = { .name = "ip", .type = type, .offset = 8, .size = 8, .elem_size = 8 };
	struct format format = { .system = "test", .name = "symbol", .fields = &field, .fields_count = 1, .print_fmt = print_fmt };
	struct shown shown;
	char *got;

	CHECK_INT(shown__make(&shown, &format, &field, 8, false), 0);
	shown.symbol = has_names ? tell_name : NULL;
	got = malloc(shown__room(&shown, 8) + 1);
	*shown__text(&shown, got, &address, 8, 0, true) = 0;
	CHECK_STR(got, expected);
	*shown__json(&shown, got, &address, 8, 0) = 0;
	CHECK_STR(got, expected_json);
	free(got);
	shown__free(&shown);
}

static void check_symbol(const char *print_fmt, bool has_names, uint64_t address, const char *expected, const char *expected_json)
{
	check_symbol_of("unsigned long", print_fmt, has_names, address, expected, expected_json);
}

/* Addresses of the kernel's code have names where somebody tells them, and addresses of texts a text. */
static void check_symbols(void)
{
	check_symbol("\"%ps\", REC->ip", true, 0xffff, "do_exit", "\"ip\":\"0xffff\",\"ip_name\":\"do_exit\"");
	check_symbol("\"%pS\", (void *)REC->ip", true, 0xffff, "do_exit+0x1/0x2", "\"ip\":\"0xffff\",\"ip_name\":\"do_exit+0x1/0x2\"");
	check_symbol("\"%ps\", (void *)REC->ip", true, 1, "0x1", "\"ip\":\"0x1\",\"ip_name\":null");
	check_symbol("\"%ps\", (void *)REC->ip", false, 0xffff, "0xffff", "\"ip\":\"0xffff\",\"ip_name\":null");
	check_symbol("\"%p\", (void *)REC->ip", true, 0xffff, "0xffff", "\"ip\":\"0xffff\"");
	check_symbol_of("const char *", "\"%s\", REC->ip", true, 0xffff, "do_exit", "\"ip\":\"0xffff\",\"ip_name\":\"do_exit\"");
	check_symbol_of("const char *", "\"%s\", REC->ip", true, 1, "0x1", "\"ip\":\"0x1\",\"ip_name\":null");
	check_symbol_of("const char *", "\"%p\", REC->ip", true, 0xffff, "0xffff", "\"ip\":\"0xffff\"");
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

/* Pieces, as "CONVERSION SIZE ARGUMENT", a "+" before those that are adjacent. */
static void check_pieces(const char *print_fmt, const char *expected)
{
	struct print_fmt fmt = { .print_fmt = print_fmt };
	struct print_piece piece;
	char got[512] = "";

	while (print_fmt__next(&fmt, &piece))
		sprintf(got + strlen(got), "%s%s %u%.*s|", piece.is_adjacent ? "+" : "", piece.conversion, piece.size,
			(int)(piece.argument_end - piece.argument), piece.argument);
	CHECK_STR(got, expected);
}

static void check_print_fmt(void)
{
	check_pieces("\"a=%d b=%08lx\", REC->a, (unsigned long)((REC->b))", "d 4 REC->a|x 8 (unsigned long)((REC->b))|");
	check_pieces("\"%s %hhd%hu\", f(REC->f, \",\", { 1, \")\" }), ',', REC->a",
		     "s 4 f(REC->f, \",\", { 1, \")\" })|d 1 ','|+u 2 REC->a|");
	check_pieces("\"%*d \" \"%pI6c %%x\", 3, REC->a, REC->b", "d 4 REC->a|pI6c 4 REC->b|");
	check_pieces("\"%", "");
	check_pieces("\"%d", "");
	check_pieces("\"%d %d\", REC->a", "d 4 REC->a|");
	check_pieces("", "");
	check_pieces("\"%pABCDEFGHIJKLMNOP\", REC->a", "pABCDEF 4 REC->a|");
}

/* Fields of formats that are made. */
static void check_meaning(const struct meaning *meaning, const void *bytes, unsigned size, bool is_signed, const char *expected,
			  const char *expected_json)
{
	const struct format_field field = { .name = "f", .type = "int", .size = size, .elem_size = size, .is_signed = is_signed,
					    .meaning = meaning };
	struct format *format = parse();
	struct shown shown;
	char *got;

	CHECK_INT(shown__make(&shown, format, &field, size, is_signed), 0);
	got = malloc(shown__room(&shown, size) + 1);
	*shown__text(&shown, got, bytes, size, 0, true) = 0;
	CHECK_STR(got, expected);
	*shown__json(&shown, got, bytes, size, 0) = 0;
	CHECK_STR(got, expected_json);
	free(got);
	shown__free(&shown);
	format__free(format);
}

static void check_meanings(void)
{
	static const struct flag_name bits[] = { { 1, "ONE" }, { 0x80000000, "TOP" }, {} };
	const struct meaning flags = { .flags = bits }, error = { .is_error = true }, octal = { .is_octal = true };

	/* the highest bit of an int is a flag like others */
	check_meaning(&flags, &(int32_t){ INT32_MIN | 1 }, 4, true, "ONE|TOP", "\"f\":-2147483647,\"f_name\":\"ONE|TOP\"");
	check_meaning(&error, &(int64_t){ -2 }, 8, true, "ENOENT", "\"f\":-2,\"f_name\":\"ENOENT\"");
	check_meaning(&error, &(int64_t){ 3 }, 8, true, "3", "\"f\":3,\"f_name\":null");
	check_meaning(&flags, &(int32_t){ 2 }, 4, true, "0x2", "\"f\":2,\"f_name\":\"0x2\"");
	check_meaning(&error, &(int32_t){ -4000 }, 4, true, "-4000", "\"f\":-4000,\"f_name\":null");
	check_meaning(&octal, &(uint16_t){ 0100644 }, 2, false, "0100644", "\"f\":33188");
	check_meaning(&octal, &(uint16_t){ 0 }, 2, false, "0", "\"f\":0");
}

/* All fields of all events that there are: something is shown, and within its room. */
static void check_corpora(void)
{
	unsigned int fields = 0, kinds[SHOWN_ADDRESS + 1] = {};
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
				CHECK(end > got);
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
	for (int kind = 0; kind <= SHOWN_ADDRESS; kind++) {
		printf(" %u", kinds[kind]);
		/* fields of formats that are made have these */
		CHECK(kinds[kind] || kind == SHOWN_MEANING || kind == SHOWN_OCTAL || kind == SHOWN_CHAR);
	}
	printf("\n");
}

int main(void)
{
	check_values();
	check_elements();
	check_texts();
	check_symbols();
	check_room();
	check_print_fmt();
	check_meanings();
	check_corpora();
	return check_done();
}
