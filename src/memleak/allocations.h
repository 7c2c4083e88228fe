/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in the programs' table of allocations: read, and summed by stack. */
#ifndef PROBELIGHT_ALLOCATIONS_H
#define PROBELIGHT_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/run/table.h"
#include "memleak.h"

struct allocation {
	struct memleak_key key;
	struct memleak_block block;
};

struct allocations {
	struct allocation *list;
	size_t count, room;
};

/*
 * Reads the table, of a descriptor and at most `most` entries, while programs may go on; what is allocated and freed meanwhile may be there
 * or not.  by_key: one after the other, for programs that would be missed while a bucket is read (table.h).  0 or -errno.
 */
int allocations__read(struct allocations *blocks, int fd, uint32_t most, bool by_key);

/*
 * Takes those out, of the table as well, whose process has executed another program since (execs, a map's descriptor), or with_ended is
 * gone: their memory is.  How many, and their bytes, are added.
 */
void allocations__remove_gone(struct allocations *blocks, int fd, int execs_fd, bool with_ended, uint64_t *count, uint64_t *bytes);

/*
 * Sums those that were there at until_ns by stack, into a zeroed table of struct stack_key and struct stack_value, whose ns are bytes;
 * scale: each stands for so many.  0 or -ENOMEM.  table__close() releases it.
 */
int allocations__sum(const struct allocations *blocks, uint64_t until_ns, uint64_t scale, struct table *table);

/* Takes a zeroed one, too. */
void allocations__free(struct allocations *blocks);

#endif
