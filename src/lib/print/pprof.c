/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "text.h"

/* Numbers of fields, of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME = 9,
       PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* How a field's value is written (protobuf.dev, "Encoding"). */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

struct bytes {
	char *data;
	size_t size, room;
	bool failed;
};

/* What is numbered from 0 on: strings by their text, functions by name and file. */
struct set {
	uint32_t *slots;	/* number + 1, or 0; a hash, at most half full */
	size_t room, count;
	uint64_t *hashes;	/* of each number */
};

struct function {
	uint32_t name, file;	/* strings */
};

struct pprof {
	const struct pprof_type *types;
	struct bytes samples, tables;	/* PROFILE_SAMPLE; PROFILE_STRING, _FUNCTION and _LOCATION */
	struct bytes message, inner;	/* those that are being made */
	struct set strings, functions;
	struct bytes texts;		/* of all strings, one after the other */
	size_t *ends;			/* of each string there */
	struct function *list;		/* of functions */
	size_t ends_room, list_room;
	bool failed;
};

static void put(struct bytes *to, const void *data, size_t size)
{
	if (to->size + size > to->room) {
		size_t room = (to->size + size) * 2;
		char *larger = realloc(to->data, room);

		if (!larger) {
			to->failed = true;
			return;
		}
		to->data = larger;
		to->room = room;
	}
	if (size)
		memcpy(to->data + to->size, data, size);
	to->size += size;
}

/* Seven bits a byte, the lowest first; the highest bit says that more follow. */
static void put_varint(struct bytes *to, uint64_t value)
{
	unsigned char digits[10];
	size_t count = 0;

	do
		digits[count++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
	while (value >>= 7);
	put(to, digits, count);
}

static void put_number(struct bytes *to, unsigned int field, uint64_t value)
{
	put_varint(to, field << 3 | WIRE_VARINT);
	put_varint(to, value);
}

static void put_bytes(struct bytes *to, unsigned int field, const void *data, size_t size)
{
	put_varint(to, field << 3 | WIRE_BYTES);
	put_varint(to, size);
	put(to, data, size);
}

/* Moves a message that was made into the one that has it as a field. */
static void put_message(struct bytes *to, unsigned int field, struct bytes *message)
{
	put_bytes(to, field, message->data, message->size);
	to->failed |= message->failed;
	message->size = 0;
}

/* ---- strings and functions by number */

static uint64_t hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return hash ^ hash >> 29;
}

