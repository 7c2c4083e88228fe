/* SPDX-License-Identifier: BSD-2-Clause */
#include "sections.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>


#include "lib/print/json.h"
#include "lib/print/text_buffer.h"
#include "lib/run/argument.h"
#include "lib/run/intervals.h"

#define NS_PER_US 1000
#define PERIOD_MIN_US 10	/* the floor of perf_swevent_start_hrtimer() in kernel/events/core.c */
#define PERIOD_MAX_US 1000000
enum { KEY_SLOWER = 0x300, KEY_PERIOD, KEY_ENGINE, KEY_CPUS, KEY_FUNCTIONS, KEY_STACK };

/* For columns. */
static bool source_shown, stack_shown, count_shown, steal_shown, functions_shown;

static const char *const engine_names[] = { "auto", "exact", "stock", "ftrace", "timerlat" };

#define SHARED_OPTIONS                                                                                                \
	{ "slower", KEY_SLOWER, "TIME", 0, "sections of TIME or more (10ms, 500us): a line for each", 0 },            \
	{ "dist", 'H', NULL, 0, "a histogram, and the longest", 0 },                                                  \
	{ "stack", KEY_STACK, NULL, 0, "the kernel stack at the section's end", 0 },                                  \
	{ NULL, 's', NULL, OPTION_HIDDEN, NULL, 0 },                                                                  \
	{ "idle", 'I', NULL, 0, "also sections in the idle task: idle CPUs wake late from deep sleep", 0 },                              \
	{ "engine", KEY_ENGINE, "ENGINE", 0, "auto (default), exact, stock, ftrace or timerlat", 0 },                 \
	{ "functions", KEY_FUNCTIONS, NULL, 0, "with --engine ftrace: the functions that ran in the section", 0 }

#define TIMER_OPTIONS                                                                                                 \
	{ "period", KEY_PERIOD, "US", 0, "of the timer on each CPU (default 100)", 0 },                               \
	{ "cpus", KEY_CPUS, "LIST", 0, "a timer on these CPUs only, such as 0-3,5 (default: all but isolated ones)", 0 }

#define SWITCH_OPTIONS { "lazy", 'l', NULL, 0, "also delays of lazy preemption", 0 }

#define END_OF_OPTIONS { NULL, 0, NULL, 0, NULL, 0 }

const struct argp_option sections_irq_options[] = { SHARED_OPTIONS, TIMER_OPTIONS, END_OF_OPTIONS };
const struct argp_option sections_preempt_options[] = { SHARED_OPTIONS, SWITCH_OPTIONS, END_OF_OPTIONS };
const struct argp_option sections_both_options[] = { SHARED_OPTIONS, TIMER_OPTIONS, SWITCH_OPTIONS, END_OF_OPTIONS };

