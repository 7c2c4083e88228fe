/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

struct text_buffer text_buffer__fixed(char *array, size_t size)
{
	*array = '\0';
	return (struct text_buffer){ .text = array, .room = size };
}

struct text_buffer text_buffer__growing(size_t size_max)
{
	return (struct text_buffer){ .size_max = size_max };
}

/* Makes room for more bytes and a 0 byte.  0, or the error that is now the buffer's. */
static int grow(struct text_buffer *buffer, size_t more)
{
	size_t room = buffer->room ? buffer->room : ROOM_FIRST;
	char *larger;

	while (room <= buffer->length + more)
		room *= 2;
	if (room > buffer->size_max)
		room = buffer->size_max;
	if (room <= buffer->length + more)
		return buffer->err = -EFBIG;
	larger = realloc(buffer->text, room);
	if (!larger)
		return buffer->err = -ENOMEM;
	if (!buffer->text)
		*larger = '\0';
	buffer->text = larger;
	buffer->room = room;
	return 0;
}

void text_buffer__add(struct text_buffer *buffer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_buffer__vadd(buffer, format, args);
	va_end(args);
}

void text_buffer__vadd(struct text_buffer *buffer, const char *format, va_list args)
{
	va_list again;
	size_t left;
	int length;

	if (buffer->err || (!buffer->text && grow(buffer, 0)))
		return;
	left = buffer->room - buffer->length;
	va_copy(again, args);
	length = vsnprintf(buffer->text + buffer->length, left, format, args);
	if (length < 0) {
		buffer->text[buffer->length] = '\0';
		buffer->err = -ENOMEM;
	} else if ((size_t)length < left) {
		buffer->length += (size_t)length;
	} else if (!buffer->size_max) {
		buffer->length = buffer->room - 1;
		buffer->err = -ENOSPC;
	} else if (grow(buffer, (size_t)length)) {
		buffer->text[buffer->length] = '\0';
	} else {
		vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
}

void text_buffer__put(struct text_buffer *buffer, const char *bytes, size_t size)
{
	if (buffer->err || (!buffer->text && grow(buffer, size)))
		return;
	if (buffer->length + size >= buffer->room) {
		if (!buffer->size_max) {
			buffer->err = -ENOSPC;
			size = buffer->room - 1 - buffer->length;
		} else if (grow(buffer, size)) {
			return;
		}
	}
	memcpy(buffer->text + buffer->length, bytes, size);
	buffer->length += size;
	buffer->text[buffer->length] = '\0';
}

char *text_buffer__reserve(struct text_buffer *buffer, size_t size)
{
	if (buffer->err || (!buffer->text && grow(buffer, size)))
		return NULL;
	if (buffer->length + size >= buffer->room && grow(buffer, size))
		return NULL;
	return buffer->text + buffer->length;
}

void text_buffer__end_at(struct text_buffer *buffer, char *end)
{
	*end = '\0';
	buffer->length = (size_t)(end - buffer->text);
}

void text_buffer__clear(struct text_buffer *buffer)
{
	if (buffer->text)
		*buffer->text = '\0';
	buffer->length = 0;
	buffer->err = 0;
}

void text_buffer__add_quoted(struct text_buffer *buffer, const char *const *names, size_t count, const char *between)
{
	for (size_t i = 0; i < count; i++)
		text_buffer__add(buffer, "%s'%s'", i ? between : "", names[i]);
}

char *text_buffer__take(struct text_buffer *buffer)
{
	char *text;

	if (!buffer->err && !buffer->text)
		grow(buffer, 0);
	if (buffer->err) {
		text_buffer__free(buffer);
		return NULL;
	}
	text = buffer->text;
	*buffer = text_buffer__growing(buffer->size_max);
	return text;
}

void text_buffer__free(struct text_buffer *buffer)
{
	free(buffer->text);
	*buffer = text_buffer__growing(buffer->size_max);
}
