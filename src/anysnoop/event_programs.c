/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "run_events.h"
#include "lib/gen/condition.h"
#include "lib/gen/patch.h"
#include "lib/gen/request.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/links.h"
#include "lib/user/user_attach.h"
#include "user_events.h"

static const struct event_programs *set;

/* Which programs of the skeleton were compiled for that: to count, and to send rows. */
static const int compiled[PROGRAM_KINDS][2] = {
	[SEES_EVENT] = { 1, 0 }, [SEES_SYSCALL] = { 3, 2 }, [SEES_RETURN] = { 5, 4 }, [KEEPS_SYSCALL] = { 6, 6 },
					[SEES_CALL_RETURN] = { 7, 8 }, [KEEPS_CALL] = { 9, 9 }, [SEES_USER_CALL] = { 10, 11 },
					[SEES_HOOK] = { 13, 12 } };

/* What the skeleton's programs are made to be. */
static struct event_program programs[EVENT_PROGRAMS_MAX];

/* Those that were compiled, linked with their maps. */
static struct {
	struct bpf_insn *insns;
	size_t count;
} frames[PROGRAM_KINDS];

bool event_programs__keep(enum program_kind kind)
{
	return kind == KEEPS_SYSCALL || kind == KEEPS_CALL;
}

/* Gives an event a program: there are two for each. */
static void add_program(const struct plan *event, enum program_kind kind)
{
	int at = set->between->has_programs ? (int)kind : compiled[kind][counted__is_in_kernel(set->counted)];

	if (set->between->has_programs && !between__has_program(set->between, event))
		return;
	for (int next = set->between->has_programs ? BETWEEN_COMPILED : EVENT_PROGRAMS_COMPILED; programs[at].event; next++)
		at = next;
	programs[at].event = event;
	programs[at].kind = kind;
}

static bool has_program(size_t event)
{
	return !run_events.states[event].is_recorded && run_events.states[event].leader == event;
}

static void add_programs(void)
{
	static const enum program_kind kinds[REQUEST_SOURCES] = {
		[REQUEST_TRACEPOINT] = SEES_EVENT, [REQUEST_RAWTP] = SEES_EVENT, [REQUEST_CALL] = SEES_EVENT,
		[REQUEST_CALL_RETURN] = SEES_CALL_RETURN, [REQUEST_SYSCALL] = SEES_SYSCALL, [REQUEST_SYSCALL_RETURN] = SEES_RETURN,
		[REQUEST_WATCH] = SEES_EVENT, [REQUEST_LSM] = SEES_HOOK,
		[REQUEST_USER] = SEES_USER_CALL, [REQUEST_USER_RETURN] = SEES_CALL_RETURN, [REQUEST_USDT] = SEES_USER_CALL,
	};

	for (size_t i = 0; i < run_events.count; i++)
		if (has_program(i))
			add_program(&run_events.plans[i], kinds[run_events.plans[i].source]);
	/* behind these: a call whose return nobody would see is not kept */
	for (size_t i = 0; i < run_events.count; i++) {
		const struct plan *event = &run_events.plans[i];

		if (!has_program(i) || (set->between->has_programs && !between__keeps_begin(set->between, event)))
			continue;
		if (event->source == REQUEST_SYSCALL_RETURN)
			add_program(event, KEEPS_SYSCALL);
		else if (event->source == REQUEST_CALL_RETURN || event->source == REQUEST_USER_RETURN)
			add_program(event, KEEPS_CALL);
	}
}

#define FOLLOWED_ROOM 8		/* files of a target that --follow has room for, on average */
#define PATCHES_MAX (20 + BETWEEN_PATCHES_MAX)

/*
 * The field of an event of the scheduler's that has the thread which it is about, beside the one that runs: who comes, of a switch, or who
 * is woken or moved.  NULL: there is none.
 */
static const struct format_field *find_other_task(const struct plan *event)
{
	const struct format *format = event->format;
	const struct format_field *field;

	if (event->source != REQUEST_TRACEPOINT || strcmp(format->system, "sched"))
		return NULL;
	field = format__field(format, "next_pid");
	if (!field)
		field = format__field(format, "pid");
	return field && field->elem_size == sizeof(uint32_t) && !field->is_array && field->loc == FORMAT_PLAIN ? field : NULL;
}

