/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sink.h"
#include "text.h"

void svg__add_name(struct text_buffer *to, const char *name, size_t limit)
{
	char text[TEXT_ESCAPED_MAX(SVG_NAME_MAX) + 1];
	size_t characters, shown = 0, total;

	*text__escape(text, name, strnlen(name, SVG_NAME_MAX), &total) = 0;
	characters = total > limit ? limit - 2 : total;
	for (const char *at = text; *at; at++) {
		/* a byte that continues a character is none of its own */
		if ((*at & 0xc0) != 0x80 && shown++ == characters)
			break;
		switch (*at) {
		case '&':
			text_buffer__add(to, "&amp;");
			break;
		case '<':
			text_buffer__add(to, "&lt;");
			break;
		case '>':
			text_buffer__add(to, "&gt;");
			break;
		case '"':
			text_buffer__add(to, "&quot;");
			break;
		case '\'':
			text_buffer__add(to, "&#39;");
			break;
		default:
			text_buffer__add(to, "%c", *at);
		}
	}
	if (total > limit)
		text_buffer__add(to, "..");
}

int svg__write(struct text_buffer *picture, int fd)
{
	size_t length = picture->length;
	char *text = text_buffer__take(picture);
	int err = text ? sink__write(&(struct sink){ .fd = fd }, text, length) : -ENOMEM;

	free(text);
	return err;
}
