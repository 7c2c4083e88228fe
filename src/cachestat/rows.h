/* SPDX-License-Identifier: BSD-2-Clause */
/* A row for each file and task.  Hooks that know a file's name and others that do not have keys of their own, which are added up here. */
#ifndef CACHESTAT_ROWS_H
#define CACHESTAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cachestat.h"
#include "lib/print/out.h"
#include "lib/run/table.h"

struct cache_row {
	struct cachestat_key key;
	struct cachestat_counts counts;
};

void cache_rows__add(struct cachestat_counts *to, const struct cachestat_counts *counts);

/* The rows of one or two tables (more: or NULL) with one for each file; *count of them, for free().  NULL without memory. */
struct cache_row *cache_rows__of(const struct table *table, const struct table *more, size_t *count);

/* Those with the largest weight first. */
void cache_rows__sort(struct cache_row *rows, size_t count, uint64_t (*weight)(const struct cachestat_counts *counts));

/* Values of three columns: INODE, DEVICE, FILE.  key: NULL for the others, and where nothing is counted by. */
void cache_rows__put_file(struct out *out, const struct cachestat_key *key, bool by_file);

#endif
