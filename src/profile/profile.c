/* SPDX-License-Identifier: BSD-2-Clause */
/* profile: what runs on the CPUs, by stack. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/cpus.h"
#include "lib/kernel/file.h"
#include "lib/run/argument.h"
#include "lib/run/habits.h"
#include "lib/run/intervals.h"
#include "lib/run/ranking.h"
#include "lib/run/stacks.h"
#include "lib/run/tally.h"
#include "profile.h"
#include "profile.skel.h"

#define HZ_DEFAULT 99		/* not 100: what happens each 10 ms would be met always, or never */
#define HZ_MAX 10000
#define NS_PER_S 1000000000ull
#define TEXT_MAX (16 << 20)

static struct {
	uint32_t hz;
	bool only_user, only_kernel, folded, idle;
	const char *picture;
} opt = { .hz = HZ_DEFAULT };

/* The timer of a CPU. */
struct timer {
	int cpu;
	int fd;
	struct bpf_link *link;		/* owns fd */
	uint64_t begin_ns, end_ns;	/* of the CPU's clock, as the event has it */
};

static struct stacks stacks;
static struct timer *timers;
static size_t timers_count;
static struct profile_bpf *skel_of_tool;
static uint64_t ticks, idle;		/* until the last cut */
static uint64_t due;			/* samples that there should have been by then */
static uint64_t cpus;			/* that have a timer */
static uint64_t missed, unrecorded;
static bool stopped;
static int picture_fd = -1;
static char ready[128];

enum { KEY_SVG = 0x200 };

