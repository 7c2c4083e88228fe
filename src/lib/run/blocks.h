/* SPDX-License-Identifier: BSD-2-Clause */
/* The user side of lib/bpf/block.bpf.h: the options of tools for block devices, and what of the programs depends on the kernel. */
#ifndef PROBELIGHT_BLOCKS_H
#define PROBELIGHT_BLOCKS_H

#include <argp.h>
#include <stdbool.h>

#include "foreign_options.h"
#include "tool.h"

enum {
	BLOCKS_KEY_DISK = 0x300,
	BLOCKS_KEY_REQUESTS,
};

/* For a tool's own options, and for its parse(): blocks__parse() takes these two, and answers false to others. */
#define BLOCKS_OPTIONS                                                                                             \
	{ "disk", BLOCKS_KEY_DISK, "DISK", 0, "requests to this disk or partition only (sda, nvme0n1p2)", 0 },     \
	{ "requests", BLOCKS_KEY_REQUESTS, "N", 0, "room for N requests at the same time", 0 }
bool blocks__parse(int key, const char *text);

/* Whether there is a --disk. */
bool blocks__have_disk(void);

/* For struct tool. */
extern const struct foreign_option blocks_foreign_options[];

/* Before the command line is read: the tool sees bios, too, so that --disk may be a device that makes no requests. */
void blocks__see_bios(void);

/*
 * Between tool__opened() and tool__load(): sets the programs' read-only data, the size of their table of requests, and which programs of
 * these names are loaded: begin_issue or begin_start, end_update; of bios bio_queue and bio_remap or bio_submit, bio_complete, bio_end.  Of
 * …_any, programs for all options, the tool decides.
 */
void blocks__prepare(struct tool *tool);

/* After tool__load(): attaches those of them that are on functions and are loaded.  tool->attach->err. */
void blocks__attach(struct tool *tool);

/* Whether the first argument of the raw tracepoint block_rq_issue is the queue, in that BTF; false where it cannot be found. */
struct rawbtf;
bool blocks__queue_first(struct rawbtf *raw);

#endif
