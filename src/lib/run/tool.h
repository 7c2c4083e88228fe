/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame that a tool runs in: shared options, open, load, attach, run, detach, summary, exit status.  A tool's main:
 *
 *	tool__parse(&tool, argc, argv);
 *	skel = NAME_bpf__open_opts(tool__open_opts(&tool));
 *	tool__run(&tool, skel, print_event);		loads, attaches, prints rows until something ends it
 *	NAME_bpf__destroy(skel);
 *	return tool__finish(&tool);			the exit status
 *
 * A tool that has something to choose does it between the steps that tool__run would take by itself:
 *
 *	if (tool__opened(&tool, skel)) {
 *		skel->rodata->signal = opt.signal;	its own read-only data, which programs are loaded
 *		tool__load(&tool);
 *		attach__kprobe(…);			its probes; tool__run attaches what is left and looks at attach.err
 *	}
 *	tool__run(&tool, skel, print_event);
 *
 * A step that fails says why, in one line on stderr, and sets tool.err; the steps after it do nothing.
 */
#ifndef PROBELIGHT_TOOL_H
#define PROBELIGHT_TOOL_H

#include <argp.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "cgroup_follow.h"
#include "cgroup_option.h"
#include "command.h"
#include "exit.h"
#include "heat_report.h"
#include "rings.h"
#include "lib/print/out.h"
#include "lib/print/piece.h"
#include "lib/print/say.h"
#include "lib/shared/event.h"
#include "lib/shared/row_stack.h"

struct attach;
struct by_word;
struct counter;
struct counting;
struct foreign_option;
struct hist_shape;
struct layout;
struct metric;
struct metrics;
struct record_about;
struct recording;
struct renamed;
struct row_stacks;
struct row_stacks_calls;
struct tally;
struct interval;
struct tool;

/*
 * A tool is described by three structs, so that each value has one writer:
 *
 *	struct tool_about	what the tool says of itself: const, the same in every run
 *	struct tool_options	what the command line says: set by tool__parse() and by the tool's own parse function
 *	struct tool		what runs; its members have no prefix (tool->out, tool->err), as every line of a tool uses them
 */

/* What a tool says of itself: static const struct tool_about about = { … }. */
struct tool_about {
	const char *name;
	const char *summary;			/* one line for --help */
	const char *examples;			/* for --help: "  sudo opensnoop -x    failures only\n…" */
	const struct argp_option *options;	/* its own, or NULL */
	argp_parser_t parse;			/* for its own options, or NULL; as of argp(3): state->input is the struct tool */
	const struct renamed *renamed;		/* options that had another name (renamed.h), or NULL */
	const struct foreign_option *foreign_options;	/* options of other collections that it refuses, or NULL */
	const struct out_column *columns;
	const char *const *spare;		/* columns that a narrow terminal does without (struct out), or NULL */
	const char *since;			/* the Linux release that brought its events, "5.12"; NULL: older than 5.10 */
	bool has_result;			/* -x means something */
	const char *no_task;			/* why -p, -t, -u, -n, -c and -U are refused: its events are no task's; or NULL */
	uint32_t record_max;			/* bytes of the largest event; 0: below 4 KiB.  --buffer makes room for one at least */
	/* How many of the missed runs were of programs that had no event to see then; NULL: none. */
	uint64_t (*missed_for_nothing)(const struct tool *tool);
	/*
	 * The argument that it takes, "[MIN_US]", or, of a tool that counts, arguments before INTERVAL, "[PATTERN...]", none of which is
	 * a number; its parse gets them; NULL: none.
	 */
	const char *argument;
	const char *room_option;		/* what makes the programs' table larger, "--requests"; NULL: nothing does */
	/* which stacks its rows can have: bits of row_stack.h; 0: it has neither --stack nor --ustack */
	unsigned int stacks;
	const struct row_stacks_calls *row_stacks_calls;	/* both by ROW_STACKS() of row_stacks.h */
	bool stacks_come_before;		/* by ROW_STACKS_BEFORE(): the print function sets stack_ns */
	uint64_t rate_max;			/* more events in a second end the run, as a failure (rate_limit.h); 0: no limit */
	const struct metric *metrics;		/* what --metrics calls its numbers (metrics.h); NULL: it has none */
	const struct record_about *record;	/* --record (recording.h); NULL: it has none */

