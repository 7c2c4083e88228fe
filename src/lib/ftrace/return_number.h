/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number that the kernel gives to links at the returns of functions (kprobe.session, kretprobe.multi).
 *
 * Since Linux 6.14 (4346ba160409) these links and function_graph share a stack of return addresses in each task.  Each user of the stacks
 * has one of 16 numbers; all links together are one user, as long as there is a link.  The kernel hands out free numbers in turn, and puts
 * a number that is released at the end (fgraph_lru_alloc_index() and fgraph_lru_release_index() in kernel/trace/fgraph.c).
 *
 * The kernel marks each recorded call for number 0, whoever recorded it (function_graph_enter_regs()).  So if the links have number 0, the
 * kernel calls them for returns of calls that others recorded.  fprobe_return() then finds no data and warns, once after the boot; with
 * panic_on_warn the machine stops.  With any other number this does not happen.  function_graph may have number 0: it ignores a call
 * without data.
 *
 * Links at entries (kprobe.multi) are among these links until "tracing: fprobe: optimization for entry only case", which brought
 * fprobe_ftrace_entry() for them (7.2 and 7.3 have it).
 *
 * The numbers are static variables of the kernel, found by their symbols (CONFIG_KALLSYMS_ALL) and read from /proc/kcore.
 */
#ifndef PROBELIGHT_RETURN_NUMBER_H
#define PROBELIGHT_RETURN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"

#define RETURN_NUMBERS 16	/* FGRAPH_ARRAY_SIZE, 6.14 to 7.3 */

/* The kernel's variables. */
struct return_numbers {
	int32_t next;				/* fgraph_lru_next: index into turn[] of the number that is handed out next */
	int32_t turn[RETURN_NUMBERS];		/* fgraph_lru_table: a ring of the free numbers, from next on, then -1 */
	/* fgraph_array: the user of each number, a stub for a free one; all 0 before the first user */
	uint64_t users[RETURN_NUMBERS];
	uint64_t links;				/* address of fprobe_graph_ops, the one user for all links */
};

/* Which number a link gets that is attached now. */
enum return_number {
	RETURN_NUMBER_UNKNOWN,		/* the variables cannot be read, or do not look as expected */
	RETURN_NUMBER_OTHER,		/* not 0, or none */
	RETURN_NUMBER_NEXT_0,		/* 0; return_number__use_up() changes that */
	RETURN_NUMBER_SHARED_0,		/* 0, which attached links of somebody else have already */
};

/* Decides from the variables.  UNKNOWN also if no number is free. */
enum return_number return_number__decide(const struct return_numbers *numbers);

/*
 * Reads the variables and decides, for a link at returns or at entries.  UNKNOWN without CAP_SYSLOG or CAP_SYS_RAWIO, under lockdown,
 * without /proc/kcore, and before Linux 6.14.  The answer holds until somebody starts or stops function_graph or such a link.
 */
enum return_number return_number__look(bool at_returns);

/*
 * Moves number 0 to the end of the ring: starts function_graph in an instance of our own, on one function and without recording, and
 * removes the instance, 30 M instructions.  0: a link gets another number now; or -errno with a line in fault.
 */
int return_number__use_up(struct fault *fault);

#endif
