/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values in the buckets of lib/shared/hist.h, as bpf/hist.bpf.h does it, where no program counts. */
#ifndef PROBELIGHT_HIST_ADD_H
#define PROBELIGHT_HIST_ADD_H

#include <stdint.h>

#include "lib/shared/hist.h"

/* Adds a value: nanoseconds, bytes or what the shape is of.  Linear shapes are for the first one alone. */
void hist__add(struct hist *hist, const struct hist_shape *shape, uint64_t value);
void hist_rough__add(struct hist_rough *hist, const struct hist_shape *shape, uint64_t value);

#endif
