/* SPDX-License-Identifier: BSD-2-Clause */
/* Block requests in words: operations, flags, and how they ended. */
#ifndef PROBELIGHT_PRINT_BLOCK_H
#define PROBELIGHT_PRINT_BLOCK_H

#include <stdint.h>

#include "lib/shared/block.h"

/* "read"; NULL for the numbers that have no name (enum block_op).  The strings are static. */
const char *block__op(uint32_t op);

/* "R", "W", "F", "D", "E", "Z", "I", "O", or NULL. */
const char *block__op_letter(uint32_t op);

/* The name of one enum block_flag, "sync". */
const char *block__flag(uint32_t flag);

/*
 * The error, a positive errno, of a request's status: -errno, or the kernel's blk_status_t.  0 where it ended well; -1 for a
 * blk_status_t whose meaning differs between releases (from 14 on), or that is not known.
 */
int block__error(int32_t status);

#endif
