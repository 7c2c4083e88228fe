/* SPDX-License-Identifier: BSD-2-Clause */
#include "header.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the comment, literal or continued line's end that text starts with, or 1; 0: of a comment without an end. */
static size_t token_length(const char *text)
{
	size_t length = 1;
	const char *end;

	if (!strncmp(text, "/*", 2)) {
		end = strstr(text + 2, "*/");
		return end ? (size_t)(end + 2 - text) : 0;
	}
	if (!strncmp(text, "//", 2))
		return strcspn(text, "\n");
	if (*text == '\\') {
		length += strspn(text + 1, " \t\r");
		return text[length] == '\n' ? length + 1 : 1;
	}
	if (*text != '"' && *text != '\'')
		return 1;
	for (; text[length] && text[length] != '\n' && text[length] != *text; length++)
		if (text[length] == '\\' && text[length + 1] && text[length + 1] != '\n')
			length++;
	return text[length] == *text ? length + 1 : length;
}

const char *header__blank(char *text)
{
	bool line_start = true, directive = false;

	while (*text) {
		size_t length = token_length(text);

		if (!length)
			return text;
		if (length == 1 && *text == '\n') {
			line_start = true;
			directive = false;
		} else if (length == 1 && !isspace((unsigned char)*text)) {
			directive |= line_start && *text == '#';
			line_start = false;
		}
		for (bool is_code = length == 1 && !directive; length; length--, text++)
			if (!is_code && *text != '\n')
				*text = ' ';
	}
	return NULL;
}

char *header__skip_spaces(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

void header__normalise(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		bool space = isspace((unsigned char)*from);

		if (space &&
		    (to == text || to[-1] == ' ' || to[-1] == '*' || *header__skip_spaces(from) == '[' || !*header__skip_spaces(from)))
			continue;
		*to++ = space ? ' ' : *from;
	}
	*to = 0;
}

bool header__is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool header__declared_name(const char *declaration, char *name, size_t size)
{
	const char *end = declaration + strcspn(declaration, "["), *start;

	if (strchr(declaration, ','))
		return false;
	while (end > declaration && end[-1] == ' ')
		end--;
	for (start = end; start > declaration && header__is_word(start[-1]); )
		start--;
	if (start == end || start == declaration || isdigit((unsigned char)*start) || (size_t)(end - start) >= size)
		return false;
	for (const char *c = declaration; c < start; c++)
		if (!header__is_word(*c) && *c != ' ' && *c != '*')
			return false;
	snprintf(name, size, "%.*s", (int)(end - start), start);
	return true;
}

char *header__skip_nested(char *pos)
{
	size_t depth = 0;

	do {
		pos += strcspn(pos, "{}");
		if (!*pos)
			return pos;
		depth += *pos++ == '{' ? 1 : (size_t)-1;
	} while (depth);
	pos += strcspn(pos, ";}");
	return *pos == ';' ? pos + 1 : pos;
}

char *header__defined_name(char *pos, char **name_end, char **body)
{
	char *name = NULL;

	for (;;) {
		pos = header__skip_spaces(pos);
		if (*pos == '{' && name) {
			*body = pos + 1;
			return name;
		}
		if (*pos == '(' && name && !strncmp(name, "__attribute", 11)) {
			size_t depth = 0;

			do {
				pos += strcspn(pos, "()");
				if (!*pos)
					return NULL;
				depth += *pos++ == '(' ? 1 : (size_t)-1;
			} while (depth);
			continue;
		}
		if (!header__is_word(*pos))
			return NULL;
		for (name = pos; header__is_word(*pos); pos++)
			;
		*name_end = pos;
		/*
		 * Another `struct` keyword follows: leave it to the caller's next round, or nested input would be scanned in
		 * quadratic time.
		 */
		if (pos - name == 6 && !memcmp(name, "struct", 6))
			return NULL;
	}
}