static bool grow_set(struct set *set)
{
	size_t room = set->room ? set->room * 2 : 64;
	uint32_t *slots = calloc(room, sizeof(*slots));
	uint64_t *hashes = realloc(set->hashes, room / 2 * sizeof(*hashes));

	if (hashes)
		set->hashes = hashes;
	if (!slots || !hashes) {
		free(slots);
		return false;
	}
	for (size_t i = 0; i < set->count; i++) {
		size_t at = set->hashes[i] & (room - 1);

		while (slots[at])
			at = (at + 1) & (room - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(set->slots);
	set->slots = slots;
	set->room = room;
	return true;
}

/* The slot of what has that hash and is the same; or where it goes.  NULL without memory. */
static uint32_t *find(struct pprof *pprof, struct set *set, uint64_t hash, bool (*is_same)(const struct pprof *, size_t, const void *),
		      const void *wanted)
{
	size_t at;

	if ((set->count + 1) * 2 > set->room && !grow_set(set)) {
		pprof->failed = true;
		return NULL;
	}
	at = hash & (set->room - 1);
	while (set->slots[at] && !(set->hashes[set->slots[at] - 1] == hash && is_same(pprof, set->slots[at] - 1, wanted)))
		at = (at + 1) & (set->room - 1);
	return &set->slots[at];
}

/* An array with room for one more element. */
static bool has_room(struct pprof *pprof, void *array, size_t *room, size_t count, size_t size)
{
	void **pointer = array, *larger;

	if (count < *room)
		return true;
	larger = realloc(*pointer, (*room * 2 + 64) * size);
	if (!larger) {
		pprof->failed = true;
		return false;
	}
	*pointer = larger;
	*room = *room * 2 + 64;
	return true;
}

static bool is_same_string(const struct pprof *pprof, size_t number, const void *wanted)
{
	const struct bytes *text = wanted;
	size_t begin = number ? pprof->ends[number - 1] : 0;

	return pprof->ends[number] - begin == text->size && !memcmp(pprof->texts.data + begin, text->data, text->size);
}

/* The number of a string, which is safe text; 0, the empty one, without memory. */
static uint32_t number_of(struct pprof *pprof, const char *text, size_t size)
{
	const struct bytes wanted = { .data = (char *)text, .size = size };
	uint64_t hash = hash_of(text, size);
	uint32_t *slot = find(pprof, &pprof->strings, hash, is_same_string, &wanted);

	if (!slot || *slot)
		return slot ? *slot - 1 : 0;
	if (!has_room(pprof, &pprof->ends, &pprof->ends_room, pprof->strings.count, sizeof(*pprof->ends)))
		return 0;
	put(&pprof->texts, text, size);
	pprof->failed |= pprof->texts.failed;
	pprof->ends[pprof->strings.count] = pprof->texts.size;
	pprof->strings.hashes[pprof->strings.count++] = hash;
	*slot = (uint32_t)pprof->strings.count;
	put_bytes(&pprof->tables, PROFILE_STRING, text, size);
	return *slot - 1;
}

static uint32_t number_of_word(struct pprof *pprof, const char *word)
{
	return number_of(pprof, word, strlen(word));
}

/* Of untrusted bytes, up to a 0 byte. */
static uint32_t number_of_name(struct pprof *pprof, const char *name)
{
	char text[TEXT_ESCAPED_MAX(PPROF_NAME_MAX)];
	size_t characters;

	return number_of(pprof, text, (size_t)(text__escape(text, name, strnlen(name, PPROF_NAME_MAX), &characters) - text));
}

static bool is_same_function(const struct pprof *pprof, size_t number, const void *wanted)
{
	return !memcmp(&pprof->list[number], wanted, sizeof(struct function));
}

/* The number of a function's location, from 1; 0 without memory. */
static uint32_t location_of(struct pprof *pprof, const struct pprof_frame *frame)
{
	const struct function function = { number_of_name(pprof, frame->name), frame->file ? number_of_name(pprof, frame->file) : 0 };
	uint64_t hash = hash_of((const char *)&function, sizeof(function));
	uint32_t *slot = find(pprof, &pprof->functions, hash, is_same_function, &function), id;

	if (!slot || *slot)
		return slot ? *slot : 0;
	if (!has_room(pprof, &pprof->list, &pprof->list_room, pprof->functions.count, sizeof(*pprof->list)))
		return 0;
	pprof->list[pprof->functions.count] = function;
	pprof->functions.hashes[pprof->functions.count++] = hash;
	id = *slot = (uint32_t)pprof->functions.count;
	put_number(&pprof->message, FUNCTION_ID, id);
	put_number(&pprof->message, FUNCTION_NAME, function.name);
	put_number(&pprof->message, FUNCTION_SYSTEM_NAME, function.name);
	if (function.file)
		put_number(&pprof->message, FUNCTION_FILE, function.file);
	put_message(&pprof->tables, PROFILE_FUNCTION, &pprof->message);
	put_number(&pprof->inner, LINE_FUNCTION, id);
	put_number(&pprof->message, LOCATION_ID, id);
	put_message(&pprof->message, LOCATION_LINE, &pprof->inner);
	put_message(&pprof->tables, PROFILE_LOCATION, &pprof->message);
	return id;
}

/* ---- the profile */

struct pprof *pprof__new(const struct pprof_type types[PPROF_VALUES])
{
	struct pprof *pprof = calloc(1, sizeof(*pprof));

	if (!pprof)
		return NULL;
	pprof->types = types;
	/* the first string must be the empty one */
	number_of_word(pprof, "");
	return pprof;
}

void pprof__free(struct pprof *pprof)
{
	if (!pprof)
		return;
	free(pprof->samples.data);
	free(pprof->tables.data);
	free(pprof->message.data);
	free(pprof->inner.data);
	free(pprof->texts.data);
	free(pprof->strings.slots);
	free(pprof->strings.hashes);
	free(pprof->functions.slots);
	free(pprof->functions.hashes);
	free(pprof->ends);
	free(pprof->list);
	free(pprof);
}

/* text: the number of a string; 0: the label is a number. */
static void put_label(struct pprof *pprof, struct bytes *to, const char *key, uint32_t text, uint64_t number)
{
	put_number(&pprof->inner, LABEL_KEY, number_of_word(pprof, key));
	put_number(&pprof->inner, text ? LABEL_STRING : LABEL_NUMBER, text ? text : number);
	put_message(to, SAMPLE_LABEL, &pprof->inner);
}

int pprof__add(struct pprof *pprof, const struct pprof_frame *frames, size_t count, const struct pprof_sample *sample)
{
	/* location_of() needs the other two */
	struct bytes message = { 0 };

	for (size_t i = 0; i < count; i++)
		put_number(&message, SAMPLE_LOCATION, location_of(pprof, &frames[i]));
	for (int i = 0; i < PPROF_VALUES; i++)
		put_number(&message, SAMPLE_VALUE, sample->values[i]);
	if (sample->comm && *sample->comm)
		put_label(pprof, &message, "comm", number_of_name(pprof, sample->comm), 0);
	if (sample->pid)
		put_label(pprof, &message, "pid", 0, sample->pid);
	if (sample->tag)
		put_label(pprof, &message, sample->tag_word, number_of_name(pprof, sample->tag), 0);
	put_message(&pprof->samples, PROFILE_SAMPLE, &message);
	free(message.data);
	return pprof->failed || pprof->samples.failed || pprof->tables.failed ? -ENOMEM : 0;
}

static void put_type(struct pprof *pprof, unsigned int field, const struct pprof_type *type)
{
	put_number(&pprof->message, TYPE_TYPE, number_of_word(pprof, type->name));
	put_number(&pprof->message, TYPE_UNIT, number_of_word(pprof, type->unit));
	put_message(&pprof->tables, field, &pprof->message);
}

/* 16: the header and the end that gzip(1) knows, zlib.h. */
static int compress_gzip(const struct bytes *plain, char **bytes, size_t *size)
{
	z_stream stream = { 0 };
	size_t bound;
	int err;

	if (plain->size > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	bound = deflateBound(&stream, plain->size);
	*bytes = malloc(bound);
	stream.next_in = (unsigned char *)plain->data;
	stream.avail_in = (unsigned int)plain->size;
	stream.next_out = (unsigned char *)*bytes;
	stream.avail_out = (unsigned int)bound;
	err = *bytes && deflate(&stream, Z_FINISH) == Z_STREAM_END ? 0 : -ENOMEM;
	*size = stream.total_out;
	deflateEnd(&stream);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}

int pprof__take(struct pprof *pprof, const struct pprof_run *run, char **bytes, size_t *size)
{
	for (int i = 0; i < PPROF_VALUES; i++)
		put_type(pprof, PROFILE_SAMPLE_TYPE, &pprof->types[i]);
	put_number(&pprof->tables, PROFILE_TIME, run->begin_ns);
	put_number(&pprof->tables, PROFILE_DURATION, run->duration_ns);
	if (run->period) {
		put_type(pprof, PROFILE_PERIOD_TYPE, &pprof->types[PPROF_VALUES - 1]);
		put_number(&pprof->tables, PROFILE_PERIOD, run->period);
	}
	put_number(&pprof->tables, PROFILE_DEFAULT_TYPE, number_of_word(pprof, pprof->types[PPROF_VALUES - 1].name));
	/* the fields of a message may come in any order */
	put(&pprof->samples, pprof->tables.data, pprof->tables.size);
	if (pprof->failed || pprof->samples.failed || pprof->tables.failed)
		return -ENOMEM;
	return compress_gzip(&pprof->samples, bytes, size);
}
