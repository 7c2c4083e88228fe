/* SPDX-License-Identifier: BSD-2-Clause */
#include "out.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * What is written for each value of each row is written in pieces of a fixed size, past its end if need be: so much
 * room, at least, is always left.
 */
#define SLACK 32
/* A number's digits before its sign or prefix, and behind it what is copied with it. */
#define NUMBER_SIZE 24

/* A batch: large enough that a write is rare, small enough to stay in the cache. */
#define BUFFER_SIZE (32 * 1024)

static const int64_t NS_PER_SECOND = 1000000000;

static void make_slot(struct out_slot *slot, const struct out_column *column)
{
	int size = snprintf(slot->key, sizeof(slot->key), ",\"%s\":", column->key ? column->key : column->name);

	slot->key_size = (size_t)size < sizeof(slot->key) ? (size_t)size : sizeof(slot->key) - 1;
	for (size_t i = 0; i < slot->key_size && !column->key; i++)
		slot->key[i] = (char)(slot->key[i] == ' ' ? '_' : tolower((unsigned char)slot->key[i]));
	slot->right = column->width > 0;
	slot->width = (size_t)abs(column->width);
}

int out__open(struct out *out)
{
	size_t count = 0;

	while (out->columns && out->columns[count].name)
		count++;
	out->buffer = malloc(BUFFER_SIZE);
	out->slots = calloc(count + 1, sizeof(*out->slots));
	if (!out->buffer || !out->slots) {
		out__free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		make_slot(&out->slots[i + 1], &out->columns[i]);
	out->fixed = SLACK;
	for (size_t i = 1; i <= count; i++)
		out->fixed += 1 + out->slots[i].width + NUMBER_SIZE + out->slots[i].key_size;
	out->room = BUFFER_SIZE;
	out->used = 0;
	out->second = INT64_MIN;
	out->realtime_offset_ns = 0;
	return 0;
}

void out__free(struct out *out)
{
	free(out->buffer);
	out->buffer = NULL;
	free(out->slots);
	out->slots = NULL;
}

/* Whole rows before are written first; a row larger than the buffer makes it grow.  NULL: without memory. */
static __attribute__((noinline)) char *make_room(struct out *out, size_t size)
{
	if (out->row_start) {
		size_t row = out->row_start, part = out->used - row;

		out->used = row;
		out__flush(out);
		memmove(out->buffer, out->buffer + row, part);
		out->used = part;
	}
	if (out->room - out->used < size) {
		size_t room = out->room * 2 > out->used + size ? out->room * 2 : out->used + size;
		char *larger = realloc(out->buffer, room);

		if (!larger) {
			/* The row is given up, in a way that nobody can miss. */
			if (!out->error)
				out->error = -ENOMEM;
			out->used = 0;
			return size <= out->room ? out->buffer : NULL;
		}
		out->buffer = larger;
		out->room = room;
	}
	return out->buffer + out->used;
}

/*
 * Room for size more bytes; NULL without memory.  May move the row.  Behind it there is always room for all the numbers of a
 * row and its end, with their keys and the spaces between them: these need not ask.
 */
static inline char *reserve(struct out *out, size_t size)
{
	if (out->room - out->used >= size + out->fixed)
		return out->buffer + out->used;
	return make_room(out, size + out->fixed);
}

static void put(struct out *out, const char *bytes, size_t size)
{
	char *to = reserve(out, size);

	if (to) {
		memcpy(to, bytes, size);
		out->used += size;
	}
}

/* In reserved room; returns the end. */
static inline char *spaces(char *to, size_t count)
{
	memcpy(to, "                ", 16);
	for (size_t i = 16; i < count; i += 16)
		memcpy(to + i, "                ", 16);
	return to + count;
}

/* Writes value in decimal before end, returns its start.  Two digits at a time, in 32 bits for nearly all numbers. */
static inline char *decimal(char *end, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
		"49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
		"9899";
	uint32_t small;

	for (; value > UINT32_MAX; value /= 100)
		memcpy(end -= 2, pairs + value % 100 * 2, 2);
	small = (uint32_t)value;
	for (; small >= 100; small /= 100)
		memcpy(end -= 2, pairs + small % 100 * 2, 2);
	if (small >= 10)
		memcpy(end -= 2, pairs + small * 2, 2);
	else
		*--end = (char)('0' + small);
	return end;
}

static char *digits(char *to, uint32_t value, int count)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		to[i] = (char)('0' + value % 10);
	return to + count;
}

