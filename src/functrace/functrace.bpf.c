/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of functions, one by one.  One program on all functions, where the kernel has kprobe.multi, or one for each of a few; with
 * -r a second one for returns, or one that sees both, where the kernel has sessions.  Functions of programs have programs on uprobes.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "functrace.h"
#include "lib/bpf/call_args.bpf.h"
#include "lib/bpf/frames.bpf.h"
#include "lib/bpf/stack_program.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/traced_ends.bpf.h"
#include "lib/bpf/user_calls.bpf.h"

const volatile bool with_return = false;
const volatile bool with_stack = false;
const volatile bool with_args = false;
const volatile __u64 slower_ns = 0;

static __always_inline u64 caller_of(struct pt_regs *ctx)
{
	u64 caller = 0;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_kernel(&caller, sizeof(caller), (void *)PT_REGS_SP(ctx));
#else
	caller = PT_REGS_RET(ctx);
#endif
	return caller;
}

static __always_inline void fill_words(struct pt_regs *ctx, u64 words[FRAME_WORDS])
{
	words[0] = caller_of(ctx);
	if (with_args)
		call_args_fill(ctx, words + 1);
}

static __always_inline void send_row(struct pt_regs *ctx, u64 id, u64 function, const u64 words[FRAME_WORDS], u64 result, u64 ns)
{
	struct functrace_event *event = event_reserve_as(with_stack ? sizeof(*event) :
							 with_args ? offsetof(struct functrace_event, frames) :
						      offsetof(struct functrace_event, args), id);

	if (!event)
		return;
	event->function = function;
	event->caller = words[0];
	for (int i = 0; with_args && i < CALL_ARGS; i++)
		event->args[i] = words[1 + i];
	event->result = result;
	event->ns = ns;
	event->cpu = bpf_get_smp_processor_id();
	event->frames_size = with_stack ? bpf_get_stack(ctx, event->frames, sizeof(event->frames), 0) : -1;
	event_submit(event);
}

/* These two are functions, so that the object has them once and not in each of the programs.  Whether the call's return is wanted, too. */
static __noinline int begin(struct pt_regs *ctx, u64 function)
{
	u64 words[FRAME_WORDS];
	struct frame *frame = NULL;
	u64 id = task_pid_tgid();

	if (event_is_over() || task_filtered_as(id, NULL))
		return 0;
	if (with_return) {
		frame = frame_begin(frame_of_probe(ctx), (u32)function);
		if (frame)
			fill_words(ctx, frame->words);
	} else {
		fill_words(ctx, words);
		send_row(ctx, id, function, words, 0, 0);
	}
	return frame != NULL;
}

static __noinline int end(struct pt_regs *ctx, u32 frame, u64 function)
{
	u64 words[FRAME_WORDS], ns;

	if (!frame_end(bpf_get_smp_processor_id(), frame, (u32)function, &ns, words))
		return 0;
	if (ns >= slower_ns)
		send_row(ctx, task_pid_tgid(), function, words, PT_REGS_RC(ctx), ns);
	return 0;
}

SEC("?kprobe.multi")
int begin_multi(struct pt_regs *ctx)
{
	begin(ctx, bpf_get_func_ip(ctx));
	return 0;
}

SEC("?kretprobe.multi")
int end_multi(struct pt_regs *ctx)
{
	return end(ctx, frame_of_multi_return(ctx), bpf_get_func_ip(ctx));
}

TRACED_ENDS(begin, end)

/* Functions of programs: the user side finds out whose code the caller's address is in. */
static __always_inline void send_user_row(struct pt_regs *ctx, u32 function, u64 caller, u64 result, u64 ns)
{
	struct functrace_event *event = event_reserve(FUNCTRACE_USER_SIZE);

	if (!event)
		return;
	event->function = function;
	event->caller = caller;
	event->result = result;
	event->ns = ns;
	event->cpu = bpf_get_smp_processor_id();
	event->frames_size = -1;
	event->program.code_end = event->program.stack = 0;
	if (stack_programs_sent)
		stack_program_read(&event->program);
	event_submit(event);
}

SEC("?kprobe")
int user_call(struct pt_regs *ctx)
{
	u32 function;

	if (user_call_is_wanted(ctx, &function))
		send_user_row(ctx, function, user_call_caller(ctx, 0), 0, 0);
	return 0;
}

static __always_inline void user_ended(struct pt_regs *ctx, u32 behind, u32 function, u64 ns)
{
	if (ns >= slower_ns)
		send_user_row(ctx, function, user_call_caller(ctx, behind), PT_REGS_RC(ctx), ns);
}

USER_CALL_BEGINS
USER_CALL_ENDS(user_ended)

char LICENSE[] SEC("license") = "GPL";
