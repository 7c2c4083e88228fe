/* SPDX-License-Identifier: BSD-2-Clause */
#include "attached.h"

#include <string.h>

#include "lib/print/json.h"
#include "lib/print/say.h"
#include "lib/print/text_buffer.h"

#define LIST_MAX (16 << 20)

static struct text_buffer list;
static bool speaks;

static void put_string(const char *string, size_t length)
{
	char *at = text_buffer__reserve(&list, 6 * length + 3);

	if (at)
		text_buffer__end_at(&list, json__quote(at, string, length));
}

static void put_or_null(const char *string)
{
	if (string)
		put_string(string, strlen(string));
	else
		text_buffer__add(&list, "null");
}

void attached__say(bool wanted)
{
	speaks = wanted;
}

void attached__note_kind(const char *program, const char *kind, size_t kind_length, const char *event)
{
	if (speaks && program)
		say("attached %s: %.*s%s%s", program, (int)kind_length, kind, event ? " on " : "", event ? event : "");
	else if (speaks)
		say("attached %.*s%s%s", (int)kind_length, kind, event ? " " : "", event ? event : "");
	if (!list.size_max)
		list = text_buffer__growing(LIST_MAX);
	text_buffer__add(&list, ",{\"program\":");
	put_or_null(program);
	text_buffer__add(&list, ",\"kind\":");
	put_string(kind, kind_length);
	text_buffer__add(&list, ",\"event\":");
	put_or_null(event);
	text_buffer__add(&list, "}");
}

void attached__note(const char *program, const char *kind, const char *event)
{
	attached__note_kind(program, kind, strlen(kind), event);
}

const char *attached__json(void)
{
	return list.text && !list.err ? list.text : "";
}

void attached__free(void)
{
	text_buffer__free(&list);
}