/* Reads the clocks' distance anew: an NTP step in the middle of a long run must show in the next rows. */
static void read_clocks(struct out *out)
{
	struct timespec real, monotonic;

	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_REALTIME, &real);
	out->realtime_offset_ns = (real.tv_sec - monotonic.tv_sec) * NS_PER_SECOND + real.tv_nsec - monotonic.tv_nsec;
}

/* TIME of a text row, local time: "14:03:59.123456", 15 characters; ISO 8601 in UTC for JSON. */
static size_t format_time(struct out *out, char *to, uint64_t ts_ns)
{
	int64_t real_ns, second;
	char *end = to;

	if (!out->realtime_offset_ns)
		read_clocks(out);
	real_ns = (int64_t)ts_ns + out->realtime_offset_ns;
	second = real_ns / NS_PER_SECOND;
	if (second != out->second) {
		time_t seconds = second;
		struct tm tm;

		if (out->json) {
			gmtime_r(&seconds, &tm);
			end = digits(out->second_text, (uint32_t)tm.tm_year + 1900, 4);
			*end++ = '-';
			end = digits(end, (uint32_t)tm.tm_mon + 1, 2);
			*end++ = '-';
			end = digits(end, (uint32_t)tm.tm_mday, 2);
			*end++ = 'T';
		} else {
			localtime_r(&seconds, &tm);
			end = out->second_text;
		}
		end = digits(end, (uint32_t)tm.tm_hour, 2);
		*end++ = ':';
		end = digits(end, (uint32_t)tm.tm_min, 2);
		*end++ = ':';
		end = digits(end, (uint32_t)tm.tm_sec, 2);
		*end = 0;
		out->second = second;
	}
	end = to + strlen(out->second_text);
	memcpy(to, out->second_text, (size_t)(end - to));
	*end++ = '.';
	end = digits(end, (uint32_t)(real_ns % NS_PER_SECOND / 1000), 6);
	if (out->json)
		*end++ = 'Z';
	return (size_t)(end - to);
}

/* Text: the spaces before a value of so many characters, in reserved room; sets those that come after it. */
static inline char *pad(struct out *out, const struct out_slot *slot, char *to, size_t characters)
{
	size_t missing = characters < slot->width ? slot->width - characters : 0;
	size_t before = out->pad + (slot->right ? missing : 0);

	out->pad = 1 + (slot->right ? 0 : missing);
	return spaces(to, before);
}

/*
 * Text: a value of plain ASCII in its column, after the spaces that the one before left owing.  What is on the left of
 * its column leaves its own owing in turn: nothing trails the last one.
 */
static void put_aligned(struct out *out, const struct out_slot *slot, const char *value, size_t size)
{
	char *to = reserve(out, out->pad + slot->width + size);

	if (!to)
		return;
	to = pad(out, slot, to, size);
	memcpy(to, value, size);
	out->used = (size_t)(to + size - out->buffer);
}

void out__header(struct out *out)
{
	if (out->json)
		return;
	out->row_start = out->used;
	out->pad = 0;
	if (out->time) {
		put(out, "TIME", 4);
		out->pad = 12;
	}
	for (size_t i = 0; out->columns[i].name; i++) {
		const bool *shown = out->columns[i].shown;

		out->slots[i + 1].hidden = shown && !*shown;
		if (!out->slots[i + 1].hidden)
			put_aligned(out, &out->slots[i + 1], out->columns[i].name, strlen(out->columns[i].name));
	}
	put(out, "\n", 1);
	out->row_start = out->used;
}

static __attribute__((noinline)) void put_time(struct out *out, uint64_t ts_ns)
{
	char text[96], *end = text;

	if (!out->json) {
		put(out, text, format_time(out, text, ts_ns));
		out->pad = 1;
		return;
	}
	put(out, "{\"ts_ns\":", 9);
	end = decimal(text + sizeof(text), ts_ns);
	put(out, end, (size_t)(text + sizeof(text) - end));
	put(out, ",\"time\":\"", 9);
	put(out, text, format_time(out, text, ts_ns));
	put(out, "\"", 1);
}

