/* SPDX-License-Identifier: BSD-2-Clause */
#include "enums.h"

#include <ctype.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/rawbtf.h"
#include "print_fmt.h"

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux"
#define KIND_ENUM64 19	/* BTF_KIND_ENUM64, headers since 6.0 */

/* <trace/bpf_probe.h> has a typedef of this name for each tracepoint */
#define EVENT_PREFIX "btf_trace_"

/* A power of two; Linux 7.2 has 20,000 enumerators and 900 tracepoints. Beyond three quarters no more are taken, and nothing is known. */
#define SLOTS (1U << 16)

/*
 * A name that was seen: an enumerator, or a tracepoint's typedef. Names are told apart by 64 bits of hash, so that their
 * texts (1.5 MB) need not be kept: the chance that two of 50,000 have the same is one in 10^9.
 */
struct slot {
	uint64_t hash;		/* 0: free */
	int64_t value;
};

enum { SIZE_8 = 1, IS_UNSIGNED = 2, IS_UNCLEAR = 4 };

static const char *path = VMLINUX_BTF;
static struct slot *slots;
static unsigned char *marks;	/* of each slot */
static size_t slots_used;

/* The names that are in the slots. */
static enum { NONE, OF_A_TEXT, ALL } loaded;
static uint64_t loaded_text;	/* event and print fmt, hashed */

/* The names that a print fmt may have of enumerators, where the strings have them. */
struct wanted {
	const struct rawbtf *raw;
	bool is_all;
	char **names;		/* each once */
	__u32 *offsets;		/* of each name; 0: it is none */
	size_t count;
	uint64_t offset_bits[64];	/* a bit for each of them, which sorts out nearly all others */
};

static uint64_t hash_of(uint64_t hash, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211ULL;
	return hash;
}

static uint64_t hash_of_name(const char *name, size_t length)
{
	return hash_of(14695981039346656037ULL, name, length) | 1;
}

static size_t slot_of(uint64_t hash)
{
	size_t i = (size_t)(hash >> 40) % SLOTS;

	while (slots[i].hash && slots[i].hash != hash)
		i = (i + 1) % SLOTS;
	return i;
}

/* NULL: the name at that offset of the strings is not wanted. */
static const char *wanted_name(const struct wanted *wanted, __u32 offset)
{
	if (wanted->is_all)
		return rawbtf__string(wanted->raw, offset);
	if (!(wanted->offset_bits[offset / 64 % 64] >> offset % 64 & 1))
		return NULL;
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->offsets[i] == offset)
			return wanted->names[i];
	return NULL;
}

static int add(const struct wanted *wanted, __u32 name_offset, int64_t value, unsigned char mark)
{
	const char *name = name_offset ? wanted_name(wanted, name_offset) : NULL;
	uint64_t hash;
	size_t i;

	if (!name)
		return 0;
	hash = hash_of_name(name, strlen(name));
	i = slot_of(hash);
	if (slots[i].hash) {
		if (slots[i].value != value || marks[i] != mark)
			marks[i] |= IS_UNCLEAR;
		return 0;
	}
	if (++slots_used > SLOTS / 4 * 3)
		return -1;
	slots[i] = (struct slot){ hash, value };
	marks[i] = mark;
	return 0;
}

/*
 * Before pahole 1.24 (kernels before 6.2) BTF told no sign, and cut values to 32 bits. Where it tells one: a constant is an int if that has
 * its value (C11 6.7.2.2), else it has the enum's type.
 */
static int add_enum(const struct wanted *wanted, const struct btf_type *type)
{
	const struct btf_enum *all = (const void *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		bool is_signed = BTF_INFO_KFLAG(type->info), is_high = all[i].val < 0;
		unsigned char mark = type->size > 4 || (is_high && !is_signed) ? IS_UNCLEAR : 0;

		if (add(wanted, all[i].name_off, all[i].val, mark))
			return -1;
	}
	return 0;
}

static int add_enum64(const struct wanted *wanted, const struct btf_type *type)
{
	const struct { __u32 name_off, low, high; } *all = (const void *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		int64_t value = (int64_t)((uint64_t)all[i].high << 32 | all[i].low);
		bool is_int = value == (int)value && (value >= 0 || BTF_INFO_KFLAG(type->info));
		unsigned char mark = is_int ? 0 : BTF_INFO_KFLAG(type->info) ? SIZE_8 : SIZE_8 | IS_UNSIGNED;

		if (add(wanted, all[i].name_off, value, mark))
			return -1;
	}
	return 0;
}

static int add_type(void *ctx, __u32 id, const struct btf_type *type)
{
	const struct wanted *wanted = ctx;

	(void)id;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_ENUM:
		return add_enum(wanted, type);
	case KIND_ENUM64:
		return add_enum64(wanted, type);
	}
	if (wanted->is_all && strncmp(rawbtf__string(wanted->raw, type->name_off), EVENT_PREFIX, strlen(EVENT_PREFIX)))
		return 0;
	return add(wanted, type->name_off, 0, 0);
}

