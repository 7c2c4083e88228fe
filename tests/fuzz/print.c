/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: any text as the print fmt of an event (after 16 bytes of a value), as a module's format file may have it. */
#include "lib/format/ctx.h"
#include "lib/printfmt/shown.h"

#include "fuzz.h"

#define VALUE 16

static const char head[] =
	"name: fuzz\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long b;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 c[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] d;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] e;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:dev_t f;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:struct pair g;\toffset:56;\tsize:16;\tsigned:0;\n"
	"\nprint fmt: ";

/* A text and JSON are within the room that was asked for: the sanitizer sees a byte beyond. */
static void show(const struct format *format, const struct format_field *field, const uint8_t *value)
{
	struct ctx_number number = {};
	struct shown shown;
	char *to, *end;
	size_t size, room;

	ctx__number(format, field, &number);
	REQUIRE(!shown__make(&shown, format, field, number.size, number.is_signed));
	size = number.size ? number.size : field->size == 4 ? (size_t)(*value % (VALUE + 1)) : field->size;
	room = shown__room(&shown, size);
	to = malloc(room);
	REQUIRE(to);
	end = shown__text(&shown, to, value, size, 0, true);
	REQUIRE(end > to && end <= to + room);
	end = shown__text(&shown, to, value, size, 3, false);
	REQUIRE(end > to && end <= to + room);
	end = shown__json(&shown, to, value, size, 3);
	REQUIRE(end > to && end <= to + room);
	free(to);
	shown__free(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct format_error error;
	struct format *format;
	uint8_t *value;
	char *text;

	if (size < VALUE)
		return 0;
	value = fuzz_copy(data, VALUE);
	text = malloc(sizeof(head) + size);
	REQUIRE(text);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, data + VALUE, size - VALUE);
	text[sizeof(head) - 1 + size - VALUE] = '\n';
	if (!format__parse(&format, "fuzz", text, sizeof(head) + size - VALUE, &error)) {
		for (unsigned int i = format->common_count; i < format->fields_count; i++)
			show(format, &format->fields[i], value);
		format__free(format);
	}
	free(value);
	free(text);
	return 0;
}