void out__row(struct out *out, uint64_t ts_ns)
{
	out->row_start = out->used;
	out->slot = out->slots;
	out->pad = 0;
	reserve(out, 0);
	if (out->json || out->time)
		put_time(out, ts_ns);
}

static void put_key(struct out *out, const struct out_slot *slot)
{
	put(out, slot->key, slot->key_size);
}

/* `,"key_hex":`, with suffix "_hex" */
static void put_key_with(struct out *out, const struct out_slot *slot, const char *suffix)
{
	put(out, slot->key, slot->key_size - 2);
	put(out, suffix, strlen(suffix));
	put(out, "\":", 2);
}

/* The next value's slot; NULL where it shows nowhere. */
static inline const struct out_slot *next_slot(struct out *out)
{
	return out__next(out) ? out->slot : NULL;
}

/* A value of plain ASCII, the same in text and JSON apart from what the caller made different. */
static void put_value(struct out *out, const struct out_slot *slot, const char *value, size_t size)
{
	if (out->json) {
		put_key(out, slot);
		put(out, value, size);
	} else {
		put_aligned(out, slot, value, size);
	}
}

/*
 * Nearly all results and numbers of descriptors, CPUs and signals: below 100, in a column on whose right they stand.
 * A third of the instructions of the general way.
 */
static inline bool put_small(struct out *out, const struct out_slot *slot, uint64_t value)
{
	static const char right[] =
		" 0 1 2 3 4 5 6 7 8 910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
		"99";
	size_t size = out->pad + slot->width;
	char *to = out->buffer + out->used;

	if (value >= 100 || !slot->right || slot->width < 2 || out->json)
		return false;
	to = spaces(to, size);
	memcpy(to - 2, right + value * 2, 2);
	out->pad = 1;
	out->used += size;
	return true;
}

static __attribute__((noinline)) void put_any_int(struct out *out, const struct out_slot *slot, int64_t value)
{
	char text[2 * NUMBER_SIZE], *end = text + NUMBER_SIZE, *start, *to;

	start = decimal(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--start = '-';
	to = out->buffer + out->used;
	if (out->json) {
		memcpy(to, slot->key, slot->key_size);
		to += slot->key_size;
	} else {
		to = pad(out, slot, to, (size_t)(end - start));
	}
	memcpy(to, start, NUMBER_SIZE);
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
		start = decimal(end, value);
	} else {
		do {
			*--start = "0123456789abcdef"[value & ((1u << bits) - 1)];
			value >>= bits;
		} while (value);
		for (size_t i = *start == '0' && bits == 3 ? 0 : strlen(prefix); i; i--)
			*--start = prefix[i - 1];
	}
	put_value(out, out->slot, start, (size_t)(end - start));
}

void out__put_octal(struct out *out, uint64_t value)
{
	put_based(out, value, 3, "0");
}

void out__put_hex(struct out *out, uint64_t value)
{
	put_based(out, value, 4, "0x");
}

void out__milliseconds(struct out *out, uint64_t value_ms)
{
	char text[32], *end = text + sizeof(text), *start;
	const struct out_slot *slot = next_slot(out);

	if (!slot)
		return;
	start = end - 4;
	*start = '.';
	digits(start + 1, (uint32_t)(value_ms % 1000), 3);
	start = decimal(start, value_ms / 1000);
	put_value(out, slot, start, (size_t)(end - start));
}

/* A word, in JSON another one perhaps. */
static void put_word(struct out *out, const char *word, const char *json_word)
{
	const struct out_slot *slot = next_slot(out);
	const char *value = out->json ? json_word : word;

	if (slot)
		put_value(out, slot, value, strlen(value));
}

void out__bool(struct out *out, bool value)
{
	put_word(out, value ? "yes" : "no", value ? "true" : "false");
}

void out__none(struct out *out)
{
	put_word(out, "-", "null");
}

/*
 * The length of the UTF-8 sequence at s (1 to 4 of size bytes), 0 where it is invalid; then *bad is how many bytes
 * one U+FFFD stands for (Unicode 15, 3.9: maximal subparts).
 */