/* ---- the names of a text */

/* Takes over the name, which is NULL where there is no memory. 0 or -1. */
static int want(struct wanted *wanted, char *name)
{
	char **names = realloc(wanted->names, (wanted->count + 1) * sizeof(*names));

	if (names)
		wanted->names = names;
	if (!names || !name) {
		free(name);
		return -1;
	}
	for (size_t i = 0; i < wanted->count; i++) {
		if (!strcmp(names[i], name)) {
			free(name);
			return 0;
		}
	}
	names[wanted->count++] = name;
	return 0;
}

static int want_event(struct wanted *wanted, const char *event)
{
	char *name = malloc(strlen(EVENT_PREFIX) + strlen(event) + 1);

	if (name)
		strcat(strcpy(name, EVENT_PREFIX), event);
	return want(wanted, name);
}

/*
 * Wants all words in capitals that stand outside of quotes, but for the record, REC: a name that is not there is looked for
 * in all strings.
 */
static int want_words(struct wanted *wanted, const char *text)
{
	size_t length;

	for (const char *at = text; *at; at += length) {
		bool is_capitals = true;

		length = *at == '"' ? (size_t)(print_fmt__skip_quoted(at) - at) : 1;
		if (!isalnum((unsigned char)*at) && *at != '_')
			continue;
		for (length = 0; isalnum((unsigned char)at[length]) || at[length] == '_'; length++)
			is_capitals &= !islower((unsigned char)at[length]);
		is_capitals &= !isdigit((unsigned char)*at) && (length != 3 || memcmp(at, "REC", 3));
		if (is_capitals && want(wanted, strndup(at, length)))
			return -1;
	}
	return 0;
}

/* Where they are among the strings. */
static int find_wanted(struct wanted *wanted, struct rawbtf *raw, const char *event, const char *text)
{
	if (want_event(wanted, event) || want_words(wanted, text))
		return -1;
	wanted->offsets = malloc(wanted->count * sizeof(*wanted->offsets));
	if (!wanted->offsets)
		return -1;
	if (rawbtf__find_strings(raw, (const char *const *)wanted->names, wanted->count, wanted->offsets))
		return -1;
	for (size_t i = 0; i < wanted->count; i++)
		wanted->offset_bits[wanted->offsets[i] / 64 % 64] |= 1ULL << wanted->offsets[i] % 64;
	return 0;
}

static void forget(void)
{
	free(slots);
	free(marks);
	slots = NULL;
	marks = NULL;
	slots_used = 0;
}

/* text: NULL for all names. */
static void load(const char *event, const char *text)
{
	const __u64 kinds = 1ULL << BTF_KIND_ENUM | 1ULL << KIND_ENUM64 | 1ULL << BTF_KIND_TYPEDEF;
	struct wanted wanted = { .is_all = !text };
	struct rawbtf *raw;

	forget();
	if (rawbtf__open(&raw, path))
		return;
	wanted.raw = raw;
	slots = calloc(SLOTS, sizeof(*slots));
	marks = calloc(SLOTS, 1);
	if (!slots || !marks || (text && find_wanted(&wanted, raw, event, text)) || rawbtf__scan_whole(raw, kinds, add_type, &wanted))
		forget();
	for (size_t i = 0; i < wanted.count; i++)
		free(wanted.names[i]);
	free(wanted.names);
	free(wanted.offsets);
	rawbtf__free(raw);
}

/* So that the slots have the names in the text, if BTF has them. */
static void load_text(const char *event, const char *text)
{
	const uint64_t hash = hash_of(hash_of_name(event, strlen(event)), text, strlen(text));

	if (loaded == ALL || (loaded == OF_A_TEXT && loaded_text == hash))
		return;
	/* where there are several texts, there may be many */
	load(event, loaded == NONE ? text : NULL);
	loaded = loaded == NONE ? OF_A_TEXT : ALL;
	loaded_text = hash;
}

bool enums__find(const char *event, const char *text, const char *name, size_t length, struct enum_constant *constant)
{
	uint64_t event_hash = hash_of(hash_of(14695981039346656037ULL, EVENT_PREFIX, strlen(EVENT_PREFIX)), event, strlen(event)) | 1;
	size_t i;

	load_text(event, text);
	if (!slots || !slots[slot_of(event_hash)].hash)
		return false;
	i = slot_of(hash_of_name(name, length));
	if (!slots[i].hash || marks[i] & IS_UNCLEAR)
		return false;
	*constant = (struct enum_constant){
		.value = (uint64_t)slots[i].value, .size = marks[i] & SIZE_8 ? 8 : 4, .is_unsigned = marks[i] & IS_UNSIGNED,
	};
	return true;
}

void enums__use(const char *btf)
{
	forget();
	loaded = NONE;
	path = btf ? btf : VMLINUX_BTF;
}
