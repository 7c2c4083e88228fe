/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_users.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "gather.h"
#include "lib/btf/member_offset.h"
#include "lib/kernel/file.h"
#include "lib/kernel/tracefs.h"

#define FUNCS_MAX 1024		/* of a tracepoint; what is longer is no list of functions */
#define EVENTS_MAX 65536	/* of a CPU's list, likewise */

/* ---- where members are */

static const struct { const char *type, *member; } members[EVENT_USERS_MEMBERS] = {
	[TRACEPOINT_FUNCS] = { "tracepoint", "funcs" },
	[FILE_TR] = { "trace_event_file", "tr" },
	[TR_NAME] = { "trace_array", "name" },
	[CALL_PERF_EVENTS] = { "trace_event_call", "perf_events" },
	[CALL_PROG_ARRAY] = { "trace_event_call", "prog_array" },
	[CALL_PERF_REFCOUNT] = { "trace_event_call", "perf_refcount" },
	[ARRAY_ITEMS] = { "bpf_prog_array", "items" },
	[PROG_AUX] = { "bpf_prog", "aux" },
	[AUX_ID] = { "bpf_prog_aux", "id" },
	[LINK_PROG] = { "bpf_link", "prog" },
	[LINK_ID] = { "bpf_link", "id" },
	[PERF_HLIST_ENTRY] = { "perf_event", "hlist_entry" },
	[PERF_OWNER] = { "perf_event", "owner" },
	[PERF_PROG] = { "perf_event", "prog" },
	[TASK_TGID] = { "task_struct", "tgid" },
	[TASK_COMM] = { "task_struct", "comm" },
};

static int find_members(struct event_users *reader, struct fault *fault)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type;
	int err = 0;

	if (!btf)
		return fault__set(fault, -ENOENT, "who is on a tracepoint cannot be read: the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	for (int i = 0; i < EVENT_USERS_MEMBERS && !err; i++) {
		int64_t offset = member_offset__find(btf, members[i].type, members[i].member);

		reader->offsets[i] = (uint32_t)offset;
		if (offset < 0)
			err = fault__set(fault, -ENOENT, "who is on a tracepoint cannot be read: this kernel has no member %s of struct %s",
					 members[i].member, members[i].type);
	}
	type = member_offset__struct(btf, "bpf_prog_array_item");
	reader->item_size = type ? type->size : sizeof(uint64_t);
	reader->data_is_link = member_offset__find(btf, "bpf_raw_tp_link", "cookie") >= 0;
	btf__free(btf);
	return err;
}

int event_users__open(struct event_users *reader, const struct ksyms *ksyms, uint64_t per_cpu_offset, struct fault *fault)
{
	char on[8];
	int err;

	*reader = (struct event_users){ .memory = { .fd = -1 }, .ksyms = ksyms, .per_cpu_offset = per_cpu_offset };
	err = kmemory__open(&reader->memory);
	if (err)
		return fault__set(fault, err, "who is on a tracepoint cannot be read: /proc/kcore: %s%s", strerror(-err),
				  err == -EPERM ? " (lockdown; cat /sys/kernel/security/lockdown)" : "");
	err = find_members(reader, fault);
	if (err)
		return err;
	if (cpus__read("/sys/devices/system/cpu/possible", &reader->cpus))
		return fault__set(fault, -EIO, "the list of CPUs cannot be read");
	reader->counts_runs = file__read_small("/proc/sys/kernel/bpf_stats_enabled", on, sizeof(on)) > 0 && *on == '1';
	holders__look(&reader->holders);
	return 0;
}

void event_users__close(struct event_users *reader)
{
	kmemory__close(&reader->memory);
	holders__free(&reader->holders);
}

/* ---- what they point to */

static uint64_t follow(const struct event_users *reader, uint64_t address, enum event_users_member member)
{
	return address ? kmemory__pointer(&reader->memory, address + reader->offsets[member]) : 0;
}

static uint32_t number(const struct event_users *reader, uint64_t address, enum event_users_member member)
{
	return (uint32_t)follow(reader, address, member);
}