/* Whether that thread is the tool: its own wake-ups are no events of others.  How many there are. */
static size_t add_own_patches(const struct plan *event, const struct tool *tool, struct patch *patches)
{
	static struct bpf_insn is_own[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_1, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	};
	const struct format_field *other = find_other_task(event);

	is_own[0].off = other ? (int16_t)other->offset : 0;
	is_own[2].imm = (int32_t)tool->options.filter.self;
	patches[0] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_NAMES_TASK, .number = !!other };
	patches[1] = (struct patch){ .kind = PATCH_CODE, .mark = ANYSNOOP_IS_OWN, .insns = is_own,
				     .count = sizeof(is_own) / sizeof(*is_own) };
	return 2;
}

/* Whether its program may take events without a look at whose they are: only the tool's own are none. */
static bool takes_any_task(const struct plan *event, const struct tool *tool)
{
	return !tool->options.filter.active && !tool->options.filter.pidns_ino && !condition__uses_id(&event->matches);
}

/* Whether the return is seen when the address that it goes to is off the stack. */
static bool is_after_return(const struct plan *event)
{
	return event->source == REQUEST_CALL_RETURN ||
	       (event->source == REQUEST_USER_RETURN && user_events__by_kernel(run_events__number(event)));
}

/* Whether the user stack's top is a return address: at the function's first instruction, and at its ret. */
static bool has_caller_on_top(const struct plan *event)
{
	const char *function = strrchr(event->name, ':');

	return request__is_user(event->source) && event->source != REQUEST_USDT && !is_after_return(event) && function &&
	       !strchr(function, '+');
}

/* Programs on uprobes run with preemption on from 6.0 on. */
static bool is_preempted(const struct plan *event)
{
	return request__is_user(event->source) && kernel__version() >= kernel_version(6, 0, 0);
}

static bool wants_own_stack(const struct plan *event)
{
	return request__is_user(event->source) && kernel__version() >= kernel_version(6, 13, 0);
}

static bool is_shared(const struct plan *event)
{
	return run_events.states[run_events__number(event)].has_others;
}

/* Of programs on functions.  How many there are. */
static size_t add_function_patches(const struct plan *event, struct patch *patches)
{
	bool by_cookie = is_shared(event) && user_attach__has_multi();

	patches[0] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_OWN_STACK, .number = wants_own_stack(event) };
	patches[1] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_IS_SHARED, .number = is_shared(event) };
	patches[2] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_BY_COOKIE, .number = by_cookie };
	return 3;
}

bool event_programs__need_sites(const struct plan *event)
{
	return is_shared(event) && !user_attach__has_multi();
}

bool event_programs__prepare_sites(struct bpf_map *map)
{
	size_t places = 0;

	for (size_t i = 0; i < run_events.count; i++)
		if (event_programs__need_sites(&run_events.plans[run_events.states[i].leader]))
			places += user_events__places(i) * (user_options.follow ? FOLLOWED_ROOM : 1);
	bpf_map__set_autocreate(map, places);
	if (places)
		bpf_map__set_max_entries(map, (uint32_t)places);
	return places;
}

