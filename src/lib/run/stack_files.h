/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of stack_report: the files of --svg and --pprof.  They have all stacks, also those that text leaves out. */
#ifndef PROBELIGHT_STACK_FILES_H
#define PROBELIGHT_STACK_FILES_H

#include "stack_report.h"
#include "stack_rows.h"

/*
 * Write the files of an interval, which are open; without_room: what was counted for keys without room.  A failure is reported,
 * and is tool->err.
 */
void stack_files__draw(struct stack_report *report, const struct table *table, const struct stack_value *without_room);
void stack_files__write_profile(struct stack_report *report, const struct interval *interval, const struct stack_value *without_room);

/* stacks__frames() for what is folded or drawn. */
size_t stack_report__frames_drawn(struct stack_report *report, const struct stack_key *key);

/* A weight as folded stacks and pictures have it. */
uint64_t stack_report__weight_shown(const struct stack_report *report, const struct stack_value *value);

/* What a sample of --pprof says of a key besides its numbers, and how many it counts; as stack_rows__make() calls them. */
struct stack_digest stack_report__digest_drawn(void *report, const struct stack_key *key);
uint64_t stack_report__count_of(const void *value);

#endif