/* docs/json.md: irqsoff, preemptirqsoff, preemptoff */
const struct out_column sections_columns[] = {
	{ "US", 10, NULL, "lat_ns" },
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "SOURCE", -6, &source_shown, NULL },
	{ "FROM", -32, NULL, NULL },
	{ "TO", -32, NULL, NULL },
	{ "COUNT", 8, &count_shown, NULL },
	{ "STEAL_MS", 8, &steal_shown, NULL },
	{ "STACK", -1, &stack_shown, NULL },
	{ "FUNCTIONS", -1, &functions_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
const char *const sections_spare[] = { "CPU", "SOURCE", "PID", NULL };

static uint64_t parse_us(const char *option, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		usage_error("%s \"%s\": not a number of microseconds from %llu to %llu", option, text, (unsigned long long)min,
			    (unsigned long long)max);
	return value * NS_PER_US;
}

static enum sections_engine parse_engine(const char *text)
{
	for (size_t i = 0; i < sizeof(engine_names) / sizeof(*engine_names); i++)
		if (!strcmp(text, engine_names[i]))
			return (enum sections_engine)i;
	usage_error("--engine \"%s\": not one of auto, exact, stock, ftrace, timerlat", text);
}

const char *sections__engine_name(const struct sections *sections)
{
	return engine_names[sections->engine];
}

bool sections__shows_steal(const struct sections *sections)
{
	return (sections__has_timers(sections) || sections->engine == SECTIONS_TIMERLAT) && !sections->slower_given;
}

/* Whether sums are printed instead of rows. */
static bool is_counting(const struct sections *sections)
{
	return sections->wants.hist || (sections->tool->options.interval_ns && !sections->tool->counting);
}

/* What the engines without programs do not have. */
static void check_tracer(const struct sections *sections)
{
	const char *name = sections__engine_name(sections);

	if (sections->wants.counting)
		usage_error("--engine %s: gives rows, no sums (-H, INTERVAL)", name);
	if (sections->period_ns || sections->cpus_given)
		usage_error("--period and --cpus: the engine %s does not use the tool's timers", name);
	if (sections->tool->options.ring_size)
		usage_error("--buffer: the engine %s does not use the tool's ring buffer", name);
	if (sections->wants.lazy)
		usage_error("--lazy: not with the engine %s", name);
	if (sections->engine == SECTIONS_FTRACE && sections->wants.idle)
		usage_error("--idle: the kernel's tracer leaves idle CPUs out");
	if (sections->engine == SECTIONS_TIMERLAT && sections->wants.stack)
		usage_error("--stack: the engine timerlat has none");
}

static void check_options(struct sections *sections)
{
	struct tool *tool = sections->tool;

	sections->wants.counting = is_counting(sections);
	sections->wants.all = sections->slower_given;
	if (sections->wants.counting && tool->options.events_max)
		usage_error("--max-events: for rows, not with -H or INTERVAL");
	if (sections->wants.counting && tool->options.ring_size)
		usage_error("--buffer: for rows, not with -H or INTERVAL");
	if (sections->wants.hist && sections->wants.stack)
		usage_error("-H and --stack exclude each other");
	if (sections->engine == SECTIONS_EXACT && (sections->period_ns || sections->cpus_given))
		usage_error("--period and --cpus: the engine exact has no timers");
	if (sections->functions && sections->engine != SECTIONS_FTRACE)
		usage_error("--functions: needs --engine ftrace");
	if (sections->engine >= SECTIONS_FTRACE)
		check_tracer(sections);
	tool->counts = sections->wants.counting;
	if (sections->wants.hist)
		tool->columns = NULL;
	count_shown = sections->wants.counting;
	stack_shown = sections->wants.stack;
	functions_shown = sections->functions;
}

const struct renamed sections_renamed[] = {
	{ 's', KEY_STACK, "-s", "--stack", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

error_t sections__parse_option(int key, char *arg, struct argp_state *state)
{
	struct sections *sections = ((struct tool *)state->input)->ctx;

	switch (key) {
	case KEY_SLOWER:
		sections->wants.slower_ns = argument__time("--slower", arg);
		if (!sections->wants.slower_ns)
			usage_error("--slower \"%s\": more than 0", arg);
		sections->slower_given = true;
		return 0;
	case KEY_PERIOD:
		sections->period_ns = parse_us("--period", arg, PERIOD_MIN_US, PERIOD_MAX_US);
		sections->period_given = true;
		return 0;
	case KEY_ENGINE:
		sections->engine = parse_engine(arg);
		return 0;
	case KEY_FUNCTIONS:
		sections->functions = true;
		return 0;
	case KEY_CPUS:
		if (!*arg || cpu_set__parse(&sections->cpus, arg))
			usage_error("--cpus \"%s\": not a list of CPUs, such as 0-3,5", arg);
		sections->cpus_given = true;
		return 0;
	case 'H':
		sections->wants.hist = true;
		return 0;
	case KEY_STACK:
		sections->wants.stack = true;
		return 0;
	case 'I':
		sections->wants.idle = true;
		return 0;
	case 'l':
		sections->wants.lazy = true;
		return 0;
	case ARGP_KEY_END:
		check_options(sections);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int attach_own(struct tool *tool)
{
	return sections__attach(tool->ctx);
}

void sections__parse(struct sections *sections, struct tool *tool, int argc, char **argv)
{
	sections->tool = tool;
	sections->shape = hist_shape__of(HIST_USECS);
	tool->ctx = sections;
	tool->shape = &sections->shape;
	tool->attach_own = attach_own;
	if (sections->kinds & SECTION_PREEMPT)
		tool->attach = &sections->attach;
	tool__parse(tool, argc, argv);
}

/* The values of a row but COUNT and those behind it. */
static void put_section(struct sections *sections, const struct section *section, uint64_t ts_ns)
{
	const struct ksyms *ksyms = sections__symbols(sections);
	struct out *out = &sections->tool->out;
	char name[SECTION_NAME_SIZE];

	out__row(out, ts_ns);
	out__latency(out, section->ns);
	out__int(out, section->cpu);
	out__int(out, section->task.pid);
	out__int(out, section->task.tid);
	out__int(out, section->task.uid);
	out__string(out, section->task.comm, sizeof(section->task.comm));
	tool__cgroup(sections->tool, section->task.cgroup_id);
	out__string(out, section__source(section), 16);
	section__from(section, ksyms, name);
	out__string(out, name, sizeof(name));
	section__to(section, ksyms, name);
	out__string(out, name, sizeof(name));
}

static void put_stack(struct sections *sections, const struct section *section)
{
	static char stack[SECTION_STACK_SIZE];

	out__strings(&sections->tool->out, stack,
		     sections->wants.stack ? section__stack(section, sections__symbols(sections), stack) : 0, 0);
	out__strings(&sections->tool->out, "", 0, 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct section *section = data;
	struct sections *sections = tool->ctx;

	(void)size;
	put_section(sections, section, section->task.ts_ns);
	out__none(&tool->out);
	if (steal_shown)
		out__int(&tool->out, (int64_t)(cpus__steal_ms() - sections->steal_ms));
	else
		out__none(&tool->out);
	put_stack(sections, section);
}

/* The longest section of the interval that has ended; NULL: there was none.  The programs go on with the other cells. */
static const struct section *take_longest(struct sections *sections)
{
	uint64_t epoch = *sections->epoch;
	const struct section *found = NULL;

	__atomic_store_n(sections->epoch, epoch + 1, __ATOMIC_SEQ_CST);
	/* synchronize_rcu(): no program writes the old cells any more */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	for (size_t i = epoch & 1; i < sections->longest_size / sizeof(*sections->longest); i += 2) {
		const struct section *section = &sections->longest[i];

		if (section->epoch == epoch && (!found || section->ns > found->ns))
			found = section;
	}
	return found;
}

/* The longest below a histogram: not a row, as its section is in a bucket. */
static void print_longest(struct sections *sections, const struct interval *interval, const struct section *section, uint64_t steal_ms)
{
	struct text_buffer text = text_buffer__growing(1 << 16);
	struct tool *tool = sections->tool;
	const char *names[4] = { section->task.comm, section__source(section) };
	char from[SECTION_NAME_SIZE], to[SECTION_NAME_SIZE], quoted[4][6 * SECTION_NAME_SIZE + 3], *line;

	section__from(section, sections__symbols(sections), from);
	section__to(section, sections__symbols(sections), to);
	names[2] = from;
	names[3] = to;
	for (size_t i = 0; i < 4; i++)
		*json__quote(quoted[i], names[i], strnlen(names[i], i ? SECTION_NAME_SIZE : TASK_COMM_LEN)) = 0;
	if (tool->out.json)
		text_buffer__add(&text, "{\"type\":\"longest\",\"tool\":\"%s\",\"longest\":{\"n\":%llu,\"lat_ns\":%llu,\"cpu\":%u,\"pid\":%u,"
				 "\"comm\":%s,\"source\":%s,\"from\":%s,\"to\":%s,\"steal_ms\":%llu}}", tool->about->name,
				 (unsigned long long)interval->number, (unsigned long long)section->ns, section->cpu,
				 section->task.pid, quoted[0], quoted[1], quoted[2], quoted[3], (unsigned long long)steal_ms);
	else
		text_buffer__add(&text, "longest %llu.%03llu us: CPU %u, pid %u %s, from %s to %s (%s); steal time %llu ms",
				 (unsigned long long)section->ns / 1000, (unsigned long long)section->ns % 1000, section->cpu,
				 section->task.pid, quoted[0], from, to, section__source(section), (unsigned long long)steal_ms);
	line = text_buffer__take(&text);
	if (line)
		out__line(&tool->out, line, strlen(line));
	free(line);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	struct sections *sections = tool->ctx;
	const struct section_counts *counts = interval->cells;
	const struct section *section = take_longest(sections);
	uint64_t steal_ms = cpus__steal_ms(), stolen_ms = steal_ms - sections->steal_ms;

	sections->steal_ms = steal_ms;
	if (sections->wants.hist) {
		struct hist_view lengths = hist_view__of(tool->shape, &counts->lengths);

		interval__hist(tool, interval, &lengths, NULL, NULL);
		if (section)
			print_longest(sections, interval, section, stolen_ms);
		return hist_view__count(&lengths);
	}
	if (counts->count) {
		/* counted before the interval was cut, noted after: then it is the next interval's longest */
		static const struct section unknown = { .source = SECTION_TIMER, .frames_size = -1 };

		put_section(sections, section ? section : &unknown, interval->end_ns);
		out__int(&tool->out, (int64_t)counts->count);
		out__int(&tool->out, (int64_t)stolen_ms);
		put_stack(sections, section ? section : &unknown);
		out__end(&tool->out);
	}
	return counts->count;
}

int sections__run(struct sections *sections, struct tool *tool, void *skel)
{
	if (!tool__opened(tool, skel))
		return tool->err;
	if (sections->engine < SECTIONS_FTRACE && sections__prepare(sections))
		return tool->err;
	source_shown = (sections->engine == SECTIONS_STOCK || sections->engine == SECTIONS_TIMERLAT) &&
		       sections->kinds == (SECTION_IRQS | SECTION_PREEMPT);
	steal_shown = sections__shows_steal(sections);
	if (sections->engine >= SECTIONS_FTRACE)
		return sections__run_tracer(sections, tool);
	if (sections->wants.counting)
		tool__run_intervals(tool, skel, print_interval);
	else
		tool__run(tool, skel, print_event);
	cpu_timers__end(&sections->timers);
	return tool->err;
}

int sections__finish(struct sections *sections, struct tool *tool)
{
	if (sections->longest)
		munmap(sections->longest, sections->longest_size);
	ksyms__free(sections->ksyms);
	free(sections->start_members);
	return tool__finish(tool);
}