static const struct argp_option options[] = {
	{ "frequency", 'F', "HZ", 0, "samples a second on each CPU (default 99)", 0 },
	{ "user-stacks", 'U', NULL, 0, "no stacks of the kernel", 0 },
	{ "kernel-stacks", 'K', NULL, 0, "no stacks of processes", 0 },
	{ "idle", 'I', NULL, 0, "show what idle CPUs do, too", 0 },
	{ "folded", 'f', NULL, 0, "a line for each stack, as flame graph programs read it", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "also write a flame graph, for a browser", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct habit habits[] = {
	{ "-a", "functions of the kernel are always marked" },
	{ "--annotations", "functions of the kernel are always marked" },
	{ "-L", "a thread is -t TID" },
	{ "--tid", "a thread is -t TID" },
	{ "--stack-storage-size", "--keys N" },
	{ NULL, NULL },
};

static void parse_frequency(const char *text)
{
	char limit[32];
	long most = file__read_small("/proc/sys/kernel/perf_event_max_sample_rate", limit, sizeof(limit)) > 0 ? atol(limit) : 0;

	opt.hz = (uint32_t)argument__number("-F", text, 1, HZ_MAX);
	if (most > 0 && opt.hz > (uint64_t)most)
		usage_error("-F \"%s\": at most %ld (the sysctl kernel.perf_event_max_sample_rate limits it)", text, most);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case 'F':
		parse_frequency(arg);
		return 0;
	case 'U':
		opt.only_user = true;
		return 0;
	case 'K':
		opt.only_kernel = true;
		return 0;
	case 'I':
		opt.idle = true;
		return 0;
	case 'f':
		opt.folded = true;
		return 0;
	case KEY_SVG:
		opt.picture = arg;
		return 0;
	case ARGP_KEY_END:
		if (opt.picture && tool->interval_ns)
			usage_error("--svg and INTERVAL exclude each other (-d ends it after a time)");
		if (opt.only_user && opt.only_kernel)
			usage_error("-U and -K exclude each other");
		if (opt.folded && tool->out.json)
			usage_error("-f and -j exclude each other");
		if (opt.folded && tool->interval_ns)
			usage_error("-f and INTERVAL exclude each other (-d ends it after a time)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the timers */

static int open_timer(struct tool *tool, struct timer *timer)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = NS_PER_S / opt.hz,
	};
	int err;

	timer->fd = (int)syscall(SYS_perf_event_open, &attr, -1, timer->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (timer->fd < 0) {
		err = -errno;
		if (err == -EACCES || err == -EPERM)
			return tool__fail(tool, err, "perf events are not allowed: %s (sysctl kernel.perf_event_paranoid, or a missing "
					  "CAP_PERFMON)", strerror(-err));
		return tool__fail(tool, err, "no timer on CPU %d: perf_event_open: %s", timer->cpu, strerror(-err));
	}
	timer->link = bpf_program__attach_perf_event(skel_of_tool->progs.on_sample, timer->fd);
	if (timer->link)
		return 0;
	err = -errno;
	close(timer->fd);
	return tool__fail(tool, err, "the timer of CPU %d: cannot be attached to: %s", timer->cpu, strerror(-err));
}

static int attach_timers(struct tool *tool)
{
	struct cpu_set online;
	int err = cpus__read(CPUS_ONLINE, &online);

	if (err)
		return tool__fail(tool, err, CPUS_ONLINE " cannot be read: %s", strerror(-err));
	timers = calloc(CPUS_MAX, sizeof(*timers));
	if (!timers)
		return tool__fail(tool, -ENOMEM, "no memory for the timers");
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!cpu_set__has(&online, cpu))
			continue;
		timers[timers_count].cpu = cpu;
		if (open_timer(tool, &timers[timers_count]))
			return tool->err;
		timers_count++;
	}
	cpus = timers_count;
	err = stacks__open(&stacks, skel_of_tool->obj);
	if (err)
		return tool__fail(tool, err, "stacks cannot be read: %s", strerror(-err));
	/* not before the start has succeeded: it may be a picture that somebody wants to keep */
	if (opt.picture)
		picture_fd = open(opt.picture, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (opt.picture && picture_fd < 0)
		return tool__fail(tool, -errno, "--svg \"%s\": cannot be written: %s", opt.picture, strerror(errno));
	return 0;
}

static void close_timers(void)
{
	for (size_t i = 0; i < timers_count; i++)
		bpf_link__destroy(timers[i].link);
	free(timers);
	timers = NULL;
	timers_count = 0;
}

static int read_clock(const struct timer *timer, uint64_t *ns)
{
	return read(timer->fd, ns, sizeof(*ns)) == sizeof(*ns) ? 0 : -errno;
}

/* How many samples there should be by now. */
static int count_due(void)
{
	int err = 0;

	due = 0;
	for (size_t i = 0; i < timers_count && !err; i++) {
		err = read_clock(&timers[i], &timers[i].end_ns);
		due += (timers[i].end_ns - timers[i].begin_ns) / (NS_PER_S / opt.hz);
	}
	return err;
}

/* ---- the counter (lib/run/intervals.h) */

static int wake_fd(void *ctx)
{
	(void)ctx;
	return stacks__wake_fd(&stacks);
}

static int start_counting(void *ctx)
{
	int err = 0;

	(void)ctx;
	for (size_t i = 0; i < timers_count && !err; i++)
		err = read_clock(&timers[i], &timers[i].begin_ns);
	return err;
}

static int read_stacks(void *ctx)
{
	(void)ctx;
	return stacks__read(&stacks);
}

static void cut(void *ctx)
{
	struct tool *tool = ctx;
	int err = stopped ? 0 : count_due();

	/* the keys that are printed next: their stacks were sent before they were counted */
	if (!err)
		err = stacks__read(&stacks);
	if (!err)
		err = stacks__name(&stacks);
	if (err)
		tool__fail(tool, err, "stacks cannot be read: %s", strerror(-err));
}

static int stop_counting(void *ctx)
{
	int err = count_due();

	(void)ctx;
	stopped = true;
	close_timers();
	return err;
}

/*
 * What the timers should have made, and the program did not see: the CPU was not there (a hypervisor's steal time), interrupts were off
 * for longer than a period, or another program was running.  A sample of each CPU may be due and under way when counting ends; so many
 * do not count.
 */
static void count_missed(void *ctx, struct tally *tally)
{
	uint64_t seen = ticks + cpus;

	(void)ctx;
	/* between two cuts it may get smaller again: what was told stays told */
	if (due > seen + missed)
		missed = due - seen;
	tally->missed = missed;
	tally->missed_known = true;
}

/* ---- printing */

static uint64_t weigh(const void *value)
{
	return ((const struct profile_value *)value)->samples;
}

/* comm: NULL for the others. */
static void print_row(struct tool *tool, const struct interval *interval, const struct stack_key *key, size_t frames, uint64_t samples)
{
	static const char others[] = "(others)";

	out__row(&tool->out, interval->end_ns);
	if (key) {
		out__int(&tool->out, key->pid);
		out__string(&tool->out, key->comm, sizeof(key->comm));
	} else {
		out__none(&tool->out);
		out__string(&tool->out, others, strlen(others));
	}
	out__int(&tool->out, (int64_t)samples);
	stacks__columns(&stacks, frames, &tool->out);
	out__end(&tool->out);
}

static void print_text(struct tool *tool, struct text_buffer *text)
{
	size_t length = text->length;
	char *all = text_buffer__take(text);

	if (!all)
		tool__fail(tool, -ENOMEM, "no memory for a stack");
	else if (length)
		out__line(&tool->out, all, length - 1);
	free(all);
}

static void print_stack(struct tool *tool, const struct interval *interval, const struct stack_key *key, uint64_t samples,
			uint64_t counted)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	size_t count = stacks__frames(&stacks, key);
	struct interval_key named;
	char comm[TASK_COMM_LEN + 1];

	if (tool->out.json) {
		print_row(tool, interval, key, count, samples);
		return;
	}
	snprintf(comm, sizeof(comm), "%.*s", TASK_COMM_LEN, key->comm);
	if (opt.folded) {
		stacks__add_folded(&stacks, count, comm, samples, &text);
	} else {
		interval_key__task(&named, key->pid, 0, key->comm);
		text_buffer__add(&text, "%10llu %5.1f %%  %s\n", (unsigned long long)samples, (double)samples * 100 / (double)counted,
				 named.text);
		stacks__add_text(&stacks, count, &text);
	}
	print_text(tool, &text);
}

static void print_others(struct tool *tool, const struct interval *interval, uint64_t samples, uint64_t without_room, uint64_t counted)
{
	struct text_buffer text = text_buffer__growing(1024);

	if (!samples)
		return;
	if (tool->out.json) {
		print_row(tool, interval, NULL, 0, samples);
		return;
	}
	if (opt.folded)
		text_buffer__add(&text, "(others) %llu\n", (unsigned long long)samples);
	else
		text_buffer__add(&text, "%10llu %5.1f %%  others%s\n", (unsigned long long)samples,
				 (double)samples * 100 / (double)counted,
				 without_room ? ", also those that found no room (--keys)" : " (-r shows more)");
	print_text(tool, &text);
}

/* The samples of stacks that no record came of, as the ring buffer was full. */
static uint64_t count_unrecorded(const struct table *table)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < table->count; i++)
		if (!stacks__has(&stacks, table__key(table, i)))
			samples += weigh(table__value(table, i));
	return samples;
}

