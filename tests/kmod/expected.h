/*
 * Records of tracepoints, written by ctxgen from the format files of a kernel.  "at" is the offset there;
 * a program that is loaded with lib/layout reads each field where the running kernel has it.
 *
 * Include vmlinux.h or linux/types.h before this, and lib/bpf/tp.bpf.h for the accessors.
 */
#pragma once

/*
 * probelight-test/dynamic
 *
 * "%s %s %s %d", __get_str(string), __print_array(__get_dynamic_array(numbers),
 * __get_dynamic_array_len(numbers) / 4, 4), __get_bitmask(cpus), REC->last
 */
struct tp_probelight_test__dynamic {
	__u32 __data_loc_string;		/* at 8: __data_loc char[]; tp_str(to, size, ctx, __data_loc_string) */
	__u32 __data_loc_numbers;		/* at 12: __data_loc int[]; tp_array(to, size, ctx, __data_loc_numbers) */
	__u32 __data_loc_cpus;			/* at 16: __data_loc unsigned long[]; tp_array(to, size, ctx, __data_loc_cpus) */
	__u32 __data_loc_nothing;		/* at 20: __data_loc u8[]; tp_array(to, size, ctx, __data_loc_nothing) */
	__s32 last;				/* at 24: int */
} __attribute__((preserve_access_index));

/*
 * probelight-test/fixed
 *
 * "%d %s %u %d %d", REC->tiny, REC->name, REC->small, REC->yes, REC->last
 */
struct tp_probelight_test__fixed {
	__s8 tiny;				/* at 8: s8 */
	char name[10];				/* at 9: char[10] */
	__u16 small;				/* at 20: u16 */
	__s32 numbers[3];			/* at 24: int[3] */
	__u8 yes;				/* at 36: bool */
	void *pointer;				/* at 40: void * */
	__s64 large;				/* at 48: long long */
	__u8 list[16];				/* at 56: struct list_head */
	__u8 last;				/* at 72: unsigned char */
} __attribute__((preserve_access_index));

/*
 * probelight-test/relative
 *
 * "%s %s %s %d", __get_rel_str(string), __print_array(__get_rel_dynamic_array(numbers),
 * __get_rel_dynamic_array_len(numbers) / 4, 4), __get_rel_bitmask(cpus), REC->last
 */
struct tp_probelight_test__relative {
	__u32 __rel_loc_string;			/* at 8: __rel_loc char[]; tp_rel_str(to, size, ctx, __rel_loc_string) */
	__u32 __rel_loc_numbers;		/* at 12: __rel_loc int[]; tp_rel_array(to, size, ctx, __rel_loc_numbers) */
	__u32 __rel_loc_cpus;			/* at 16: __rel_loc unsigned long[]; tp_rel_array(to, size, ctx, __rel_loc_cpus) */
	__s32 last;				/* at 20: int */
} __attribute__((preserve_access_index));
