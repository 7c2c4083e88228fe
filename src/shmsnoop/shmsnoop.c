/* SPDX-License-Identifier: BSD-2-Clause */
/* shmsnoop: segments of System V shared memory being made, attached, detached and removed, by whom, with what result. */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/print/flags.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "shmsnoop.h"
#include "shmsnoop.skel.h"

#define MODE_BITS 0777u

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CALL", -6, NULL, NULL },
	TOOL_ERROR_COLUMNS,
	{ "ID", 6, NULL, "shm_id" },
	{ "KEY", 10, NULL, "shm_key" },
	{ "BYTES", 10, NULL, "shm_bytes" },
	{ "ADDRESS", -14, NULL, NULL },
	{ "FLAGS_NUMBER", 10, &tool_not_shown, "flags" },
	{ "CMD", -12, NULL, NULL },
	{ "FLAGS", 0, NULL, "flags_names" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "ADDRESS", "KEY", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

/* include/uapi/linux/shm.h and ipc.h; the size of huge pages is a number in the upper bits */
static const struct flag_name get_flags[] = {
	{ 01000, "IPC_CREAT" }, { 02000, "IPC_EXCL" }, { 04000, "SHM_HUGETLB" }, { 010000, "SHM_NORESERVE" }, { 0, NULL },
};
static const struct flag_name attach_flags[] = {
	{ 010000, "SHM_RDONLY" }, { 020000, "SHM_RND" }, { 040000, "SHM_REMAP" }, { 0100000, "SHM_EXEC" }, { 0, NULL },
};

static const char *cmd_name(uint32_t cmd, char *text, size_t size)
{
	static const char *const names[] = {
		[0] = "IPC_RMID", [1] = "IPC_SET", [2] = "IPC_STAT", [3] = "IPC_INFO", [11] = "SHM_LOCK", [12] = "SHM_UNLOCK",
		[13] = "SHM_STAT", [14] = "SHM_INFO", [15] = "SHM_STAT_ANY",
	};

	if (cmd < sizeof(names) / sizeof(*names) && names[cmd])
		return names[cmd];
	snprintf(text, size, "%u", cmd);
	return text;
}

/* "IPC_CREAT|0600" */
static const char *get_flags_text(uint32_t flags, char *text, size_t size)
{
	size_t used = 0;

	if (flags & ~MODE_BITS) {
		flags__text(get_flags, flags & ~MODE_BITS, text, size);
		used = strlen(text);
	}
	if (flags & MODE_BITS || !used)
		snprintf(text + used, size - used, "%s%04o", used ? "|" : "", flags & MODE_BITS);
	return text;
}

/* Most rows have the flags of the one before: what they are called takes more instructions than the rest of a row. */
static void put_flags(struct out *out, const struct shmsnoop_event *event)
{
	static struct {
		uint32_t flags;
		uint16_t call;		/* SYSCALL_NONE: there was none yet */
		size_t length;
		char text[128];
	} last;

	if (last.call != event->call || last.flags != event->flags) {
		last.call = event->call;
		last.flags = event->flags;
		if (event->call == SYSCALL_shmget)
			get_flags_text(event->flags, last.text, sizeof(last.text));
		else
			flags__text(attach_flags, event->flags, last.text, sizeof(last.text));
		last.length = strlen(last.text);
	}
	out__string(out, last.text, last.length);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct shmsnoop_event *event = data;
	bool is_get = event->known && event->call == SYSCALL_shmget, has_flags = is_get || (event->known && event->call == SYSCALL_shmat);
	const char *call = syscall_exits__call_name(event->call), *cmd;
	struct out *out = &tool->out;
	char text[32];

	tool__row(tool, &event->task);
	out__string(out, call, strlen(call));
	error__columns(out, -event->result);
	if (event->id >= 0 && (event->known || (event->call == SYSCALL_shmget && !event->result)))
		out__int(out, event->id);
	else
		out__none(out);
	if (is_get) {
		out__hex(out, event->key);
		out__int(out, (int64_t)event->bytes);
	} else {
		out__none(out);
		out__none(out);
	}
	if (event->address)
		out__string(out, text, (size_t)snprintf(text, sizeof(text), "0x%llx", (unsigned long long)event->address));
	else
		out__none(out);
	if (has_flags)
		out__hex(out, event->flags);
	else
		out__none(out);
	if (event->known && event->call == SYSCALL_shmctl) {
		cmd = cmd_name(event->cmd, text, sizeof(text));
		out__string(out, cmd, strlen(cmd));
	} else {
		out__none(out);
	}
	if (has_flags)
		put_flags(out, event);
	else
		out__none(out);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct shmsnoop_event *event = data;

	(void)size;
	return record__is_result(event->result) && syscall_exits__is_call(event->call);
}

static const struct tool_about about = {
	.name = "shmsnoop",
	.summary = "Shows segments of System V shared memory being made, attached, detached and removed.",
	.examples = "  sudo shmsnoop              every call\n"
		    "  sudo shmsnoop -x           those that fail\n"
		    "  sudo shmsnoop -n postgres  one program\n"
		    "  sudo shmsnoop --count comm,call 5   how many, each 5 s\n",
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	RECORDS(shmsnoop, sizeof(struct shmsnoop_event), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("shared_memory_calls_total", "System calls of System V shared memory."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	enum syscall_exits_way way;
	struct shmsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = shmsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		way = syscall_exits__choose(skel->skeleton, &attach, calls, true);
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	shmsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}
