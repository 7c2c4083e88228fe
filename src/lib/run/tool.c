/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "lib/ftrace/leftovers.h"
#include "counting.h"
#include "lib/kernel/cgroup_tree.h"
#include "lib/kernel/cgroups.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/lockdown.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/loop/loop.h"
#include "lib/probe/attach.h"
#include "lib/probe/attached.h"
#include "lib/probe/links.h"
#include "lib/probe/tracepoint.h"
#include "lib/shared/hist.h"
#include "cgroup_removed.h"
#include "children.h"
#include "metrics.h"
#include "output_file.h"
#include "preflight.h"
#include "recording.h"
#include "show.h"
#include "task_keys.h"
#include "tool_command.h"

const bool tool_not_shown = false, tool_shown_with_uid = false, tool_shown_with_cgroup = false;
static unsigned int verbose;

int tool__fail(struct tool *tool, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(format, args);
	va_end(args);
	if (!tool->err)
		tool->err = err;
	return tool->err;
}

void tool__debug(const struct tool *tool, const char *format, ...)
{
	va_list args;

	if (!tool->options.verbose)
		return;
	va_start(args, format);
	vsay(format, args);
	va_end(args);
}

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return verbose >= 2 && level <= LIBBPF_DEBUG ? vfprintf(stderr, format, args) : 0;
}

/*
 * Before 5.11 maps and programs count as locked memory. libbpf loads a program to learn whether they do (0.06 M instructions, 6.1); to lift
 * the limit is cheaper. Who may not lift it needs no higher one: that takes CAP_SYS_RESOURCE, and root alone loads programs there.
 */
static void lift_memory_limit(void)
{
	const struct rlimit none = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };

	libbpf_set_memlock_rlim(0);
	setrlimit(RLIMIT_MEMLOCK, &none);
}

/* -f: before anything is attached, so that what is made from then on counts.  tool->err. */
static int start_following(struct tool *tool)
{
	struct fault fault;
	int err = tool->options.filter.follows ? children__start(&tool->options.filter, &fault) : 0;

	return err ? tool__fail(tool, err, "-f: new processes cannot be followed: %s", fault.text) : 0;
}

const struct bpf_object_open_opts *tool__open_opts(struct tool *tool)
{
	int err;

	/* before anything is held: an interrupted start ends as an interrupted run */
	loop__catch_signals();
	if (show__is_active()) {
		tool->err = preflight__files(!tool->options.output);
		if (!tool->err)
			tool->err = output_file__open(tool->options.output, &tool->out.sink);
		return NULL;
	}
	verbose = tool->options.verbose;
	attached__say(verbose);
	libbpf_set_print(print_libbpf);
	lift_memory_limit();
	tool->err = preflight__files(!tool->options.output);
	if (!tool->err)
		tool->err = preflight__proc();
	if (!tool->err)
		tool->err = preflight__rights();
	if (!tool->err)
		tool->err = output_file__open(tool->options.output, &tool->out.sink);
	if (tool->err)
		return NULL;
	leftovers__sweep();
	err = layout__new(&tool->layout);
	if (err) {
		tool__fail(tool, err, "no memory for the layouts: %s", strerror(-err));
		return NULL;
	}
	if (start_following(tool))
		return NULL;
	tool->open_opts.sz = sizeof(tool->open_opts);
	tool->open_opts.btf_custom_path = layout__btf_path(tool->layout);
	return &tool->open_opts;
}

/* The beginning of every skeleton that bpftool makes. */
struct any_skeleton {
	struct bpf_object_skeleton *skeleton;
	struct bpf_object *object;
};

