/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers at any address, as records of the kernel's buffers have them, in the machine's byte order. */
#ifndef PROBELIGHT_UNALIGNED_H
#define PROBELIGHT_UNALIGNED_H

#include <stdint.h>
#include <string.h>

/* Four and eight bytes from at, all of which must be there. */
static inline uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t read_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

#endif
