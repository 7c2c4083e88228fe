/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of irqsoff, preemptoff and preemptirqsoff: their options, the engine that the kernel allows, rows and intervals.  A tool's
 * main:
 *
 *	static const struct tool_about about = { .name = …, .summary = …, .examples = …, SECTIONS_ABOUT(sections_irq_options) };
 *
 *	static struct sections sections = { .kinds = SECTION_IRQS };
 *	struct tool tool = { .about = &about };
 *
 *	sections__parse(&sections, &tool, argc, argv);
 *	skel = NAME_bpf__open_opts(tool__open_opts(&tool));
 *	sections__run(&sections, &tool, skel);
 *	NAME_bpf__destroy(skel);
 *	return sections__finish(&sections, &tool);
 *
 * The programs are found by their names: irq_disable, irq_enable, preempt_disable, preempt_enable and cpu_idle of the engine exact;
 * hrtimer_expire_entry, resched_curr, rcu_note_context_switch and sched_switch of the engine stock.
 */
#ifndef PROBELIGHT_SECTIONS_H
#define PROBELIGHT_SECTIONS_H

#include "lib/kernel/cpus.h"
#include "lib/kernel/ksyms.h"
#include "lib/print/hist.h"
#include "lib/probe/attach.h"
#include "lib/probe/cpu_timers.h"
#include "lib/run/renamed.h"
#include "lib/run/tool.h"
#include "lib/shared/section.h"

struct interval;

enum sections_engine {
	SECTIONS_AUTO,
	SECTIONS_EXACT,		/* tracepoints at each begin and end */
	SECTIONS_STOCK,		/* lateness of timers, delays of switches */
	SECTIONS_FTRACE,	/* from here on without programs: the kernel's tracer of the tool's name */
	SECTIONS_TIMERLAT,	/* the kernel's tracer of that name */
};

struct sections {
	unsigned int kinds;		/* SECTION_IRQS, SECTION_PREEMPT: what the tool looks at */

	/* the rest is the frame's own */
	enum sections_engine engine;
	struct section_wants wants;
	struct tool *tool;
	struct attach attach;
	struct hist_shape shape;
	struct cpu_timers timers;
	struct cpu_set cpus;		/* that get a timer */
	bool cpus_given;
	bool slower_given, period_given;
	bool functions;			/* the functions that ran in a section, of the engine ftrace */
	uint64_t period_ns;
	struct ksyms *ksyms;		/* NULL: not loaded yet */
	int ksyms_err;
	struct section *longest;	/* the map, two for each CPU */
	size_t longest_size;		/* bytes */
	uint64_t *epoch;
	uint64_t steal_ms;		/* of /proc/stat at the beginning of the run or the interval */
	char *start_members;
};

/* What the three tools say of themselves alike.  options: of its kinds. */
#define SECTIONS_ABOUT(own_options)                                                                                   \
	.options = (own_options), .parse = sections__parse_option, .renamed = sections_renamed, .columns = sections_columns, \
	.spare = sections_spare, .counts = true, .rows_too = true, .ready = "Counting sections. Ctrl-C ends it."

extern const struct argp_option sections_irq_options[], sections_preempt_options[], sections_both_options[];
extern const struct renamed sections_renamed[];
extern const struct out_column sections_columns[];
extern const char *const sections_spare[];
error_t sections__parse_option(int key, char *arg, struct argp_state *state);

/* As tool__parse(); tool->ctx is the sections from now on. */
void sections__parse(struct sections *sections, struct tool *tool, int argc, char **argv);

/* As tool__run() or tool__run_intervals(), whichever the command line asks for.  tool->err. */
int sections__run(struct sections *sections, struct tool *tool, void *skel);

/* As tool__finish(). */
int sections__finish(struct sections *sections, struct tool *tool);

/*
 * The engines with programs (section_engines.c).  Prepare: chooses one, and sets what its programs want to know, before they are loaded.
 * Attach: what no SEC name tells, and the timers.  Both: tool->err.
 */
int sections__prepare(struct sections *sections);
int sections__attach(struct sections *sections);

/* Those without (section_tracers.c): the whole run.  tool->err. */
int sections__run_tracer(struct sections *sections, struct tool *tool);

/* What they share. */
const char *sections__engine_name(const struct sections *sections);
bool sections__has_timers(const struct sections *sections);
bool sections__shows_steal(const struct sections *sections);
/* of a timer's lateness: the default, or refuses less than it can tell; tool->err */
int sections__check_slower(struct sections *sections);
void sections__announce(struct sections *sections, const char *guarantee);	/* on stderr, and in the start record */

/* The kernel's symbols, read when they are first asked for (100 million instructions); NULL where they cannot be had. */
const struct ksyms *sections__symbols(struct sections *sections);

/*
 * The text of rows (section_rows.c).  from and to: of size bytes; "-" where it is not known.  stack: functions that the section
 * ended in, the innermost first, each ended by a 0 byte; returns their bytes.
 */
#define SECTION_NAME_SIZE 256
#define SECTION_STACK_SIZE (SECTION_FRAMES * SECTION_NAME_SIZE)
void section__from(const struct section *section, const struct ksyms *ksyms, char name[SECTION_NAME_SIZE]);
void section__to(const struct section *section, const struct ksyms *ksyms, char name[SECTION_NAME_SIZE]);
size_t section__stack(const struct section *section, const struct ksyms *ksyms, char stack[SECTION_STACK_SIZE]);
const char *section__source(const struct section *section);

/* Of an end that the kernel's tracer names: the innermost function of the stack where the end is that of a lock. */
const char *section__caller(const char *end, const char *stack, size_t stack_size);

#endif
