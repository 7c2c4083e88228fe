/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a CPU was doing when the kernel wrote a record: common_flags and common_preempt_count, which every record of ftrace has in the same
 * place, and the text of `trace` shows as five letters, "dNh2.".
 */
#ifndef PROBELIGHT_RECORD_STATE_H
#define PROBELIGHT_RECORD_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RECORD_STATE 2		/* offset in a record: the flags, and behind them the count (struct trace_entry) */
#define RECORD_STATE_LETTERS 5

enum record_interrupt { RECORD_IN_TASK, RECORD_IN_SOFTIRQ, RECORD_IN_HARDIRQ, RECORD_IN_NMI };

struct record_state {
	bool irqs_off;
	bool bh_off;			/* soft interrupts off, by local_bh_disable(); also in a soft interrupt */
	bool knows_bh_off;		/* since Linux 5.17 */
	bool resched, resched_lazy, preempt_resched;	/* a switch is wanted: TIF_NEED_RESCHED, its lazy kind, in the preempt count */
	enum record_interrupt interrupt;
	bool interrupts_another;	/* a hard interrupt a soft one, or an NMI a hard one */
	unsigned int preempt_depth;	/* up to 15; 0 on kernels that do not count (CONFIG_PREEMPT_COUNT) */
	unsigned int migrate_depth;	/* of migrate_disable(), up to 15 */
	bool knows_migrate_depth;	/* since Linux 5.13 */
};

/* The state in a record of at least 4 bytes, not decoded yet. */
static inline uint16_t record_state__of(const void *record)
{
	uint16_t state;

	memcpy(&state, (const char *)record + RECORD_STATE, sizeof(state));
	return state;
}

/* What it means on a kernel of this version (kernel.h). */
struct record_state record_state__decode(uint16_t state, unsigned int version);

/* The kernel's five letters, without an end: of irqs, need-resched, interrupt, preempt depth, migrate depth; '-': not known. */
void record_state__write(const struct record_state *state, char letters[RECORD_STATE_LETTERS]);

#endif
