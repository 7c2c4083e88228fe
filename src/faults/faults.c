/* SPDX-License-Identifier: BSD-2-Clause */
/* faults: page faults that wait for a disk: whose, of which file, or of what was swapped out, for how long. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/print/error.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "faults.h"
#include "faults.skel.h"

static const char *const kind_words[] = { "file", "swap", "shmem", NULL };

static struct {
	uint64_t min_ns;
	uint32_t kinds;		/* a bit for each of enum faults_kind */
} opt = { .kinds = (1u << FAULTS_KINDS) - 1 };

enum { KEY_SLOWER = 0x200, KEY_KIND };

static const struct argp_option options[] = {
	{ "kind", KEY_KIND, "KIND,...", 0, "only faults of files, of swap, or of shmem: shared memory and tmpfs", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "only faults that take TIME or more: 10ms, 500us, 2s", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "KIND", -5, NULL, NULL },
	{ "READ", -6, NULL, NULL },
	TOOL_ERROR_COLUMNS,
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "ADDRESS", 16, &tool_not_shown, NULL },
	{ "FS", -8, NULL, "fstype" },
	{ "OFFSET", 10, NULL, NULL },
	{ "FILE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "FS", "OFFSET", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_KIND:
		opt.kinds = argument__words("--kind", arg, kind_words);
		return 0;
	case KEY_SLOWER:
		opt.min_ns = argument__time("--slower", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct faults_event *event = data;
	const char *kind = kind_words[event->kind < FAULTS_KINDS ? event->kind : FAULTS_FILE];
	struct out *out = &tool->out;
	char address[24];

	tool__row(tool, &event->task);
	out__string(out, kind, strlen(kind));
	out__string(out, event->is_waiter ? "before" : "now", sizeof("before"));
	error__columns(out, -event->result);
	out__milliseconds(out, event->latency_ns / 1000);
	out__string(out, address, (size_t)snprintf(address, sizeof(address), "0x%llx", (unsigned long long)event->address));
	if (event->kind == FAULTS_SWAP) {
		out__none(out);
		out__none(out);
		out__no_path(out);
		return;
	}
	out__string(out, event->fs, sizeof(event->fs));
	out__int(out, (int64_t)(event->page << event->page_shift));
	out__path(out, event->file_size ? event->file : NULL, event->file_size, 0);
}

static void choose_programs(const struct faults_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.file_enter, opt.kinds & 1u << FAULTS_FILE);
	bpf_program__set_autoload(skel->progs.file_exit, opt.kinds & 1u << FAULTS_FILE);
	bpf_program__set_autoload(skel->progs.swap_enter, opt.kinds & 1u << FAULTS_SWAP);
	bpf_program__set_autoload(skel->progs.swap_exit, opt.kinds & 1u << FAULTS_SWAP);
	bpf_program__set_autoload(skel->progs.shmem_enter, opt.kinds & 1u << FAULTS_SHMEM);
	bpf_program__set_autoload(skel->progs.shmem_exit, opt.kinds & 1u << FAULTS_SHMEM);
	skel->rodata->min_ns = opt.min_ns;
	skel->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
}

/* The function of a kind, its return first: what is seen to begin is then seen to end. */
struct hook {
	struct bpf_program *enter, *exit;
	struct bpf_link **enter_link, **exit_link;
	const char *names[2];
	const char *what;
};

/* Says what is not seen where the compiler has inlined a function.  Without any it is an error.  tool->err. */
static void attach_probes(struct tool *tool, struct faults_bpf *skel)
{
	const struct hook hooks[FAULTS_KINDS] = {
		[FAULTS_FILE] = { skel->progs.file_enter, skel->progs.file_exit, &skel->links.file_enter, &skel->links.file_exit,
				  { "filemap_fault", NULL }, "files" },
		[FAULTS_SWAP] = { skel->progs.swap_enter, skel->progs.swap_exit, &skel->links.swap_enter, &skel->links.swap_exit,
				  { "do_swap_page", NULL }, "swap" },
		[FAULTS_SHMEM] = { skel->progs.shmem_enter, skel->progs.shmem_exit, &skel->links.shmem_enter, &skel->links.shmem_exit,
				   { "shmem_fault", NULL }, "shared memory" },
	};
	struct fault fault = { 0 };
	int attached = 0;

	for (int i = 0; i < FAULTS_KINDS && !tool->err; i++) {
		const struct hook *hook = &hooks[i];

		if (!(opt.kinds & 1u << i))
			continue;
		if (!attach__optional(tool->attach, hook->exit, hook->exit_link, hook->names, &fault) &&
		    !attach__optional(tool->attach, hook->enter, hook->enter_link, hook->names, &fault)) {
			attached++;
			continue;
		}
		if (tool->attach->err)
			return;
		say__warning("faults of %s are not seen: %s", hook->what, fault.text);
		tool__needs_no_link(tool, hook->enter);
		tool__needs_no_link(tool, hook->exit);
	}
	if (!attached && !tool->err)
		tool__fail(tool, fault.err, "%s", fault.text);
}

/* Of a record, which may be hostile, and of a machine whose pages have another size. */
static bool is_intact(const void *data, size_t size)
{
	const struct faults_event *event = data;

	(void)size;
	return record__is_result(event->result) && event->kind < FAULTS_KINDS && event->file_size <= sizeof(event->file) &&
	       event->page_shift < 64;
}

static const struct tool_about about = {
	.name = "faults",
	.summary = "Shows page faults that wait for a disk: of mapped files, and of memory that was swapped out.",
	.examples = "  sudo faults                     each one, with its file\n"
		    "  sudo faults --slower 10ms --ustack -n postgres   where a program waits\n"
		    "  sudo faults --count comm,file 5 which files, each 5 s\n"
		    "  sudo faults --kind swap,shmem --count comm 1     swap-ins, each second\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	RECORDS(faults, sizeof(struct faults_event), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("major_page_faults_total", "Page faults that waited for a disk."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct faults_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = faults_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(skel);
		if (!tool__load(&tool))
			attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	faults_bpf__destroy(skel);
	return tool__finish(&tool);
}