/* Adds one, whose strings are the list's from now on; NULL without memory. */
static struct tracepoint_user *add(struct tracepoint_users *users, struct tracepoint_user user)
{
	struct tracepoint_user *all = realloc(users->all, (users->count + 1) * sizeof(*all));

	if (!all)
		return NULL;
	users->all = all;
	all[users->count] = user;
	return &all[users->count++];
}

/* The link of a program, where it has one only; 0: none, or several. */
static uint32_t only_link(uint32_t program_id)
{
	uint32_t found = 0, count = 0;
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.prog_id == program_id) {
			found = info.id;
			count++;
		}
		close(fd);
	}
	return count == 1 ? found : 0;
}

/* A program that is there: its id is not known where it is a place that a program has left. */
static void add_program(const struct event_users *reader, struct tracepoint_users *users, uint64_t program, uint32_t link_id,
			const char *how)
{
	uint32_t id = number(reader, follow(reader, program, PROG_AUX), AUX_ID);
	struct tracepoint_user user = {
		.by = TRACEPOINT_BY_BPF, .program = { .by = PROBED_BY_BPF, .how = how, .program_id = id, .link_id = link_id },
	};

	if (!id)
		return;
	if (!link_id)
		user.program.link_id = only_link(id);
	probed__describe_program(&user.program, reader->counts_runs);
	user.program.holders = holders__of(&reader->holders, user.program.link_id, id);
	if (user.program.program_type && !strcmp(user.program.program_type, "tracing"))
		user.program.how = "tp_btf";
	add(users, user);
}

static unsigned int add_programs(const struct event_users *reader, struct tracepoint_users *users, uint64_t call)
{
	uint64_t array = follow(reader, call, CALL_PROG_ARRAY), at = array + reader->offsets[ARRAY_ITEMS], program;
	size_t before = users->count;

	for (unsigned int i = 0; array && i < FUNCS_MAX && (program = kmemory__pointer(&reader->memory, at)); i++, at += reader->item_size)
		add_program(reader, users, program, 0, "tracepoint");
	return (unsigned int)(users->count - before);
}

/* One more event of a process; owner: its task, or what is no task: the kernel's own, or one whose task has ended. */
static void add_perf_event(const struct event_users *reader, struct tracepoint_users *users, uint64_t owner)
{
	struct tracepoint_user *user;
	char comm[16] = "";
	int pid = 0;

	/* TASK_TOMBSTONE is -1 */
	if (owner && owner != UINT64_MAX) {
		pid = (int)number(reader, owner, TASK_TGID);
		kmemory__text(&reader->memory, owner + reader->offsets[TASK_COMM], comm, sizeof(comm));
	}
	for (size_t i = 0; i < users->count; i++) {
		user = &users->all[i];
		if (user->by == TRACEPOINT_BY_PERF && user->pid == pid && !user->are_idle) {
			user->events++;
			return;
		}
	}
	add(users, (struct tracepoint_user){ .by = TRACEPOINT_BY_PERF, .pid = pid, .comm = pid ? strdup(comm) : NULL, .events = 1 });
}

/* The list of a CPU: events that are on. How many have no program. */
static unsigned int add_list(const struct event_users *reader, struct tracepoint_users *users, uint64_t head)
{
	uint64_t node = kmemory__pointer(&reader->memory, head);
	unsigned int count = 0;

	for (unsigned int i = 0; node && i < EVENTS_MAX; i++, node = kmemory__pointer(&reader->memory, node)) {
		uint64_t event = node - reader->offsets[PERF_HLIST_ENTRY];

		if (follow(reader, event, PERF_PROG))
			continue;
		add_perf_event(reader, users, follow(reader, event, PERF_OWNER));
		count++;
	}
	return count;
}

