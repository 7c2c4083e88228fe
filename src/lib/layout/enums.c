/* SPDX-License-Identifier: BSD-2-Clause */
#include "enums.h"

#include <limits.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "rawbtf.h"

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux"
#define KIND_ENUM64 19	/* BTF_KIND_ENUM64, headers since 6.0 */

/* <trace/bpf_probe.h> has a typedef of this name for each tracepoint */
#define EVENT_PREFIX "btf_trace_"

/* A power of two; Linux 7.2 has 20,000 enumerators and 900 tracepoints. Beyond three quarters no more are taken, and nothing is known. */
#define SLOTS (1U << 16)

/*
 * A name that was seen: an enumerator, or a tracepoint's typedef. Names are told apart by 64 bits of hash, so that their texts (1.5 MB) need
 * not be kept: the chance that two of 50,000 have the same is one in 10^9.
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
static bool is_loaded;

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

static int add(const char *name, int64_t value, unsigned char mark)
{
	uint64_t hash = hash_of_name(name, strlen(name));
	size_t i = slot_of(hash);

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
static int add_enum(const struct rawbtf *raw, const struct btf_type *type)
{
	const struct btf_enum *all = (const void *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		bool is_signed = BTF_INFO_KFLAG(type->info), is_high = all[i].val < 0;
		unsigned char mark = type->size > 4 || (is_high && !is_signed) ? IS_UNCLEAR : 0;

		if (add(rawbtf__string(raw, all[i].name_off), all[i].val, mark))
			return -1;
	}
	return 0;
}

static int add_enum64(const struct rawbtf *raw, const struct btf_type *type)
{
	const struct { __u32 name_off, low, high; } *all = (const void *)(type + 1);

	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		int64_t value = (int64_t)((uint64_t)all[i].high << 32 | all[i].low);
		bool is_int = value == (int)value && (value >= 0 || BTF_INFO_KFLAG(type->info));
		unsigned char mark = is_int ? 0 : BTF_INFO_KFLAG(type->info) ? SIZE_8 : SIZE_8 | IS_UNSIGNED;

		if (add(rawbtf__string(raw, all[i].name_off), value, mark))
			return -1;
	}
	return 0;
}

static int add_type(void *ctx, __u32 id, const struct btf_type *type)
{
	const struct rawbtf *raw = ctx;
	const char *name;

	(void)id;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_ENUM:
		return add_enum(raw, type);
	case KIND_ENUM64:
		return add_enum64(raw, type);
	}
	name = rawbtf__string(raw, type->name_off);
	return strncmp(name, EVENT_PREFIX, strlen(EVENT_PREFIX)) ? 0 : add(name, 0, 0);
}

static void forget(void)
{
	free(slots);
	free(marks);
	slots = NULL;
	marks = NULL;
	slots_used = 0;
}

static void load(void)
{
	const __u64 kinds = 1ULL << BTF_KIND_ENUM | 1ULL << KIND_ENUM64 | 1ULL << BTF_KIND_TYPEDEF;
	struct rawbtf *raw;

	is_loaded = true;
	if (rawbtf__open(&raw, path))
		return;
	slots = calloc(SLOTS, sizeof(*slots));
	marks = calloc(SLOTS, 1);
	if (!slots || !marks || rawbtf__scan_whole(raw, kinds, add_type, raw))
		forget();
	rawbtf__free(raw);
}

bool enums__find(const char *event, const char *name, size_t length, struct enum_constant *constant)
{
	uint64_t event_hash = hash_of(hash_of(14695981039346656037ULL, EVENT_PREFIX, strlen(EVENT_PREFIX)), event, strlen(event)) | 1;
	size_t i;

	if (!is_loaded)
		load();
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
	is_loaded = false;
	path = btf ? btf : VMLINUX_BTF;
}
