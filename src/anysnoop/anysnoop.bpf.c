/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "anysnoop.h"
#include "frames.bpf.h"
#include "lib/bpf/arch.bpf.h"
#include "lib/bpf/counted.bpf.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/patch.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/user_site.bpf.h"

/* Copies the event's fields, or what it counts by: generated (lib/gen/record, lib/gen/key). */
__hidden __noinline __u64 copy_fields(void *ctx, void *copy)
{
	return PATCH_FUNCTION(ANYSNOOP_COPY, ctx, copy);
}

/* values: what the generated code reads; ctx: the program's context, NULL where no stack is asked for. */
static __always_inline int make_row(void *ctx, void *values, __u64 id, __u32 index, __u64 caller, const bool with_stack)
{
	struct anysnoop_event *event = event_reserve_as(PATCH_NUMBER(ANYSNOOP_SIZE), id);

	if (!event)
		return 0;
	/* what makes a key reads who it is there */
	if (PATCH_CHOICE(ANYSNOOP_SENDS_KEY))
		*(__u64 *)&event->index = id;
	copy_fields(values, &event->index);
	event->index = index;
	event->cpu = bpf_get_smp_processor_id();
	if (with_stack)
		row_stack_send(ctx, &event->task, caller);
	event_submit(event);
	return 0;
}

/* A function of its own: an event that the filter drops does not pay for the registers that this takes. */
static __noinline int send(void *values, __u64 id, __u32 index)
{
	return make_row(NULL, values, id, index, 0, false);
}

/* --stack, --ustack.  Another one, so that it can be left out. */
static __noinline int send_with_stack(void *ctx, void *values, __u64 id, __u32 index, __u64 caller)
{
	return make_row(ctx, values, id, index, caller, true);
}

/* --count and --hist */
static __noinline int count(void *ctx, __u64 id, __u32 index)
{
	__u32 number = (__u32)PATCH_NUMBER(ANYSNOOP_MEMORY);
	struct counted_memory *memory;
	__u64 faulted;

	if (PATCH_CHOICE(ANYSNOOP_PREEMPTED))
		memory = counted_begin_preempted(number, id);
	else
		memory = counted_begin(number, id);
	if (!memory)
		return 0;
	memory->index = index;
	faulted = copy_fields(ctx, memory);
	counted_add(memory, PATCH_NUMBER(ANYSNOOP_SIGNED), faulted);
	counted_end(memory);
	return 0;
}

/* An event that passes its filters: a row, or a count. ctx: the program's; values: what the generated code reads. */
static __always_inline int pass(void *ctx, void *values, __u64 id, __u32 index, __u64 caller, const bool counts)
{
	if (counts)
		return count(values, id, index);
	return row_stack_kinds ? send_with_stack(ctx, values, id, index, caller) : send(values, id, index);
}

/* Event number `index`, caller as in struct row_stack: its filters, of which that of the event is generated (lib/gen/condition). */
static __always_inline int take_as(void *ctx, void *values, __u32 index, __u64 caller, const bool counts)
{
	__u64 id;

	/* each row would make the next one: it wakes the tool */
	if (PATCH_CHOICE(ANYSNOOP_NAMES_TASK) && PATCH_CODE_OF(ANYSNOOP_IS_OWN, values))
		return 0;
	/*
	 * Most runs ask for no task and are not in a pid namespace. What the others need is left out then, of the filters' data and of the
	 * registers too: an event that the filter drops costs a sixth less.
	 */
	if (PATCH_CHOICE(ANYSNOOP_ANY_TASK)) {
		if (bpf_get_current_pid_tgid() >> 32 == PATCH_NUMBER(ANYSNOOP_SELF))
			return 0;
		if (PATCH_CODE_OF(ANYSNOOP_MATCHES, values))
			return pass(ctx, values, bpf_get_current_pid_tgid(), index, caller, counts);
		event_count_filtered();
		return 0;
	}
	id = task_pid_tgid();
	if (task_filtered_as(id, NULL))
		return 0;
	if (PATCH_CODE(ANYSNOOP_MATCHES, values, id))
		return pass(ctx, values, id, index, caller, counts);
	event_count_filtered();
	return 0;
}

/* The same for an event that has the program alone. */
static __always_inline int take(void *ctx, void *values, const bool counts)
{
	return take_as(ctx, values, (__u32)PATCH_NUMBER(ANYSNOOP_INDEX), 0, counts);
}

