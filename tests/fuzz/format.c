/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/format on any bytes.  What it accepts must keep what format.h promises. */
#include "lib/format/format.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct format_error error = { .line = ~0U };
	struct format *format;
	unsigned end = 0;

	if (format__parse(&format, "fuzz", (const char *)data, size, &error)) {
		REQUIRE(error.why && error.line <= size + 1);
		return 0;
	}
	REQUIRE(!strcmp(format->system, "fuzz") && *format->name && strlen(format->print_fmt) < size);
	REQUIRE(format->common_count <= format->fields_count);
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];

		REQUIRE(field->offset >= end);
		end = field->offset + field->size;
		REQUIRE(end <= FORMAT_RECORD_MAX);
		REQUIRE(field->is_common == (i < format->common_count));
		REQUIRE(*field->name && *field->type && strstr(field->decl, field->name) &&
			strstr(field->decl, field->type));
		REQUIRE(strspn(field->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
			strlen(field->name));
		REQUIRE(field->array_len * field->elem_size <= field->size);
		REQUIRE(format__field(format, field->name));
	}
	format__free(format);
	return 0;
}
