/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes hold BPF links, programs and perf events with programs, as /proc/PID/fd tells.  A link or a program that
 * nobody holds is pinned.
 */
#ifndef PROBELIGHT_HOLDERS_H
#define PROBELIGHT_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct holder {
	int pid;
	char comm[32];
	uint32_t link_id, program_id;	/* one of both, or the program of a perf event: on a probe with function set */
	char *function;
	bool on_tracepoint;		/* the program of a perf event on a tracepoint */
	bool is_return;
	uint64_t offset, address;
};

struct holders {
	struct holder *all;
	size_t count;
};

/* Looks at all processes of this pid namespace, but those that this user may not look at.  holders__free() releases it. */
void holders__look(struct holders *holders);
void holders__free(struct holders *holders);

/* "comm[pid], comm[pid]" of those that hold the link, or, where none does, the program.  The caller frees it.  NULL: nobody. */
char *holders__of(const struct holders *holders, uint32_t link_id, uint32_t program_id);

/* The perf events that a program is on, or the places in functions of these: an event may be held by several processes. */
size_t holders__count_events(const struct holders *holders, uint32_t program_id, bool places);

#endif