/*
 * The programs that anysnoop.c makes all others of. They stand before those, so that they are loaded first.
 *
 * An event of the kernel's.
 */
SEC("event")
int TP_PROG(count_event, void *ctx)
{
	return take(ctx, ctx, true);
}

SEC("event")
int TP_PROG(send_event, void *ctx)
{
	return take(ctx, ctx, false);
}

/* A system call that begins, at the event of all: which calls are meant is generated (lib/gen/syscall). */
static __always_inline int take_call(void *ctx, const bool counts)
{
	__u64 args[SYSCALL_ARGS_MAX], kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

	if (!kind)
		return 0;
	return read_arguments(ctx, args, kind) ? 0 : take(ctx, args, counts);
}

SEC("event")
int TP_PROG(count_call, void *ctx)
{
	return take_call(ctx, true);
}

SEC("event")
int TP_PROG(send_call, void *ctx)
{
	return take_call(ctx, false);
}

/* A system call that returns: one that keep_call() has seen begin. */
static __always_inline int take_return(void *ctx, const bool counts)
{
	struct returned_key key;
	struct returned *call;
	__s64 ret;

	if (!PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0))
		return 0;
	bpf_probe_read_kernel(&ret, sizeof(ret), ctx + PATCH_NUMBER(ANYSNOOP_VALUES));
	key = returned_key_of((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), 0);
	call = returned_find(&key, ret);
	if (!call)
		return 0;
	take(ctx, call, counts);
	call_end(&calls, &key);
	return 0;
}

SEC("event")
int TP_PROG(count_return, void *ctx)
{
	return take_return(ctx, true);
}

SEC("event")
int TP_PROG(send_return, void *ctx)
{
	return take_return(ctx, false);
}

SEC("event")
int TP_PROG(keep_call, void *ctx)
{
	__u64 kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

	return kind ? keep(ctx, kind) : 0;
}

/* Which event a function's call is: functions of a pattern may share a program.  USER_SITE_NONE: none. */
static __always_inline __u32 function_index(void *ctx)
{
	if (!PATCH_CHOICE(ANYSNOOP_IS_SHARED))
		return (__u32)PATCH_NUMBER(ANYSNOOP_INDEX);
	return PATCH_CHOICE(ANYSNOOP_BY_COOKIE) ? (__u32)bpf_get_attach_cookie(ctx) : user_site_found();
}

/* The caller's address, where a function of a program has it on the stack's top (arm64: in its register). */
static __always_inline __u64 user_caller(struct pt_regs *ctx)
{
	return row_stack_kinds && PATCH_CHOICE(ANYSNOOP_CALLER_ON_TOP) ? arch_user_caller(ctx) : 0;
}

/* A function's call that returns: one that keep_function_call() has seen begin, at the same place of the stack. */
static __always_inline int take_function_return(struct pt_regs *ctx, const bool counts)
{
	__u32 frame = (__u32)PT_REGS_SP(ctx) - (PATCH_CHOICE(ANYSNOOP_AFTER_RETURN) ? ARCH_RETURN_SIZE : 0);
	__u32 index = function_index(ctx);
	struct returned_key key = returned_key_of(index, frame);
	struct returned *call = returned_find(&key, PT_REGS_RC(ctx));

	if (!call)
		return 0;
	call->registers = (__u64)ctx;
	take_as(ctx, call, index, user_caller(ctx), counts);
	call_end(&calls, &key);
	return 0;
}

/* A program on a uprobe has a stack of its own (lib/bpf/own_stack.bpf.h). */
#define ASK_FOR_OWN_STACK(ctx) if (PATCH_CHOICE(ANYSNOOP_OWN_STACK)) own_stack_ask(ctx)

SEC("event")
int send_function_return(void *ctx)
{
	ASK_FOR_OWN_STACK(ctx);
	return take_function_return(ctx, false);
}

SEC("event")
int count_function_return(void *ctx)
{
	ASK_FOR_OWN_STACK(ctx);
	return take_function_return(ctx, true);
}

SEC("event")
int keep_function_call(struct pt_regs *ctx)
{
	ASK_FOR_OWN_STACK(ctx);
	keep_function(ctx, function_index(ctx));
	return 0;
}

