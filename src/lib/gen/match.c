/* SPDX-License-Identifier: BSD-2-Clause */
#include "match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Goes to yes or no, always; the verifier sees a way to both. */
static void put_always(struct emit *emit, bool answer, emit_label yes, emit_label no)
{
	emit__set(emit, BPF_REG_0, answer);
	emit__jump(emit, BPF_JEQ, BPF_REG_0, 0, no);
	emit__go(emit, yes);
}

/* The largest piece that starts at offset, of at most length bytes: the verifier wants it aligned. */
static unsigned int piece_size(int offset, size_t length)
{
	unsigned int size = 8;

	while (size > length || offset % (int)size)
		size /= 2;
	return size;
}

void match__equal(struct emit *emit, const struct match_string *string, const char *text, emit_label yes, emit_label no)
{
	size_t length = strlen(text);

	if (length > string->size) {
		put_always(emit, false, yes, no);
		return;
	}
	/* with its 0 byte, unless the string may be as long as its field */
	length += length < string->size;
	for (size_t i = 0; i < length;) {
		int offset = string->offset + (int)i;
		unsigned int size = piece_size(offset, length - i);
		uint64_t wanted = 0;

		memcpy((char *)&wanted + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - size : 0), text + i, size);
		emit__load(emit, BPF_REG_0, string->base, offset, size);
		if ((int64_t)wanted == (int32_t)wanted) {
			emit__jump(emit, BPF_JNE, BPF_REG_0, (int32_t)wanted, no);
		} else {
			emit__set(emit, BPF_REG_1, wanted);
			emit__jump_reg(emit, BPF_JNE, BPF_REG_0, BPF_REG_1, no);
		}
		i += size;
	}
	emit__go(emit, yes);
}

/* One byte of a pattern: those of the set.  The 0 byte is in none. */
struct element {
	unsigned char bytes[256 / 8];
};

static void add_byte(struct element *element, unsigned char byte)
{
	element->bytes[byte / 8] |= (unsigned char)(1 << byte % 8);
}

static bool has_byte(const struct element *element, unsigned int byte)
{
	return element->bytes[byte / 8] >> byte % 8 & 1;
}

/* Takes what follows a "["; behind its "]", or NULL. */
static const char *take_set(const char *at, struct element *element)
{
	bool inverts = *at == '!' || *at == '^';
	const char *start = at += inverts;

	for (; *at && (*at != ']' || at == start); at++) {
		unsigned char first = (unsigned char)*at, last = first;

		if (at[1] == '-' && at[2] && at[2] != ']') {
			last = (unsigned char)at[2];
			at += 2;
		}
		for (unsigned int byte = first; byte <= last; byte++)
			add_byte(element, (unsigned char)byte);
	}
	for (unsigned int i = 0; inverts && i < sizeof(element->bytes); i++)
		element->bytes[i] = (unsigned char)~element->bytes[i];
	element->bytes[0] &= (unsigned char)~1;
	return *at ? at + 1 : NULL;
}

/* Takes one byte's part of a pattern; behind it, or NULL. */
static const char *take_element(const char *at, struct element *element)
{
	memset(element, 0, sizeof(*element));
	if (*at == '[')
		return take_set(at + 1, element);
	if (*at == '?') {
		memset(element, 0xff, sizeof(*element));
		element->bytes[0] &= (unsigned char)~1;
		return at + 1;
	}
	at += *at == '\\' && at[1];
	add_byte(element, (unsigned char)*at);
	return at + 1;
}

/* A pattern's part between two asterisks. */
struct part {
	size_t first, count;	/* of the elements */
};

struct glob {
	struct element *elements;
	struct part *parts;
	size_t parts_count, length;	/* all elements */
	bool is_open_before, is_open_behind;	/* an asterisk at the beginning, at the end */
};

static int parse(struct glob *glob, const char *pattern)
{
	size_t length = strlen(pattern);
	bool begins = true;

	*glob = (struct glob){ .elements = calloc(length + 1, sizeof(*glob->elements)), .parts = calloc(length + 1, sizeof(*glob->parts)) };
	if (!glob->elements || !glob->parts)
		return -ENOMEM;
	glob->is_open_before = *pattern == '*';
	for (const char *at = pattern; *at;) {
		glob->is_open_behind = *at == '*';
		if (*at == '*') {
			begins = true;
			at++;
			continue;
		}
		if (begins)
			glob->parts[glob->parts_count++].first = glob->length;
		begins = false;
		at = take_element(at, &glob->elements[glob->length++]);
		if (!at)
			return -EINVAL;
		glob->parts[glob->parts_count - 1].count++;
	}
	return 0;
}

static void free_glob(struct glob *glob)
{
	free(glob->elements);
	free(glob->parts);
}