void event_users__add_of_call(const struct event_users *reader, struct tracepoint_users *users, uint64_t call)
{
	int all = (int)number(reader, call, CALL_PERF_REFCOUNT);
	uint64_t lists = follow(reader, call, CALL_PERF_EVENTS);
	unsigned int known;

	if (all <= 0)
		return;
	known = add_programs(reader, users, call);
	for (int cpu = 0; cpu < CPUS_MAX && lists; cpu++)
		if (cpu_set__has(&reader->cpus, cpu))
			known += add_list(reader, users, lists +
					  kmemory__pointer(&reader->memory, reader->per_cpu_offset + (uint64_t)cpu * sizeof(uint64_t)));
	if ((unsigned int)all > known)
		add(users, (struct tracepoint_user){ .by = TRACEPOINT_BY_PERF, .events = (unsigned int)all - known, .are_idle = true });
}

/* tr: a struct trace_array. */
static void add_instance(const struct event_users *reader, struct tracepoint_users *users, uint64_t tr)
{
	uint64_t name = follow(reader, tr, TR_NAME);
	char text[256] = "";

	if (name)
		kmemory__text(&reader->memory, name, text, sizeof(text));
	add(users, (struct tracepoint_user){ .by = TRACEPOINT_BY_FTRACE, .name = name ? strdup(text) : NULL });
}

static void add_function(const struct event_users *reader, struct tracepoint_users *users, uint64_t function, uint64_t data)
{
	uint64_t offset, link = reader->data_is_link ? data : 0;
	const struct ksym *sym = ksyms__at(reader->ksyms, function, &offset);
	char *name = NULL;

	if (!sym || !strcmp(sym->name, "tp_stub_func"))
		return;
	if (!strncmp(sym->name, "trace_event_raw_event_", 22))
		return add_instance(reader, users, follow(reader, data, FILE_TR));
	if (!strncmp(sym->name, "ftrace_syscall_", 15))
		return add_instance(reader, users, data);
	if (!strncmp(sym->name, "perf_trace_", 11))
		return event_users__add_of_call(reader, users, data);
	if (!strncmp(sym->name, "__bpf_trace_", 12))
		return add_program(reader, users, link ? follow(reader, link, LINK_PROG) : data, link ? number(reader, link, LINK_ID) : 0,
				   "raw_tracepoint");
	if (asprintf(&name, "%s%s%s", sym->module ?: "", sym->module ? ":" : "", sym->name) > 0)
		add(users, (struct tracepoint_user){ .by = TRACEPOINT_BY_KERNEL, .name = name });
}

void event_users__add_of_tracepoint(const struct event_users *reader, struct tracepoint_users *users, uint64_t address)
{
	/* struct tracepoint_func { void *func; void *data; int prio; } */
	struct { uint64_t func, data, prio; } entry;
	uint64_t funcs = follow(reader, address, TRACEPOINT_FUNCS);

	for (unsigned int i = 0; funcs && i < FUNCS_MAX; i++, funcs += sizeof(entry)) {
		if (kmemory__read(&reader->memory, funcs, &entry, sizeof(entry)) || !entry.func)
			break;
		add_function(reader, users, entry.func, entry.data);
	}
}

void event_users__add_instances(const struct event_users *reader, struct tracepoint_users *users, const char *event)
{
	char pattern[512], path[1024];
	glob_t files = { 0 };

	(void)reader;
	for (int top = 1; top >= 0; top--) {
		snprintf(pattern, sizeof(pattern), "%sevents/%s/enable", top ? "" : "instances/*/", event);
		if (tracefs__path(path, sizeof(path), pattern) || glob(path, 0, NULL, &files))
			continue;
		for (size_t i = 0; i < files.gl_pathc; i++) {
			const char *instance = top ? NULL : strstr(files.gl_pathv[i], "/instances/");
			char on[4] = "";

			if (file__read_small(files.gl_pathv[i], on, sizeof(on)) > 0 && *on == '1')
				add(users, (struct tracepoint_user){ .by = TRACEPOINT_BY_FTRACE, .name = instance ?
					    strndup(instance + 11, strcspn(instance + 11, "/")) : NULL });
		}
		globfree(&files);
	}
}
