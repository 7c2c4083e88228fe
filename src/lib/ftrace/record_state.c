/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_state.h"

#include "lib/kernel/kernel.h"

/*
 * enum trace_flag_type of include/linux/trace_events.h.  0x02 was IRQS_NOSUPPORT before, of architectures without such a flag, which x86
 * and arm64 are not; rt kernels have used it for the lazy kind before mainline did (6.13), and 5.10-rt another one.
 */
#define IRQS_OFF 0x01
#define NEED_RESCHED_LAZY 0x02
#define NEED_RESCHED 0x04
#define HARDIRQ 0x08
#define SOFTIRQ 0x10
#define PREEMPT_RESCHED 0x20
#define NMI 0x40
#define BH_OFF 0x80
#define NEED_RESCHED_LAZY_5_10_RT 0x80

struct record_state record_state__decode(uint16_t state, unsigned int version)
{
	unsigned int flags = state & 0xff, count = state >> 8;
	bool knows_bh_off = version >= kernel_version(5, 17, 0), knows_migrate_depth = version >= kernel_version(5, 13, 0);
	unsigned int depth = knows_migrate_depth ? count & 0xf : count < 0xf ? count : 0xf;

	return (struct record_state){
		.irqs_off = flags & IRQS_OFF,
		.bh_off = knows_bh_off && flags & BH_OFF,
		.knows_bh_off = knows_bh_off,
		.resched = flags & NEED_RESCHED,
		.resched_lazy = flags & (knows_bh_off ? NEED_RESCHED_LAZY : NEED_RESCHED_LAZY_5_10_RT),
		.preempt_resched = flags & PREEMPT_RESCHED,
		.interrupt = flags & NMI ? RECORD_IN_NMI : flags & HARDIRQ ? RECORD_IN_HARDIRQ :
			     flags & SOFTIRQ ? RECORD_IN_SOFTIRQ : RECORD_IN_TASK,
		.interrupts_another = (flags & (NMI | HARDIRQ | SOFTIRQ)) == (HARDIRQ | SOFTIRQ) ||
				      (flags & (NMI | HARDIRQ)) == (NMI | HARDIRQ),
		.preempt_depth = depth,
		.migrate_depth = knows_migrate_depth ? count >> 4 : 0,
		.knows_migrate_depth = knows_migrate_depth,
	};
}

static char depth_letter(unsigned int depth)
{
	return depth ? "0123456789abcdef"[depth] : '.';
}

/* As trace_print_lat_fmt() in kernel/trace/trace_output.c of Linux 7.3. */
void record_state__write(const struct record_state *state, char letters[RECORD_STATE_LETTERS])
{
	/* by lazy, preempt, need */
	static const char resched[] = ".npNlbLB";
	static const char interrupt[][3] = { ".", "s", "hH", "zZ" };

	letters[0] = state->irqs_off ? (state->bh_off ? 'D' : 'd') : state->bh_off ? 'b' : '.';
	letters[1] = resched[state->resched_lazy << 2 | state->preempt_resched << 1 | state->resched];
	letters[2] = interrupt[state->interrupt][state->interrupts_another];
	letters[3] = depth_letter(state->preempt_depth);
	letters[4] = state->knows_migrate_depth ? depth_letter(state->migrate_depth) : '-';
}
