/* SPDX-License-Identifier: BSD-2-Clause */
/* klockstat: who waits for which of the kernel's locks, and for how long. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/others.h"
#include "lib/probe/attach.h"
#include "lib/probe/entries.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/stack_report.h"
#include "lib/run/stack_rows.h"
#include "klockstat.h"
#include "klockstat.skel.h"
#include "lock_names.h"

#define TAG_MAX 128

static struct klockstat_bpf *skel;
static struct lock_names names;
static bool by_lock = true, by_caller = true, by_comm, hold;

static const char *lock_text(const struct klock_key *key, char text[NAMES_NAME_MAX])
{
	if (!lock_names__of(&names, key->lock, text))
		snprintf(text, NAMES_NAME_MAX, "0x%llx", (unsigned long long)key->lock);
	return text;
}

/* "mutex rtnl_mutex" */
static const char *tag_text(const struct stack_key *key)
{
	static char text[NAMES_NAME_MAX + TAG_MAX];
	char lock[NAMES_NAME_MAX];

	snprintf(text, sizeof(text), "%s %s", lock_names__type(key->tag), lock_text((const struct klock_key *)key, lock));
	return text;
}

static void print_locks(struct stack_report *of, const struct interval *interval, const struct stack_value *others);

static struct stack_report report = {
	.types = { { "waits", "count" }, { "wait", "nanoseconds" } }, STACK_REPORT_FILES,
	.unit = "microseconds", .is_time = true, .of_tracepoint = true, .only_kernel = true,
	.tag_word = "waits for", .tag = tag_text, .tag_on_top = true,
	.print_rows = print_locks,
};

enum { KEY_USTACK = 0x200, KEY_STACKS, KEY_BY, KEY_HOLD };

static const struct argp_option options[] = {
	{ "by", KEY_BY, "WHAT,...", 0, "a row for each lock, caller, comm, or several; lock,caller by default", 0 },
	{ "hold", KEY_HOLD, NULL, 0, "how long mutexes and rwsems are held; each call that takes or releases one is probed", 0 },
	{ "stacks", KEY_STACKS, NULL, 0, "by stack of calls", 0 },
	{ "ustack", KEY_USTACK, NULL, 0, "by stack of calls, with those of the process", 0 },
	{ "slower", STACK_REPORT_SLOWER, "TIME", 0, "only waits, or holds, of TIME or more: 10ms, 500us, 2s", 0 },
	{ "faster", STACK_REPORT_FASTER, "TIME", 0, "only waits, or holds, of TIME or less", 0 },
	STACK_REPORT_OUTPUTS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-s", "--stacks prints the stacks, each whole" },
	{ "--stack", "--stacks prints the stacks, each whole" },
	{ "-S", "rows are by total wait; -j has what other orders need" },
	{ "--sort", "rows are by total wait; -j has what other orders need" },
	{ "-L", "--by lock has a row for each lock" },
	{ "--locks", "-r N" },
	{ "-i", "the interval is an argument: klockstat 1 10" },
	{ "-P", "--by comm has a row for each name" },
	{ "--per-thread", "--by comm has a row for each name" },
	{ "--caller", "--by caller has a row for each caller" },
	{ "--count", "--by lock,caller,comm counts; anysnoop --count FIELD,... lock:contention_begin by any fields" },
	{ "--hist", "anysnoop --count lock:contention_begin counts; rows have average and maximum" },
	{ NULL, NULL },
};