	/* For tools that count. */
	bool counts;				/* prints sums, with tool__run_intervals(): [INTERVAL [COUNT]] */
	bool sends_stacks;			/* counts: new stacks pass the ring buffer (lib/bpf/stack.bpf.h), so it has --buffer */
	bool rows_too;				/* and rows where it is not asked to count: has the options of both */
	bool by_task;				/* its table has keys of tasks: --by process, comm, cgroup, … (task_keys.h) */
	const struct by_word *by;		/* words of --by that are its own options, or NULL */
	const char *ready;			/* without columns: the line that is printed when it has begun */
	uint32_t keys_max;			/* by key: how many it has room for without --keys; 0: it has no such table */
	bool keys_on_demand;			/* of which most runs see few (table.h) */
	/*
	 * Which word of a cell (counts.bpf.h), from 1, is not 0 while what the CPU counts there is under way; 0: count_begin()
	 * and count_end() tell.
	 */
	uint32_t begun_word;
};

/* What the command line says.  0, false or NULL: it says nothing, unless a line has another value. */
struct tool_options {
	struct task_filter filter;		/* -p, -t, -u, -n, -c, -x, -f */
	const char *comm_wanted;		/* -n as it was given */
	struct cgroup_option cgroup;		/* -c, --container, --wait as they were given */
	bool shows_uid;				/* -U */
	bool shows_cgroup;			/* --cgroup-name */
	const char *schema;			/* --schema: its kind, or NULL */
	bool is_quiet;				/* -q, or --record without -o: nothing on stdout */
	bool unit_is_asked;			/* -N or -m */
	unsigned int verbose;			/* how many -v: 1 says what is attached and how, 2 has also libbpf's messages */
	bool strict;				/* --strict */
	const char *output;			/* -o; NULL: stdout */
	const char *record;			/* --record; NULL: no */
	uint64_t duration_ns;			/* -d */
	uint64_t events_max;			/* --max-events */
	uint64_t interval_ns;			/* INTERVAL; 0: one, which is the whole run */
	uint64_t intervals_max;			/* COUNT */
	bool refreshes;				/* --refresh */
	uint32_t rows_asked;			/* -r */
	uint32_t rows_max;			/* of a table by key: -r, or a default, or as many as the terminal has room for */
	uint32_t keys_max;			/* --keys; without it about->keys_max */
	uint64_t rate_max;			/* --rate; without it about->rate_max */
	unsigned int stacks_asked;		/* --stack, --ustack: bits of row_stack.h */
	uint32_t ring_size;			/* --buffer, bytes, a power of two; 0: as the program says */
};

/* What runs.  A tool sets about, and of the first part what it has: struct tool tool = { .about = &about, .attach = &attach }. */
struct tool {
	const struct tool_about *about;
	void *ctx;				/* the tool's own, for its functions, which all get the struct tool; not for the frame */
	struct attach *attach;			/* zeroed, for a tool with probes: --attach sets its mode; NULL without */
	struct hist_shape *shape;		/* prints histograms: their unit by default; -N, -m and --linear change it; or NULL */
	/* attaches what no SEC name tells, at the end of tool__attach(); tool->err; NULL: nothing */
	int (*attach_own)(struct tool *tool);
	void (*detach_own)(struct tool *tool);	/* detaches that, when the run ends, also where nobody reads the output; NULL: nothing */
	void (*attach_probes)(struct tool *tool);	/* counts: attaches its probes, once it is loaded; NULL: it has none */
	/*
	 * Its events are begins and returns, not rows: its print function prints any number of rows, and ends them.  When
	 * nothing comes any more, this one prints the rest, adds what the tool itself has dropped to the tally's filtered
	 * and lost, and returns how many rows were printed, or would have been but for --max-events.  NULL: each event is a
	 * row.
	 */
	uint64_t (*end_rows)(struct tool *tool, struct tally *tally);
	/*
	 * Has its programs tell of what waits for too long, which no event tells of: about each second, and once more when the run ends,
	 * before they do.  It may call bpf(2) for what is open.  NULL: nothing waits.
	 */
	void (*tell_waiting)(struct tool *tool, bool is_end);
	/*
	 * Looks, about each second and after each signal while all is attached, whether there is more to trace or to tell.  It may do what
	 * `keeps` allows.  NULL: nothing can change.
	 */
	void (*look_around)(struct tool *tool);
	unsigned int keeps;			/* of enum privileges, for that */
	/*
	 * counts: adds an interval to what the tool itself sums over the run, before it is printed.  (With --metrics an interval is printed
	 * twice: the print function sums nothing over the run.)  NULL: it sums nothing.
	 */
	void (*add_interval)(const struct tool *tool, const struct interval *interval);
	uint64_t events_done;			/* with end_rows: what --max-events counts, so far; the tool sets it */
	void (*before_summary)(const struct tool *tool);	/* has a line to say (say.h) before it; NULL: none */
	const struct counter *counter;		/* counts: what is not counted by programs (intervals.h); or NULL */
	const char *missed_doubt;		/* why more may have been missed than the kernel counts; NULL: it counts all */
	const char *start_members;		/* of the JSON start record, ",\"key\":value…", or NULL */