/* The beginning of the variable wherever in .rodata it lies; NULL: there is none of that name and size. */
static void *find_rodata(const struct bpf_object *object, const char *name, size_t size)
{
	const struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");
	const struct btf *btf = bpf_object__btf(object);
	int id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -1;
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	const struct btf_var_secinfo *variable = section ? btf_var_secinfos(section) : NULL;
	size_t room;
	char *bytes = rodata ? bpf_map__initial_value(rodata, &room) : NULL;

	for (int i = 0; bytes && section && i < btf_vlen(section); i++)
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, variable[i].type)->name_off), name) &&
		    variable[i].size == size)
			return bytes + variable[i].offset;
	return NULL;
}

void tool__set_rodata(const struct tool *tool, const char *name, const void *value, size_t size)
{
	void *variable = find_rodata(*tool->skeleton->obj, name, size);

	if (variable)
		memcpy(variable, value, size);
}

void tool__tell_stack_programs(const struct tool *tool, bool wanted)
{
	wanted = wanted && kernel__has_btf();
	tool__set_rodata(tool, "stack_programs_sent", &wanted, sizeof(wanted));
	if (!wanted)
		layout__leave_out(tool->layout, "stack_program_read");
}

void tool__set_shape(const struct tool *tool)
{
	tool__set_rodata(tool, "hist_shape", tool->shape, sizeof(*tool->shape));
	if (!tool->shape->linear_count)
		layout__leave_out(tool->layout, "hist_linear_slot");
}

void tool__choose_loop(const struct tool *tool, const char *in_place, const char *by_loop)
{
	bool has_loop;

	if (!find_rodata(*tool->skeleton->obj, "has_loop", sizeof(has_loop)))
		return;
	has_loop = kernel__has_loop();
	tool__set_rodata(tool, "has_loop", &has_loop, sizeof(has_loop));
	layout__leave_out(tool->layout, has_loop ? in_place : by_loop);
}

bool tool__opened(struct tool *tool, void *skel)
{
	const struct any_skeleton *any = skel;

	if (show__is_active())
		return false;
	if (!tool->err && !skel)
		tool__fail(tool, -errno, "its programs cannot be opened: %s", strerror(errno));
	if (tool->err)
		return false;
	tool->skeleton = any->skeleton;
	tool__set_rodata(tool, "filter", &tool->options.filter, sizeof(tool->options.filter));
	if (!tool->options.filter.pidns_ino)
		layout__leave_out(tool->layout, "pidns_numbers");
	if (!tool->options.filter.pidns_below) {
		layout__leave_out(tool->layout, "pidns_numbers_below");
		layout__leave_out(tool->layout, "pid_number_in_namespace");
	}
	if (!tool->options.filter.by_cgroup)
		layout__leave_out(tool->layout, "cgroup_is_wanted");
	if (!tool->options.filter.follows)
		layout__leave_out(tool->layout, "is_followed");
	if (!tool->options.filter.active)
		layout__leave_out(tool->layout, "owner_passes");
	if (tool->options.stacks_asked)
		tool__set_rodata(tool, "row_stack_kinds", &tool->options.stacks_asked, sizeof(tool->options.stacks_asked));
	else if (tool->about->stacks)
		layout__stub_out(tool->layout, tool->about->stacks_come_before ? "owner_send_stacks" : "row_stack_send");
	if (tool->about->stacks)
		tool__tell_stack_programs(tool, tool->options.stacks_asked & ROW_STACK_USER);
	tool__choose_loop(tool, "cgroup_names_in_place", "cgroup_names_by_loop");
	counting_kernel__choose(tool);
	return !tool->err;
}

void tool__skip_absent_tracepoints(const struct tool *tool)
{
	struct bpf_program *program;

	/* where nobody can tell they stay, and attaching tells why */
	if (!tracefs__mount_point())
		return;
	bpf_object__for_each_program(program, *tool->skeleton->obj) {
		const char *event = tracepoint__of(program);

		if (event && !tracefs__has_event(event))
			bpf_program__set_autoload(program, false);
	}
}