static void parse_by(const char *list)
{
	static const char *const words[] = { "lock", "caller", "comm", NULL };
	uint32_t wanted = argument__words("--by", list, words);

	by_lock = wanted & 1;
	by_caller = wanted & 2;
	by_comm = wanted & 4;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_BY:
		parse_by(arg);
		return 0;
	case KEY_HOLD:
		hold = true;
		report.types[0].name = "holds";
		report.types[1].name = "hold";
		report.tag_word = "holds";
		return 0;
	case KEY_USTACK:
		report.only_kernel = false;
		report.print_rows = NULL;
		return 0;
	case KEY_STACKS:
		report.print_rows = NULL;
		return 0;
	case ARGP_KEY_END:
		if (tool->metrics && !report.print_rows)
			usage_error("--metrics and stacks exclude each other: a stack is no label");
		if (tool->metrics && hold)
			usage_error("--metrics and --hold exclude each other: its numbers are of waits");
		return stack_report__parse(&report, tool, key, arg);
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

/* ---- rows by lock and caller */

/* docs/json.md: klockstat */
static const struct out_column lock_columns[] = {
	{ "COUNT", 8, NULL, NULL },
	{ "AVG(us)", 9, NULL, "avg_ns" },
	{ "MAX(us)", 9, NULL, "max_ns" },
	{ "TOTAL(us)", 11, NULL, "total_ns" },
	{ "TYPE", -12, NULL, "lock_type" },
	{ "COMM", -16, &by_comm, NULL },
	{ "CALLER", -28, &by_caller, NULL },
	{ "LOCK", 0, &by_lock, NULL },
	{ "LOCK_ADDR", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

/* The function that wants the lock. */
static const char *caller_of(const struct stack_key *key)
{
	size_t count = stacks__frames(&report.stacks, key);

	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *frame = &report.stacks.frames[i];

		if (frame->of_kernel && !lock_names__is_taking(frame->name))
			return frame->name;
	}
	return "[unknown]";
}

static void add_to_digest(struct stack_digest *digest, const void *bytes, size_t size)
{
	for (int half = 0; half < 2; half++)
		digest->halves[half] = cache__hash(digest->halves[half], bytes, size);
}

static struct stack_digest digest_of(void *ctx, const struct stack_key *key)
{
	struct stack_digest digest = { { CACHE_HASH_START, ~CACHE_HASH_START } };
	const char *type = lock_names__type(key->tag), *caller = by_caller ? caller_of(key) : "";

	(void)ctx;
	add_to_digest(&digest, type, strlen(type) + 1);
	add_to_digest(&digest, caller, strlen(caller) + 1);
	if (by_lock)
		add_to_digest(&digest, &((const struct klock_key *)key)->lock, sizeof(uint64_t));
	if (by_comm)
		add_to_digest(&digest, key->comm, strnlen(key->comm, sizeof(key->comm)) + 1);
	return digest;
}

static void put_time(struct out *out, uint64_t ns)
{
	out__int(out, (int64_t)(out->json ? ns : (ns + 500) / 1000));
}

static void put_text(struct out *out, const char *text)
{
	out__string(out, text, strlen(text));
}

/* In text a lock without a name is its address. */
static void put_lock(struct out *out, const struct klock_key *key)
{
	char text[NAMES_NAME_MAX], address[24];
	size_t length = (size_t)snprintf(address, sizeof(address), "0x%llx", (unsigned long long)key->lock);

	if (!by_lock) {
		out__none(out);
		out__none(out);
		return;
	}
	if (lock_names__of(&names, key->lock, text))
		put_text(out, text);
	else if (out->json)
		out__none(out);
	else
		out__string(out, address, length);
	out__string(out, address, length);
}

/* row->key: NULL for the others. */
static void print_row(struct tool *tool, const struct interval *interval, const struct stack_row *row)
{
	const struct stack_key *key = row->key;
	struct out *out = &tool->out;

	if (!row->value.count)
		return;
	out__row(out, interval->end_ns);
	out__int(out, (int64_t)row->value.count);
	put_time(out, row->value.ns / row->value.count);
	put_time(out, row->max_ns);
	put_time(out, row->value.ns);
	put_text(out, key ? lock_names__type(key->tag) : OTHERS);
	if (!key) {
		for (int i = 0; i < 4; i++)
			out__none(out);
		out__end(out);
		return;
	}
	if (by_comm)
		out__string(out, key->comm, sizeof(key->comm));
	else
		out__none(out);
	if (by_caller)
		put_text(out, caller_of(key));
	else
		out__none(out);
	put_lock(out, (const struct klock_key *)key);
	out__end(out);
}

static uint64_t time_of(const void *value)
{
	return ((const struct stack_value *)value)->ns;
}

static void print_locks(struct stack_report *of, const struct interval *interval, const struct stack_value *others)
{
	struct stack_row rest = { .value = *others };
	struct tool *tool = of->tool;
	struct stack_rows rows;

	if (stack_rows__make(&rows, interval->table, time_of, digest_of, NULL)) {
		tool__fail(tool, -ENOMEM, "no memory for %zu locks", interval->table->count);
		return;
	}
	for (size_t i = 0; i < rows.count; i++) {
		const struct stack_row *row = &rows.list[i];

		if (i < tool->options.rows_max || (tool->out.json && !tool->options.rows_asked)) {
			print_row(tool, interval, row);
			continue;
		}
		rest.value.count += row->value.count;
		rest.value.ns += row->value.ns;
		if (row->max_ns > rest.max_ns)
			rest.max_ns = row->max_ns;
	}
	print_row(tool, interval, &rest);
	stack_rows__free(&rows);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct klock_counts *counts = interval->cells;

	(void)tool;
	return stack_report__print(&report, interval, &counts->others);
}

/* ---- the programs */

/* In the order of enum klock_function. */
#define KLOCK_NAME(function, ...) #function,
static const char *const hold_functions[] = { KLOCK_TAKES(KLOCK_NAME) KLOCK_RELEASES(KLOCK_NAME) NULL };

/* What --hold sees is told: it is not what a wait costs, which is nothing where no one waits. */
static void prepare_hold(struct tool *tool)
{
	uint64_t addresses[KLOCK_FUNCTIONS] = { 0 };

	if (!hold) {
		for (int i = 0; i < skel->skeleton->prog_cnt; i++)
			if (!strncmp(bpf_program__name(*skel->skeleton->progs[i].prog), "hold_", 5))
				bpf_program__set_autoload(*skel->skeleton->progs[i].prog, false);
		bpf_map__set_autocreate(skel->maps.holds, false);
		return;
	}
	skel->rodata->hold = true;
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.holds, BPF_F_NO_PREALLOC);
	if (entries__choose(tool->attach, skel->obj, "hold_any", hold_functions, addresses))
		for (int i = 0; i < KLOCK_FUNCTIONS; i++)
			skel->rodata->function_at[i] = addresses[i];
	else if (kernel__version() < kernel_version(5, 11, 0))
		bpf_program__set_autoload(skel->progs.hold_down_read_interruptible, false);
	say("--hold probes mutex_lock, down_read, down_write, their interruptible and killable kin, mutex_unlock, up_read, up_write "
	    "and downgrade_write: each of these calls takes longer, of every task (-v: by which probes)");
}

/* Which programs, and what they ask for. */
static void prepare(struct tool *tool, bool has_events)
{
	bool preempted = kernel__preempts_programs();

	if (!has_events && kernel__is_rt())
		tool__fail(tool, -EOPNOTSUPP, "a real-time kernel tells who waits for locks since Linux 5.19 (event lock/contention_begin)");
	for (int i = 0; i < skel->skeleton->prog_cnt; i++) {
		struct bpf_program *program = *skel->skeleton->progs[i].prog;
		const char *section = bpf_program__section_name(program);

		if (!strcmp(section, "kprobe") || !strcmp(section, "kretprobe"))
			bpf_program__set_autoload(program, !has_events);
		else if (strstr(section, "contention_begin") && hold)
			bpf_program__set_autoload(program, false);
		else if (strstr(section, "contention"))
			bpf_program__set_autoload(program, has_events && (*section == 't') == preempted);
	}
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.calls, BPF_F_NO_PREALLOC);
	prepare_hold(tool);
	stack_report__prepare(&report, skel->obj);
}