/* The generated parts of a program. How many there are. */
static size_t find_patches(const struct tool *tool, const struct plan *event, enum program_kind kind, struct patch *patches)
{
	const struct emit *is_call = kind == SEES_RETURN ? &event->is_return : &event->is_begin;
	bool sends_key = set->counted->by_stack;
	int record_size = (int)(sizeof(struct event_task) + (sends_key ? event->key.size : event->record.size));
	/* with --between the histogram is of a time, and events have no key */
	int is_signed = set->counted->hist && event->key.count && event->key.parts[0].operand.number.is_signed;
	bool counts = counted__is_in_kernel(set->counted);
	size_t count = 0;

	if (kind == SEES_SYSCALL || kind == SEES_RETURN || kind == KEEPS_SYSCALL) {
		patches[count++] = (struct patch){ .kind = PATCH_CODE, .mark = ANYSNOOP_IS_CALL, .insns = is_call->insns,
						    .count = is_call->count };
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_VALUES,
						    .number = (int32_t)(kind == SEES_RETURN ? event->end_ret : event->begin_args) };
	}
	if (kind == SEES_SYSCALL || kind == KEEPS_SYSCALL) {
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_LOW, .number = (int32_t)event->compat_args.low };
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_HIGH,
						    .number = (int32_t)event->compat_args.high };
	}
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_INDEX, .number = (int32_t)run_events__number(event) };
	if (!set->between->has_programs && (kind == SEES_USER_CALL || kind == SEES_CALL_RETURN || kind == KEEPS_CALL))
		count += add_function_patches(event, patches + count);
	if (event_programs__keep(kind))
		return count;
	if (set->between->has_programs && (kind == SEES_EVENT || kind == SEES_SYSCALL))
		/* their frames do not ask which event it is */
		count--;
	if (set->between->has_programs && (kind == SEES_RETURN || kind == SEES_CALL_RETURN))
		patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = BETWEEN_IS_KEPT,
						    .number = between__keeps_begin(set->between, event) };
	if (set->between->has_programs)
		return between__add_patches(set->between, event, patches, count);
	if (counts) {
		patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_PREEMPTED, .number = is_preempted(event) };
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_MEMORY,
						    .number = (int32_t)run_events.states[run_events__number(event)].rank };
	}
	if (!counts)
		patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_SENDS_KEY, .number = sends_key };
	if (kind == SEES_USER_CALL)
		patches[count++] = (struct patch){ .kind = PATCH_FUNCTION, .mark = ANYSNOOP_TOUCH, .insns = event->touch.insns,
						    .count = event->touch.count };
	if (kind == SEES_CALL_RETURN)
		patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_AFTER_RETURN, .number = is_after_return(event) };
	if ((kind == SEES_USER_CALL || kind == SEES_CALL_RETURN) && !counts)
		patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_CALLER_ON_TOP,
						    .number = has_caller_on_top(event) };
	count += add_own_patches(event, tool, patches + count);
	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_ANY_TASK, .number = takes_any_task(event, tool) };
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_SELF, .number = (int32_t)tool->options.filter.self };
	patches[count++] = (struct patch){ .kind = PATCH_CODE, .mark = ANYSNOOP_MATCHES, .insns = event->matches.insns,
					    .count = event->matches.count };
	patches[count++] = (struct patch){ .kind = PATCH_FUNCTION, .mark = ANYSNOOP_COPY, .insns = event->copy.insns,
					    .count = event->copy.count };
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = counts ? ANYSNOOP_SIGNED : ANYSNOOP_SIZE,
					    .number = counts ? is_signed : record_size };
	return count;
}

/* System calls are seen at tracepoints' events. */
static void set_type(const struct plan *event, struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	enum request_source source = event->source;
	static const enum bpf_prog_type types[REQUEST_SOURCES] = {
		[REQUEST_TRACEPOINT] = BPF_PROG_TYPE_TRACEPOINT, [REQUEST_RAWTP] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[REQUEST_CALL] = BPF_PROG_TYPE_KPROBE, [REQUEST_CALL_RETURN] = BPF_PROG_TYPE_KPROBE,
		[REQUEST_SYSCALL] = BPF_PROG_TYPE_TRACEPOINT,
		[REQUEST_SYSCALL_RETURN] = BPF_PROG_TYPE_TRACEPOINT, [REQUEST_WATCH] = BPF_PROG_TYPE_PERF_EVENT,
		[REQUEST_LSM] = BPF_PROG_TYPE_LSM,
		[REQUEST_USER] = BPF_PROG_TYPE_KPROBE, [REQUEST_USER_RETURN] = BPF_PROG_TYPE_KPROBE,
		[REQUEST_USDT] = BPF_PROG_TYPE_KPROBE,
	};

	if (types[source] != BPF_PROG_TYPE_TRACEPOINT)
		bpf_program__set_type(program, types[source]);
	/* not before: libbpf reads the kernel's BTF for an object that has such programs */
	if (source == REQUEST_LSM) {
		bpf_program__set_expected_attach_type(program, BPF_LSM_MAC);
		opts->expected_attach_type = BPF_LSM_MAC;
		opts->attach_btf_id = event->format->id;
	}
	if (request__is_user(source) && user_attach__has_multi()) {
		bpf_program__set_expected_attach_type(program, USER_ATTACH_MULTI);
		opts->expected_attach_type = USER_ATTACH_MULTI;
	}
	if (request__is_function(source) && set->attach->wanted == ATTACH_MULTI) {
		bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
		opts->expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	}
}