/* Goes to fails if r0, a byte, is not in the set; else goes on. */
static void put_element(struct emit *emit, const struct element *element, emit_label fails)
{
	emit_label holds = emit__label(emit);
	unsigned int ranges = 0, only = 0;

	for (unsigned int byte = 1; byte < 256; byte++)
		if (has_byte(element, byte)) {
			ranges += byte == 1 || !has_byte(element, byte - 1);
			only = byte;
		}
	if (!ranges) {
		/* a jump that is always taken: the verifier sees a way to what follows */
		emit__jump(emit, BPF_JGE, BPF_REG_0, 0, fails);
	} else if (ranges == 1 && (only == 1 || !has_byte(element, only - 1))) {
		emit__jump(emit, BPF_JNE, BPF_REG_0, (int32_t)only, fails);
	} else if (ranges == 1 && only == 255 && has_byte(element, 1)) {
		emit__jump(emit, BPF_JEQ, BPF_REG_0, 0, fails);
	} else {
		for (unsigned int first = 1, last; first < 256; first = last + 1) {
			emit_label next;

			for (last = first; last < 255 && has_byte(element, first) && has_byte(element, last + 1); last++)
				;
			if (!has_byte(element, first))
				continue;
			next = emit__label(emit);
			emit__jump(emit, BPF_JLT, BPF_REG_0, (int32_t)first, next);
			emit__jump(emit, BPF_JLE, BPF_REG_0, (int32_t)last, holds);
			emit__place(emit, next);
		}
		emit__go(emit, fails);
	}
	emit__place(emit, holds);
}

/*
 * The part at each place from which on it may begin: starts[] has a label for each place where code jumps to, found[] gets those
 * for the next part.
 */
static void put_part(struct emit *emit, const struct match_string *string, const struct glob *glob, size_t index,
		     const emit_label *starts, const emit_label *found, emit_label yes, emit_label no)
{
	const struct part *part = &glob->parts[index];
	bool is_last = index + 1 == glob->parts_count, is_anchored = !index && !glob->is_open_before;

	for (size_t place = 0; place + part->count <= string->size; place++) {
		bool goes_on = !is_anchored && place + 1 + part->count <= string->size;
		emit_label next = goes_on ? starts[place + 1] : no;

		/* what nothing jumps to must not be there */
		if (!emit__is_used(emit, starts[place]))
			continue;
		emit__place(emit, starts[place]);
		for (size_t i = 0; i < part->count; i++) {
			emit__load(emit, BPF_REG_0, string->base, string->offset + (int)(place + i), 1);
			/* beyond its end the string has no place */
			if (!i && !is_anchored)
				emit__jump(emit, BPF_JEQ, BPF_REG_0, 0, no);
			put_element(emit, &glob->elements[part->first + i], next);
		}
		if (!is_last) {
			size_t behind = place + part->count;

			emit__go(emit, behind + part[1].count <= string->size ? found[behind] : no);
			continue;
		}
		if (!glob->is_open_behind && place + part->count < string->size) {
			emit__load(emit, BPF_REG_0, string->base, string->offset + (int)(place + part->count), 1);
			emit__jump(emit, BPF_JNE, BPF_REG_0, 0, next);
		}
		emit__go(emit, yes);
	}
}

static int put_glob(struct emit *emit, const struct match_string *string, const struct glob *glob, emit_label yes, emit_label no)
{
	emit_label *labels = calloc(2 * (size_t)string->size, sizeof(*labels)), *starts = labels, *found = labels + string->size;

	if (!labels)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * (size_t)string->size; i++)
		labels[i] = emit__label(emit);
	emit__go(emit, starts[0]);
	for (size_t i = 0; i < glob->parts_count; i++) {
		emit_label *other = starts;

		put_part(emit, string, glob, i, starts, found, yes, no);
		starts = found;
		found = other;
		for (size_t place = 0; place < string->size; place++)
			found[place] = emit__label(emit);
	}
	free(labels);
	return 0;
}

int match__glob(struct emit *emit, const struct match_string *string, const char *pattern, emit_label yes, emit_label no)
{
	struct glob glob;
	int err = parse(&glob, pattern);

	if (err) {
		free_glob(&glob);
		return err;
	}
	if (!*pattern)
		match__equal(emit, string, "", yes, no);
	else if (!glob.length || glob.length > string->size)
		put_always(emit, !glob.length, yes, no);
	else
		err = put_glob(emit, string, &glob, yes, no);
	free_glob(&glob);
	return err;
}

size_t match__least(const char *pattern)
{
	struct glob glob;
	size_t least = parse(&glob, pattern) ? 0 : glob.length;

	free_glob(&glob);
	return least;
}
