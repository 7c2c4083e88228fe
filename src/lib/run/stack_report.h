/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tools have in common that count by stack (struct stack_key to struct stack_value): the options -U, -K, --folded, --svg and
 * --pprof, and the rows: as text, folded, in JSON, as a picture, as a profile.
 *
 *	static struct stack_report report = { .unit = "samples", STACK_REPORT_FILES };
 *
 *	STACK_REPORT_OPTIONS				among the tool's options
 *	stack_report__parse(&report, tool, key, arg)	first in its parse function
 *	stack_report__set(&report, &tool)		after tool__parse()
 *	stack_report__prepare(&report, object)		between open and load
 *	stack_report__open(&report, object)		in the tool's own attach_own
 *	stack_report__print(&report, interval, &others)	its print function; --by and --metrics: stack_tasks.h
 *	stack_report__close(&report)
 */
#ifndef PROBELIGHT_STACK_REPORT_H
#define PROBELIGHT_STACK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "intervals.h"
#include "lib/print/pprof.h"
#include "lib/stacks/stacks.h"
#include "renamed.h"
#include "side_file.h"

struct stack_report {
	/* The tool's, constant. */
	const char *unit;		/* what the picture counts in: "samples"; with is_time "microseconds", with is_bytes "bytes" */
	bool is_time;			/* stacks weigh what their values have in ns; else how many they count */
	bool is_bytes;			/* the same, and it is no time but bytes */
	const char *counted;		/* with is_bytes, in text: what is counted, "allocation" */
	bool without_task;		/* stacks are of no process: none is shown */
	bool keeps_stacks;		/* keys are of any time since the begin, not of the interval alone */
	bool of_tracepoint;		/* struct stacks */
	bool until_interrupt;		/* struct stacks */
	struct pprof_type types[PPROF_VALUES];	/* what --pprof's values are: how many were counted, and their time */
	uint64_t period;		/* how much of the second one each of those counted stands for; with is_time 0 */
	const char *tag_word;		/* what else is counted apart, in text, "state"; NULL: nothing is */
	/*
	 * Its value: untrusted bytes, good until the next call.  The key is the table's, of which a struct stack_key is the
	 * first member.
	 */
	const char *(*tag)(const struct stack_key *key);
	/* Who woke the key's task, whose stack is put above (lib/stacks/chain.h); it gives NULL: nobody did.  NULL: it is not asked for. */
	const struct stack_key *(*waker)(const struct stack_key *key);
	bool tag_on_top;		/* it stands above the innermost function where stacks are folded or drawn */
	/* Prints the interval's rows in its own way, where stacks are not folded; NULL: they are printed as stacks. */
	void (*print_rows)(struct stack_report *report, const struct interval *interval, const struct stack_value *others);
	void (*print_above)(struct tool *tool, const struct interval *interval);	/* before stacks that are not folded; or NULL */

	/* The options. */
	bool only_user, only_kernel, folded;
	bool by_process;		/* keys have no stacks, and the tool prints rows of processes (processes.h) */
	bool by_task;			/* keys have no stacks: --by (stack_tasks.h) */
	const char *stacks_option;	/* -U or -K, or NULL */
	uint64_t min_ns, max_ns;
	struct side_file picture, profile;

	struct tool *tool;
	struct counter counter;		/* for tool.counter; the tool may set other functions, all of which get the report */
	struct stacks stacks;
	/* what was counted for stacks that no record came of, as the ring buffer was full, or was not read in time */
	uint64_t unrecorded;
	bool is_late;			/* some of these were in the ring buffer when their interval was printed */
	bool is_stopped;		/* nothing is counted any more */
};

enum {
	STACK_REPORT_SVG = 0x300, STACK_REPORT_PPROF, STACK_REPORT_FOLDED, STACK_REPORT_SLOWER, STACK_REPORT_FASTER, STACK_REPORT_MIN,
	STACK_REPORT_MAX, STACK_REPORT_TAG,
};

/* What a struct stack_report must be initialised with. */
#define STACK_REPORT_FILES \
	.picture = { .option = "--svg", .fd = -1 }, .profile = { .option = "--pprof", .fd = -1 }, .max_ns = UINT64_MAX

#define STACK_REPORT_OPTIONS                                                                                  \
	{ "user-stacks", 'U', NULL, 0, "no stacks of the kernel", 0 },                                        \
	{ "kernel-stacks", 'K', NULL, 0, "no stacks of processes", 0 },                                       \
	STACK_REPORT_OUTPUTS

#define STACK_REPORT_PROCESS { "process", 'P', NULL, 0, "by process, not by stack", 0 }

/* Without those that choose the stacks. */
#define STACK_REPORT_OUTPUTS                                                                                  \
	{ "folded", STACK_REPORT_FOLDED, NULL, 0, "a line for each stack, as flame graph programs read it", 0 }, \
	{ "svg", STACK_REPORT_SVG, "FILE", 0, "also write a flame graph, for a browser", 0 },                 \
	{ "pprof", STACK_REPORT_PPROF, "FILE", 0, "also write a profile that pprof and Perfetto open", 0 }

/* For programs with min_ns and max_ns in their read-only data.  Needs about.renamed = stack_report_renamed. */
#define STACK_REPORT_LIMITS(what)                                                                             \
	{ "slower", STACK_REPORT_SLOWER, "TIME", 0, "only " what " of TIME or more: 10ms, 500us, 2s", 0 },    \
	{ "faster", STACK_REPORT_FASTER, "TIME", 0, "only " what " of TIME or less", 0 },                     \
	{ "min", STACK_REPORT_MIN, "MS", OPTION_HIDDEN, NULL, 0 },                                            \
	{ "max", STACK_REPORT_MAX, "MS", OPTION_HIDDEN, NULL, 0 }

extern const struct renamed stack_report_renamed[];

/* As of argp(3).  ARGP_KEY_END checks which options go together. */
error_t stack_report__parse(struct stack_report *report, const struct tool *tool, int key, const char *arg);

/*
 * Sets what the tool's frame has to know: counter, bare, reads_processes, and the columns where it prints JSON; attach_own and
 * before_summary where the tool has none of its own.
 */
void stack_report__set(struct stack_report *report, struct tool *tool, const struct out_column *columns);

/* After that, the columns of -P, or NULL, and those of --by and of what --metrics has. */
void stack_report__set_task_columns(const struct stack_report *report, struct tool *tool, const struct out_column *by_process,
				    const struct out_column *by_task);

/* Sets which stacks the programs take, and what else they count apart; leaves out what the kernel cannot load. */
void stack_report__prepare(const struct stack_report *report, const struct bpf_object *object);

/* Once the object is loaded: opens the stacks, and the files.  tool->err. */
int stack_report__open(struct stack_report *report, const struct bpf_object *object);

/* Reads and names the stacks of the interval that is printed next: for a counter's cut function. */
void stack_report__cut(void *report);

/* Prints an interval; others: of the keys without room.  Gives how many were counted. */
uint64_t stack_report__print(struct stack_report *report, const struct interval *interval, const struct stack_value *others);

/* A line on stderr where stacks are not known; in the tool's own before_summary. */
void stack_report__tell(const struct stack_report *report);

/* Also of one that was not opened. */
void stack_report__close(struct stack_report *report);

#endif