	/* What depends on the options.  tool__parse() begins with about's; then, or in its parse function, a tool sets it. */
	const struct out_column *columns;	/* that are printed; NULL: it prints histograms */
	const char *since, *ready;
	const struct metric *metric_names;
	const struct out_column *metric_columns;	/* of the rows that --metrics takes, in JSON; NULL: those that are printed */
	bool counts;
	bool bare;				/* counts: stdout has only what its print function prints; ready goes to stderr */
	bool reads_processes;			/* counts: keeps the capabilities for that (privileges.h) */
	bool reads_maps;			/* counts: reads maps besides its table while it runs, likewise */
	const char *room_is_full;		/* why a table of its programs has no room, and what to do; NULL: calls under way */
	bool by_cpu;				/* counts: each CPU's cells apart (struct interval) */
	uint32_t rate_word, rate_words;		/* of a cell: the words that events add one to, the first and how many; 0, 0: all */
	bool rows_are_slow;			/* to print one may take milliseconds */
	uint64_t stack_ns;			/* when those of the row were taken, with stacks_come_before: set for each row */

	/* The frame's.  A tool reads options, and writes rows to out. */
	struct tool_options options;
	int err;				/* what failed first, -errno; 0: nothing */
	struct out out;
	struct event_task last_task;		/* of the last row that tool__task() was called for */
	struct piece last_columns;		/* what it wrote, once two rows in sequence had that task */
	struct layout *layout;			/* made from the running kernel's formats */
	bool laid_out;
	int cgroup_fd;				/* the cgroup that options.cgroup means, or -1 */
	struct cgroup_follow cgroup_follow;	/* that follows it */
	struct command command;			/* "-- COMMAND", or none; tool__parse() makes its process */
	struct heat_report heat;		/* --svg of histograms */
	struct counting *counting;		/* --count, --hist of rows (counting.h), or NULL */
	struct metrics *metrics;		/* --metrics (metrics.h), or NULL */
	struct bpf_object_open_opts open_opts;
	struct bpf_object_skeleton *skeleton;	/* the tool's, set by tool__opened */
	struct rings rings;			/* that its programs write */
	struct row_stacks *row_stacks;		/* that are printed, or NULL */
	struct recording *recording;		/* --record, or NULL */
	struct cgroup_removed_bpf *cgroup_removed;	/* with --cgroup-name; or NULL */
	bool loaded;
	const struct bpf_program **without_link;	/* tool__needs_no_link() */
	size_t without_link_count;
	int exit_status;
};

/* Markers for struct out_column: columns that are in JSON only, with -U, and with --cgroup-name. */
extern const bool tool_not_shown, tool_shown_with_uid, tool_shown_with_cgroup;

/* The columns of a task's cgroup; tool__cgroup() fills them. */
#define TOOL_CGROUP_COLUMNS                            \
	{ "CGROUP", 0, &tool_not_shown, NULL },        \
	{ "CGROUP", -20, &tool_shown_with_cgroup, "cgroup_name" }, \
	{ "CONTAINER", 0, &tool_not_shown, NULL },     \
	{ "POD", 0, &tool_not_shown, NULL },           \
	{ "UNIT", -24, &out_counted_only, NULL },      \
	{ "SLICE", -24, &out_counted_only, NULL },     \
	{ "CONTAINER_ID", 0, &out_counted_only, NULL }, \
	{ "POD_UID", -36, &out_counted_only, NULL }

