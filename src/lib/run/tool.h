/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame that every event tool runs in: shared options, signals, attach → ready → poll → detach → drain → summary,
 * exit status.  A tool's main:
 *
 *	tool__parse(&tool, argc, argv);
 *	skel = NAME_bpf__open_opts(tool__open_opts(&tool));
 *	if (tool__opened(&tool, skel)) {
 *		skel->rodata->filter = tool.filter;		and its own rodata
 *		tool__load(&tool, skel->skeleton);
 *		tool__attach(&tool, skel->skeleton);		the tracepoints
 *		attach__kprobe(…);				the probes of a tool that has some, and
 *		tool__attached(&tool);				whether that went well
 *		tool__run(&tool, skel->skeleton, print_event);	until something ends it
 *	}
 *	NAME_bpf__destroy(skel);
 *	return tool__finish(&tool);				the exit status
 *
 * What fails says why, on stderr, in one line, and sets tool.err: what comes after it does nothing then.
 */
#ifndef PROBELIGHT_TOOL_H
#define PROBELIGHT_TOOL_H

#include <argp.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/shared/event.h"
#include "lib/print/out.h"

#define PROBELIGHT_VERSION "0.1"

enum tool_exit {
	TOOL_EXIT_DONE = 0,	/* done or interrupted */
	TOOL_EXIT_FAILED = 1,	/* at run time */
	TOOL_EXIT_USAGE = 2,
	TOOL_EXIT_LOST = 3,	/* events were lost, and --strict */
};

struct attach;
struct layout;

struct tool {
	/* What the tool says of itself. */
	const char *name;
	const char *summary;			/* one line for --help */
	const char *examples;			/* for --help: "  sudo opensnoop -x    failures only\n…" */
	const struct argp_option *options;	/* its own, or NULL */
	argp_parser_t parse;			/* for its own options, or NULL; as of argp(3) */
	const struct out_column *columns;
	bool has_result;			/* -x means something */
	/* How many of the missed runs were of programs that had no event to see then; NULL: none. */
	uint64_t (*missed_for_nothing)(const struct bpf_object_skeleton *skeleton);
	struct attach *attach;			/* zeroed, for a tool with probes: --attach sets its mode; NULL without */

	/* What the shared options set (tool__parse). */
	struct task_filter filter;
	int cgroup_fd;				/* -c, or -1 */
	bool verbose;
	bool strict;
	uint64_t duration_ns;			/* -d, or 0 */
	uint64_t events_max;			/* --max-events, or 0 */
	uint32_t ring_size;			/* --buffer, bytes, a power of two, or 0: as the program says */

	/* While it runs. */
	int err;				/* what failed first, -errno; 0: nothing */
	struct out out;
	struct layout *layout;			/* made from the running kernel's formats */
	struct bpf_object_open_opts open_opts;
	int exit_status;
};

/* Whether -U asks for the user. */
extern bool tool_uid_shown;

/* For columns that are in JSON only. */
extern const bool tool_not_shown;

/* The columns that most tools' rows begin with; tool__row() fills them. */
#define TOOL_TASK_COLUMNS                              \
	{ "PID", -7, NULL, NULL },                     \
	{ "TID", -7, &tool_not_shown, NULL },          \
	{ "UID", 6, &tool_uid_shown, NULL },           \
	{ "COMM", -16, NULL, NULL }

/* Reads the command line.  Does not return on --help, --version (exit 0) and bad usage (exit 2), where nothing is held. */
void tool__parse(struct tool *tool, int argc, char **argv);

/*
 * Checks what every tool needs (rights, tracefs, stdout), and gives the options for NAME_bpf__open_opts(), owned by tool;
 * NULL after an error.
 */
const struct bpf_object_open_opts *tool__open_opts(struct tool *tool);

/* Whether all went well so far; skel, and errno, are what NAME_bpf__open_opts() gave. */
bool tool__opened(struct tool *tool, const void *skel);

/*
 * Leaves out the programs on tracepoints that this kernel or architecture does not have (open(2) on arm64), so that
 * the others run.  For tools that have more than one hook for the same thing.
 */
void tool__skip_absent_tracepoints(const struct bpf_object_skeleton *skeleton);

/* Loads the programs, with layouts from the running kernel.  tool->err. */
int tool__load(struct tool *tool, struct bpf_object_skeleton *skeleton);

/* Attaches the programs on tracepoints, as their SEC names say.  tool->err. */
int tool__attach(struct tool *tool, struct bpf_object_skeleton *skeleton);

/* After the attach__…() calls of a tool with probes: tells what became of them.  tool->err. */
int tool__attached(struct tool *tool);

/*
 * Prints the header, then rows through print_event until a signal, -d, --max-events or a closed output ends it;
 * detaches, drains, prints the summary.  print_event gets one event, valid during the call; size is that of its
 * record, at least what the program reserved.  tool->err.
 */
typedef void (*tool_print_event)(struct tool *tool, const void *event, size_t size);
int tool__run(struct tool *tool, struct bpf_object_skeleton *skeleton, tool_print_event print_event);

/* Begins a row, with the values of TOOL_TASK_COLUMNS. */
void tool__row(struct tool *tool, const struct event_task *task);

/* Releases what tool holds.  The exit status for main. */
int tool__finish(struct tool *tool);

/* One error or warning, one line on stderr: "NAME: what failed: why (what to do)". */
void tool__error(const struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what ends the tool: sets tool->err to err, -errno, and returns it. */
int tool__fail(struct tool *tool, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Not a failure; only with -v. */
void tool__debug(const struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
