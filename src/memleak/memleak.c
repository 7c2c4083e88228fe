/* SPDX-License-Identifier: BSD-2-Clause */
/* memleak: memory that is allocated and not freed, by stack: of a process, or of the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocator.h"
#include "allocations.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/stack_report.h"
#include "memleak.skel.h"

#define RATE_MAX 1000000	/* without --rate: each call takes two traps of the program that is traced */

enum what { WHAT_UNKNOWN, WHAT_PROCESS, WHAT_SLAB, WHAT_PAGES, WHAT_PERCPU };

static struct {
	enum what what;
	const char *file;	/* --shared */
	bool follows, mappings;
	uint64_t older_ns, sample, allocations;
} opt = { .sample = 1, .allocations = MEMLEAK_ALLOCATIONS };

/* Of the whole run. */
static struct memleak_counts totals;
static uint64_t still, still_bytes;		/* in the table, at the last look */
static uint64_t gone, gone_bytes;		/* with their processes' memory */

static struct allocator_wants wants;
static struct stack_report report = {
	.types = { { "allocations", "count" }, { "memory", "bytes" } }, STACK_REPORT_FILES,
	.unit = "bytes", .is_bytes = true, .counted = "allocation", .keeps_stacks = true,
};
static struct memleak_bpf *skel;

enum { KEY_KERNEL = 0x200, KEY_SHARED, KEY_OLDER, KEY_SAMPLE, KEY_ALLOCATIONS, KEY_FOLLOW, KEY_MMAP };

static const struct argp_option options[] = {
	{ "kernel", KEY_KERNEL, "WHAT", 0, "the kernel's own memory: slab (the default), pages or percpu", 0 },
	{ "shared", KEY_SHARED, "FILE", 0, "the allocator in this library or program, of all processes or of -p", 0 },
	{ "follow", KEY_FOLLOW, NULL, 0, "with --shared, also files that come under its name while it runs: upgrades, containers", 0 },
	{ "mmap", KEY_MMAP, NULL, 0, "also memory that the process maps itself: mmap(2) without a file", 0 },
	{ "older", KEY_OLDER, "SECONDS", 0, "only show what was allocated so long ago, or longer", 0 },
	{ "sample", KEY_SAMPLE, "N", 0, "keep one of N addresses, and multiply: estimates for less memory", 0 },
	{ "allocations", KEY_ALLOCATIONS, "N", 0, "room for N allocations at a time (262144)", 0 },
	STACK_REPORT_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-a", "-j has all stacks, and what is there in all" },
	{ "--show-allocs", "-j has all stacks, and what is there in all" },
	{ "-s", "--sample N" },
	{ "--sample-rate", "--sample N" },
	{ "-z", "allocations of all sizes are shown" },
	{ "-Z", "allocations of all sizes are shown" },
	{ "-O", "--shared FILE names a library or program" },
	{ "--obj", "--shared FILE names a library or program" },
	{ "-T", "-r ROWS" },
	{ "--top", "-r ROWS" },
	{ "--combined-only", "it always sums by stack" },
	{ "--percpu", "--kernel=percpu" },
	{ "--command", "memleak -- COMMAND" },
	{ "-f", "folded stacks are --folded" },
	{ "--count", "it sums by stack; slabratetop counts the kernel's allocations by cache" },
	{ "--by", "it sums by stack, as what leaks is a place in the code; slabratetop --by comm,cache counts allocations by task" },
	{ "--hist", "it sums by stack" },
	{ NULL, NULL },
};

static enum what what_of(const char *word)
{
	if (!strcmp(word, "slab"))
		return WHAT_SLAB;
	if (!strcmp(word, "pages"))
		return WHAT_PAGES;
	if (!strcmp(word, "percpu"))
		return WHAT_PERCPU;
	usage_error("--kernel=%s: not slab, pages or percpu", word);
}

