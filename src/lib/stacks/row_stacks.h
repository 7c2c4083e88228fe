/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks below rows, for --stack and --ustack: what programs send with their events (lib/bpf/row_stack.bpf.h).  tool__run() does all
 * of it for a tool that asks for it.
 *
 * A stack is read, and the user's frames are named, before its row is printed: up to 10 ms after the event, as rows are read in batches.
 */
#ifndef PROBELIGHT_ROW_STACKS_H
#define PROBELIGHT_ROW_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/out.h"
#include "lib/shared/row_stack.h"

struct row_stacks;

/*
 * What tool__run() calls, through pointers: a tool without the options does not get the code that names frames, 110 KB.  A tool with
 * them has the line ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER), or one of the two, in its struct tool.
 */
struct row_stacks_calls {
	/* Once the object is loaded, before capabilities are dropped; kinds: ROW_STACK_KERNEL, ROW_STACK_USER.  0 or -errno. */
	int (*open)(struct row_stacks **stacks, unsigned int kinds, const struct bpf_object *object);
	/* Takes NULL. */
	void (*free)(struct row_stacks *stacks);
	/*
	 * Prints those that the thread had at that time, below the row whose values are written.  is_shared: other rows may
	 * have them too.
	 */
	void (*put)(struct row_stacks *stacks, uint64_t ts_ns, uint32_t tid, bool is_shared, struct out *out);
	/*
	 * Takes what the programs have sent, for BATCH_MS at most: for stacks that come long before their rows, to name them
	 * while their processes live.
	 */
	void (*read)(struct row_stacks *stacks);
	/* A line on stderr if rows had no stack.  Takes NULL. */
	void (*tell)(const struct row_stacks *stacks);
};

extern const struct row_stacks_calls row_stacks_calls;
#define ROW_STACKS(kinds) .stacks = (kinds), .row_stacks_calls = &row_stacks_calls

/*
 * The same for stacks that are taken before the event, when it began (lib/bpf/owner_stack.bpf.h): the tool's print function sets
 * tool->stack_ns.  Several rows may have the same.  They are forgotten when ROW_STACKS_WAITING newer ones have come.
 */
#define ROW_STACKS_BEFORE(kinds) ROW_STACKS(kinds), .stacks_come_before = true
#define ROW_STACKS_WAITING 4096

#endif
