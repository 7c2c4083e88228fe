/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of kmod_values.bpf.c saw last. */
#ifndef KMOD_VALUES_H
#define KMOD_VALUES_H

struct seen_fixed {
	__u64 count;
	char name[16];
	__s32 numbers[3];
	__s8 tiny;
	__u8 yes, last;
	__u8 reserved;
	__u16 small;
	__u16 reserved2;
	__u32 reserved3;
	__u64 pointer, list_next, list_prev;
	__s64 large;
};

struct seen_dynamic {
	__u64 count;
	char string[64], cut[8];
	__s64 string_length, cut_length, numbers_bytes, cpus_bytes, nothing_bytes;
	__s32 numbers[8];
	__u64 cpus[2];
	__u32 string_size, numbers_size;
	__s32 last;
	__u32 reserved;
};

#endif