/* Why the kernel does not let programs or maps be made; EPERM. */
static const char *why_not_permitted(void)
{
	/* asked once: it tries what failed, and may have another answer the next time */
	const char *why_locked_down = lockdown__why_failed();

	if (preflight__in_user_namespace())
		return "in a user namespace the capabilities must be the host's";
	if (why_locked_down)
		return why_locked_down;
	if (kernel__bounds_maps())
		return "RLIMIT_MEMLOCK is too small; CAP_SYS_RESOURCE, or root, may raise it";
	return geteuid() ? "a missing capability, or a security module: run it with sudo" :
			   "a security module, or the seccomp profile of a container: run it on the host";
}

/* In the user's words, where the kernel does not take a program or a map. */
static int fail_to_load(struct tool *tool, int err)
{
	const char *why_locked_down;

	switch (-err) {
	case EPERM:
		return tool__fail(tool, err, "the kernel does not let BPF programs be loaded: %s (%s)", strerror(-err),
				  why_not_permitted());
	case ENOMEM:
		return tool__fail(tool, err, "the BPF programs or maps cannot be loaded: no memory (try a smaller --buffer)");
	case E2BIG:
		return tool__fail(tool, err, "a BPF program is too large or too complex for this kernel's verifier (-vv shows "
				  "its log)");
	case EINVAL:
		/* the kernel hides the helpers that read its memory, and the verifier refuses the call */
		why_locked_down = lockdown__why_failed();
		if (why_locked_down)
			return tool__fail(tool, err, "%s", why_locked_down);
		if (!kernel__has_jit())
			return tool__fail(tool, err, "the BPF programs cannot be loaded where programs are interpreted: %s "
					  "(sysctl net.core.bpf_jit_enable=1)", strerror(-err));
		/* fallthrough */
	default:
		return tool__fail(tool, err, "the BPF programs cannot be loaded on this kernel: %s (-vv shows the verifier's "
				  "log)", strerror(-err));
	}
}

int tool__fail_maps(struct tool *tool, int err)
{
	return err == -EPERM ? fail_to_load(tool, err) : tool__fail(tool, err, "the maps cannot be prepared: %s", strerror(-err));
}

/* Whether a ring buffer will be made. */
static bool has_ring(const struct bpf_object *object)
{
	const struct bpf_map *map;

	bpf_object__for_each_map(map, object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF && bpf_map__autocreate(map))
			return true;
	return false;
}

/* 0 or -errno */
static int make_rings(struct tool *tool, const struct bpf_object *object)
{
	int err = rings__prepare(&tool->rings, object, tool->options.ring_size, tool->about->record_max);
	uint32_t mask = tool->rings.count - 1;

	if (!err && tool->rings.count > 1)
		tool__set_rodata(tool, "event_rings_mask", &mask, sizeof(mask));
	return err;
}

/* What programs on uprobes need since 6.13 alone (bpf/own_stack.bpf.h). */
static void choose_own_stack(const struct tool *tool, const struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, "no_programs");
	bool has_private_stacks = kernel__version() >= kernel_version(6, 13, 0);

	tool__set_rodata(tool, "has_private_stacks", &has_private_stacks, sizeof(has_private_stacks));
	if (map && !has_private_stacks)
		bpf_map__set_autocreate(map, false);
}

/* One of the programs of CALL_THREAD_EXIT() (bpf/call.bpf.h). */
static void choose_thread_exit(const struct bpf_object *object)
{
	struct bpf_program *raw = bpf_object__find_program_by_name(object, "thread_exit_raw");

	if (!raw)
		return;
	bpf_program__set_autoload(raw, !kernel__preempts_programs());
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "thread_exit"), kernel__preempts_programs());
}

/*
 * libbpf tries whether a map can be mapped.  Where that fails for want of memory it goes on, and the skeleton's pointers to its variables
 * are NULL.  All kernels that programs run on can (5.5).
 */
