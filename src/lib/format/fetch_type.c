/* SPDX-License-Identifier: BSD-2-Clause */
#include "fetch_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/registers.h"

static const struct {
	const char *name;
	unsigned size;			/* 0: a text */
	bool is_signed, is_hex, is_char, is_symbol, is_user;
} types[] = {
	{ .name = "u8", .size = 1 }, { .name = "u16", .size = 2 }, { .name = "u32", .size = 4 }, { .name = "u64", .size = 8 },
	{ .name = "s8", .size = 1, .is_signed = true }, { .name = "s16", .size = 2, .is_signed = true },
	{ .name = "s32", .size = 4, .is_signed = true }, { .name = "s64", .size = 8, .is_signed = true },
	{ .name = "x8", .size = 1, .is_hex = true }, { .name = "x16", .size = 2, .is_hex = true },
	{ .name = "x32", .size = 4, .is_hex = true }, { .name = "x64", .size = 8, .is_hex = true },
	{ .name = "char", .size = 1, .is_char = true },
	{ .name = "symbol", .size = 8, .is_symbol = true }, { .name = "symstr", .size = 8, .is_symbol = true },
	{ .name = "string" }, { .name = "str" }, { .name = "ustring", .is_user = true },
};
#define TYPES (sizeof(types) / sizeof(*types))

/* The first of these types whose name text begins with, and which ends there, or with "["; TYPES: there is none. */
static size_t find(const char *text)
{
	size_t length = strcspn(text, "["), i = 0;

	while (i < TYPES && (strlen(types[i].name) != length || strncmp(types[i].name, text, length)))
		i++;
	return i;
}

bool fetch_type__is_own(const char *text)
{
	const char *type = strrchr(text, ':');
	size_t at = type ? find(type + 1) : TYPES;
	unsigned bits, offset, size;

	if (!type)
		return false;
	if (at == TYPES)
		return sscanf(type + 1, "b%u@%u/%u", &bits, &offset, &size) == 3;
	return strchr(type, '[') || types[at].is_hex || types[at].is_char || types[at].is_symbol || types[at].is_user ||
	       !strcmp(types[at].name, "string");
}

static const char *set_bits(const char *type, struct made_field *field)
{
	unsigned bits, offset, size;
	int length = 0;

	if (sscanf(type, "b%u@%u/%u%n", &bits, &offset, &size, &length) != 3 || type[length] || !bits ||
	    (size != 8 && size != 16 && size != 32 && size != 64) || offset >= size || bits > size - offset)
		return "a bit field is bN@OFFSET/SIZE, within 8, 16, 32 or 64 bits";
	/* a word of the context gets a way, which has the place of the bits */
	if (field->hops.base == FORMAT_CONTEXT && !field->hops.count)
		field->hops = (struct format_hops){ .count = 1, .is_address = true };
	field->hops.bits = (unsigned char)bits;
	field->hops.shift = (unsigned char)offset;
	field->size = size / 8;
	return NULL;
}

/* "x64[3]": how many; 0: there are no brackets, or what is in them is not understood. */
static unsigned elements_of(const char *bracket)
{
	unsigned long number;
	char *end;

	if (!bracket)
		return 0;
	number = strtoul(bracket + 1, &end, 10);
	return strcmp(end, "]") || number > FETCH_TYPE_ELEMENTS_MAX ? 0 : (unsigned)number;
}

/*
 * A text is in memory, where the value points to; "+8(%si):string" is at that place already.  An array of texts is one of pointers there:
 * "+8(%si):string[1]" is "+0(+8(%si)):string".
 */
static const char *set_text(struct made_field *field, bool is_user, unsigned array_len)
{
	struct format_hops *hops = &field->hops;

	if (!hops->count)
		*hops = (struct format_hops){ .count = 1 };
	if (array_len && hops->count == FORMAT_HOPS_MAX)
		return "too many pointers on the way";
	hops->is_address = false;
	hops->any_space = true;
	if (is_user)
		hops->user |= (unsigned short)(1 << (array_len ? hops->count : hops->count - 1));
	field->size = 0;
	field->array_len = array_len;
	return NULL;
}

const char *fetch_type__set(const char *type, struct made_field *field)
{
	size_t at = find(type);
	const char *bracket = strchr(type, '[');

	if (field->hops.base == FORMAT_COMM)
		return !strcmp(type, "string") || !strcmp(type, "str") ? NULL : "the task's name is a text";
	/* what a text argument is: an address */
	if (!field->size && field->hops.base == FORMAT_CONTEXT && field->hops.count == 1 && !field->hops.offsets[0])
		field->hops = (struct format_hops){};
	field->meaning = NULL;
	field->hops.bits = field->hops.shift = 0;
	snprintf(field->type, sizeof(field->type), "%s", type);
	if (*type == 'b')
		return set_bits(type, field);
	if (at == TYPES)
		return "no such type (u8 to u64, s8 to s64, x8 to x64, char, symbol, string, ustring, bN@OFFSET/SIZE; [N] behind it)";
	field->size = types[at].size;
	field->is_signed = types[at].is_signed;
	field->is_hex = types[at].is_hex;
	field->is_char = types[at].is_char;
	field->is_symbol = field->is_place = types[at].is_symbol;
	if (bracket && !elements_of(bracket))
		return "an array has 1 to 64 elements";
	/* the name of one element's type tells a text */
	snprintf(field->type, sizeof(field->type), "%s", types[at].name);
	if (!types[at].size)
		return set_text(field, types[at].is_user, elements_of(bracket));
	field->array_len = elements_of(bracket);
	if (bracket && (!field->hops.count || field->hops.is_address))
		return "an array is in memory (\"+0(%" REGISTERS_EXAMPLE "):x64[3]\" is one)";
	return NULL;
}
