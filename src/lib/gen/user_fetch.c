/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_fetch.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch_args.h"
#include "lib/format/user_args.h"
#include "lib/kernel/registers.h"
#include "lib/print/text_buffer.h"
#include "source.h"

/* A text: the word before it, which may tell that its page is there, its bytes, and one that tells of a longer text. */
#define TEXT_BEFORE 8
#define TEXT_BYTES (RECORD_DYNAMIC_MAX + 8)
#define TEXT_WORDS ((TEXT_BEFORE + TEXT_BYTES) / 8)
#define SMALLEST_PAGE 4096
/* All values: perf takes 2048 bytes with what is before them (PERF_MAX_TRACE_SIZE of 5.10). */
#define VALUES_MAX 2000
#define LINE_MAX_SIZE 4096
#define BASE_MAX 48

bool user_fetch__is_for(const struct format *format)
{
	return !strcmp(format->system, USER_CALL) || !strcmp(format->system, USER_RETURN) || !strcmp(format->system, USER_PROBE);
}

static bool is_asked(const struct record *record, const struct format_field *field)
{
	for (size_t i = 0; i < record->count; i++)
		if (record->fields[i].field == field)
			return true;
	return false;
}

/* Whether a filter has the name as a word. */
static bool mentions(const char *filter, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = filter; at && (at = strstr(at, name)); at += length)
		if ((at == filter || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

static bool is_text(const struct format_field *field)
{
	return field->loc == FORMAT_POINTER;
}

static int refuse(const struct record *record, const struct format_field *field, struct fault *fault)
{
	const struct format *format = record->format;

	if (strcmp(format->system, USER_RETURN))
		return fault__set(fault, -EOPNOTSUPP, "%s:%.512s: the kernel's own probes cannot fetch %s (--via bpf can)", format->system,
				  format->name, field->name);
	return fault__set(fault, -EOPNOTSUPP, "%s:%.512s: %s takes the call's begin, too, and only programs keep that (--via bpf, or ask for "
			  "ret alone)", format->system, format->name, field->name);
}

/* Writes where the kernel finds the number, or a text's address: a register, or a word in memory.  Whether it can. */
static bool put_base(char base[BASE_MAX], const struct format *format, const struct format_field *field)
{
	const struct format_hops *hops = field->hops;
	bool is_return = !strcmp(format->system, USER_RETURN), is_word;
	const char *name = is_return ? REGISTERS_RESULT : registers__name(field->offset);

	if (field->is_array || (is_return && field->offset != returned_places.ret) || !name)
		return false;
	if (hops && hops->base == FORMAT_CONSTANT) {
		/* the number itself; a text at an address of the file is nowhere that is known */
		snprintf(base, BASE_MAX, "\\%llu", hops->address + (unsigned long long)(long long)hops->offsets[0]);
		return hops->is_address && hops->count == 1;
	}
	if (hops && (hops->base != FORMAT_CONTEXT || hops->is_address || hops->bits))
		return false;
	/* of a text the last hop leads to its bytes */
	is_word = hops && hops->count == (is_text(field) ? 2 : 1);
	if (is_word)
		snprintf(base, BASE_MAX, "%+d(%%%s)", hops->offsets[0], name);
	else
		snprintf(base, BASE_MAX, "%%%s", name);
	return is_word || !hops || (is_text(field) && hops->count == 1 && !hops->offsets[0]);
}

int user_fetch__line(const struct record *record, const char *filter, char **line, struct fault *fault)
{
	struct text_buffer text = text_buffer__growing(LINE_MAX_SIZE);
	const struct format *format = record->format;
	size_t size = 0;

	*line = NULL;
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];
		char name[FETCH_ARGS_NAME_MAX], base[BASE_MAX];

		fetch_args__name(format, field, name);
		if (!is_asked(record, field) && !mentions(filter, name))
			continue;
		if (!put_base(base, format, field)) {
			free(text_buffer__take(&text));
			return refuse(record, field, fault);
		}
		if (is_text(field))
			text_buffer__add(&text, " %sp=%s:u64 %s=-%d(%s):u64[%d]", name, base, name, TEXT_BEFORE, base, TEXT_WORDS);
		else
			text_buffer__add(&text, " %s=%s:%c%u", name, base, field->is_signed ? 's' : 'u', 8 * field->size);
		size += is_text(field) ? 8 * (TEXT_WORDS + 1) : field->size;
	}
	/* of no fields it is empty, and not NULL */
	text_buffer__add(&text, "%s", "");
	*line = text_buffer__take(&text);
	if (!*line || size > VALUES_MAX) {
		bool is_large = *line || text.err == -EFBIG;

		free(*line);
		*line = NULL;
		return is_large ? fault__set(fault, -E2BIG, "%s:%.512s: a record has room for %d texts (ask for fewer)", format->system,
					     format->name, VALUES_MAX / 8 / (TEXT_WORDS + 1)) : fault__set(fault, -ENOMEM, "no memory");
	}
	return 0;
}

/* ---- records */

/* A field of the kernel's record, of a size; NULL: it is not there. */
static const char *find(const struct format *raw, const char *name, size_t wanted, const void *data, size_t size)
{
	const struct format_field *from = format__field(raw, name);

	return from && from->size == wanted && from->offset + wanted <= size ? (const char *)data + from->offset : NULL;
}

/* Whether any of the bytes is known to be read: those before the text tell only of its own page. */
static bool is_read(uint64_t address, const char *words)
{
	static const char zero[TEXT_BEFORE + TEXT_BYTES];
	size_t skipped = address % SMALLEST_PAGE < TEXT_BEFORE ? TEXT_BEFORE : 0;

	return address && memcmp(words + skipped, zero, sizeof(zero) - skipped);
}

/* A text, its bytes with the 0 byte, as a program would have read it. */
static void take_text(char *to, const char *address_at, const char *words)
{
	const char *bytes = words + TEXT_BEFORE;
	size_t length = strnlen(bytes, TEXT_BYTES);
	int64_t status = -EFAULT;
	uint64_t address;

	memcpy(&address, address_at, sizeof(address));
	if (is_read(address, words)) {
		status = (int64_t)(length > RECORD_DYNAMIC_MAX ? RECORD_DYNAMIC_MAX + 1 : length) + 1;
		memcpy(to + 8, bytes, length < RECORD_DYNAMIC_MAX ? length : RECORD_DYNAMIC_MAX);
	}
	memcpy(to, &status, sizeof(status));
}

int user_fetch__record(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size)
{
	memset((char *)copy + 8, 0, record->size - 8);
	for (size_t i = 0; i < record->count; i++) {
		const struct format_field *field = record->fields[i].field;
		char name[FETCH_ARGS_NAME_MAX], pointer[FETCH_ARGS_NAME_MAX + 1], *to = (char *)copy + record->fields[i].room;
		const char *from, *address;

		fetch_args__name(record->format, field, name);
		from = find(raw, name, is_text(field) ? 8 * TEXT_WORDS : field->size, data, size);
		snprintf(pointer, sizeof(pointer), "%sp", name);
		address = is_text(field) ? find(raw, pointer, 8, data, size) : from;
		if (!from || !address)
			return -EINVAL;
		if (is_text(field)) {
			take_text(to, address, from);
			continue;
		}
		/* in memory: a status of 0, and the value */
		if (field->hops)
			to += 8;
		memcpy(to, from, field->size);
	}
	return 0;
}