static int sections_are_mapped(const struct bpf_object_skeleton *skeleton)
{
	for (int i = 0; i < skeleton->map_cnt; i++) {
		const struct bpf_map_skeleton *map = (const void *)((const char *)skeleton->maps + i * skeleton->map_skel_sz);

		if (map->mmaped && !*map->mmaped)
			return -ENOMEM;
	}
	return 0;
}

/* Rows go on without names; --by, which is for nothing else, refuses (task_keys.c). */
static void warn_without_cgroup_names(void)
{
	const char *mount;
	int hierarchy = cgroup_tree__open(&mount);

	if (hierarchy >= 0)
		close(hierarchy);
	else
		say__warning("--cgroup-name: cgroups have no names here: %s", cgroup_tree__why_none());
}

int tool__lay_out(struct tool *tool)
{
	struct fault fault;
	int err;

	if (tool->err || tool->laid_out)
		return tool->err;
	tool->laid_out = true;
	choose_thread_exit(*tool->skeleton->obj);
	choose_own_stack(tool, *tool->skeleton->obj);
	if (tool__prepare_attach(tool))
		return tool->err;
	err = layout__fill(tool->layout, *tool->skeleton->obj, tool->skeleton->data, tool->skeleton->data_sz, &fault);
	if (err == -ENOENT && tool->since)
		return tool__fail(tool, err, "%s; %s needs Linux %s", fault.text, tool->about->name, tool->since);
	return err ? tool__fail(tool, err, "%s", fault.text) : 0;
}

int tool__load(struct tool *tool)
{
	const struct bpf_object *object = tool->err ? NULL : *tool->skeleton->obj;
	struct bpf_map *cgroup, *followed;
	struct fault fault = {};
	uint32_t key = 0;
	int err;

	if (tool__lay_out(tool))
		return tool->err;
	cgroup = bpf_object__find_map_by_name(object, "cgroup");
	followed = bpf_object__find_map_by_name(object, "followed");
	if (cgroup && (tool->cgroup_fd < 0 || tool->options.filter.cgroup_level))
		bpf_map__set_autocreate(cgroup, false);
	if (followed && !tool->options.filter.follows)
		bpf_map__set_autocreate(followed, false);
	err = children__share(object);
	if (err)
		return tool__fail(tool, err, "-f: the map cannot be shared: %s", strerror(-err));
	if (tool->about->stacks && !tool->options.stacks_asked)
		bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "row_stacks"), false);
	tool->err = has_ring(object) ? preflight__ring() : 0;
	if (tool->err)
		return tool->err;
	err = make_rings(tool, object);
	if (!err)
		err = bpf_object__load_skeleton(tool->skeleton);
	if (!err)
		err = sections_are_mapped(tool->skeleton);
	if (!err)
		err = rings__finish(&tool->rings, object);
	if (err)
		return fail_to_load(tool, err);
	tool->loaded = true;
	err = tool->options.filter.cgroup_level ?
		cgroup_follow__start(&tool->cgroup_follow, object, tool->options.filter.cgroup_id, &fault) : 0;
	if (err && tool->cgroup_fd < 0)
		return tool__fail(tool, err, "-c: a cgroup that is not there yet cannot be waited for: %s", fault.text);
	if (err)
		say__warning("-c: the cgroup is not followed if it is removed and made again: %s", fault.text);
	if (task_keys__find_names(tool))
		return tool->err;
	if (tool->options.shows_cgroup && tool->options.filter.wants_cgroup)
		warn_without_cgroup_names();
	if (((tool->options.shows_cgroup && tool->options.filter.wants_cgroup) || task_keys__are_cgroups() ||
	     counting__is_by_cgroup(tool)) &&
	    cgroup_removed__start(&tool->cgroup_removed, &fault))
		say__warning("%s: cgroups that are removed at once may have no name: %s",
		    tool->options.shows_cgroup ? "--cgroup-name" : "--by", fault.text);
	if (tool->cgroup_fd >= 0 && cgroup && !tool->options.filter.cgroup_level &&
	    bpf_map__update_elem(cgroup, &key, sizeof(key), &tool->cgroup_fd, sizeof(tool->cgroup_fd), 0))
		return tool__fail(tool, -errno, "-c: the kernel does not take this cgroup: %s", strerror(errno));
	return 0;
}

