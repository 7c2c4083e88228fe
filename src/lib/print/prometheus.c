/* SPDX-License-Identifier: BSD-2-Clause */
#include "prometheus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "out_row.h"
#include "text.h"

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */
#define LE_SIZE 32	/* bytes of a bound */

static void put(struct text_buffer *text, const char *string)
{
	text_buffer__put(text, string, strlen(string));
}

/* By hand, as there may be thousands of lines. */
static void put_number(struct text_buffer *text, uint64_t value)
{
	char digits[OUT_NUMBER_SIZE], *end = digits + sizeof(digits), *begin = out_row__decimal(end, value);

	text_buffer__put(text, begin, (size_t)(end - begin));
}

void prometheus__head(struct text_buffer *text, const char *name, const char *type, const char *help)
{
	text_buffer__add(text, "# HELP " PROMETHEUS_PREFIX "%s %s\n# TYPE " PROMETHEUS_PREFIX "%s %s\n", name, help, name, type);
}

/* One character of a label's value. */
static void put_character(struct text_buffer *labels, const char *bytes, size_t size)
{
	if (size > 1)
		text_buffer__put(labels, bytes, size);
	else if (*bytes == '\\' || *bytes == '"')
		text_buffer__add(labels, "\\%c", *bytes);
	else if (*bytes == '\n')
		put(labels, "\\n");
	else if ((unsigned char)*bytes < 0x20 || *bytes == 0x7f)
		put(labels, REPLACEMENT);
	else
		text_buffer__put(labels, bytes, 1);
}

static void put_value(struct text_buffer *labels, const char *value, size_t size)
{
	for (size_t at = 0; at < size;) {
		uint32_t code_point;
		size_t bad = 1, length = text__utf8(value + at, size - at, &code_point, &bad);

		if (length)
			put_character(labels, value + at, length);
		else
			put(labels, REPLACEMENT);
		at += length ? length : bad;
	}
}

static void begin_label(struct text_buffer *labels, const char *name)
{
	if (labels->length)
		put(labels, ",");
	put(labels, name);
	put(labels, "=\"");
}

void prometheus__add_label(struct text_buffer *labels, const char *name, const char *value, size_t size)
{
	begin_label(labels, name);
	put_value(labels, value, size);
	put(labels, "\"");
}

static uint32_t hex_digits(const char *digits)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char digit = digits[i];

		value = value << 4 | ((uint32_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10) & 15);
	}
	return value;
}

/* UTF-8 of a character that JSON wrote by its number; half of a pair, and what is none, is not shown. */
static void put_code_point(struct text_buffer *labels, uint32_t code_point)
{
	char bytes[4];

	if (code_point < 0x80) {
		bytes[0] = (char)code_point;
		put_character(labels, bytes, 1);
	} else if (code_point < 0x800) {
		bytes[0] = (char)(0xc0 | code_point >> 6);
		bytes[1] = (char)(0x80 | (code_point & 0x3f));
		text_buffer__put(labels, bytes, 2);
	} else if (code_point < 0x10000) {
		bytes[0] = (char)(0xe0 | code_point >> 12);
		bytes[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code_point & 0x3f));
		text_buffer__put(labels, bytes, 3);
	} else {
		bytes[0] = (char)(0xf0 | code_point >> 18);
		bytes[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (code_point & 0x3f));
		text_buffer__put(labels, bytes, 4);
	}
}

#define IS_HIGH(code_point) ((code_point) >= 0xd800 && (code_point) < 0xdc00)
#define IS_LOW(code_point) ((code_point) >= 0xdc00 && (code_point) < 0xe000)

/* Behind the escape of JSON at `at`, a backslash. */
static const char *put_escape(struct text_buffer *labels, const char *at, const char *end)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *letter = at + 1 < end ? strchr(letters, at[1]) : NULL;
	uint32_t code_point, low;

	if (at + 1 >= end)
		return end;
	if (letter && *letter) {
		put_character(labels, &meant[letter - letters], 1);
		return at + 2;
	}
	if (at[1] != 'u' || at + 6 > end) {
		put_character(labels, at + 1, 1);
		return at + 2;
	}
	code_point = hex_digits(at + 2);
	at += 6;
	if (IS_HIGH(code_point) && at + 6 <= end && at[0] == '\\' && at[1] == 'u' && IS_LOW(low = hex_digits(at + 2))) {
		code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	put_code_point(labels, IS_HIGH(code_point) || IS_LOW(code_point) ? 0xfffd : code_point);
	return at;
}

void prometheus__add_json_label(struct text_buffer *labels, const char *name, const char *json, size_t size)
{
	const char *end = json + size;

	if (size < 2 || *json != '"') {
		prometheus__add_label(labels, name, json, size);
		return;
	}
	begin_label(labels, name);
	json++;
	end--;
	while (json < end) {
		const char *escape = memchr(json, '\\', (size_t)(end - json)), *stop = escape ? escape : end;

		put_value(labels, json, (size_t)(stop - json));
		json = escape ? put_escape(labels, escape, end) : end;
	}
	put(labels, "\"");
}

static void begin_series(struct text_buffer *text, const char *name, const char *ending, const char *labels)
{
	put(text, PROMETHEUS_PREFIX);
	put(text, name);
	put(text, ending);
	if (*labels) {
		put(text, "{");
		put(text, labels);
		put(text, "}");
	}
	put(text, " ");
}

