/* SPDX-License-Identifier: BSD-2-Clause */
#include "block.h"

#include <errno.h>
#include <stddef.h>

static const struct {
	uint32_t op;
	const char *name, *letter;
} ops[] = {
	{ BLOCK_READ, "read", "R" },
	{ BLOCK_WRITE, "write", "W" },
	{ BLOCK_FLUSH, "flush", "F" },
	{ BLOCK_DISCARD, "discard", "D" },
	{ BLOCK_SECURE_ERASE, "secure_erase", "E" },
	{ BLOCK_WRITE_ZEROES, "write_zeroes", "Z" },
	{ BLOCK_DRIVER_IN, "driver_in", "I" },
	{ BLOCK_DRIVER_OUT, "driver_out", "O" },
};

const char *block__op(uint32_t op)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (ops[i].op == op)
			return ops[i].name;
	return NULL;
}

const char *block__op_letter(uint32_t op)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (ops[i].op == op)
			return ops[i].letter;
	return NULL;
}

const char *block__flag(uint32_t flag)
{
	static const char *const names[BLOCK_FLAGS] = {
		"sync", "meta", "prio", "fua", "preflush", "rahead", "background", "nowait",
	};

	for (size_t i = 0; i < BLOCK_FLAGS; i++)
		if (flag == 1u << i)
			return names[i];
	return NULL;
}

/* The numbers and what they stand for: include/linux/blk_types.h and blk_errors[] in block/blk-core.c, the same on 5.10 … 7.3. */
int block__error(int32_t status)
{
	static const int errors[] = {
		0, EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO, -1, EAGAIN, EBUSY,
	};

	if (status < 0)
		return -status;
	return (size_t)status < sizeof(errors) / sizeof(*errors) ? errors[status] : -1;
}