static void check(const struct tool *tool)
{
	if (opt.what && opt.file)
		usage_error("--kernel and --shared exclude each other");
	if (opt.follows && !opt.file)
		usage_error("--follow: for the files of a name (--shared)");
	if (!opt.what)
		opt.what = tool->options.filter.pids_count || tool->command.argv || opt.file ? WHAT_PROCESS : WHAT_SLAB;
	if (opt.what != WHAT_PROCESS && opt.mappings)
		usage_error("--mmap: for the memory of a process (-p PID, --shared FILE, -- COMMAND)");
	if (opt.what == WHAT_PROCESS && report.only_kernel)
		usage_error("-K: a process allocates in its own code (--kernel is for the kernel's memory)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_KERNEL:
		opt.what = what_of(arg);
		return 0;
	case KEY_FOLLOW:
		opt.follows = true;
		return 0;
	case KEY_MMAP:
		opt.mappings = true;
		return 0;
	case KEY_SHARED:
		opt.file = arg;
		return 0;
	case KEY_OLDER:
		opt.older_ns = argument__seconds("--older", arg);
		return 0;
	case KEY_SAMPLE:
		opt.sample = argument__number("--sample", arg, 1, 1000000);
		return 0;
	case KEY_ALLOCATIONS:
		opt.allocations = argument__number("--allocations", arg, 1, 16 * 1024 * 1024);
		return 0;
	case ARGP_KEY_END:
		check(tool);
		return stack_report__parse(&report, tool, key, arg);
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

/* ---- what is there */

/* Those that realloc() has taken out of the table, and has not put back yet. */
static uint64_t moving(void)
{
	return totals.moving_begun - totals.moving_ended;
}

static uint64_t moving_bytes(void)
{
	return totals.moving_begun_bytes - totals.moving_ended_bytes;
}

static void add_json(struct text_buffer *to)
{
	const struct {
		const char *name;
		uint64_t value;
	} members[] = {
		{ "allocs", totals.allocs }, { "alloc_bytes", totals.alloc_bytes }, { "frees", totals.frees },
		{ "freed_bytes", totals.freed_bytes }, { "still", still }, { "still_bytes", still_bytes }, { "gone", gone },
		{ "gone_bytes", gone_bytes }, { "moving", moving() }, { "moving_bytes", moving_bytes() }, { "reused", totals.reused },
		{ "reused_bytes", totals.reused_bytes }, { "no_room", totals.no_room }, { "no_room_bytes", totals.no_room_bytes },
		{ "unknown_frees", totals.unknown }, { "failed", totals.failed },
	};

	text_buffer__add(to, "{\"type\":\"memory\",\"tool\":\"memleak\",\"memory\":{\"sample\":%llu", (unsigned long long)opt.sample);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		text_buffer__add(to, ",\"%s\":%llu", members[i].name, (unsigned long long)(members[i].value * opt.sample));
	text_buffer__add(to, ",\"execs_lost\":%llu}}", (unsigned long long)totals.execs_lost);
}

static void add_part(struct text_buffer *to, const char *between, uint64_t count, uint64_t bytes, const char *words)
{
	if (count)
		text_buffer__add(to, "%s%llu %s (%llu bytes)", between, (unsigned long long)(count * opt.sample), words,
				 (unsigned long long)(bytes * opt.sample));
}

static void add_text(struct text_buffer *to)
{
	text_buffer__add(to, "%s%llu allocated (%llu bytes) = %llu freed (%llu bytes) + %llu still there (%llu bytes)",
			 opt.sample > 1 ? "estimated: " : "", (unsigned long long)(totals.allocs * opt.sample),
			 (unsigned long long)(totals.alloc_bytes * opt.sample), (unsigned long long)(totals.frees * opt.sample),
			 (unsigned long long)(totals.freed_bytes * opt.sample), (unsigned long long)(still * opt.sample),
			 (unsigned long long)(still_bytes * opt.sample));
	add_part(to, " + ", gone, gone_bytes, "gone with their programs");
	add_part(to, " + ", moving(), moving_bytes(), "in realloc()");
	add_part(to, " + ", totals.reused, totals.reused_bytes, "freed unseen");
	add_part(to, " + ", totals.no_room, totals.no_room_bytes, "without room");
	if (totals.unknown)
		text_buffer__add(to, "; %llu frees of what was not seen allocated", (unsigned long long)(totals.unknown * opt.sample));
	if (totals.failed)
		text_buffer__add(to, "; %llu failed", (unsigned long long)totals.failed);
	if (totals.execs_lost)
		text_buffer__add(to, "; no room for %llu executed programs: what their processes had before may still be listed (try -p)",
				 (unsigned long long)totals.execs_lost);
}

static void print_totals(struct tool *tool, const struct interval *interval)
{
	struct text_buffer text = text_buffer__growing(4096);

	(void)interval;
	if (tool->out.json) {
		add_json(&text);
	} else {
		add_text(&text);
		text_buffer__add(&text, "\n\n");
	}
	interval__text(tool, &text);
}

static void add_counts(const struct memleak_counts *counts)
{
	const uint64_t *from = (const uint64_t *)counts;
	uint64_t *to = (uint64_t *)&totals;

	for (size_t i = 0; i < sizeof(totals) / sizeof(*to); i++)
		to[i] += from[i];
}

static int look(struct allocations *blocks)
{
	int fd = bpf_map__fd(skel->maps.allocations);
	/* a batch disables programs on its CPU for a moment, which ends no allocation that is no process's */
	bool by_key = opt.what != WHAT_PROCESS && kernel__preempts_programs() && !report.is_stopped;
	int err = allocations__read(blocks, fd, (uint32_t)opt.allocations, by_key);

	if (!err && opt.what == WHAT_PROCESS)
		allocations__remove_gone(blocks, fd, bpf_map__fd(skel->maps.execs), !wants.pid, &gone, &gone_bytes);
	still = blocks->count;
	still_bytes = 0;
	for (size_t i = 0; i < blocks->count; i++)
		still_bytes += blocks->list[i].block.bytes;
	return err;
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	(void)tool;
	add_counts(interval->cells);
}

/* docs/json.md: none */
static const struct out_column metric_columns[] = {
	{ "ALLOCS", 10, NULL, NULL },
	{ "ALLOC_BYTES", 10, NULL, NULL },
	{ "FREES", 10, NULL, NULL },
	{ "FREED_BYTES", 10, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* Of the interval, for --metrics. */
static uint64_t print_counts(struct tool *tool, const struct interval *interval, const struct table *table)
{
	const struct memleak_counts *counts = interval->cells;
	const uint64_t values[] = { counts->allocs, counts->alloc_bytes, counts->frees, counts->freed_bytes };
	uint64_t shown = 0;

	out__row(&tool->out, interval->end_ns);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		out__int(&tool->out, (int64_t)(values[i] * opt.sample));
	out__end(&tool->out);
	for (size_t i = 0; i < table->count; i++)
		shown += ((const struct stack_value *)table__value(table, i))->count;
	return shown;
}

/* Gives how many allocations its rows have. */
static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct stack_value nothing = { 0 };
	struct interval with_table = *interval;
	struct table table = TABLE_NONE;
	struct allocations blocks = { NULL };
	int err = look(&blocks);
	uint64_t shown = 0;

	if (!err)
		err = allocations__sum(&blocks, interval->end_ns > opt.older_ns ? interval->end_ns - opt.older_ns : 0, opt.sample, &table);
	with_table.table = &table;
	if (err)
		tool__fail(tool, err, "the table of allocations cannot be read: %s", strerror(-err));
	else if (metrics__is_taking(tool))
		shown = print_counts(tool, interval, &table);
	else
		shown = stack_report__print(&report, &with_table, &nothing);
	table__close(&table);
	allocations__free(&blocks);
	return shown;
}

static void tell_more(const struct tool *tool)
{
	struct text_buffer text = text_buffer__growing(4096);
	char *line;

	stack_report__tell(&report);
	add_text(&text);
	line = text_buffer__take(&text);
	if (report.folded && line && !tool->err && !tool->out.error)
		say("%s", line);
	free(line);
}

/* ---- programs */

static void choose_kernel_programs(void)
{
	bool by_event = kernel__preempts_programs(), has_nodes = kernel__version() < kernel_version(6, 1, 0);
	const struct {
		struct bpf_program *program;
		enum what what;
		bool is_wanted;
	} programs[] = {
		{ skel->progs.kmalloc, WHAT_SLAB, !by_event },
		{ skel->progs.kmalloc_node, WHAT_SLAB, has_nodes },
		{ skel->progs.cache_alloc, WHAT_SLAB, !by_event },
		{ skel->progs.cache_alloc_node, WHAT_SLAB, has_nodes },
		{ skel->progs.kfree, WHAT_SLAB, !by_event },
		{ skel->progs.cache_free, WHAT_SLAB, !by_event },
		{ skel->progs.bulk_free, WHAT_SLAB, true },
		{ skel->progs.kmalloc_event, WHAT_SLAB, by_event },
		{ skel->progs.cache_alloc_event, WHAT_SLAB, by_event },
		{ skel->progs.kfree_event, WHAT_SLAB, by_event },
		{ skel->progs.cache_free_event, WHAT_SLAB, by_event },
		{ skel->progs.page_alloc, WHAT_PAGES, !by_event },
		{ skel->progs.page_free, WHAT_PAGES, !by_event },
		{ skel->progs.page_alloc_event, WHAT_PAGES, by_event },
		{ skel->progs.page_free_event, WHAT_PAGES, by_event },
		{ skel->progs.percpu_alloc, WHAT_PERCPU, true },
		{ skel->progs.percpu_free, WHAT_PERCPU, true },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		bpf_program__set_autoload(programs[i].program, programs[i].what == opt.what && programs[i].is_wanted);
	skel->rodata->cache_has_size = !has_nodes;
}

static void choose_user_programs(void)
{
	struct bpf_program *const programs[] = {
		skel->progs.free_begins, skel->progs.malloc_begins, skel->progs.memalign_begins, skel->progs.calloc_begins,
		skel->progs.posix_memalign_begins, skel->progs.realloc_begins, skel->progs.reallocarray_begins, skel->progs.call_ends,
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		bpf_program__set_autoload(programs[i], opt.what == WHAT_PROCESS);
	bpf_program__set_autoload(skel->progs.mmap_begins, opt.mappings);
	bpf_program__set_autoload(skel->progs.mremap_begins, opt.mappings);
	bpf_program__set_autoload(skel->progs.munmap_begins, opt.mappings);
	bpf_program__set_autoload(skel->progs.execs_raw, opt.what == WHAT_PROCESS && !kernel__preempts_programs());
	bpf_program__set_autoload(skel->progs.execs_event, opt.what == WHAT_PROCESS && kernel__preempts_programs());
	if (opt.what == WHAT_PROCESS)
		allocator__prepare(skel);
}

static void prepare(struct tool *tool)
{
	uint32_t execs = MEMLEAK_EXECS_AT_START;

	choose_kernel_programs();
	choose_user_programs();
	skel->rodata->of_kernel = opt.what != WHAT_PROCESS;
	skel->rodata->sample = opt.sample;
	skel->rodata->cpus = (uint64_t)libbpf_num_possible_cpus();
	skel->rodata->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	/* room that is made when it is needed is asked of the allocators that are watched */
	if (opt.what == WHAT_PROCESS && kernel__allocates_on_demand()) {
		bpf_map__set_map_flags(skel->maps.allocations, BPF_F_NO_PREALLOC);
		bpf_map__set_map_flags(skel->maps.execs, BPF_F_NO_PREALLOC);
		execs = MEMLEAK_EXECS;
	}
	/* what the caller allows for one table holds for the other */
	if (execs > opt.allocations)
		execs = (uint32_t)opt.allocations;
	if (bpf_map__set_max_entries(skel->maps.allocations, (uint32_t)opt.allocations) ||
	    bpf_map__set_max_entries(skel->maps.execs, execs))
		tool__fail(tool, -ENOMEM, "no room for the table of allocations");
	stack_report__prepare(&report, skel->obj);
}

static int attach(struct tool *tool)
{
	report.stacks.most = MEMLEAK_STACKS;
	if (stack_report__open(&report, skel->obj))
		return tool->err;
	report.stacks.most = MEMLEAK_STACKS;
	if (opt.what == WHAT_PROCESS)
		allocator__attach(tool, skel, &wants);
	return tool->err;
}

static void detach(struct tool *tool)
{
	(void)tool;
	allocator__detach();
}

static void attach_probes(struct tool *tool)
{
	static const char *const bulk[] = { "kmem_cache_free_bulk", NULL };

	attach__kprobe(tool->attach, skel->progs.bulk_free, &skel->links.bulk_free, bulk);
}

static const struct metric metrics[] = {
	{ "memory_allocations_total", "Allocations of the memory that is followed.", METRIC_COUNT, "allocs", NULL },
	{ "memory_allocated_bytes_total", "Bytes of these.", METRIC_COUNT, "alloc_bytes", NULL },
	{ "memory_frees_total", "Frees of what was seen allocated.", METRIC_COUNT, "frees", NULL },
	{ "memory_freed_bytes_total", "Bytes of these.", METRIC_COUNT, "freed_bytes", NULL },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "memleak",
	.summary = "Shows memory that was allocated and is not freed, by stack: of a process, or of the kernel.",
	.examples = "  sudo memleak -p 1234 -d 60             what a process keeps of a minute\n"
		    "  sudo memleak -p 1234 --older 30 10     what is older than 30 s, every 10 s\n"
		    "  sudo memleak -- ./app                  what a command does not free\n"
		    "  sudo memleak --older 10 -d 60          the kernel's slab memory\n"
		    "  sudo memleak -p 1234 -d 60 --folded    for flame graph programs\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = "Following allocations. Ctrl-C ends it.",
	.counts = true,
	.sends_stacks = true,
	.metrics = metrics,
	.room_option = "--allocations",
	.rate_max = RATE_MAX,
};

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "BYTES", 12, NULL, NULL },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	struct attach attach_state = { 0 };
	struct tool tool = { .about = &about, .attach = &attach_state, .attach_own = attach, .detach_own = detach,
			     .metric_columns = metric_columns, .add_interval = add_interval, .before_summary = tell_more };

	tool__parse(&tool, argc, argv);
	wants = (struct allocator_wants){ .file = opt.file, .follows = opt.follows, .mappings = opt.mappings,
					   .command = tool.command.argv ? tool.command.argv[0] : NULL,
					   .pids = tool.options.filter.pids, .pids_count = tool.options.filter.pids_count };
	if (tool.options.filter.pids_count == 1 && !tool.options.filter.follows)
		wants.pid = tool.options.filter.pids[0];
	report.print_above = print_totals;
	report.without_task = report.of_tracepoint = opt.what != WHAT_PROCESS;
	/* a stack that is taken at a function of a process is its own */
	if (opt.what == WHAT_PROCESS)
		report.only_user = true;
	else if (!report.only_user)
		report.only_kernel = true;
	stack_report__set(&report, &tool, columns);
	if (opt.what != WHAT_PROCESS)
		tool.attach_probes = attach_probes;
	tool.reads_maps = true;
	if (opt.follows)
		tool.keeps = PRIVILEGES_ATTACH;
	tool.rate_words = MEMLEAK_EVENTS;
	skel = memleak_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		prepare(&tool);
	tool__run_intervals(&tool, skel, print_interval);
	stack_report__close(&report);
	if (opt.what == WHAT_PROCESS)
		allocator__close(&tool);
	memleak_bpf__destroy(skel);
	return tool__finish(&tool);
}
