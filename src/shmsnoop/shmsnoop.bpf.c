/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of System V shared memory, seen once, when they return: the id or the address is there then. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (2 << 20)	/* a call that fails takes its program less than a row takes the reader: for four writers */
#define EXIT_RESULT_IS_WIDE		/* shmat(2) */
#define ARCH_SYSCALL_ARGS 5		/* ipc(2): what shared memory needs of its six */

#include "shmsnoop.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

/* Functions of ipc(2), include/uapi/linux/ipc.h; the upper half of the word is a version, of programs older than any distribution. */
#define IPC_SHMAT 21
#define IPC_SHMDT 22
#define IPC_SHMGET 23
#define IPC_SHMCTL 24

#define SHMCTL_64 0x100		/* of 32-bit programs: which form of the buffer */

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return is_restart(result) || event_is_over();
}

static __always_inline u32 call_of_ipc(u32 function)
{
	switch (function & 0xffff) {
	case IPC_SHMAT: return SYSCALL_shmat;
	case IPC_SHMDT: return SYSCALL_shmdt;
	case IPC_SHMGET: return SYSCALL_shmget;
	case IPC_SHMCTL: return SYSCALL_shmctl;
	default: return SYSCALL_NONE;
	}
}

/* The arguments of ipc(2) as those of the call that it does; shmat(2) hands the address over in memory there. */
static __always_inline u64 move_ipc_args(u64 args[SYSCALL_ARGS], u32 call, long result)
{
	u64 first = args[1], second = args[2], third = args[3], pointer = args[4];
	u32 address = 0;

	args[0] = call == SYSCALL_shmdt ? pointer : first;
	args[1] = call == SYSCALL_shmat ? pointer : second;
	args[2] = call == SYSCALL_shmat ? second : third;
	if (call == SYSCALL_shmat && !result)
		bpf_probe_read_user(&address, sizeof(address), (const void *)third);
	return address;
}

/* Commands of shmctl(2) whose first argument is no segment, include/uapi/linux/shm.h and ipc.h */
#define IPC_INFO 3
#define SHM_STAT 13
#define SHM_INFO 14
#define SHM_STAT_ANY 15

/* Some ask for a segment by its place in the kernel's table, and answer which one that is; some ask for all of them. */
static __always_inline s32 id_of_control(s32 id, u32 cmd, long result)
{
	if (cmd == IPC_INFO || cmd == SHM_INFO)
		return -1;
	if (cmd == SHM_STAT || cmd == SHM_STAT_ANY)
		return result < 0 ? -1 : (s32)result;
	return id;
}

static __always_inline void fill(struct shmsnoop_event *event, const u64 args[SYSCALL_ARGS], long result, u64 attached, u32 cmd_bit)
{
	bool failed = result < 0;

	event->address = event->bytes = 0;
	event->key = event->flags = event->cmd = 0;
	event->id = args[0];
	switch (event->call) {
	case SYSCALL_shmget:
		event->key = args[0];
		event->bytes = args[1];
		event->flags = args[2];
		event->id = failed ? -1 : (s32)result;
		break;
	case SYSCALL_shmat:
		event->address = failed ? args[1] : attached;
		event->flags = args[2];
		break;
	case SYSCALL_shmdt:
		event->address = args[0];
		event->id = -1;
		break;
	default:
		event->cmd = args[1] & ~cmd_bit;
		event->id = id_of_control(args[0], event->cmd, result);
		break;
	}
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct shmsnoop_event *event;
	u64 args[SYSCALL_ARGS], attached = exited->result;
	u32 call = exited->syscall;

	__builtin_memcpy(args, exited->args, sizeof(args));
	if (call == SYSCALL_ipc) {
		call = call_of_ipc(args[0]);
		if (!call)
			return 0;
		attached = move_ipc_args(args, call, exited->result);
	}
	if (result_filtered(exited->result) || task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->call = call;
	event->known = exited->known;
	event->result = exited->result < 0 ? exited->result : 0;
	fill(event, args, exited->result, attached, exited->compat ? SHMCTL_64 : 0);
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
