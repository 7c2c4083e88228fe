/* SPDX-License-Identifier: BSD-2-Clause */
/* --readahead: what has become of pages that were read ahead. */
#ifndef CACHESTAT_READAHEAD_H
#define CACHESTAT_READAHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/columns.h"
#include "lib/run/intervals.h"

extern const struct out_column readahead_columns[];

/* How ages are counted: milliseconds. */
struct hist_shape readahead__ages(void);

/* Before tool__run_intervals().  waiting: the map of folios that nobody has used. */
void readahead__prepare(struct tool *tool, const struct bpf_map *waiting, bool by_file, bool by_age);

/* A tool_print_interval: what waits is in the last one. */
uint64_t readahead__print(struct tool *tool, const struct interval *interval);

#endif