/* The columns that most tools' rows begin with; tool__row() or tool__task() fills them, from what the event begins with. */
#define TOOL_TASK_COLUMNS                              \
	{ "PID", -7, NULL, NULL, TOOL_TASK_BYTES(pid) }, \
	{ "TID", -7, &tool_not_shown, NULL, TOOL_TASK_BYTES(tid) }, \
	{ "UID", 6, &tool_shown_with_uid, NULL, TOOL_TASK_BYTES(uid) }, \
	{ "COMM", -16, NULL, NULL, TOOL_TASK_BYTES(comm) }, \
	TOOL_CGROUP_COLUMNS
#define TOOL_TASK_BYTES(member) { OUT_BYTES(struct event_task, member), OUT_BYTES(struct event_task, reserved) }

/* The columns of a result; error__columns() (lib/print/error.h) fills them. */
#define TOOL_ERROR_COLUMNS                             \
	{ "ERRNO", 3, &tool_not_shown, NULL },         \
	{ "ERR", -7, NULL, "error" }
/* The same with the bytes of the event that they are made of (OUT_BYTES). */
#define TOOL_COUNTED_ERROR_COLUMNS(...)                \
	{ "ERRNO", 3, &tool_not_shown, NULL, { __VA_ARGS__ } }, \
	{ "ERR", -7, NULL, "error", { __VA_ARGS__ } }

/* The version of what JSON looks like: docs/json.md.  It changes when a key goes or means something else. */
#define TOOL_JSON_SCHEMA 1

/* Reads the command line.  Does not return on --help, --version (exit 0) and bad usage (exit 2), where nothing is held. */
void tool__parse(struct tool *tool, int argc, char **argv);

/*
 * Checks what every tool needs (rights, tracefs, stdout), and gives the options for NAME_bpf__open_opts(), owned by tool;
 * NULL after an error.
 */
const struct bpf_object_open_opts *tool__open_opts(struct tool *tool);

/*
 * Whether all went well so far, and there is something to trace: not in `probelight show` (show.h).  skel is what
 * NAME_bpf__open_opts() gave, and errno is still as it left it.  Copies the filters into the programs' read-only data, where they have
 * some.
 */
bool tool__opened(struct tool *tool, void *skel);

/* Sets a variable of that name and size in the programs' read-only data, between open and load; does nothing where there is none. */
void tool__set_rodata(const struct tool *tool, const char *name, const void *value, size_t size);

/*
 * Has the programs tell, with each stack of a process, which program that executes (lib/bpf/stack_program.bpf.h), if such stacks are
 * wanted and the kernel has BTF; between the same two.
 */
void tool__tell_stack_programs(const struct tool *tool, bool wanted);

/*
 * Has the programs take the form of a loop that this kernel can have (lib/bpf/loop.bpf.h), and leaves out the other one: both are names of
 * functions, which must live on.  Between the same two.
 */
void tool__choose_loop(const struct tool *tool, const char *in_place, const char *by_loop);

/* Sets the shape of the histograms there, between the same two. */
void tool__set_shape(const struct tool *tool);

/*
 * Leaves out the programs on tracepoints that this kernel or architecture does not have (open(2) on arm64), so that
 * the others run.  For tools that have more than one hook for the same thing.
 */
void tool__skip_absent_tracepoints(const struct tool *tool);

/*
 * Makes the layouts from the running kernel (lib/layout), of the programs that are going to be loaded.  tool__load() does it; a tool calls
 * it before where it loads a program by what the kernel has (layout__has_member()).  tool->err.
 */
int tool__lay_out(struct tool *tool);

/* Loads the programs, with layouts from the running kernel.  tool->err. */
int tool__load(struct tool *tool);

/*
 * Inside of tool__lay_out(): readies tool->attach, and gives the tool one where it has none and a SEC names a function or a
 * system call ("kprobe/do_unlinkat", "ksyscall/kill").  tool->err.
 */
int tool__prepare_attach(struct tool *tool);

/*
 * Attaches the programs that are loaded and not attached yet, where their SEC names say; checks tool->attach for errors, and
 * tells with -v what is attached how.  A program that is loaded and has no link afterwards is an error.  tool->err.
 */
int tool__attach(struct tool *tool);

/*
 * Attaches a program in SEC("tp"), which names no event, to one, "SYSTEM/NAME", with a cookie as of
 * tracepoint__attach_with(): *link, the caller's.  The event must have the record that the program reads.  tool->err.
 */
