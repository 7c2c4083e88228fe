/* SPDX-License-Identifier: BSD-2-Clause */
#include "hist_add.h"

/* The bucket of a value: an octave of the scaled value in 1 << bits parts. */
static uint32_t slot_of(const struct hist_shape *shape, uint64_t value, uint32_t bits)
{
	uint32_t length;

	if (value > HIST_VALUE_MAX(*shape))
		value = HIST_VALUE_MAX(*shape);
	value = (value << shape->shift) / shape->divisor;
	if (!(value >> bits))
		return (uint32_t)value;
	length = 64 - (uint32_t)__builtin_clzll(value);
	return ((length - bits) << bits) + (uint32_t)((value >> (length - 1 - bits)) & ((1u << bits) - 1));
}

static uint32_t linear_slot_of(const struct hist_shape *shape, uint64_t value)
{
	uint64_t step;

	if (value < shape->linear_min)
		return 0;
	step = (value - shape->linear_min) / shape->linear_step;
	return 1 + (step < shape->linear_count ? (uint32_t)step : shape->linear_count);
}

void hist__add(struct hist *hist, const struct hist_shape *shape, uint64_t value)
{
	uint32_t slot = shape->linear_count ? linear_slot_of(shape, value) : slot_of(shape, value, HIST_BITS);

	hist->slots[slot < HIST_SLOTS ? slot : HIST_SLOTS - 1]++;
	hist->sum += value;
	if (shape->plain)
		hist->sum_high += value >> 32;
}

void hist_rough__add(struct hist_rough *hist, const struct hist_shape *shape, uint64_t value)
{
	uint32_t slot = slot_of(shape, value, 0);

	hist->slots[slot < HIST_ROUGH_SLOTS ? slot : HIST_ROUGH_SLOTS - 1]++;
	hist->sum += value;
}
