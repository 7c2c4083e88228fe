/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a row, and values that are one word. */
#include "out_row.h"

/* Numbers below 100, right-aligned. */
static const char right[] =
	" 0 1 2 3 4 5 6 7 8 910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
	"99";

/*
 * A number below 100 in a right-aligned column: nearly all results, descriptors, CPUs and signals.  This takes a third of
 * the instructions of put_any_int().
 */
static inline bool put_small(struct out *out, const struct out_slot *slot, uint64_t value)
{
	size_t size = out->pad + slot->width;
	char *to = out->buffer + out->used;

	if (value >= 100 || !slot->right || slot->width < 2 || out->json)
		return false;
	to = out_row__spaces(out, to, size);
	memcpy(to - 2, right + value * 2, 2);
	out->pad = 1;
	out->used += size;
	return true;
}

static __attribute__((noinline)) void put_any_int(struct out *out, const struct out_slot *slot, int64_t value)
{
	char text[2 * OUT_NUMBER_SIZE], *end = text + OUT_NUMBER_SIZE, *start, *to;

	start = out_row__decimal(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--start = '-';
	to = out->buffer + out->used;
	if (out->json) {
		memcpy(to, slot->key, slot->key_size);
		to += slot->key_size;
	} else {
		to = out_row__pad(out, slot, to, (size_t)(end - start));
	}
	memcpy(to, start, OUT_NUMBER_SIZE);
	out->used = (size_t)(to + (end - start) - out->buffer);
}

void out__put_int(struct out *out, int64_t value)
{
	if (!put_small(out, out->slot, (uint64_t)value))
		put_any_int(out, out->slot, value);
}

/* The digits of value in a base that is a power of two, with a prefix; JSON has no such numbers and takes decimal. */
static void put_based(struct out *out, uint64_t value, unsigned int bits, const char *prefix)
{
	char text[32], *end = text + sizeof(text), *start = end;

	if (out->json) {
		start = out_row__decimal(end, value);
	} else {
		do {
			*--start = "0123456789abcdef"[value & ((1u << bits) - 1)];
			value >>= bits;
		} while (value);
		for (size_t i = *start == '0' && bits == 3 ? 0 : strlen(prefix); i; i--)
			*--start = prefix[i - 1];
	}
	out_row__put_value(out, out->slot, start, (size_t)(end - start));
}

void out__put_octal(struct out *out, uint64_t value)
{
	put_based(out, value, 3, "0");
}

void out__put_hex(struct out *out, uint64_t value)
{
	put_based(out, value, 4, "0x");
}

/*
 * Below 100 with three decimals, in a right-aligned column: most times of calls, which are microseconds there.  This takes a third of the
 * instructions of put_any_milliseconds().
 */
static inline bool put_few_milliseconds(struct out *out, const struct out_slot *slot, uint64_t value_ms)
{
	size_t size = out->pad + slot->width;
	char *to = out->buffer + out->used;
	uint32_t whole, hundredths;

	if (value_ms >= 100000 || !slot->right || slot->width < 6 || out->json)
		return false;
	hundredths = (uint32_t)value_ms / 10;
	whole = hundredths / 100;
	to = out_row__spaces(out, to, size);
	memcpy(to - 6, right + whole * 2, 2);
	to[-4] = '.';
	memcpy(to - 3, out_row__pairs + (hundredths - whole * 100) * 2, 2);
	to[-1] = (char)('0' + (uint32_t)value_ms - hundredths * 10);
	out->pad = 1;
	out->used += size;
	return true;
}

static __attribute__((noinline)) void put_any_milliseconds(struct out *out, const struct out_slot *slot, uint64_t value_ms)
{
	char text[32], *end = text + sizeof(text), *start;

	start = end - 4;
	*start = '.';
	start[1] = (char)('0' + value_ms % 1000 / 100);
	start[2] = (char)('0' + value_ms % 100 / 10);
	start[3] = (char)('0' + value_ms % 10);
	start = out_row__decimal(start, value_ms / 1000);
	out_row__put_value(out, slot, start, (size_t)(end - start));
}

void out__milliseconds(struct out *out, uint64_t value_ms)
{
	const struct out_slot *slot = out_row__next(out);

	if (slot && !put_few_milliseconds(out, slot, value_ms))
		put_any_milliseconds(out, slot, value_ms);
}

void out__bool(struct out *out, bool value)
{
	out_row__put_word(out, value ? "yes" : "no", value ? "true" : "false");
}

void out__none(struct out *out)
{
	out_row__put_word(out, "-", "null");
}

void out__none_id(struct out *out, uint64_t id)
{
	char number[24], *digit = out_row__decimal(number + sizeof(number), id);
	const struct out_slot *slot = out_row__next(out);

	if (!slot)
		return;
	if (!out->json) {
		out_row__put_value(out, slot, "-", 1);
		return;
	}
	out_row__put_value(out, slot, "null", 4);
	out_row__put_key(out, slot, "_id");
	out_row__put(out, digit, (size_t)(number + sizeof(number) - digit));
}

void out__zero(struct out *out)
{
	out_row__put_word(out, "0", "null");
}
