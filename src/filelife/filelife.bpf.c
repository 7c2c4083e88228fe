/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are created and removed while the tool runs.  A file is born when the file system has an inode for the name that a task wanted
 * to create (security_path_mknod(), then security_d_instantiate() with the same dentry), or one without a name (d_mark_tmpfile(), on older
 * kernels d_tmpfile()).  It is gone when the inode is freed without a link (security_inode_free()): so a removal that fails, one of several
 * names, and the time in which a removed file is still open need no further hook.  Who removed the last name is who was last seen to try
 * (security_path_unlink(), security_path_rename()).
 *
 * The first and the last two are called for what tasks ask for, and not for what an overlay then does in the file systems below.
 *
 * Numbers of inodes are used again: a file is its file system, its number and its generation, and each creation begins anew.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "filelife.h"
#include "lib/bpf/dir.bpf.h"
#include "lib/bpf/loop.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define PENDING_MAX 4096	/* threads that create a file at the same time */
#define RENAME_EXCHANGE 2	/* include/uapi/linux/fs.h */
#define OVERLAYFS_MAGIC 0x794c7630	/* include/uapi/linux/magic.h */
#define PF_KTHREAD 0x00200000	/* include/linux/sched.h */
#define S_IFMT 0170000		/* include/uapi/linux/stat.h */
#define S_IFREG 0100000

const volatile bool full_path = false;	/* -F */
const volatile __u32 text_max = FILELIFE_TEXT_MAX;	/* of a removal */
const volatile __u64 max_age_ns = ~0ull;	/* --younger */

struct task_struct___creds {
	const struct cred *real_cred, *cred;
	unsigned int flags;
} __attribute__((preserve_access_index));

struct super_block___any {
	unsigned long s_magic;
} __attribute__((preserve_access_index));

struct inode___file {
	unsigned short i_mode;
	struct super_block___any *i_sb;
	unsigned long i_ino;
	unsigned int __i_nlink;
	loff_t i_size;
	u32 i_generation;
} __attribute__((preserve_access_index));

struct dentry___file {
	struct inode___file *d_inode;
	struct qstr d_name;
} __attribute__((preserve_access_index));

struct file_key {
	u64 file_system;	/* struct super_block */
	u64 inode;
	u64 generation;
};

struct birth {
	u64 created_ns;		/* by the boot clock, which has the time that the machine was suspended, as have all ages here */
	u32 pid, tid;
	char comm[TASK_COMM_LEN];
	u64 had_name;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILELIFE_FILES);
	__type(key, struct file_key);
	__type(value, struct birth);
} births SEC(".maps");

/* The dentry that a thread wants to create; one that was not created is overwritten, or the least recent one. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PENDING_MAX);
	__type(key, u32);
	__type(value, u64);
} pending SEC(".maps");

/* A file that somebody removes, or tries to. */
struct removal {
	u64 removed_ns;
	u32 unwanted;		/* the filters drop it */
	u32 reserved;
	u64 event[(sizeof(struct filelife_event) + FILELIFE_TEXT_MAX) / sizeof(u64)];	/* struct filelife_event */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILELIFE_REMOVALS);
	__uint(key_size, sizeof(struct file_key));
	__uint(value_size, sizeof(struct removal));	/* without -F the user side makes it FILELIFE_REMOVAL_SIZE(DIR_NAME_SIZE) */
} removals SEC(".maps");

/* The event of a file that nobody was seen to remove. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct filelife_event);
} records SEC(".maps");

const char empty_removal[sizeof(struct removal)] = {};
_Static_assert(sizeof(struct removal) == FILELIFE_REMOVAL_SIZE(FILELIFE_TEXT_MAX), "the user side knows its size");

static __always_inline struct file_key key_of(const struct inode___file *inode)
{
	return (struct file_key){ .file_system = (u64)BPF_CORE_READ(inode, i_sb), .inode = BPF_CORE_READ(inode, i_ino),
				  .generation = BPF_CORE_READ(inode, i_generation) };
}

/* ---- births */

static __always_inline void be_born(const struct inode___file *inode, bool had_name)
{
	struct birth birth = { .created_ns = bpf_ktime_get_boot_ns(), .had_name = had_name };
	struct file_key key = key_of(inode);
	u64 id = task_pid_tgid();

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG)
		return;
	birth.pid = id >> 32;
	birth.tid = (u32)id;
	bpf_get_current_comm(birth.comm, sizeof(birth.comm));
	if (bpf_map_update_elem(&births, &key, &birth, BPF_ANY))
		event_count_no_room();
	/* what is left of a file of that number */
	bpf_map_delete_elem(&removals, &key);
}

SEC("kprobe")
int BPF_KPROBE(create_begin, const void *dir, u64 dentry)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (!event_is_over() && bpf_map_update_elem(&pending, &tid, &dentry, BPF_ANY))
		event_count_no_room();
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(create_end, u64 dentry, struct inode___file *inode)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 *wanted = bpf_map_lookup_elem(&pending, &tid);

	if (!wanted || *wanted != dentry || !inode)
		return 0;
	bpf_map_delete_elem(&pending, &tid);
	be_born(inode, true);
	return 0;
}

/* An overlay makes one in the file system below, as who mounted it: its own counts, which it marks as who mounted it, too. */
static __always_inline bool is_below_overlay(const struct inode___file *inode)
{
	const struct task_struct___creds *task = (const struct task_struct___creds *)task_current();

	return BPF_CORE_READ(inode, i_sb, s_magic) != OVERLAYFS_MAGIC &&
	       BPF_CORE_READ(task, cred) != BPF_CORE_READ(task, real_cred) && !(BPF_CORE_READ(task, flags) & PF_KTHREAD);
}