/* All stacks, also those that text leaves out. */
static void draw(struct tool *tool, const struct table *table, uint64_t without_room)
{
	static const struct flame_frame others = { "(others)", FLAME_REMARK };
	struct flame *flame = flame__new();
	int err = flame ? 0 : -ENOMEM;

	for (size_t i = 0; i < table->count && !err; i++) {
		const struct stack_key *key = table__key(table, i);
		char comm[TASK_COMM_LEN + 1];

		snprintf(comm, sizeof(comm), "%.*s", TASK_COMM_LEN, key->comm);
		err = stacks__add_flame(&stacks, stacks__frames(&stacks, key), comm, weigh(table__value(table, i)), flame);
	}
	if (!err && without_room)
		err = flame__add(flame, &others, 1, without_room);
	if (!err)
		err = flame__write(flame, picture_fd, "profile", "samples");
	flame__free(flame);
	if (err)
		tool__fail(tool, err, "--svg \"%s\": cannot be written: %s", opt.picture, strerror(-err));
}

/* JSON and folded stacks have the heaviest first, text has it last, where the eye is. */
static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct profile_counts *counts = interval->cells;
	const struct table *table = interval->table;
	struct ranked *ranking = ranking__make(table, weigh);
	bool is_text = !tool->out.json && !opt.folded;
	/* what programs read is whole unless somebody asks for less */
	size_t shown = is_text || tool->rows_asked ? tool->rows_max : table->count;
	uint64_t counted = counts->others, others = counts->others;

	ticks += counts->ticks;
	idle += counts->idle;
	unrecorded += count_unrecorded(table);
	if (!ranking) {
		tool__fail(tool, -ENOMEM, "no memory for %zu stacks", table->count);
		return 0;
	}
	if (shown > table->count)
		shown = table->count;
	for (size_t i = 0; i < table->count; i++) {
		counted += ranking[i].weight;
		others += i < shown ? 0 : ranking[i].weight;
	}
	if (is_text)
		print_others(tool, interval, others, counts->others, counted);
	for (size_t i = 0; i < shown; i++) {
		const struct ranked *ranked = &ranking[is_text ? shown - 1 - i : i];

		print_stack(tool, interval, table__key(table, ranked->row), ranked->weight, counted);
	}
	if (!is_text)
		print_others(tool, interval, others, counts->others, counted);
	free(ranking);
	if (picture_fd >= 0)
		draw(tool, table, counts->others);
	return counted;
}