/* Seconds with nine decimals. */
static void put_seconds(struct text_buffer *text, uint64_t value_ns)
{
	uint32_t fraction = (uint32_t)(value_ns % 1000000000);
	char decimals[10] = ".";

	put_number(text, value_ns / 1000000000);
	for (int i = 9; i; i--, fraction /= 10)
		decimals[i] = (char)('0' + fraction % 10);
	text_buffer__put(text, decimals, sizeof(decimals));
}

void prometheus__count(struct text_buffer *text, const char *name, const char *labels, uint64_t value)
{
	begin_series(text, name, "", labels);
	put_number(text, value);
	put(text, "\n");
}

void prometheus__seconds(struct text_buffer *text, const char *name, const char *labels, uint64_t value_ns)
{
	begin_series(text, name, "", labels);
	put_seconds(text, value_ns);
	put(text, "\n");
}

/* The last value that counts below a bound. */
static uint64_t last_of(const struct prometheus_hist *hist, unsigned int bound)
{
	return hist->scale_ns ? (hist->scale_ns << bound) - 1 : (1ull << bound) - 1;
}

void prometheus_hist__add(struct prometheus_hist *hist, uint64_t high, uint64_t count)
{
	unsigned int bound = 0;

	while (bound < PROMETHEUS_BOUNDS && high > last_of(hist, bound))
		bound++;
	hist->counts[bound] += count;
}

/* "0.000128", "1.048576", "32.768": seconds without zeros at the end; or the number. */
static size_t bound_text(const struct prometheus_hist *hist, unsigned int bound, char to[LE_SIZE])
{
	uint64_t value_ns = hist->scale_ns << bound;
	int length;

	if (!hist->scale_ns)
		return (size_t)snprintf(to, LE_SIZE, "%llu", (unsigned long long)last_of(hist, bound));
	length = snprintf(to, LE_SIZE, "%llu.%09llu", (unsigned long long)(value_ns / 1000000000), (unsigned long long)(value_ns % 1000000000));
	while (to[length - 1] == '0')
		length--;
	return (size_t)(to[length - 1] == '.' ? length - 1 : length);
}

/*
 * The bounds as the lines have them.  All histograms of a tool have the same, and to print them for each one took more than half of a
 * read-out (1,000 instructions for a number with decimals).
 */
struct bounds {
	uint64_t scale_ns;
	bool are_made;
	size_t sizes[PROMETHEUS_BOUNDS + 1];
	char texts[PROMETHEUS_BOUNDS + 1][LE_SIZE + 8];	/* `0.000128"} ` */
};

static const struct bounds *bounds_of(const struct prometheus_hist *hist)
{
	static struct bounds bounds;

	if (bounds.are_made && bounds.scale_ns == hist->scale_ns)
		return &bounds;
	bounds.are_made = true;
	bounds.scale_ns = hist->scale_ns;
	for (unsigned int bound = 0; bound <= PROMETHEUS_BOUNDS; bound++) {
		char *text = bounds.texts[bound];
		size_t size = bound < PROMETHEUS_BOUNDS ? bound_text(hist, bound, text) : (size_t)sprintf(text, "+Inf");

		bounds.sizes[bound] = size + (size_t)sprintf(text + size, "\"} ");
	}
	return &bounds;
}

/* The lines of the buckets, in one piece.  Returns the sum of the counts. */
static uint64_t put_buckets(struct text_buffer *text, const char *name, const char *labels, const struct prometheus_hist *hist)
{
	const struct bounds *bounds = bounds_of(hist);
	struct text_buffer begin = text_buffer__growing(SIZE_MAX);
	uint64_t count = 0;
	char *to;

	text_buffer__put(&begin, PROMETHEUS_PREFIX, strlen(PROMETHEUS_PREFIX));
	put(&begin, name);
	put(&begin, "_bucket{");
	put(&begin, labels);
	put(&begin, *labels ? ",le=\"" : "le=\"");
	to = begin.err ? NULL :
	     text_buffer__reserve(text, (PROMETHEUS_BOUNDS + 1) * (begin.length + sizeof(*bounds->texts) + OUT_NUMBER_SIZE));
	for (unsigned int bound = 0; bound <= PROMETHEUS_BOUNDS; bound++) {
		char digits[OUT_NUMBER_SIZE], *end = digits + sizeof(digits), *number;

		count += hist->counts[bound];
		if (!to)
			continue;
		number = out_row__decimal(end, count);
		to = mempcpy(to, begin.text, begin.length);
		to = mempcpy(to, bounds->texts[bound], bounds->sizes[bound]);
		to = mempcpy(to, number, (size_t)(end - number));
		*to++ = '\n';
	}
	if (to)
		text_buffer__end_at(text, to);
	else if (!text->err)
		text->err = begin.err;
	text_buffer__free(&begin);
	return count;
}

void prometheus__hist(struct text_buffer *text, const char *name, const char *labels, const struct prometheus_hist *hist)
{
	uint64_t count = put_buckets(text, name, labels, hist);

	begin_series(text, name, "_sum", labels);
	if (hist->scale_ns)
		put_seconds(text, hist->sum);
	else
		put_number(text, hist->sum);
	put(text, "\n");
	begin_series(text, name, "_count", labels);
	put_number(text, count);
	put(text, "\n");
}