/* Has the process's texts in memory: generated (lib/gen/touch). */
__hidden __noinline __u64 touch_texts(void *ctx, void *unused)
{
	return PATCH_FUNCTION(ANYSNOOP_TOUCH, ctx, unused);
}

/* A call of a program's function.  It may sleep, where that is needed and the kernel lets it. */
static __always_inline int take_user_call(struct pt_regs *ctx, const bool counts)
{
	__u32 index;

	ASK_FOR_OWN_STACK(ctx);
	index = function_index(ctx);
	if (index == USER_SITE_NONE) {
		event_count_lost();
		return 0;
	}
	touch_texts(ctx, ctx);
	return take_as(ctx, ctx, index, user_caller(ctx), counts);
}

SEC("event")
int send_user_call(void *ctx)
{
	return take_user_call(ctx, false);
}

SEC("event")
int count_user_call(void *ctx)
{
	return take_user_call(ctx, true);
}

/*
 * A hook of the security modules: the kernel's types of its arguments allow less than numbers do, so they are read by a helper.  0 lets the
 * kernel go on.
 */
static __always_inline int take_hook(void *ctx, const bool counts)
{
	__u64 args[ANYSNOOP_HOOK_ARGS];

	bpf_probe_read_kernel(args, sizeof(args), ctx);
	take(ctx, args, counts);
	return 0;
}

SEC("event")
int count_hook(void *ctx)
{
	take_hook(ctx, true);
	return 0;
}

SEC("event")
int send_hook(void *ctx)
{
	take_hook(ctx, false);
	return 0;
}

/* Where the other programs go: two for each event, as one that returns has. */
#define EVENT(name)                                                                                  \
	SEC("event")                                                                                 \
	int name(void *ctx)                                                                          \
	{                                                                                            \
		return 0;                                                                            \
	}

EVENT(event1) EVENT(event2) EVENT(event3) EVENT(event4) EVENT(event5) EVENT(event6) EVENT(event7)
EVENT(event8) EVENT(event9) EVENT(event10) EVENT(event11) EVENT(event12) EVENT(event13) EVENT(event14)
EVENT(event15) EVENT(event16) EVENT(event17) EVENT(event18) EVENT(event19) EVENT(event20) EVENT(event21)
EVENT(event22) EVENT(event23) EVENT(event24) EVENT(event25) EVENT(event26) EVENT(event27) EVENT(event28)
EVENT(event29) EVENT(event30) EVENT(event31) EVENT(event32) EVENT(event33) EVENT(event34) EVENT(event35)
EVENT(event36) EVENT(event37) EVENT(event38) EVENT(event39) EVENT(event40) EVENT(event41) EVENT(event42)
EVENT(event43) EVENT(event44) EVENT(event45) EVENT(event46) EVENT(event47) EVENT(event48) EVENT(event49)
EVENT(event50) EVENT(event51) EVENT(event52) EVENT(event53) EVENT(event54) EVENT(event55) EVENT(event56)
EVENT(event57) EVENT(event58) EVENT(event59) EVENT(event60) EVENT(event61) EVENT(event62) EVENT(event63)
EVENT(event64) EVENT(event65) EVENT(event66) EVENT(event67) EVENT(event68) EVENT(event69) EVENT(event70)
EVENT(event71) EVENT(event72) EVENT(event73) EVENT(event74) EVENT(event75) EVENT(event76) EVENT(event77)
EVENT(event78) EVENT(event79) EVENT(event80) EVENT(event81) EVENT(event82) EVENT(event83) EVENT(event84)
EVENT(event85) EVENT(event86) EVENT(event87) EVENT(event88) EVENT(event89) EVENT(event90) EVENT(event91)
EVENT(event92) EVENT(event93) EVENT(event94) EVENT(event95) EVENT(event96) EVENT(event97) EVENT(event98)
EVENT(event99) EVENT(event100) EVENT(event101) EVENT(event102) EVENT(event103) EVENT(event104) EVENT(event105)
EVENT(event106) EVENT(event107) EVENT(event108) EVENT(event109) EVENT(event110) EVENT(event111) EVENT(event112)
EVENT(event113) EVENT(event114) EVENT(event115) EVENT(event116) EVENT(event117) EVENT(event118) EVENT(event119)
EVENT(event120) EVENT(event121) EVENT(event122) EVENT(event123) EVENT(event124) EVENT(event125) EVENT(event126)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