static void tell_more(const struct tool *tool)
{
	/* after a failure that is what matters */
	if (tool->err || tool->out.error)
		return;
	if (unrecorded)
		say("%llu samples are of stacks that found no room in the ring buffer, \"" STACK_LOST "\"", (unsigned long long)unrecorded);
	if (idle)
		say("%llu samples of %llu were of idle CPUs, and are among the filtered (-I shows them)", (unsigned long long)idle,
		    (unsigned long long)ticks);
}

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	struct tool tool = {
		.name = "profile",
		.summary = "Counts what runs on the CPUs, by stack of calls.",
		.examples = "  sudo profile -d 10               the stacks with most samples of ten seconds\n"
			    "  sudo profile -p 1234 -U          functions of one process\n"
			    "  sudo profile -d 30 --svg p.svg   a flame graph\n"
			    "  sudo profile -f -d 30 >out       for flame graph programs\n",
		.options = options,
		.parse = parse,
		.habits = habits,
		.ready = ready,
		.counts = true,
		.keys_max = PROFILE_KEYS,
		.attach_own = attach_timers,
		.before_summary = tell_more,
	};
	struct counter counter = {
		.ctx = &tool, .period_ms = 1000, .wake_fd = wake_fd, .start = start_counting, .read = read_stacks, .cut = cut,
		.stop = stop_counting, .tally = count_missed,
	};

	tool__parse(&tool, argc, argv);
	snprintf(ready, sizeof(ready), "Sampling each CPU at %u Hz. Ctrl-C ends it.", opt.hz);
	tool.counter = &counter;
	tool.columns = tool.out.json ? columns : NULL;
	tool.bare = opt.folded;
	tool.reads_processes = !opt.only_kernel;
	skel_of_tool = profile_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel_of_tool)) {
		skel_of_tool->rodata->with_idle = opt.idle;
		skel_of_tool->rodata->no_kernel = opt.only_user;
		skel_of_tool->rodata->no_user = opt.only_kernel;
		stacks__prepare(skel_of_tool->obj);
	}
	tool__run_intervals(&tool, skel_of_tool, print_interval);
	close_timers();
	stacks__close(&stacks);
	if (picture_fd >= 0)
		close(picture_fd);
	profile_bpf__destroy(skel_of_tool);
	return tool__finish(&tool);
}