int event_programs__number(const struct bpf_object_skeleton *skeleton, const struct bpf_program *program)
{
	int number = 0;

	while (*links__entry(skeleton, number)->prog != program)
		number++;
	return number;
}

/*
 * Whether a program on a function of a program must be one that may sleep: it reads texts, or another one does and they have a table of
 * programs in common (lib/bpf/own_stack.bpf.h).  In a table the kernel takes programs that sleep, or programs that do not:
 * __bpf_prog_map_compatible().
 */
static bool must_sleep(const struct tool *tool, const struct plan *event, enum program_kind kind)
{
	const struct bpf_map *common = bpf_object__find_map_by_name(*tool->skeleton->obj, "no_programs");
	bool sleeps = kind == SEES_USER_CALL && event->sleeps;

	if (!request__is_user(event->source) || !common || !bpf_map__autocreate(common))
		return sleeps;
	for (int i = 0; i < EVENT_PROGRAMS_MAX; i++)
		sleeps |= programs[i].event && programs[i].kind == SEES_USER_CALL && programs[i].event->sleeps;
	return sleeps;
}

/* Makes the program of an event, when libbpf is about to load it: its maps are linked then. */
static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct tool *tool = (const struct tool *)cookie;
	struct patch patches[PATCHES_MAX];
	struct bpf_insn *insns;
	int err, at = event_programs__number(tool->skeleton, program);
	enum program_kind kind;
	size_t count;

	kind = programs[at].kind;
	set_type(programs[at].event, program, opts);
	if (must_sleep(tool, programs[at].event, kind))
		opts->prog_flags |= BPF_F_SLEEPABLE;
	/* the first one is the one that was compiled */
	if (!frames[kind].insns) {
		frames[kind].count = bpf_program__insn_cnt(program);
		frames[kind].insns = malloc(frames[kind].count * sizeof(*insns));
		if (!frames[kind].insns)
			return -ENOMEM;
		memcpy(frames[kind].insns, bpf_program__insns(program), frames[kind].count * sizeof(*insns));
	}
	count = find_patches(tool, programs[at].event, kind, patches);
	err = patch__make(frames[kind].insns, frames[kind].count, patches, count, &insns, &count);
	if (err)
		return err;
	err = bpf_program__set_insns(program, insns, count);
	free(insns);
	/* these were about the instructions as compiled */
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	opts->prog_btf_fd = 0;
	return err;
}

int event_programs__register(const struct event_programs *wanted, struct tool *tool)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)tool, .prog_prepare_load_fn = prepare_load);
	int err = libbpf_register_prog_handler("event", BPF_PROG_TYPE_TRACEPOINT, 0, &opts);

	set = wanted;
	add_programs();
	return err < 0 ? tool__fail(tool, err, "libbpf does not take the programs: %s", strerror(-err)) : 0;
}

const struct event_program *event_programs__at(int number)
{
	return &programs[number];
}

int event_programs__count(void)
{
	int count = EVENT_PROGRAMS_MAX;

	while (count && !programs[count - 1].event)
		count--;
	return count;
}

/* Which programs are loaded, and which maps are made. */
void event_programs__prepare(struct tool *tool)
{
	struct bpf_program *program;
	bool keeps_any = false;

	/* the skeleton may have the first of them alone */
	bpf_object__for_each_program(program, *tool->skeleton->obj)
		bpf_program__set_autoload(program, false);
	for (int i = 0; i < tool->skeleton->prog_cnt; i++) {
		bpf_program__set_autoload(*links__entry(tool->skeleton, i)->prog, programs[i].event);
		keeps_any |= programs[i].event && event_programs__keep(programs[i].kind);
	}
	bpf_map__set_autocreate(bpf_object__find_map_by_name(*tool->skeleton->obj, "calls"), keeps_any);
}

void event_programs__free(void)
{
	for (int i = 0; i < PROGRAM_KINDS; i++)
		free(frames[i].insns);
}
