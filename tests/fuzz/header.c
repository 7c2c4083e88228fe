/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/header, what ctxgen --check does with a header, on any text. */
#include "lib/format/header.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *code, *end, *pos, name[64];
	const char *open_comment;
	bool has_nested = false;

	if (size && memchr(data, 0, size))
		return 0;
	code = fuzz_string(data, size);
	end = code + size;
	open_comment = header__blank(code);
	REQUIRE(strlen(code) == size);
	for (size_t i = 0; i < size && !open_comment; i++)
		REQUIRE((code[i] == '\n') == (data[i] == '\n'));
	for (pos = code; *pos;) {
		char *word = pos, *name_end, *body, *found;

		while (header__is_word(*pos))
			pos++;
		if (pos == word) {
			REQUIRE(header__skip_spaces(pos) <= end);
			/* once: each call may look at all the rest */
			if (*pos == '{' && !has_nested)
				REQUIRE(header__skip_nested(pos) > pos && header__skip_nested(pos) <= end);
			has_nested |= *pos == '{';
			pos++;
		} else if (pos - word == 6 && !memcmp(word, "struct", 6)) {
			found = header__defined_name(pos, &name_end, &body);
			if (found)
				REQUIRE(found >= pos && name_end > found && body >= name_end && body <= end);
		}
	}
	/* each piece between semicolons as a declaration */
	for (char *piece = strtok(code, ";{}"); piece; piece = strtok(NULL, ";{}")) {
		size_t length = strlen(piece);

		header__normalise(piece);
		REQUIRE(strlen(piece) <= length && !strchr(piece, '\n') && *piece != ' ');
		if (header__declared_name(piece, name, sizeof(name)))
			REQUIRE(*name && strlen(name) < sizeof(name) && strstr(piece, name));
	}
	free(code);
	return 0;
}