/* The functions in which tasks wait; the return first: a wait that was seen to begin is then seen to end. */
#define ATTACH_WAIT(name, function)                                                                                           \
	do {                                                                                                                  \
		static const char *const functions[] = { function, NULL };                                                    \
		attach__kprobe(tool->attach, skel->progs.name##_exit, &skel->links.name##_exit, functions);                   \
		attach__kprobe(tool->attach, skel->progs.name##_enter, &skel->links.name##_enter, functions);                 \
	} while (0)

static int attach_own(struct tool *tool)
{
	int err = stack_report__open(&report, skel->obj);

	if (err)
		return err;
	/* those that are not loaded are skipped */
	ATTACH_WAIT(mutex, "__mutex_lock_slowpath");
	ATTACH_WAIT(mutex_interruptible, "__mutex_lock_interruptible_slowpath");
	ATTACH_WAIT(mutex_killable, "__mutex_lock_killable_slowpath");
	ATTACH_WAIT(read, "rwsem_down_read_slowpath");
	ATTACH_WAIT(write, "rwsem_down_write_slowpath");
	entries__attach(tool->attach, skel->progs.hold_any, &skel->links.hold_any, hold_functions);
	return tool->attach->err ? tool__fail(tool, tool->attach->err, "%s", tool->attach->error) : 0;
}

static const struct metric metrics[] = {
	{ "lock_waits_total", "Waits for the kernel's locks.", METRIC_COUNT, "count", "lock_type=type,lock,caller,comm" },
	{ "lock_wait_seconds_total", "Time that tasks waited for the kernel's locks.", METRIC_TIME, "total_ns", "lock_type=type,lock,caller,comm" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "klockstat",
	.summary = "Sums the time that tasks wait for the kernel's locks, or hold them, by lock and who wants it.",
	.examples = "  sudo klockstat -d 10              the locks that were waited for longest\n"
		    "  sudo klockstat --by lock,comm 1   who waits for them, each second\n"
		    "  sudo klockstat --stacks -n postgres  the stacks of its waits\n"
		    "  sudo klockstat --slower 1ms       long waits alone\n"
		    "  sudo klockstat --hold -d 5        the locks that were held longest\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = "Summing waits for locks. Ctrl-C ends it.",
	.counts = true,
	.sends_stacks = true,
	.keys_max = KLOCK_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	/* docs/json.md: klockstat --stacks */
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "LOCK", -32, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "TOTAL", 12, NULL, "total_ns" },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .attach_own = attach_own, .metric_columns = lock_columns };

	tool__parse(&tool, argc, argv);
	stack_report__set(&report, &tool, columns);
	if (report.print_rows && !report.folded)
		tool.columns = lock_columns;
	skel = klockstat_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		prepare(&tool, tracefs__has_event("lock/contention_begin"));
		lock_names__open(&names);
	}
	tool__run_intervals(&tool, skel, print_interval);
	stack_report__close(&report);
	klockstat_bpf__destroy(skel);
	lock_names__close(&names);
	return tool__finish(&tool);
}