static size_t utf8_length(const unsigned char *s, size_t size, size_t *bad)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	*bad = 1;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;	/* overlong */
	else if (s[0] == 0xed)
		high = 0x9f;	/* surrogates */
	else if (s[0] == 0xf0)
		low = 0x90;	/* overlong */
	else if (s[0] == 0xf4)
		high = 0x8f;	/* beyond U+10FFFF */
	for (size_t i = 1; i < length; i++) {
		if (i >= size || s[i] < low || s[i] > high) {
			*bad = i;
			return 0;
		}
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/* Sixteen bytes, which the compiler compares all at once, and eight. */
typedef signed char bytes16 __attribute__((vector_size(16)));
typedef signed char bytes8 __attribute__((vector_size(8)));

/* 0xff for each byte that is not printable ASCII (from 0x80 on they are negative), or is the backslash or `besides`. */
#define not_plain(bytes, besides) (((bytes) < 0x20) | ((bytes) == 0x7f) | ((bytes) == '\\') | ((bytes) == (besides)))

static inline __attribute__((always_inline)) bool is_plain16(const char *string, char *to, const char besides)
{
	uint64_t odd[2];
	bytes16 bytes;

	memcpy(&bytes, string, 16);
	memcpy(to, &bytes, 16);
	bytes = not_plain(bytes, besides);
	memcpy(odd, &bytes, 16);
	return !(odd[0] | odd[1]);
}

static inline __attribute__((always_inline)) bool is_plain8(uint64_t word, const char besides)
{
	uint64_t odd;
	bytes8 bytes;

	memcpy(&bytes, &word, 8);
	bytes = not_plain(bytes, besides);
	memcpy(&odd, &bytes, 8);
	return !odd;
}

/*
 * Copies size bytes if they are all plain; false if not, and what is at `to` is rubbish then.  Nearly every string is all
 * plain, and most of a row is strings: hence many bytes at a time, the last ones with some that are copied already.
 */
static inline __attribute__((always_inline)) bool copy_plain(char *to, const char *string, size_t size, const char besides)
{
	uint32_t first, last;
	uint64_t head, tail;

	if (size >= 16) {
		for (size_t at = 0; size - at > 16; at += 16)
			if (!is_plain16(string + at, to + at, besides))
				return false;
		return is_plain16(string + size - 16, to + size - 16, besides);
	}
	if (size >= 8) {
		memcpy(&head, string, 8);
		memcpy(&tail, string + size - 8, 8);
		memcpy(to, &head, 8);
		memcpy(to + size - 8, &tail, 8);
		return is_plain8(head, besides) && is_plain8(tail, besides);
	}
	if (size >= 4) {
		memcpy(&first, string, 4);
		memcpy(&last, string + size - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + size - 4, &last, 4);
		return is_plain8((uint64_t)last << 32 | first, besides);
	}
	for (size_t at = 0; at < size; at++) {
		if ((unsigned char)string[at] < 0x20 || (unsigned char)string[at] > 0x7e || string[at] == '\\' ||
		    string[at] == besides)
			return false;
		to[at] = string[at];
	}
	return true;
}

static char *hex_byte(char *to, unsigned char byte)
{
	*to++ = "0123456789abcdef"[byte >> 4];
	*to++ = "0123456789abcdef"[byte & 15];
	return to;
}

/* Text: the escaped form; returns its end and in *characters what a terminal shows (a sequence as one). */
static char *escape(char *to, const char *string, size_t size, size_t *characters)
{
	const unsigned char *s = (const unsigned char *)string;

	*characters = 0;
	for (size_t i = 0; i < size;) {
		char *start = to;
		size_t bad, length;

		if (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\') {
			*to++ = (char)s[i++];
			++*characters;
			continue;
		}
		length = utf8_length(s + i, size - i, &bad);
		if (s[i] == '\n' || s[i] == '\\') {
			*to++ = '\\';
			*to++ = s[i] == '\n' ? 'n' : '\\';
			i++;
		} else if (length > 1 && !(s[i] == 0xc2 && s[i + 1] < 0xa0)) {
			memcpy(to, s + i, length);
			to += length;
			i += length;
			++*characters;
			continue;
		} else {
			/* C0, DEL, an invalid byte; C1 (U+0080 to U+009F) is two bytes */
			for (size_t last = i + (length ? length : bad); i < last; i++) {
				*to++ = '\\';
				*to++ = 'x';
				to = hex_byte(to, s[i]);
			}
		}
		*characters += (size_t)(to - start);
	}
	return to;
}

/* JSON: the quoted form; *valid tells whether the bytes were UTF-8. */
static char *quote(char *to, const char *string, size_t size, bool *valid)
{
	const unsigned char *s = (const unsigned char *)string;

	*valid = true;
	*to++ = '"';
	for (size_t i = 0; i < size;) {
		size_t bad, length;

		if (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\' && s[i] != '"') {
			*to++ = (char)s[i++];
			continue;
		}
		length = utf8_length(s + i, size - i, &bad);
		if (!length) {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			i += bad;
			*valid = false;
		} else if (s[i] == '\\' || s[i] == '"') {
			*to++ = '\\';
			*to++ = (char)s[i++];
		} else if (s[i] == '\n') {
			*to++ = '\\';
			*to++ = 'n';
			i++;
		} else if (length == 1 || (s[i] == 0xc2 && s[i + 1] < 0xa0)) {
			/* valid JSON as they are, from DEL on, but a terminal would act on them */
			memcpy(to, "\\u00", 4);
			to = hex_byte(to + 4, s[i + length - 1]);
			i += length;
		} else {
			memcpy(to, s + i, length);
			to += length;
			i += length;
		}
	}
	*to++ = '"';
	return to;
}

char *out__json_quote(char *to, const char *string, size_t size)
{
	bool valid;

	return quote(to, string, size, &valid);
}

/* One quoted string of a JSON value. */
static bool put_quoted(struct out *out, const char *string, size_t size)
{
	char *to = reserve(out, size * 6 + 2);
	bool valid = true;

	if (to)
		out->used = (size_t)(quote(to, string, size, &valid) - out->buffer);
	return valid;
}

static void put_hex(struct out *out, const char *bytes, size_t size)
{
	char *to = reserve(out, size * 2 + 2);

	if (!to)
		return;
	*to++ = '"';
	for (size_t i = 0; i < size; i++)
		to = hex_byte(to, (unsigned char)bytes[i]);
	*to++ = '"';
	out->used = (size_t)(to - out->buffer);
}

/* Text: the escaped string in its column, as put_aligned() does it. */
static __attribute__((noinline)) void put_escaped(struct out *out, const struct out_slot *slot, const char *string,
						  size_t size)
{
	size_t characters, missing;
	char *start = reserve(out, out->pad + slot->width + size * 4), *end;

	if (!start)
		return;
	start = spaces(start, out->pad);
	end = escape(start, string, size, &characters);
	missing = characters < slot->width ? slot->width - characters : 0;
	out->pad = 1;
	if (!slot->right) {
		out->pad += missing;
	} else if (missing) {
		memmove(start + missing, start, (size_t)(end - start));
		memset(start, ' ', missing);
		end += missing;
	}
	out->used = (size_t)(end - out->buffer);
}

static void put_string(struct out *out, const struct out_slot *slot, const char *string, size_t size)
{
	char *to = reserve(out, out->pad + slot->width + size);
	size_t owed = out->pad;

	if (!to)
		return;
	to = pad(out, slot, to, size);
	if (copy_plain(to, string, size, '\\')) {
		out->used = (size_t)(to + size - out->buffer);
	} else {
		out->pad = owed;
		put_escaped(out, slot, string, size);
	}
}

static void put_string_json(struct out *out, const struct out_slot *slot, const char *string, size_t size)
{
	char *to;

	put_key(out, slot);
	to = reserve(out, size + 2);
	if (!to)
		return;
	if (copy_plain(to + 1, string, size, '"')) {
		to[0] = '"';
		to[size + 1] = '"';
		out->used += size + 2;
	} else if (!put_quoted(out, string, size)) {
		put_key_with(out, slot, "_hex");
		put_hex(out, string, size);
	}
}

void out__string(struct out *out, const char *string, size_t size)
{
	const struct out_slot *slot;

	if (!string) {
		put_word(out, "<fault>", "null");
		return;
	}
	slot = next_slot(out);
	if (!slot)
		return;
	size = strnlen(string, size);
	if (out->json)
		put_string_json(out, slot, string, size);
	else
		put_string(out, slot, string, size);
}

static void put_strings_json(struct out *out, const struct out_slot *slot, const char *strings, size_t size,
			     uint64_t more)
{
	char number[24], *digit = decimal(number + sizeof(number), more);
	bool valid = true;

	put_key(out, slot);
	put(out, "[", 1);
	for (size_t i = 0; i < size;) {
		size_t length = strnlen(strings + i, size - i);

		if (i)
			put(out, ",", 1);
		valid &= put_quoted(out, strings + i, length);
		i += length + 1;
	}
	put(out, "]", 1);
	if (!valid) {
		put_key_with(out, slot, "_hex");
		put_hex(out, strings, size);
	}
	put_key_with(out, slot, "_more");
	put(out, digit, (size_t)(number + sizeof(number) - digit));
}

void out__strings(struct out *out, const char *strings, size_t size, uint64_t more)
{
	/* the strings are not aligned among each other: one space between two */
	static const struct out_slot item;
	const struct out_slot *slot = next_slot(out);
	char text[40], *start;

	if (!slot)
		return;
	if (out->json) {
		put_strings_json(out, slot, strings, size, more);
		return;
	}
	for (size_t i = 0; i < size;) {
		size_t length = strnlen(strings + i, size - i);

		if (length)
			put_string(out, &item, strings + i, length);
		else
			put_aligned(out, &item, "''", 2);	/* an empty argument would vanish between two spaces */
		i += length + 1;
	}
	if (more) {
		start = decimal(text + 30, more);
		start -= 2;
		memcpy(start, "[+", 2);
		memcpy(text + 30, " more]", 6);
		put_aligned(out, &item, start, (size_t)(text + 36 - start));
	}
}

void out__end(struct out *out)
{
	char *to = out->buffer + out->used;

	if (out->json)
		*to++ = '}';
	*to++ = '\n';
	out->used = (size_t)(to - out->buffer);
	out->rows_pending++;
	out->row_start = out->used;
}

void out__line(struct out *out, const char *text, size_t size)
{
	out->row_start = out->used;
	put(out, text, size);
	put(out, "\n", 1);
	out->row_start = out->used;
}

/* Whether fd takes at least PIPE_BUF bytes without blocking (POLLOUT, pipe(7)), or has an error, now or in a second's time. */
static bool is_writable_in_a_second(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	const struct timespec second = { .tv_sec = 1 };
	sigset_t no_tick;

	/* what calls held_up each second would interrupt it each time */
	sigprocmask(SIG_SETMASK, NULL, &no_tick);
	sigaddset(&no_tick, SIGALRM);
	return ppoll(&poll_fd, 1, &second, &no_tick) != 0;
}

/*
 * Writes everything, also to a reader that stopped reading (a full pipe must not cost the user a second Ctrl-C).
 */
static int write_all(struct out *out, const char *bytes, size_t size)
{
	while (size) {
		ssize_t wrote;

		if (out->give_up && out->give_up()) {
			if (!is_writable_in_a_second(out->fd))
				return -EAGAIN;
			wrote = write(out->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
		} else {
			wrote = write(out->fd, bytes, size);
		}
		if (wrote < 0 && errno == EAGAIN) {
			struct pollfd fd = { .fd = out->fd, .events = POLLOUT };

			poll(&fd, 1, 1000);
		} else if (wrote < 0 && errno != EINTR) {
			return -errno;
		} else if (wrote > 0) {
			bytes += wrote;
			size -= (size_t)wrote;
		}
		if (size && out->held_up)
			out->held_up(out->held_up_ctx);
	}
	return 0;
}

int out__flush(struct out *out)
{
	if (out->used && !out->error) {
		out->error = write_all(out, out->buffer, out->used);
		if (!out->error)
			out->rows_written += out->rows_pending;
	}
	out->rows_pending = 0;
	out->used = 0;
	out->row_start = 0;
	out->realtime_offset_ns = 0;
	return out->error;
}
