/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of a section once its length is known: filtered, counted, or a row.  Include it once in a tool, after vmlinux.h.
 * Where the length comes from: irqs_off.bpf.h, lateness.bpf.h, delay.bpf.h.
 */
#ifndef PROBELIGHT_SECTION_BPF_H
#define PROBELIGHT_SECTION_BPF_H

#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (256 * 1024)

#include "counts.bpf.h"
#include "hist.bpf.h"
#include "lib/shared/section.h"
#include "tool.bpf.h"

const volatile struct section_wants wants = {};

COUNTS(struct section_counts, 1);

/*
 * The longest section of an interval, for each CPU: two cells, written in turns.  The user side counts section_epoch up when an interval
 * ends, waits until the programs that run have ended, and reads the cells that are not written any more.  It makes
 * max_entries twice the number of possible CPUs.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct section);
} longest SEC(".maps");

__u64 section_epoch SEC(".data.epoch") = 1;

/* Where the section began and ended. */
struct section_ends {
	u64 from, from_caller, to, to_caller;
};

/* All but the task.  ctx: of the program, a raw tracepoint's. */
static __always_inline void section_fill(void *ctx, struct section *section, u64 ns, u32 source, const struct section_ends *ends)
{
	section->ns = ns;
	section->from = ends->from;
	section->from_caller = ends->from_caller;
	section->to = ends->to;
	section->to_caller = ends->to_caller;
	section->cpu = bpf_get_smp_processor_id();
	section->source = source;
	section->frames_size = -1;
	/* where a sampled section ended is in the stack alone */
	if (wants.stack || source != SECTION_EXACT)
		section->frames_size = bpf_get_stack(ctx, section->frames, sizeof(section->frames), 0);
}

static __always_inline void section_note_longest(void *ctx, u64 ns, u32 source, const struct section_ends *ends)
{
	u64 epoch = *(volatile u64 *)&section_epoch;
	u32 index = bpf_get_smp_processor_id() * 2 + (epoch & 1);
	struct section *section = bpf_map_lookup_elem(&longest, &index);

	if (!section || (section->epoch == epoch && section->ns >= ns))
		return;
	event_fill_task(&section->task);
	section_fill(ctx, section, ns, source, ends);
	section->epoch = epoch;
}

/* Below the threshold or, where rows are of the longest so far, not longer than those before. */
static __always_inline bool section_is_short(const struct section_counts *counts, u64 ns)
{
	return ns < wants.slower_ns || (!wants.counting && !wants.all && ns <= counts->longest_ns);
}

/* A section of so many nanoseconds has ended on this CPU, in the current task. */
static __always_inline void section_ended(void *ctx, struct section_counts *counts, u64 ns, u32 source,
					  const struct section_ends *ends)
{
	struct section *section;

	if (section_is_short(counts, ns) || event_is_over())
		return;
	/* an idle CPU leaves a deep sleep late, and no task had to wait for it */
	if (source != SECTION_EXACT && !wants.idle && !(u32)bpf_get_current_pid_tgid()) {
		event_count_filtered();
		return;
	}
	if (task_filtered())
		return;
	if (wants.counting) {
		count_add(&counts->count, 1);
		if (wants.hist)
			hist_add(&counts->lengths, ns);
		section_note_longest(ctx, ns, source, ends);
		return;
	}
	counts->longest_ns = ns;
	section = event_reserve(sizeof(*section));
	if (!section)
		return;
	section_fill(ctx, section, ns, source, ends);
	event_submit(section);
}

#endif
