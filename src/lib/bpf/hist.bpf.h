/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values in the buckets of lib/shared/hist.h.  Include it once in a tool, after vmlinux.h. */
#ifndef PROBELIGHT_HIST_BPF_H
#define PROBELIGHT_HIST_BPF_H

#include <bpf/bpf_helpers.h>

#include "atomic.bpf.h"
#include "lib/shared/hist.h"

/* For the user side to set (tool__set_rodata does it where the tool has a shape). */
const volatile struct hist_shape hist_shape = { .divisor = 1 };

/* By the upper six bits of 2^N - 1 times a de Bruijn sequence of 64 bits, which are others for each N from 1 to 64: N. */
#define HIST_DE_BRUIJN 0x03f79d71b4cb0a89ull
const __u8 hist_lengths[64] = {
	1, 48, 2, 57, 49, 28, 3, 61, 58, 50, 42, 38, 29, 17, 4, 62,
	55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5, 63,
	47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11, 46,
	26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9, 13, 8, 7, 6, 64,
};

/*
 * The number of the highest bit that is set, from 1; value is not 0.  BPF has no instruction for it before cpu v4.  Without branches: the
 * verifier would walk all that follows once for each result.  It takes 24 instructions; comparing with 2^32, 2^16 and so on took 42.
 */
static __always_inline __u32 hist_bit_length(__u64 value)
{
	for (__u32 distance = 1; distance < 64; distance *= 2)
		value |= value >> distance;
	return hist_lengths[value * HIST_DE_BRUIJN >> 58];
}

static __always_inline __u32 hist_slot(__u64 value, __u32 bits)
{
	__u32 length;

	if (value > HIST_VALUE_MAX(hist_shape))
		value = HIST_VALUE_MAX(hist_shape);
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
	atomic_add(&hist->slots[slot], 1);
	atomic_add(&hist->sum, value);
	if (hist_shape.plain)
		atomic_add(&hist->sum_high, value >> 32);
}

static __always_inline void hist_rough_add(struct hist_rough *hist, __u64 value)
{
	__u64 slot = hist_slot(value, 0);

	asm volatile("" : "+r"(slot));
	if (slot >= HIST_ROUGH_SLOTS)
		slot = HIST_ROUGH_SLOTS - 1;
	atomic_add(&hist->slots[slot], 1);
	atomic_add(&hist->sum, value);
}

#endif
