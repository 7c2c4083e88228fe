/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes of files by process and file, or what else --by says, counted when the system call returns or the request is complete
 * (lib/bpf/file_requests.bpf.h): the result is how many bytes it has moved.  Calls on raw tracepoints; from 7.0 on these can be
 * preempted, and there the same is done on the events.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "filetop.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/file_op.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"

struct file_asker {
	struct task_key key;
};

#define FILE_REQUEST_LAST_OP FILE_WRITE
#include "lib/bpf/file_requests.bpf.h"

COUNTS(struct filetop_counts, 1);	/* of the keys without room */
TABLE(struct filetop_key, struct filetop_counts, FILETOP_KEYS);

const volatile bool by_file = true, by_fs = true;

struct super_block___dev {
	dev_t s_dev;
} __attribute__((preserve_access_index));

struct inode___number {
	unsigned long i_ino;
	struct super_block___dev *i_sb;
} __attribute__((preserve_access_index));

static __always_inline void read_name(struct filetop_key *key, const struct file___part *file)
{
	const char *name = (const char *)BPF_CORE_READ(file, f_path.dentry, d_name.name);
	u8 next = 0;

	if (bpf_probe_read_kernel_str(key->name, sizeof(key->name), name) != sizeof(key->name))
		return;
	bpf_probe_read_kernel(&next, sizeof(next), name + sizeof(key->name) - 1);
	key->is_cut = !!next;
}

static __always_inline void set_file(struct filetop_key *key, const struct file___part *file)
{
	const struct inode___number *inode = (const struct inode___number *)file_inode(file);

	key->inode = BPF_CORE_READ(inode, i_ino);
	key->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	read_name(key, file);
}

/* asker: NULL for the current task. */
static __always_inline struct filetop_counts *find_counts(const struct file___part *file, const struct file_asker *asker)
{
	struct filetop_key key = {};
	struct filetop_counts *counts;

	if (asker)
		key.task = asker->key;
	else if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&key.task);
	if (by_fs)
		file_system_read(key.fs, file);
	/* last, as the verifier goes through what follows its name for each of its ends */
	if (by_file)
		set_file(&key, file);
	counts = table_at(&key);
	return counts ? counts : counts_at(1, 0);
}

static __always_inline void count(struct filetop_counts *counts, u64 is_write, s64 bytes)
{
	if (!counts)
		return;
	count_add(is_write ? &counts->writes : &counts->reads, 1);
	count_add(is_write ? &counts->written_bytes : &counts->read_bytes, bytes);
}

/* One of the files of a call.  Not static: the verifier goes through it once, not for each call of it. */
__noinline int count_file(int fd, u64 is_write, s64 bytes)
{
	const struct file___part *file = file_regular(fd);

	if (!file || !file_system_is_wanted(file) || task_filtered())
		return 0;
	count(find_counts(file, NULL), is_write, bytes);
	return 0;
}

static __always_inline int call_returns(const struct sys_exit *at, s64 result)
{
	u64 nr = sys_exit_nr(at), args[SYSCALL_ARGS], kind;
	bool compat;

	if (!file_call_maybe(nr) || result < 0 || event_is_over())
		return 0;
	compat = sys_exit_is_compat(at);
	kind = file_call_kind(nr, compat);
	if (!kind || (kind & FILE_CALL_OP) > FILE_WRITE)
		return 0;
	if (kind & FILE_CALL_AIO)
		return file_call_unseen();
	sys_exit_args(args, at, compat);
	count_file(args[0] ^ ((args[0] ^ args[1]) & file_call_mask(kind, FILE_CALL_FIRST_IS_1)), kind & FILE_CALL_OP, result);
	if (kind & FILE_CALL_SECOND)
		count_file(args[0] ^ ((args[0] ^ args[2]) & file_call_mask(kind, FILE_CALL_SECOND_IS_2)), 1, result);
	return 0;
}

static __always_inline void file_asker_fill(void *ctx, struct file_asker *asker, u64 begun_ns)
{
	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&asker->key);
}

static __always_inline int file_request_ended(void *ctx, const struct file_request *request, const struct file___part *file, s64 result)
{
	if (result >= 0)
		count(find_counts(file, &request->asker), request->op, result);
	return 0;
}

SEC("raw_tp/sys_exit") SEES_WHOLE
int file_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit at = sys_exit_of(ctx);

	return call_returns(&at, (s64)ctx->args[1]);
}

/* The same since 7.0. */
SEC("tp/raw_syscalls/sys_exit") SEES_WHOLE
int TP_PROG(file_exit_event, struct tp_raw_syscalls__sys_exit *ctx)
{
	struct sys_exit at = sys_exit_of_current();

	return call_returns(&at, ctx->ret);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
