/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which number links at the returns of functions get (kprobe.session, kretprobe.multi).
 *
 * Since Linux 6.14 (4346ba160409) they share the stacks of return addresses with function_graph.  Each user of the stacks has one of 16 numbers.  All
 * links together are one user, from the first one to the last.  Numbers are given in turn, and one that is given back goes to the end
 * (fgraph_lru_alloc_index() and fgraph_lru_release_index() in kernel/trace/fgraph.c).  The kernel marks each call for number 0, whoever records it
 * (function_graph_enter_regs()).  So links with number 0 are asked about the returns of calls that others have recorded: fprobe_return() finds no
 * data and warns, once after the boot.  With another number they never are.  function_graph with number 0 finds no data, too, and says nothing.
 *
 * The numbers are variables of the kernel's.  They are found by their symbols (CONFIG_KALLSYMS_ALL) and read through /proc/kcore.
 */
#ifndef PROBELIGHT_RETURN_NUMBER_H
#define PROBELIGHT_RETURN_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define RETURN_NUMBERS 16	/* FGRAPH_ARRAY_SIZE, 6.14 to 7.3 */

/* What the kernel has, as read. */
struct return_numbers {
	int32_t next;				/* fgraph_lru_next: the place in turn[] where the next number is taken from */
	int32_t turn[RETURN_NUMBERS];		/* fgraph_lru_table, a ring: from next on the free numbers, then -1 */
	uint64_t users[RETURN_NUMBERS];		/* fgraph_array: who has a number; a stub has those that are free; all 0 before the first user */
	uint64_t links;				/* the address of fprobe_graph_ops, the user that all links are */
};

/* What a link that is attached now gets. */
enum return_number {
	RETURN_NUMBER_UNKNOWN,		/* it cannot be read, or does not look as expected */
	RETURN_NUMBER_OTHER,		/* not 0 */
	RETURN_NUMBER_NEXT_0,		/* 0, unless return_number__use_up() takes it before */
	RETURN_NUMBER_SHARED_0,		/* 0, which links that are attached already have */
};

/* Decides out of what was read.  Also UNKNOWN where no number is free. */
enum return_number return_number__decide(const struct return_numbers *numbers);

/*
 * Reads and decides.  UNKNOWN without CAP_SYSLOG or CAP_SYS_RAWIO, under lockdown, without /proc/kcore, and without these variables: before 6.14.  The
 * answer holds until somebody else starts or stops function_graph or such links.
 */
enum return_number return_number__look(void);

/*
 * Takes number 0 and gives it back, so that it is the last in the turn: function_graph is started and stopped in an instance of our own, where it traces a
 * function that a machine calls once, into buffers that are off.  0 where a link gets another number now, or -errno with a line in why.
 */
int return_number__use_up(char *why, size_t size);

#endif