void tool__row(struct tool *tool, const struct event_task *task)
{
	out__row(&tool->out, task->ts_ns);
	tool__task(tool, task);
}

void tool__row_without_task(struct tool *tool, uint64_t ts_ns)
{
	static const struct out_column columns[] = { TOOL_TASK_COLUMNS };

	out__row(&tool->out, ts_ns);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		out__none(&tool->out);
}

bool tool__is_same_task(const struct event_task *a, const struct event_task *b)
{
	const char *left = (const char *)&a->pid, *right = (const char *)&b->pid;
	const size_t size = offsetof(struct event_task, cgroup_id) - offsetof(struct event_task, pid);
	uint64_t difference = 0;

	/* in line: memcmp() is a call of a function that is found at run time */
	_Static_assert((offsetof(struct event_task, cgroup_id) - offsetof(struct event_task, pid)) % sizeof(uint64_t) == 0, "whole words");
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t words[2];

		memcpy(&words[0], left + i, sizeof(words[0]));
		memcpy(&words[1], right + i, sizeof(words[1]));
		difference |= words[0] ^ words[1];
	}
	return !difference;
}

static void put_task(struct tool *tool, const struct event_task *task)
{
	out__int(&tool->out, task->pid);
	out__int(&tool->out, task->tid);
	if (task->reserved & TASK_NO_USER)
		out__none(&tool->out);
	else
		out__int(&tool->out, task->uid);
	out__string(&tool->out, task->comm, sizeof(task->comm));
	tool__cgroup(tool, task->cgroup_id);
}

void tool__task(struct tool *tool, const struct event_task *task)
{
	/* a cgroup's path may change */
	if (tool->options.filter.wants_cgroup || !tool__is_same_task(task, &tool->last_task)) {
		put_task(tool, task);
		tool->last_task = *task;
		tool->last_columns.begin = NULL;
		return;
	}
	if (piece__again(&tool->out, &tool->last_columns))
		return;
	piece__begin(&tool->out, &tool->last_columns);
	put_task(tool, task);
	piece__end(&tool->out, &tool->last_columns);
}

static void put_or_none(struct out *out, const char *string)
{
	if (string)
		out__string(out, string, strlen(string));
	else
		out__none(out);
}

void tool__cgroup(struct tool *tool, uint64_t id)
{
	const struct cgroup_names *names = cgroups__names(tool->options.filter.wants_cgroup ? id : 0);

	if (names->path || !id)
		put_or_none(&tool->out, names->path);
	else
		out__none_id(&tool->out, id);
	put_or_none(&tool->out, names->name);
	put_or_none(&tool->out, names->container);
	put_or_none(&tool->out, names->pod);
	put_or_none(&tool->out, names->unit);
	put_or_none(&tool->out, names->slice);
	put_or_none(&tool->out, names->container_id);
	put_or_none(&tool->out, names->pod_uid);
}

int tool__finish(struct tool *tool)
{
	int err;

	if (tool->attach)
		attach__end(tool->attach);
	cgroup_follow__end(&tool->cgroup_follow);
	metrics__free(tool);
	counting__free(tool);
	recording__free(tool);
	children__end();
	task_keys__free();
	cgroups__free();
	cgroup_removed__end(tool->cgroup_removed);
	layout__free(tool->layout);
	rings__free(&tool->rings);
	free(tool->without_link);
	attached__free();
	out__free(&tool->out);
	err = output_file__close(&tool->out.sink);
	if (!tool->err)
		tool->err = err;
	if (tool->cgroup_fd >= 0)
		close(tool->cgroup_fd);
	return tool_command__finish(tool);
}
