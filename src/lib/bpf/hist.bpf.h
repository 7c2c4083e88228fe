/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values in the buckets of lib/shared/hist.h.  Include it once in a tool, after vmlinux.h. */
#ifndef PROBELIGHT_HIST_BPF_H
#define PROBELIGHT_HIST_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/hist.h"

/* For the user side to set (tool__set_rodata does it where the tool has a shape). */
const volatile struct hist_shape hist_shape = { .divisor = 1 };

/* 1 if value is above limit, else 0; both below 1 << 63.  The barrier keeps the compiler from making a branch of it. */
static __always_inline __u64 hist_is_above(__u64 value, __u64 limit)
{
	__u64 difference = limit - value;

	asm volatile("" : "+r"(difference));
	return difference >> 63;
}

/*
 * The number of the highest bit that is set, from 1; 0 for 0.  value is below 1 << 63.  BPF has no instruction for it before cpu v4.
 * Without branches: the verifier would walk all that follows once for each of 64 results.
 */
static __always_inline __u32 hist_bit_length(__u64 value)
{
	__u64 length = 0, shift;

	shift = hist_is_above(value, 0xffffffff) << 5;
	value >>= shift;
	length += shift;
	shift = hist_is_above(value, 0xffff) << 4;
	value >>= shift;
	length += shift;
	shift = hist_is_above(value, 0xff) << 3;
	value >>= shift;
	length += shift;
	shift = hist_is_above(value, 0xf) << 2;
	value >>= shift;
	length += shift;
	shift = hist_is_above(value, 3) << 1;
	value >>= shift;
	return length + shift + hist_is_above(value, 1) + hist_is_above(value, 0);
}

static __always_inline __u32 hist_slot(__u64 value, __u32 bits)
{
	__u32 length;

	if (value >> HIST_VALUE_BITS)
		value = (1ULL << HIST_VALUE_BITS) - 1;
	value = (value << hist_shape.shift) / hist_shape.divisor;
	if (!(value >> bits))
		return value;
	length = hist_bit_length(value);
	return ((length - bits) << bits) + ((value >> (length - 1 - bits)) & ((1 << bits) - 1));
}

/*
 * --linear: the first bucket is for what is below, the last for what is above.  A function of its own, which the user side leaves out
 * without the option.
 */
static __noinline __u32 hist_linear_slot(__u64 value)
{
	__u64 step;

	if (value < hist_shape.linear_min)
		return 0;
	step = (value - hist_shape.linear_min) / hist_shape.linear_step;
	return 1 + (step < hist_shape.linear_count ? (__u32)step : hist_shape.linear_count);
}

static __always_inline void hist_add(struct hist *hist, __u64 value)
{
	__u64 slot = hist_shape.linear_count ? hist_linear_slot(value) : hist_slot(value, HIST_BITS);

	/* 64 bits, compared as they are used: older verifiers do not carry the bound of the half over to the whole */
	asm volatile("" : "+r"(slot));
	if (slot >= HIST_SLOTS)
		slot = HIST_SLOTS - 1;
	__sync_fetch_and_add(&hist->slots[slot], 1);
	__sync_fetch_and_add(&hist->sum, value);
}

static __always_inline void hist_rough_add(struct hist_rough *hist, __u64 value)
{
	__u64 slot = hist_slot(value, 0);

	asm volatile("" : "+r"(slot));
	if (slot >= HIST_ROUGH_SLOTS)
		slot = HIST_ROUGH_SLOTS - 1;
	__sync_fetch_and_add(&hist->slots[slot], 1);
	__sync_fetch_and_add(&hist->sum, value);
}

#endif
