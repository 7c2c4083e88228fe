/*
 * Records of tracepoints, written by ctxgen from the format files of a kernel.  "at" is the offset there;
 * a program that is loaded with lib/layout reads each field where the running kernel has it.
 *
 * Include vmlinux.h or linux/types.h before this, and lib/bpf/tp.bpf.h for the accessors.
 */
#pragma once

/*
 * sched/sched_wakeup
 *
 * "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu
 */
struct tp_sched__sched_wakeup {
	char comm[16];				/* at 8: char[16] */
	__s32 pid;				/* at 24: pid_t */
	__s32 prio;				/* at 28: int */
	__s32 target_cpu;			/* at 32: int */
} __attribute__((preserve_access_index));

/*
 * sched/sched_switch
 *
 * "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d",
 * REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | 0x00000001 |
 * 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ?
 * __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 |
 * 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D"
 * }, { 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000040,
 * "P" }, { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 |
 * 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "+" : "",
 * REC->next_comm, REC->next_pid, REC->next_prio
 */
struct tp_sched__sched_switch {
	char prev_comm[16];			/* at 8: char[16] */
	__s32 prev_pid;				/* at 24: pid_t */
	__s32 prev_prio;			/* at 28: int */
	__s64 prev_state;			/* at 32: long */
	char next_comm[16];			/* at 40: char[16] */
	__s32 next_pid;				/* at 56: pid_t */
	__s32 next_prio;			/* at 60: int */
} __attribute__((preserve_access_index));

/*
 * block/block_rq_issue
 *
 * "%d,%d %s %u (%s) %llu + %u [%s]", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev)
 * & ((1U << 20) - 1))), REC->rwbs, REC->bytes, __get_str(cmd), (unsigned long long)REC->sector,
 * REC->nr_sector, REC->comm
 */
struct tp_block__block_rq_issue {
	__u32 dev;				/* at 8: dev_t */
	__u64 sector;				/* at 16: sector_t */
	__u32 nr_sector;			/* at 24: unsigned int */
	__u32 bytes;				/* at 28: unsigned int */
	char rwbs[8];				/* at 32: char[8] */
	char comm[16];				/* at 40: char[16] */
	__u32 __data_loc_cmd;			/* at 56: __data_loc char[]; tp_str(to, size, ctx, __data_loc_cmd) */
} __attribute__((preserve_access_index));

/*
 * syscalls/sys_enter_openat
 *
 * "dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx", ((unsigned long)(REC->dfd)),
 * ((unsigned long)(REC->filename)), ((unsigned long)(REC->flags)), ((unsigned long)(REC->mode))
 */
struct tp_syscalls__sys_enter_openat {
	__s32 __syscall_nr;			/* at 8: int */
	__s32 dfd;				/* at 16: int */
	const char *filename;			/* at 24: const char * */
	__s32 flags;				/* at 32: int */
	__u16 mode;				/* at 40: umode_t */
} __attribute__((preserve_access_index));

/*
 * syscalls/sys_exit_openat
 *
 * "0x%lx", REC->ret
 */
struct tp_syscalls__sys_exit_openat {
	__s32 __syscall_nr;			/* at 8: int */
	__s64 ret;				/* at 16: long */
} __attribute__((preserve_access_index));

/*
 * netlink/netlink_extack
 *
 * "msg=%s", __get_str(msg)
 */
struct tp_netlink__netlink_extack {
	__u32 __data_loc_msg;			/* at 8: __data_loc char[]; tp_str(to, size, ctx, __data_loc_msg) */
} __attribute__((preserve_access_index));
