/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of anysnoop.bpf.c, which send events as rows or count them. */
#ifndef PROBELIGHT_ANYSNOOP_ROW_PROGRAMS_H
#define PROBELIGHT_ANYSNOOP_ROW_PROGRAMS_H

#include <stdbool.h>

#include "counted.h"
#include "lib/run/tool.h"

struct anysnoop_bpf;

/*
 * Opens the skeleton and prepares it, once the events have their programs (event_programs.h); nothing is loaded yet.  has_user: some are
 * on functions of programs.  NULL, or tool->err is set.
 */
struct anysnoop_bpf *row_programs__open(struct tool *tool, struct counted *counted, bool has_user);

/* Takes NULL. */
void row_programs__free(struct anysnoop_bpf *skel);

#endif
