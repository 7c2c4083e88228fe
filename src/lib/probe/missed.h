/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the kernel did not run our programs for.  Two things skip a program:
 *
 * The program layer: a program of the same kind is already running on this CPU.  The kernel counts that in bpf_prog_info's
 * recursion_misses for fentry and fexit (since 5.12), for raw tracepoints (since 6.2, in 6.1's stable series too; no
 * program was skipped there before), and for tracepoints, kprobes and kprobe.multi since 6.7 only (dd8657894c11 and its
 * series).
 *
 * The probe layer: the kprobe fired while one was being handled, or a return probe had no free slot.  bpf_link_info tells it
 * since 6.7 (the same series; skips.h), kprobe_profile tells it for probes in kprobe_events on every kernel (on 5.10 it counts
 * page faults of the program too), and nothing tells it for an event of the kprobe PMU that has no link (attach mode perf).
 *
 * Counted by nothing at all: a tracepoint's event that a helper makes in a program of another tracepoint (perf allows one at
 * a time for each kind of context, perf_trace_buf_alloc() in kernel/trace/trace_event_perf.c).  No helper makes the tools'.
 */
#ifndef PROBELIGHT_MISSED_H
#define PROBELIGHT_MISSED_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

struct missed {
	uint64_t all;		/* of every program */
	uint64_t entries;	/* of the programs that see an event begin, or the whole of one (role.h) */
	uint64_t returns;	/* of the programs that see one end */
	uint64_t sessions;	/* of programs that see both ends of a call, fsession.multi: which end is not told; not in the two above */
	bool known;		/* the kernel tells it of every program; otherwise these are lower bounds */
	bool partly;		/* it tells it of some of them */
};

/*
 * For a tool whose programs are made for the run, so that neither their names nor their sections tell: those that see a call return. All
 * its others see an event, or a call begin.
 */
void missed__set_returns(bool (*is_return)(const struct bpf_program *program));

/*
 * Asks the kernel what can be asked only before the privileges are dropped (skips.h).  For when the skeleton is attached; costs
 * nothing from Linux 6.7 on, and before where links do not tell their misses.
 */
void missed__prepare(const struct bpf_object_skeleton *skeleton);

/*
 * Reads the counts of all attached programs of the skeleton, in runs of a program, but for those that see no event (role.h).  The link
 * of a program that is not loaded is another program's second one, of the same kind.  For while they are attached.
 */
struct missed missed__read(const struct bpf_object_skeleton *skeleton);

/*
 * What the tool does not see at all, in a few words that are never freed: then nobody can say how much was missed, and the summary
 * says why.  The first one stays.
 */
void missed__tell_unseen(const char *what);

/* What was reported; NULL: nothing. */
const char *missed__unseen(void);

/* What the program layer counts for one program: 0 where it does not count. */
uint64_t missed__of_program(const struct bpf_program *program);

#endif
