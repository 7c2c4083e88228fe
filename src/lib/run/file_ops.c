/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_ops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "exit.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/fault.h"
#include "lib/print/say.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "lib/print/syscall_names.h"
#include "lib/shared/file_op.h"

#define URING_END "io_uring/io_uring_complete"

_Static_assert(SYSCALL_NUMBERS == FILE_CALL_NUMBERS, "a kind for each number");

static char file_system[FILE_SYSTEM_SIZE];
static bool sees_aio;	/* --aio, or a process has a context for its requests */

/* By the names in <asm/unistd.h>, of either ABI. */
static const struct {
	const char *name;
	unsigned int kind;	/* enum file_call_kind */
} calls[] = {
	{ "read", FILE_READ },
	{ "pread64", FILE_READ },
	{ "readv", FILE_READ },
	{ "preadv", FILE_READ },
	{ "preadv2", FILE_READ },
	{ "write", FILE_WRITE },
	{ "pwrite64", FILE_WRITE },
	{ "writev", FILE_WRITE },
	{ "pwritev", FILE_WRITE },
	{ "pwritev2", FILE_WRITE },
	{ "sendfile", FILE_READ | FILE_CALL_FIRST_IS_1 | FILE_CALL_SECOND },
	{ "sendfile64", FILE_READ | FILE_CALL_FIRST_IS_1 | FILE_CALL_SECOND },
	{ "splice", FILE_READ | FILE_CALL_SECOND | FILE_CALL_SECOND_IS_2 },
	{ "copy_file_range", FILE_READ | FILE_CALL_SECOND | FILE_CALL_SECOND_IS_2 },
	{ "open", FILE_OPEN },
	{ "creat", FILE_OPEN },
	{ "openat", FILE_OPEN },
	{ "openat2", FILE_OPEN },
	{ "fsync", FILE_SYNC },
	{ "fdatasync", FILE_SYNC },
	{ "sync_file_range", FILE_SYNC },
};

bool file_ops__parse(int key, const char *text)
{
	if (key == FILE_OPS_KEY_AIO) {
		sees_aio = true;
		return true;
	}
	if (key != FILE_OPS_KEY_FS)
		return false;
	if (!*text || strlen(text) >= sizeof(file_system))
		usage_error("--fs \"%s\": not a type of file system, as in the third column of /proc/mounts", text);
	if (*file_system)
		usage_error("--fs: one type only");
	strcpy(file_system, text);
	return true;
}

const char *file_op__name(unsigned int op)
{
	static const char *const names[FILE_OPS] = { "read", "write", "open", "sync", "create" };

	return op < FILE_OPS ? names[op] : "?";
}

static void set_kinds(const struct tool *tool)
{
	uint8_t kinds[2 * FILE_CALL_NUMBERS] = { 0 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		for (int compat = 0; compat < 2; compat++) {
			int number = syscall_number(calls[i].name, compat);

			if (number >= 0)
				kinds[compat * FILE_CALL_NUMBERS + number] = (uint8_t)(FILE_CALL | calls[i].kind);
		}
	}
	for (int compat = 0; compat < 2 && !sees_aio; compat++) {
		int number = syscall_number("io_submit", compat);

		if (number >= 0)
			kinds[compat * FILE_CALL_NUMBERS + number] = FILE_CALL | FILE_CALL_AIO;
	}
	tool__set_rodata(tool, "file_call_kinds", kinds, sizeof(kinds));
}

const char *file_via__name(unsigned int via)
{
	static const char *const names[FILE_VIAS] = { "call", "io_uring", "aio" };

	return via < FILE_VIAS ? names[via] : "?";
}

/* Whether io_uring_complete tells which request it is of. */
static bool end_tells_request(void)
{
	char *text;
	size_t size;
	bool tells;

	if (tracefs__read("events/" URING_END "/format", 1 << 16, &text, &size))
		return false;
	tells = strstr(text, " req;");
	free(text);
	return tells;
}

/* Of what io_setup(2) has made (fs/aio.c).  A kernel without io_submit(2) has no such file. */
static bool has_aio_contexts(void)
{
	char number[24] = "";
	FILE *file = fopen("/proc/sys/fs/aio-nr", "re");

	if (!file)
		return false;
	if (!fgets(number, sizeof(number), file))
		*number = '\0';
	fclose(file);
	return strtoul(number, NULL, 10);
}

static void choose_aio(struct tool *tool)
{
	static const char *const programs[] = { "request_aio_complete", "request_aio_read", "request_aio_write" };

	sees_aio = sees_aio || has_aio_contexts();
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(*tool->skeleton->obj, programs[i]), sees_aio);
}

static void choose_uring(struct tool *tool)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	bool has_end = tracefs__has_event(URING_END), tells = has_end && end_tells_request();

	tool__set_rodata(tool, "uring_end_tells_request", &tells, sizeof(tells));
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "request_complete"), has_end);
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "request_submit_sqe"),
				  has_end && tracefs__has_event("io_uring/io_uring_submit_sqe"));
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "request_submit_req"),
				  has_end && tracefs__has_event("io_uring/io_uring_submit_req"));
	if (has_end || tracefs__mount_point())
		return;
	say__warning("io_uring's requests are not seen: tracefs is not mounted");
	missed__tell_unseen("io_uring's requests are not seen");
}

/* What is under way: room for all of it at once would be zeroed at each start. */
static void choose_room(const struct bpf_object *object)
{
	static const char *const maps[] = { "requests", "calls" };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps) && kernel__allocates_on_demand(); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, maps[i]);

		if (map)
			bpf_map__set_map_flags(map, BPF_F_NO_PREALLOC);
	}
}

void file_ops__prepare(struct tool *tool)
{
	bool on_events = kernel__preempts_programs(), has_pt_regs = kernel__has_task_pt_regs();
	struct bpf_program *program;

	choose_aio(tool);
	choose_room(*tool->skeleton->obj);
	set_kinds(tool);
	tool__set_rodata(tool, "file_system_wanted", file_system, sizeof(file_system));
	tool__set_rodata(tool, "have_task_pt_regs", &has_pt_regs, sizeof(has_pt_regs));
	choose_uring(tool);
	bpf_object__for_each_program(program, *tool->skeleton->obj) {
		const char *name = bpf_program__name(program);

		if (strncmp(name, "file_", 5))
			continue;
		bpf_program__set_autoload(program, !!strstr(name, "_event") == on_events);
	}
}

void file_ops__attach(struct tool *tool)
{
	/* the end first: what is seen to begin is then seen to end */
	static const struct {
		const char *program;
		const char *functions[2];
	} hooks[] = {
		{ "request_aio_complete", { "aio_complete_rw", NULL } },
		{ "request_aio_read", { "aio_read", NULL } },
		{ "request_aio_write", { "aio_write", NULL } },
	};
	struct fault fault;
	int err = 0;

	if (!sees_aio)
		return;
	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks) && !tool->err; i++) {
		for (int k = 0; k < tool->skeleton->prog_cnt; k++) {
			const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, k);

			if (strcmp(entry->name, hooks[i].program))
				continue;
			if (!err)
				err = attach__optional(tool->attach, *entry->prog, entry->link, hooks[i].functions, &fault);
			if (err)
				tool__needs_no_link(tool, *entry->prog);
		}
	}
	/* without the functions there is no io_submit(2) */
	if (!err || err == -ENOENT || tool->attach->err)
		return;
	say__warning("requests of io_submit(2) are not seen: %s", fault.text);
	missed__tell_unseen("requests of io_submit(2) are not seen");
}