SEC("kprobe")
int BPF_KPROBE(create_tmpfile, const void *file, struct inode___file *inode)
{
	if (!event_is_over() && !is_below_overlay(inode))
		be_born(inode, false);
	return 0;
}

/* ---- removals */

/* name: "FILE" and the names of its directory */
static __always_inline void read_path(struct filelife_event *event, const struct path___part *dir, const struct dentry___file *dentry)
{
	const char *name = (const char *)BPF_CORE_READ(dentry, d_name.name);
	long size = bpf_probe_read_kernel_str(event->text, DIR_NAME_SIZE, name);
	char *names = event->text + DIR_NAME_SIZE;

	event->name_size = size < 0 ? 0 : size;
	event->dir_size = 0;
	event->dir_is_cut = true;
	if (!full_path)
		return;
	/* no ?: with the functions, which would be an indirect call */
	if (has_loop)
		event->dir_is_cut = !dir_read_at_by_loop(names, &event->dir_size, dir);
	else
		event->dir_is_cut = !dir_read_at(names, &event->dir_size, dir);
}

static __always_inline int remove(u16 how, const struct path___part *dir, const struct dentry___file *dentry)
{
	const struct inode___file *inode = BPF_CORE_READ(dentry, d_inode);
	struct file_key key = key_of(inode);
	struct filelife_event *event;
	struct removal *removal;
	u64 id = task_pid_tgid();

	if (event_is_over() || !inode || !bpf_map_lookup_elem(&births, &key))
		return 0;
	if (bpf_map_update_elem(&removals, &key, &empty_removal, BPF_ANY) || !(removal = bpf_map_lookup_elem(&removals, &key))) {
		event_count_no_room();
		bpf_map_delete_elem(&births, &key);
		return 0;
	}
	event = (struct filelife_event *)removal->event;
	event_fill_task_as(&event->task, id);
	removal->removed_ns = bpf_ktime_get_boot_ns();
	removal->unwanted = id >> 32 != filter.self && !task_wanted(id, NULL);
	event->how = how;
	event->size = BPF_CORE_READ(inode, i_size);
	read_path(event, dir, dentry);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(unlink, const struct path___part *dir, const struct dentry___file *dentry)
{
	return remove(FILELIFE_UNLINK, dir, dentry);
}

/* The file whose name another one takes. */
SEC("kprobe")
int BPF_KPROBE(rename, const void *from_dir, const struct dentry___file *from, const struct path___part *to_dir,
	       const struct dentry___file *to, unsigned int flags)
{
	const struct inode___file *target = BPF_CORE_READ(to, d_inode);

	/* two names of one file stay both */
	if (!target || flags & RENAME_EXCHANGE || target == BPF_CORE_READ(from, d_inode))
		return 0;
	return remove(FILELIFE_RENAME, to_dir, to);
}

/* ---- ends */

static __always_inline void deliver(struct filelife_event *event, u64 size, const struct birth *birth, const struct inode___file *inode,
				    u64 removed_ns)
{
	u64 now_ns = bpf_ktime_get_boot_ns();

	event->age_ns = removed_ns - birth->created_ns;
	event->held_ns = now_ns - removed_ns;
	if (event->age_ns > max_age_ns) {
		event_count_filtered();
		return;
	}
	event->task.ts_ns = bpf_ktime_get_ns();
	event->inode = BPF_CORE_READ(inode, i_ino);
	event->creator_pid = birth->pid;
	event->creator_tid = birth->tid;
	__builtin_memcpy(event->creator_comm, birth->comm, sizeof(event->creator_comm));
	if (size <= sizeof(*event) + text_max)
		event_output(event, size);
}

/* Nobody was seen to remove it: it is the task's that closes it. */
static __always_inline void deliver_unseen(const struct birth *birth, const struct inode___file *inode)
{
	u32 first = 0;
	struct filelife_event *event = bpf_map_lookup_elem(&records, &first);

	if (!event || task_filtered())
		return;
	event_fill_task(&event->task);
	event->how = birth->had_name ? FILELIFE_OTHER : FILELIFE_CLOSE;
	event->size = FILELIFE_NO_SIZE;
	event->name_size = 0;
	event->dir_size = 0;
	event->dir_is_cut = true;
	deliver(event, sizeof(*event), birth, inode, bpf_ktime_get_boot_ns());
}

static __always_inline void deliver_removal(struct removal *removal, const struct birth *birth, const struct inode___file *inode)
{
	struct filelife_event *event = (struct filelife_event *)removal->event;
	u64 text_size = event->dir_size ? DIR_NAME_SIZE + (u64)event->dir_size : (u64)event->name_size;

	if (removal->unwanted)
		event_count_filtered();
	else if (event->task.pid != filter.self)
		deliver(event, sizeof(*event) + text_size, birth, inode, removal->removed_ns);
}

SEC("kprobe")
int BPF_KPROBE(inode_free, struct inode___file *inode)
{
	struct removal *removal;
	struct birth *birth;
	struct file_key key;

	/* most are in use elsewhere, and go from the cache alone; sockets and pipes have a link */
	if (event_is_over() || BPF_CORE_READ(inode, __i_nlink))
		return 0;
	key = key_of(inode);
	birth = bpf_map_lookup_elem(&births, &key);
	if (!birth)
		return 0;
	removal = bpf_map_lookup_elem(&removals, &key);
	if (removal)
		deliver_removal(removal, birth, inode);
	else
		deliver_unseen(birth, inode);
	bpf_map_delete_elem(&births, &key);
	bpf_map_delete_elem(&removals, &key);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