int tool__attach_tracepoint(struct tool *tool, const struct bpf_program *program, struct bpf_link **link, const char *event,
			    __u64 cookie);

/*
 * Says that a loaded program has no link in the skeleton and that this is no error: it is attached by other means, or the
 * tool does without it. After tool__load(), before tool__attach() ends.
 */
void tool__needs_no_link(struct tool *tool, const struct bpf_program *program);

/*
 * Takes the steps above that were not taken yet, prints the header, then rows through print_event until a signal, -d,
 * --max-events or a closed output ends it; detaches, drains, prints the summary.  print_event gets one event, valid during the
 * call, and prints its row's values; size is that of its record, at least what the program reserved.  skel as for
 * tool__opened.  tool->err.
 */
typedef void (*tool_print_event)(struct tool *tool, const void *event, size_t size);
int tool__run(struct tool *tool, void *skel, tool_print_event print_event);

/*
 * For tools that print rows, when all is open: opens tool->out, whose sink.on_blocked is the caller's, begins -d in the loop and its clock,
 * gives up all capabilities but those that are kept (privileges.h), and starts the command.  tool->err.
 */
struct loop;
int tool__begin_rows(struct tool *tool, struct loop *loop, unsigned int kept);

/*
 * Makes it safe to destroy the links of tool->attach, and says so where that takes something.  Returns whether function hooks
 * are switched off, so that events were not seen.
 */
bool tool__prepare_detach(struct tool *tool);

/*
 * Ends the programs of a run: what happens from now on is no event, and nothing is attached any more; events that are in the ring are still
 * to be read.  Sets tally->missed.
 */
struct event_stats;
void tool__end_programs(struct tool *tool, struct event_stats *stats, struct tally *tally);

/* Prints the JSON start record where -j asks for it: what runs where, and what attaching told. */
void tool__print_start(struct tool *tool);

/* A line on stderr: so many events were lost because a table of the programs was full. */
void tool__tell_no_room(const struct tool *tool, uint64_t events);

/* Prints the last line of the run on stderr and, with -j, on stdout; sets the exit status.  Numbers as in tally.h. */
void tool__print_summary(struct tool *tool, const struct tally *tally);

/* Whether two tasks have the same values of TOOL_TASK_COLUMNS, but for the cgroup's. */
bool tool__is_same_task(const struct event_task *a, const struct event_task *b);

/* The values of TOOL_TASK_COLUMNS; copied where they are those of the two rows before. */
void tool__task(struct tool *tool, const struct event_task *task);

/* Begins a row, with these values. */
void tool__row(struct tool *tool, const struct event_task *task);

/* The same for an event that no task caused: none of these columns has a value.  ts_ns as in struct event_task. */
void tool__row_without_task(struct tool *tool, uint64_t ts_ns);

/*
 * The values of TOOL_CGROUP_COLUMNS: the name of the unit or container, in JSON also the path, the container and the pod.
 * id: 0 for none.
 */
void tool__cgroup(struct tool *tool, uint64_t id);

/* Releases what tool holds.  The exit status for main. */
int tool__finish(struct tool *tool);

/* One error, one line on stderr, which ends the tool: sets tool->err to err, -errno, unless one is set; returns tool->err. */
int tool__fail(struct tool *tool, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* tool__fail() where a map cannot be made or changed before the programs are loaded; why it is not permitted, where it is not. */
int tool__fail_maps(struct tool *tool, int err);

/* The same for perf events that may not be opened: err of perf_event_open(2), -EACCES or -EPERM. */
int tool__fail_perf_events(struct tool *tool, int err);

/* The same for a tracepoint that cannot be attached to: err of tracepoint__attach(), where as the user knows it. */
int tool__fail_to_attach(struct tool *tool, int err, const char *where);

/*
 * One more program that is attached, for -v and the start record, to an event "SYSTEM/NAME", or with NULL to what its section names.
 * tool__attach() and tool__attach_tracepoint() do it for what they attach.
 */
void tool__note_attached(const struct bpf_program *program, const char *event);

/*
 * The list of all that is attached (lib/probe/attached.h), for the start record: '"probes":[…]'. The caller frees it; NULL without memory.
 */
char *tool__attached_json(const struct tool *tool);

/* Not a failure; only with -v. */
void tool__debug(const struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
