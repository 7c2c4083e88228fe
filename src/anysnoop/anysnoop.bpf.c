/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "anysnoop.h"
#include "lib/bpf/arch.bpf.h"
#include "lib/bpf/call_args.bpf.h"
#include "lib/bpf/counted.bpf.h"
#include "lib/bpf/returned.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/patch.bpf.h"
#include "lib/bpf/tool.bpf.h"

/* Copies the event's fields, or what it counts by: generated (lib/gen/record, lib/gen/key). */
__hidden __noinline __u64 copy_fields(void *ctx, void *copy)
{
	return PATCH_FUNCTION(ANYSNOOP_COPY, ctx, copy);
}

/* values: what the generated code reads; ctx: the program's context, NULL where no stack is asked for. */
static __always_inline int make_row(void *ctx, void *values, __u64 id, const bool with_stack)
{
	struct anysnoop_event *event = event_reserve_as(PATCH_NUMBER(ANYSNOOP_SIZE), id);

	if (!event)
		return 0;
	event->index = (__u32)PATCH_NUMBER(ANYSNOOP_INDEX);
	event->cpu = bpf_get_smp_processor_id();
	copy_fields(values, &event->index);
	if (with_stack)
		row_stack_send(ctx, &event->task);
	event_submit(event);
	return 0;
}

/* A function of its own: an event that the filter drops does not pay for the registers that this takes. */
static __noinline int send(void *values, __u64 id)
{
	return make_row(NULL, values, id, false);
}

/* --stack, --ustack.  Another one, so that it can be left out. */
static __noinline int send_with_stack(void *ctx, void *values, __u64 id)
{
	return make_row(ctx, values, id, true);
}

/* --count and --hist */
static __noinline int count(void *ctx, __u64 id)
{
	struct counted_memory *memory = counted_begin((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), id);
	__u64 faulted;

	if (!memory)
		return 0;
	faulted = copy_fields(ctx, memory);
	counted_add(memory, PATCH_NUMBER(ANYSNOOP_SIGNED), faulted);
	counted_end(memory);
	return 0;
}

/* An event that passes its filters: a row, or a count. ctx: the program's; values: what the generated code reads. */
static __always_inline int pass(void *ctx, void *values, __u64 id, const bool counts)
{
	return counts ? count(values, id) : row_stack_kinds ? send_with_stack(ctx, values, id) : send(values, id);
}

/* An event: its filters, of which that of the event is generated (lib/gen/condition). */
static __always_inline int take(void *ctx, void *values, const bool counts)
{
	__u64 id;

	/*
	 * Most runs ask for no task and are not in a pid namespace. What the others need is left out then, of the filters' data and of the
	 * registers too: an event that the filter drops costs a sixth less.
	 */
	if (PATCH_CHOICE(ANYSNOOP_ANY_TASK)) {
		if (bpf_get_current_pid_tgid() >> 32 == PATCH_NUMBER(ANYSNOOP_SELF))
			return 0;
		if (PATCH_CODE_OF(ANYSNOOP_MATCHES, values))
			return pass(ctx, values, bpf_get_current_pid_tgid(), counts);
		event_count_filtered();
		return 0;
	}
	id = task_pid_tgid();
	if (task_filtered_as(id, NULL))
		return 0;
	if (PATCH_CODE(ANYSNOOP_MATCHES, values, id))
		return pass(ctx, values, id, counts);
	event_count_filtered();
	return 0;
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

/*
 * Of a 32-bit call: which halves make an argument differs between calls (lib/format/compat_args.h), and the registers' upper
 * halves may have anything.
 */
static __always_inline int take_compat(__u64 *args)
{
	__u32 low = (__u32)PATCH_NUMBER(ANYSNOOP_LOW), high = (__u32)PATCH_NUMBER(ANYSNOOP_HIGH), halves[8] = {};

	if (low & COMPAT_ARGS_IN_STRUCT) {
		if (bpf_probe_read_user(halves, RETURNED_ARGS * sizeof(*halves), (void *)(args[0] & 0xffffffff)))
			return -1;
	} else {
		for (int i = 0; i < RETURNED_ARGS; i++)
			halves[i] = (__u32)args[i];
	}
	for (int i = 0; i < RETURNED_ARGS; i++)
		args[i] = halves[low >> 4 * i & 7] | (__u64)halves[high >> 4 * i & 7] << 32;
	return 0;
}

/*
 * The arguments of a system call that begins; one whose arguments cannot be read is lost. A function of its own, so that what its caller
 * has on the stack stays small.
 */
static __noinline int read_arguments(void *ctx, __u64 *args, __u64 kind)
{
	/* through a helper: programs may not add to the address of their context */
	bpf_probe_read_kernel(args, RETURNED_ARGS * sizeof(*args), ctx + PATCH_NUMBER(ANYSNOOP_VALUES));
	if (kind != SYSCALL_COMPAT || !take_compat(args))
		return 0;
	event_count_lost();
	return -1;
}

/* A system call that begins, at the event of all: which calls are meant is generated (lib/gen/syscall). */
static __always_inline int take_call(void *ctx, const bool counts)
{
	__u64 args[RETURNED_ARGS], kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

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

/* A function of its own: what it has on the stack is not in the way of the generated code. */
static __noinline int keep(void *ctx, __u64 kind)
{
	struct returned call;

	if (task_pid_tgid() >> 32 == filter.self)
		return 0;
	if (!read_arguments(ctx, call.args, kind))
		returned_begin((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), 0, &call);
	return 0;
}

SEC("event")
int TP_PROG(keep_call, void *ctx)
{
	__u64 kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

	return kind ? keep(ctx, kind) : 0;
}

/* A function's call that returns: one that keep_function_call() has seen begin, at the same place of the stack. */
static __always_inline int take_function_return(struct pt_regs *ctx, const bool counts)
{
	struct returned_key key = returned_key_of((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), (__u32)PT_REGS_SP(ctx) - ARCH_RETURN_SIZE);
	struct returned *call = returned_find(&key, PT_REGS_RC(ctx));

	if (!call)
		return 0;
	take(ctx, call, counts);
	call_end(&calls, &key);
	return 0;
}

SEC("event")
int send_function_return(void *ctx)
{
	return take_function_return(ctx, false);
}

SEC("event")
int count_function_return(void *ctx)
{
	return take_function_return(ctx, true);
}

SEC("event")
int keep_function_call(struct pt_regs *ctx)
{
	struct returned call;

	if (event_is_over() || task_filtered())
		return 0;
	call_args_fill(ctx, call.args);
	returned_begin((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), (__u32)PT_REGS_SP(ctx), &call);
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
