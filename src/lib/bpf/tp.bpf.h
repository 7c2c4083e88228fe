/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the dynamic fields of a tracepoint's record.  The record has a u32 for each, `__data_loc char[] msg` or
 * `__rel_loc char msg[]` in its format file, that says where the value lies and how long it is; in the struct that
 * ctxgen writes it is the member __data_loc_msg or __rel_loc_msg.
 *
 *	tp_str(event->msg, sizeof(event->msg), ctx, __data_loc_msg);
 *	bytes = tp_array(event->list, sizeof(event->list), ctx, __data_loc_list);
 *	tp_rel_str(event->name, sizeof(event->name), ctx, __rel_loc_name);
 *
 * Which of the two kinds a field is, its prefix tells: tp_rel_… for __rel_loc_, which is counted from the end of the
 * u32 and exists since 5.17; tp_… for __data_loc_, which is counted from the start of the record.
 *
 * The bounds are such that the verifier of 5.10 accepts them (tests/workload/ctx_values.bpf.c runs there).
 */
#ifndef PROBELIGHT_TP_BPF_H
#define PROBELIGHT_TP_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "tp_prog.bpf.h"

/* What a __data_loc or __rel_loc u32 says: the distance in bytes, and the length in bytes (a string's with its 0). */
#define TP_LOC_OFFSET(loc) ((loc) & 0xffff)
#define TP_LOC_SIZE(loc) ((loc) >> 16)

/*
 * Copies a string to `to`, which has room for size bytes (a constant), and ends it with a 0 byte; too long a one is
 * cut.  Gives the bytes copied with the 0 byte, or -errno.
 */
#define tp_str(to, size, ctx, field) \
	bpf_probe_read_kernel_str(to, size, tp_loc_address(ctx, (ctx)->field))
#define tp_rel_str(to, size, ctx, field) \
	bpf_probe_read_kernel_str(to, size, tp_loc_address(ctx, tp_rel_loc(ctx, field)))

/*
 * Copies an array of any type to `to`, at most size bytes of it (a constant).  Gives the bytes copied, or -errno;
 * tp_size() tells how many there were.  Where `to` is on the stack it must be zeroed before: the verifier sees that
 * not all of it may be written.
 */
#define tp_array(to, size, ctx, field) \
	tp_loc_read(to, size, ctx, (ctx)->field)
#define tp_rel_array(to, size, ctx, field) \
	tp_loc_read(to, size, ctx, tp_rel_loc(ctx, field))

/* Bytes of a dynamic field of either kind, as the kernel recorded it. */
#define tp_size(ctx, field) TP_LOC_SIZE((ctx)->field)

/* A __rel_loc as the __data_loc that it would be: the distance counts from the end of its own u32. */
#define tp_rel_loc(ctx, field) \
	tp_loc_moved((ctx)->field, (__u32)bpf_core_field_offset((ctx)->field) + (__u32)sizeof(__u32))

static __always_inline __u32 tp_loc_moved(__u32 loc, __u32 distance)
{
	return (loc & 0xffff0000) | TP_LOC_OFFSET(TP_LOC_OFFSET(loc) + distance);
}

static __always_inline const void *tp_loc_address(const void *ctx, __u32 loc)
{
	return (const char *)ctx + TP_LOC_OFFSET(loc);
}

static __always_inline long tp_loc_read(void *to, __u32 size, const void *ctx, __u32 loc)
{
	__u64 length = TP_LOC_SIZE(loc);
	long err;

	/* Without this the compiler knows that 16 bits fit a large enough size, and takes the comparison away. */
	asm volatile("" : "+r"(length));
	if (length > size)
		length = size;
	err = bpf_probe_read_kernel(to, length, tp_loc_address(ctx, loc));
	return err ? err : (long)length;
}

#endif
