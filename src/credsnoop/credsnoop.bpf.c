/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials being changed: commit_creds(new), which all changes of a task's own go through; the old ones are still the task's
 * then.  Most execs commit credentials that are the same.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)	/* these are rare; zeroing and mapping 1 MB would take longer than all else */

#include "credsnoop.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"

/* A kuid_t or kgid_t. */
struct id___part {
	u32 val;
};

/* A set of capabilities: two u32 up to 6.2, a u64 since (f122a08b197d), with the same bytes where they are little-endian. */
struct caps___part {
};

struct user_namespace___part {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct cred___ids {
	struct id___part uid, gid, suid, sgid, euid, egid, fsuid, fsgid;
	u32 securebits;
	struct caps___part cap_inheritable, cap_permitted, cap_effective, cap_bset, cap_ambient;
	struct user_namespace___part *user_ns;
	struct group_info *group_info;
} __attribute__((preserve_access_index));

struct task_struct___cred {
	struct cred___ids *cred;
} __attribute__((preserve_access_index));

#define READ(to, cred, member) bpf_probe_read_kernel(&(to), sizeof(to), &(cred)->member)

static __always_inline void read_creds(struct cred_state *to, struct cred___ids *cred)
{
	struct user_namespace___part *user_ns = BPF_CORE_READ(cred, user_ns);

	READ(to->uid, cred, uid);
	READ(to->euid, cred, euid);
	READ(to->suid, cred, suid);
	READ(to->fsuid, cred, fsuid);
	READ(to->gid, cred, gid);
	READ(to->egid, cred, egid);
	READ(to->sgid, cred, sgid);
	READ(to->fsgid, cred, fsgid);
	READ(to->permitted, cred, cap_permitted);
	READ(to->effective, cred, cap_effective);
	READ(to->inheritable, cred, cap_inheritable);
	READ(to->bounding, cred, cap_bset);
	READ(to->ambient, cred, cap_ambient);
	READ(to->securebits, cred, securebits);
	READ(to->user_ns, user_ns, ns.inum);
}

static __always_inline bool is_same(const struct cred_state *a, const struct cred_state *b)
{
	const u64 *left = (const u64 *)a, *right = (const u64 *)b;
	u64 differs = 0;

	_Static_assert(sizeof(*a) % 8 == 0, "no padding");
	for (unsigned int i = 0; i < sizeof(*a) / 8; i++)
		differs |= left[i] ^ right[i];
	return !differs;
}

SEC("kprobe")
int commit_creds(struct pt_regs *ctx)
{
	struct cred___ids *after = (struct cred___ids *)PT_REGS_PARM1(ctx);
	struct task_struct___cred *task = (struct task_struct___cred *)bpf_get_current_task();
	struct cred___ids *before = BPF_CORE_READ(task, cred);
	struct cred_event *event;
	struct cred_state old = {}, new = {};
	bool groups_changed;

	read_creds(&old, before);
	read_creds(&new, after);
	groups_changed = BPF_CORE_READ(before, group_info) != BPF_CORE_READ(after, group_info);
	if ((!groups_changed && is_same(&old, &new)) || task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->before = old;
	event->after = new;
	event->groups_changed = groups_changed;
	__builtin_memset(event->reserved, 0, sizeof(event->reserved));
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
