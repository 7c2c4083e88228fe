/* SPDX-License-Identifier: BSD-2-Clause */
#include "blocks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/btf/rawbtf.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/shared/block.h"
#include "stacked_disks.h"

#define REQUESTS_LIMIT (1 << 20)
#define KERNEL_MINOR_BITS 20	/* MINORBITS, include/linux/kdev_t.h */

const struct foreign_option blocks_foreign_options[] = {
	{ "-d", "--disk DISK selects a disk, and -d SECONDS is when to stop" },
	{ "-P", "biosnoop --count comm counts by process, with --hist lat how long" },
	{ "--process", "biosnoop --count comm counts by process, with --hist lat how long" },
	{ "--count", "biosnoop --count COLUMN,... counts requests by any columns" },
	{ "--hist", "biosnoop --hist lat --count COLUMN,... has a histogram for each" },
	{ NULL, NULL },
};

static struct block_wanted wanted;
static uint32_t requests;
static bool sees_bios;

/* Whether /sys/class/block/DISK/NAME exists. */
static bool has_file(const char *disk, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/%s", disk, name);
	return !access(path, F_OK);
}

/* The name in /sys/class/block of a device's file, such as /dev/mapper/vg-home, a link or not. */
static bool name_of_file(const char *path, char *name, size_t size)
{
	struct stat file;

	return !stat(path, &file) && S_ISBLK(file.st_mode) && stacked_disks__name(major(file.st_rdev), minor(file.st_rdev), name, size);
}

/* The same of what is typed: "sda", a file, or the name that device mapper has for it. */
static bool find_disk(const char *text, char *name, size_t size)
{
	char path[512];

	if (*text == '/')
		return name_of_file(text, name, size);
	if (!*text || strchr(text, '/') || !strcmp(text, ".") || !strcmp(text, ".."))
		return false;
	if (has_file(text, "dev"))
		return (size_t)snprintf(name, size, "%s", text) < size;
	snprintf(path, sizeof(path), "/dev/mapper/%s", text);
	return name_of_file(path, name, size);
}

static void parse_disk(const char *text)
{
	unsigned int major, minor;
	char disk[256], path[512];
	FILE *file = NULL;

	if (blocks__have_disk())
		usage_error("--disk: one disk only");
	if (find_disk(text, disk, sizeof(disk))) {
		snprintf(path, sizeof(path), "/sys/class/block/%s/dev", disk);
		file = fopen(path, "re");
	}
	if (!file || fscanf(file, "%u:%u", &major, &minor) != 2)
		usage_error("--disk \"%s\": no such disk or partition (lsblk shows them)", text);
	fclose(file);
	wanted.by_part = has_file(disk, "partition");
	wanted.by_disk = !wanted.by_part;
	wanted.dev = major << KERNEL_MINOR_BITS | minor;
	if (!sees_bios && !stacked_disks__makes_requests(disk))
		usage_error("--disk \"%s\": the kernel makes no requests for it, but for the disks that it consists of (lsblk)", text);
}

bool blocks__parse(int key, const char *text)
{
	char *end;

	switch (key) {
	case BLOCKS_KEY_DISK:
		parse_disk(text);
		return true;
	case BLOCKS_KEY_REQUESTS:
		errno = 0;
		requests = (uint32_t)strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || errno || strlen(text) > 7 || !requests || requests > REQUESTS_LIMIT)
			usage_error("--requests \"%s\": not a number from 1 to %d", text, REQUESTS_LIMIT);
		return true;
	default:
		return false;
	}
}

void blocks__see_bios(void)
{
	sees_bios = true;
}

bool blocks__have_disk(void)
{
	return wanted.by_disk || wanted.by_part;
}

/* Of rawbtf__scan(): keeps the id.  The scan goes on to the end, without which types cannot be looked up. */
static int find_typedef(void *ctx, __u32 id, const struct btf_type *type)
{
	(void)type;
	*(__u32 *)ctx = id;
	return 0;
}

bool blocks__queue_first(struct rawbtf *raw)
{
	static const char *const names[] = { "btf_trace_block_rq_issue" };
	const struct btf_type *type;
	__u32 id = 0;

	if (rawbtf__scan(raw, names, 1, 1ULL << BTF_KIND_TYPEDEF, find_typedef, &id) || !id)
		return false;
	type = rawbtf__resolve(raw, &id);
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_PTR)
		return false;
	id = type->type;
	type = rawbtf__resolve(raw, &id);
	/* the first is void *, for all raw tracepoints */
	return type && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO && BTF_INFO_VLEN(type->info) == 3;
}

static bool kernel_has_queue_first(void)
{
	struct rawbtf *raw;
	bool first;

	/* never since */
	if (kernel__version() >= kernel_version(5, 11, 0) || rawbtf__open(&raw, "/sys/kernel/btf/vmlinux"))
		return false;
	first = blocks__queue_first(raw);
	rawbtf__free(raw);
	return first;
}

/* The object's program of that name, if it has one, is loaded or not. */
static void load(const struct bpf_object *object, const char *name, bool is_loaded)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	if (program)
		bpf_program__set_autoload(program, is_loaded);
}

/* Programs on functions, which take the place of those on raw tracepoints where these can be preempted. */
static const struct {
	const char *program, *functions[2];
	bool of_bios;
} on_functions[] = {
	{ "begin_start", { "blk_mq_start_request", NULL }, false },
	{ "end_update", { "blk_update_request", NULL }, false },
	{ "bio_submit", { "submit_bio_noacct_nocheck", NULL }, true },
	{ "bio_end", { "bio_endio", NULL }, true },
};

#define FUNCTIONS (sizeof(on_functions) / sizeof(*on_functions))

static void choose_programs(const struct bpf_object *object, const struct attach *attach)
{
	bool preempts = kernel__preempts_programs();
	/* what devices without requests get is looked at only where there are some, or may be */
	bool has_bios = sees_bios && stacked_disks__are_there();

	load(object, "begin_issue", !preempts);
	load(object, "bio_queue", has_bios && !preempts);
	load(object, "bio_remap", has_bios && !preempts);
	load(object, "bio_complete", has_bios);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(object, on_functions[i].program);
		bool is_loaded = preempts && (has_bios || !on_functions[i].of_bios);

		if (!program)
			continue;
		bpf_program__set_autoload(program, is_loaded);
		if (is_loaded)
			attach__prefer_link_of_many(attach, program);
	}
}

void blocks__prepare(struct tool *tool)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	bool queue_first = kernel_has_queue_first();
	int err;

	if (!wanted.by_disk && !wanted.by_part && !sees_bios)
		stacked_disks__tell();
	tool__set_rodata(tool, "block_queue_first", &queue_first, sizeof(queue_first));
	tool__set_rodata(tool, "block_wanted", &wanted, sizeof(wanted));
	choose_programs(object, tool->attach);
	if (!requests)
		return;
	err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "calls"), requests);
	if (err)
		tool__fail_maps(tool, err);
}

void blocks__attach(struct tool *tool)
{
	for (int i = 0; !tool->err && i < tool->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, i);

		for (size_t k = 0; k < FUNCTIONS; k++)
			if (!strcmp(entry->name, on_functions[k].program) && bpf_program__autoload(*entry->prog))
				attach__kprobe(tool->attach, *entry->prog, entry->link, on_functions[k].functions);
	}
}
