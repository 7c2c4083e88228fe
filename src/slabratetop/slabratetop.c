/* SPDX-License-Identifier: BSD-2-Clause */
/* slabratetop: objects that the kernel allocates of its slab caches, by cache, and by whom. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/print/others.h"
#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/ranking.h"
#include "lib/run/task_keys.h"
#include "slabratetop.h"
#include "slabratetop.skel.h"

#define KMALLOC_CACHE_MAX 8192	/* more comes from the page allocator */

enum { KEY_CACHE = 0x200, KEY_SORT };

static bool by_cache, by_bytes;
static struct slabratetop_bpf *skel;

static const struct argp_option options[] = {
	{ "sort", KEY_SORT, "BY", 0, "the rows with most allocs (the default) or bytes first", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "cache", KEY_CACHE }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "-C", "--refresh clears the screen, and nothing else does" },
	{ "--noclear", "--refresh clears the screen, and nothing else does" },
	{ "-s", "--sort BY: allocs, bytes" },
	{ "--count", "--by process,cache counts by these" },
	{ "--hist", "there are no values to make a histogram of" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_CACHE:
		by_cache = true;
		return 0;
	case KEY_SORT:
		by_bytes = !strcmp(arg, "bytes");
		if (!by_bytes && strcmp(arg, "allocs"))
			usage_error("--sort \"%s\": not allocs or bytes", arg);
		return 0;
	case ARGP_KEY_END:
		if (!task_keys__kind())
			by_cache = true;
		if (tool->shape && tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "ALLOCS", 9, NULL, NULL },
	{ "KB", 9, NULL, "alloc_bytes" },
	{ "CACHE", 0, &by_cache, NULL },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* As the kernel names them: kmalloc-96, kmalloc-cg-2k; what is larger consists of pages. */
static size_t kmalloc_name(const struct slabratetop_key *key, char *text, size_t room)
{
	static const char *const begins[SLAB_KINDS] = { "", "kmalloc-", "kmalloc-rcl-", "kmalloc-cg-", "dma-kmalloc-" };
	bool is_kilo = key->size >= 1024 && key->size % 1024 == 0;
	int size;

	if (key->size > KMALLOC_CACHE_MAX)
		size = snprintf(text, room, "(pages of kmalloc)");
	else
		size = snprintf(text, room, "%s%llu%s", begins[key->kind % SLAB_KINDS],
				(unsigned long long)(is_kilo ? key->size / 1024 : key->size), is_kilo ? "k" : "");
	return (size_t)size;
}

/* key: NULL for the others. */
static void put_cache(struct out *out, const struct slabratetop_key *key)
{
	char text[SLABRATETOP_NAME_SIZE];

	if (key && by_cache && key->kind != SLAB_NAMED)
		out__string(out, text, kmalloc_name(key, text, sizeof(text)));
	else if (key && by_cache)
		out__string(out, key->name, sizeof(key->name));
	else if (!key && by_cache)
		out__string(out, OTHERS, sizeof(OTHERS));
	else
		out__none(out);
}

static void print_row(struct tool *tool, const struct interval *interval, const void *of, const void *value)
{
	const struct slabratetop_counts *counts = value;
	const struct slabratetop_key *key = of;
	struct out *out = &tool->out;

	if (!counts->allocs)
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	out__int(out, (int64_t)counts->allocs);
	out__kilobytes(out, counts->bytes);
	put_cache(out, key);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static uint64_t weigh(const void *value)
{
	const struct slabratetop_counts *counts = value;

	return by_bytes ? counts->bytes : counts->allocs;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct ranked_rows rows = { sizeof(struct slabratetop_counts) / sizeof(uint64_t), weigh, print_row };
	struct slabratetop_counts others = *(const struct slabratetop_counts *)interval->cells, all = { 0 };

	ranking__print(tool, interval, interval->table, &rows, &others, &all);
	return all.allocs;
}

/* Whether the kernel has a cache of that name, or -errno: nobody tells.  Without SLUB's directory /proc/slabinfo does. */
static int has_cache(const char *cache)
{
	char path[64], line[256];
	size_t size = strlen(cache);
	bool is_there = false;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s", cache);
	if (!access(path, F_OK))
		return 1;
	if (!access("/sys/kernel/slab/kmalloc-1k", F_OK))
		return 0;
	file = fopen("/proc/slabinfo", "re");
	if (!file)
		return -errno;
	/* hidden, as in a container */
	if (!fgets(line, sizeof(line), file)) {
		fclose(file);
		return -ENODATA;
	}
	while (!is_there && fgets(line, sizeof(line), file))
		is_there = !strncmp(line, cache, size) && line[size] == ' ';
	fclose(file);
	return is_there;
}

/* The flag that has kmalloc() take another cache, if the kernel has one of that name: of 1 kB, as arm64 has none of 64 bytes before 6.5. */
static uint64_t flag_of(const struct value_names *names, const char *flag, const char *cache)
{
	uint64_t value;

	return has_cache(cache) > 0 && value_names__value(names, flag, &value) ? value : 0;
}

static void set_flags(void)
{
	struct value_names *names = NULL;
	int err = has_cache("kmalloc-1k");

	if (err < 0)
		say("kmalloc-cg-, kmalloc-rcl- and dma-kmalloc- count as kmalloc-: neither /sys/kernel/slab nor /proc/slabinfo tells which there are: %s",
		    strerror(-err));
	value_names__load(&names, "kmem/kmalloc", "gfp_flags");
	skel->rodata->gfp_dma = flag_of(names, "__GFP_DMA", "dma-kmalloc-1k");
	skel->rodata->gfp_reclaimable = flag_of(names, "__GFP_RECLAIMABLE", "kmalloc-rcl-1k");
	skel->rodata->gfp_account = flag_of(names, "__GFP_ACCOUNT", "kmalloc-cg-1k");
	value_names__free(names);
}

static void choose_programs(void)
{
	bool by_event = kernel__preempts_programs(), by_function = kernel__version() < kernel_version(6, 1, 0);

	bpf_program__set_autoload(skel->progs.cache_alloc, !by_event && !by_function);
	bpf_program__set_autoload(skel->progs.kmalloc_alloc, !by_event);
	bpf_program__set_autoload(skel->progs.kmalloc_node_alloc, by_function);
	bpf_program__set_autoload(skel->progs.cache_alloc_event, by_event);
	bpf_program__set_autoload(skel->progs.kmalloc_event, by_event);
	bpf_program__set_autoload(skel->progs.cache_enter, by_function);
	bpf_program__set_autoload(skel->progs.cache_node_enter, by_function);
	skel->rodata->task_key_kind = task_keys__kind();
	skel->rodata->by_cache = by_cache;
	if (by_cache)
		set_flags();
}

static void attach_probes(struct tool *tool)
{
	static const char *const bulk[] = { "kmem_cache_alloc_bulk_noprof", "kmem_cache_alloc_bulk", NULL };
	static const char *const cache[] = { "kmem_cache_alloc", NULL };
	static const char *const node[] = { "kmem_cache_alloc_node", NULL };
	struct attach *attach = tool->attach;

	attach__kprobe(attach, skel->progs.bulk_enter, &skel->links.bulk_enter, bulk);
	attach__kprobe(attach, skel->progs.cache_enter, &skel->links.cache_enter, cache);
	attach__kprobe(attach, skel->progs.cache_node_enter, &skel->links.cache_node_enter, node);
}

static const struct metric metrics[] = {
	{ "slab_allocations_total", "Objects that were allocated of slab caches.", METRIC_COUNT, "allocs", TASK_KEY_LABELS ",cache" },
	{ "slab_allocated_bytes_total", "Bytes of these.", METRIC_COUNT, "alloc_bytes", TASK_KEY_LABELS ",cache" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "slabratetop",
	.summary = "Counts objects that the kernel allocates of its slab caches, by cache.",
	.examples = "  sudo slabratetop --refresh 1            as a top, each second\n"
		    "  sudo slabratetop --sort bytes 10        the caches with most bytes\n"
		    "  sudo slabratetop --by comm,cache -d 10  and whose they are\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = SLABRATETOP_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .attach_probes = attach_probes };

	tool__parse(&tool, argc, argv);
	skel = slabratetop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		choose_programs();
	tool__run_intervals(&tool, skel, print_interval);
	slabratetop_bpf__destroy(skel);
	return tool__finish(&tool);
}
