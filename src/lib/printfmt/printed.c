/* SPDX-License-Identifier: BSD-2-Clause */
#include "printed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/ctx.h"
#include "print_pointer.h"

static bool is_number_conversion(const char *conversion)
{
	return strchr("diuxXoc", *conversion) != NULL;
}

/* By which of a field's pieces it is shown: the highest. */
static enum printed_kind kind_of(const struct print_expr *expr, const struct print_piece *piece, const struct format_field *field)
{
	bool is_number = ctx__is_scalar(field) && field->loc == FORMAT_PLAIN, is_bare = print_expr__is_bare(expr);

	/* how long it is depends on another field, or nobody knows on what */
	if (piece->length && *piece->conversion != 's' && !is_number_conversion(piece->conversion) && strncmp(piece->conversion, "ph", 2))
		return PRINTED_NOT;
	if (print_expr__is_text(expr))
		return *piece->conversion == 's' ? PRINTED_TEXT : PRINTED_NOT;
	if (is_bare && is_number)
		return *piece->conversion == 'c' ? PRINTED_TEXT : *piece->conversion == 's' ? PRINTED_NOT : PRINTED_BARE;
	if (is_bare)
		return *piece->conversion == 's' || *piece->conversion == 'p' ? PRINTED_BARE : PRINTED_NOT;
	if (*piece->conversion == 'c')
		return PRINTED_TEXT;
	/* the address of a field by itself is bare; of a part of it only print_pointer.h knows */
	return is_number_conversion(piece->conversion) ? PRINTED_COMPUTED : PRINTED_NOT;
}

static int rank_of(enum printed_kind kind, const struct format_field *field)
{
	bool is_number = ctx__is_scalar(field) && field->loc == FORMAT_PLAIN;

	switch (kind) {
	case PRINTED_TEXT:
		return 3;
	case PRINTED_BARE:
		return is_number ? 2 : 4;
	case PRINTED_COMPUTED:
		return 1;
	default:
		return 0;
	}
}

static void drop(struct printed *printed, size_t count)
{
	while (printed->count > count)
		print_expr__free(printed->exprs[--printed->count]);
}

static void add(struct printed *printed, const struct print_piece *piece, struct print_expr *expr)
{
	strcpy(printed->conversions[printed->count], piece->conversion);
	printed->sizes[printed->count] = piece->size;
	printed->exprs[printed->count++] = expr;
}

/* MAJOR() and MINOR() of include/linux/kdev_t.h, however they are written. */
static bool is_device(const struct printed *printed)
{
	static const uint32_t numbers[] = { 8 << 20 | 0x12345, 0xfff00001, 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct print_field field = { .bytes = &numbers[i], .size = 4, .total = 4 };
		struct print_value major, minor;

		if (print_expr__eval(printed->exprs[0], &field, &major, NULL, 0) ||
		    print_expr__eval(printed->exprs[1], &field, &minor, NULL, 0) ||
		    major.number != numbers[i] >> 20 || minor.number != (numbers[i] & 0xfffff))
			return false;
	}
	return true;
}

/* Whether the name is in the text: a cheap look, before that is parsed. */
static bool has_name(const struct print_piece *piece, const char *name)
{
	return memmem(piece->argument, (size_t)(piece->argument_end - piece->argument), name, strlen(name)) != NULL;
}

int printed__find(struct printed *printed, const struct format *format, const struct format_field *field)
{
	struct print_fmt fmt = { .print_fmt = format->print_fmt };
	struct print_piece piece;
	bool is_next = false;	/* the piece before is the last of those that were taken */
	int err;

	*printed = (struct printed){};
	while (print_fmt__next(&fmt, &piece)) {
		struct print_expr *expr = NULL;	/* for gcc with -flto */
		enum printed_kind kind;
		int rank;

		err = has_name(&piece, field->name) ? print_expr__parse(&expr, format, piece.argument, piece.argument_end) : -EXDEV;
		if (err == -ENOMEM) {
			printed__free(printed);
			return err;
		}
		if (err) {
			is_next = false;
			continue;
		}
		kind = print_expr__field(expr) == field ? kind_of(expr, &piece, field) : PRINTED_NOT;
		printed->is_text_at |= kind == PRINTED_NOT && print_expr__field(expr) == field && print_expr__is_bare(expr) &&
				       *piece.conversion == 's' && strchr(field->type, '*');
		rank = rank_of(kind, field);
		if (rank > rank_of(printed->kind, field)) {
			drop(printed, 0);
			printed->kind = kind;
			add(printed, &piece, expr);
			is_next = true;
		} else if (is_next && kind == printed->kind && printed->count < PRINTED_PIECES_MAX &&
			   ((kind == PRINTED_TEXT && piece.is_adjacent) || kind == PRINTED_COMPUTED)) {
			add(printed, &piece, expr);
		} else {
			print_expr__free(expr);
			is_next = false;
		}
	}
	if (printed->kind == PRINTED_COMPUTED && printed->count > 1) {
		if (field->size == 4 && is_device(printed))
			printed->kind = PRINTED_DEVICE;
		drop(printed, 1);
	}
	return 0;
}

void printed__free(struct printed *printed)
{
	drop(printed, 0);
	printed->kind = PRINTED_NOT;
}

size_t printed__room(const struct printed *printed, size_t size)
{
	size_t room = PRINT_POINTER_MAX;

	for (size_t i = 0; i < printed->count; i++)
		room += print_expr__room(printed->exprs[i], size);
	return room < PRINTED_MAX ? room : PRINTED_MAX;
}

static size_t put_number(const char *conversion, unsigned int size, const struct print_value *value, char *to)
{
	uint64_t number = size == 8 ? value->number : value->number & ((1ULL << 8 * size) - 1);

	switch (*conversion) {
	case 'c':
		*to = (char)number;
		return 1;
	case 'd':
	case 'i':
		/* the bits above are the sign's */
		return (size_t)sprintf(to, "%" PRId64, (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size));
	case 'u':
		return (size_t)sprintf(to, "%" PRIu64, number);
	case 'o':
		return (size_t)sprintf(to, "0%" PRIo64, number);
	default:
		return (size_t)sprintf(to, "0x%" PRIx64, number);
	}
}

/* One piece; its length, or -errno. */
static int put_piece(const struct printed *printed, size_t index, const struct print_field *field, char *to, size_t room, bool *is_unnamed)
{
	struct print_value value;
	int err = print_expr__eval(printed->exprs[index], field, &value, to, room);

	if (err)
		return err;
	*is_unnamed |= value.is_unnamed;
	if (room < PRINT_POINTER_MAX)
		return -E2BIG;
	switch (value.kind) {
	case PRINT_NUMBER:
		return (int)put_number(printed->conversions[index], printed->sizes[index], &value, to);
	case PRINT_BYTES:
		if (*printed->conversions[index] == 's') {
			value.length = strnlen(value.bytes, value.length);
			break;
		}
		return print_pointer__text(printed->conversions[index], value.bytes, value.length, to) ? (int)strlen(to) : -EINVAL;
	case PRINT_TEXT:
		break;
	}
	if (value.length > room)
		return -E2BIG;
	memmove(to, value.bytes, value.length);
	return (int)value.length;
}

int printed__text(const struct printed *printed, const struct print_field *field, char *to, bool *is_unnamed)
{
	size_t used = 0;

	*is_unnamed = false;
	for (size_t i = 0; i < printed->count; i++) {
		int length = put_piece(printed, i, field, to + used, PRINTED_MAX - used, is_unnamed);

		if (length < 0)
			return length;
		used += (size_t)length;
	}
	return (int)used;
}
