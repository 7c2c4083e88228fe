/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting by keys that are not known before: processes, files, stacks.  The programs find a hash in the only slot of an array
 * of maps, and use the first one while it is empty; the user side cuts an interval when it puts the other one there (lib/run/table.h).
 *
 *	TABLE(struct call_key, struct call_counts, 1024);
 *
 *	struct call_counts *value = table_at(&key);
 *
 *	if (!value)
 *		value = counts_at(CLASSES, CLASS_OTHER);	no room: it counts as "other", so that totals stay whole
 *
 * Values are added to through the pointer and never written by bpf_map_update_elem(): that would swap the element of a
 * preallocated hash under whoever holds a pointer to it.
 */
#ifndef PROBELIGHT_TABLE_BPF_H
#define PROBELIGHT_TABLE_BPF_H

#include <bpf/bpf_helpers.h>

#define TABLE(key_type, value_type, keys)                          \
	struct table_map {                                         \
		__uint(type, BPF_MAP_TYPE_HASH);                   \
		__uint(max_entries, keys);                         \
		__uint(key_size, sizeof(key_type));                \
		__uint(value_size, sizeof(value_type));            \
	};                                                         \
	struct table_map table_a SEC(".maps");                     \
	struct table_map table_b SEC(".maps");                     \
	const volatile value_type table_zeros = {};                \
	struct {                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);          \
		__uint(max_entries, 1);                            \
		__type(key, __u32);                                \
		__array(values, struct table_map);                 \
	} table SEC(".maps")

/* The value of a key, zeros if it is new; NULL where there is no room for it. */
#define table_at(key) table_find(&table, &table_a, key, (const void *)&table_zeros)

static __always_inline void *table_find(void *maps, void *first_map, const void *key, const void *zeros)
{
	__u32 first = 0;
	void *map = bpf_map_lookup_elem(maps, &first), *value;

	/*
	 * The slot is empty until the first cut: putting a map there waits for an RCU grace period, some 10 ms of every start
	 * (maybe_wait_bpf_programs() in kernel/bpf/syscall.c).
	 */
	if (!map)
		map = first_map;
	value = bpf_map_lookup_elem(map, key);
	if (value)
		return value;
	/* EEXIST: another CPU was faster; any other error, whichever it is, is a key without room */
	bpf_map_update_elem(map, key, zeros, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

#endif
