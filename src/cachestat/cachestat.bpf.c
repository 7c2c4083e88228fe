/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits and misses of the page cache, measured.  A read is followed from its begin to its return in the function that copies from the
 * cache (filemap_read(), up to 5.11 generic_file_buffered_read(), and for splice since 6.5 filemap_splice_read()), which every file system
 * with a page cache uses but those that live in it (tmpfs).  Its result says which pages were read; those of them that were added to the
 * cache meanwhile, by this thread, are misses, the others hits.  What was added beyond them is read-ahead.
 *
 * A fault in a mapping of a file is one page: a hit if filemap_map_pages() finds it in the cache, or filemap_fault() does not have to
 * add it.  Faults that are tried again count once.
 *
 * mark_page_accessed() and folio_mark_accessed(), which others count as accesses, are not called for each access, and for other pages too.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "cachestat.h"
#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"

#define S_IFMT 0170000		/* include/uapi/linux/stat.h */
#define S_IFBLK 0060000
#define TMPFS_MAGIC 0x01021994	/* include/uapi/linux/magic.h */
#define FAULT_TRIED 0x20	/* enum fault_flag: the fault is tried again */
#define FAULT_VMA_LOCK 0x1000	/* since 6.4; if it cannot be done it is tried again, with FAULT_TRIED only if it was major */
#define RESULT_ERRORS 0x873	/* VM_FAULT_ERROR */
#define RESULT_NOPAGE 0x100
#define RESULT_RETRY 0x400
#define NO_PAGE (~0ull)

COUNTS(struct cachestat_cells, 1);
TABLE(struct cachestat_key, struct cachestat_counts, CACHESTAT_KEYS);

const volatile bool by_file = false;
const volatile bool reads_ahead = false;	/* --readahead: that alone is counted (readahead.bpf.h) */
const volatile bool by_age = false;
const volatile __u32 page_shift = 12;

enum kind { READ, FAULT, ADVICE };

/* A fault may happen inside a read, which copies to memory that is a mapping of a file. */
struct call_key {
	u32 tid;
	u32 kind;
};

struct call {
	u64 file;		/* struct file */
	u64 position;		/* READ: in bytes */
	u64 already;		/* READ: bytes of the result that others have read */
	u64 first, last;	/* the pages that are asked for; none where last is less */
	u64 low;		/* the first of them that was added */
	u64 missed;		/* how many of them were added */
	u64 ahead;		/* and how many others */
	u64 fault;		/* struct vm_fault */
	u64 flags;		/* FAULT_TRIED, FAULT_VMA_LOCK */
};

CALLS_BY(struct call_key, CACHESTAT_CALLS, struct call);

/* ---- what is read of the kernel's structs */

struct super_block___cache {
	dev_t s_dev;
	unsigned long s_magic;
} __attribute__((preserve_access_index));

struct inode___cache {
	unsigned short i_mode;
	dev_t i_rdev;
	unsigned long i_ino;
	struct super_block___cache *i_sb;
	struct hlist_head i_dentry;
} __attribute__((preserve_access_index));

struct address_space___cache {
	struct inode___cache *host;
} __attribute__((preserve_access_index));

struct dentry___cache {
	struct qstr d_name;
} __attribute__((preserve_access_index));

/* The next of the inode's names; in a union that has no name since 7.x. */
struct dentry___named {
	union {
		struct hlist_node d_alias;
	} d_u;
} __attribute__((preserve_access_index));

struct dentry___plain {
	struct hlist_node d_alias;
} __attribute__((preserve_access_index));

struct file___cache {
	struct address_space___cache *f_mapping;
} __attribute__((preserve_access_index));

struct kiocb___cache {
	struct file___cache *ki_filp;
	loff_t ki_pos;
} __attribute__((preserve_access_index));

struct iov_iter___cache {
	size_t count;
} __attribute__((preserve_access_index));

struct vm_area_struct___cache {
	unsigned long vm_start;
	unsigned long vm_pgoff;
	struct file___cache *vm_file;
} __attribute__((preserve_access_index));

struct vm_fault___cache {
	struct vm_area_struct___cache *vma;
	unsigned long pgoff;
	unsigned long address;
	void *pte;
} __attribute__((preserve_access_index));

/* The flags are an enum since 5.13. */
struct vm_fault___number {
	unsigned int flags;
} __attribute__((preserve_access_index));

struct vm_fault___enum {
	enum fault_flag flags;
} __attribute__((preserve_access_index));

struct page___cache {
	struct address_space___cache *mapping;
	unsigned long index;
} __attribute__((preserve_access_index));

/* Since 5.16. */
struct folio___cache {
	struct address_space___cache *mapping;
	unsigned long index;
} __attribute__((preserve_access_index));

/* 5.16 to 6.5; since then the order is the lowest byte of the second page's flags. */
struct folio___order {
	unsigned char _folio_order;
} __attribute__((preserve_access_index));

struct folio___flags {
	unsigned long _flags_1;
} __attribute__((preserve_access_index));

struct tp_filemap__mm_filemap_add_to_page_cache {
	unsigned long i_ino;
	unsigned long index;
	dev_t s_dev;
	unsigned char order;	/* since 5.17 */
} __attribute__((preserve_access_index));

/* How many pages a folio has.  Its flags are its first word. */
static __always_inline u64 folio_pages(const void *folio)
{
	unsigned long flags = 0;
	u8 order = 0;

	if (!bpf_core_type_exists(struct folio___cache))
		return 1;
	bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(struct folio___order, _folio_order))
		order = BPF_CORE_READ((const struct folio___order *)folio, _folio_order);
	else
		order = BPF_CORE_READ((const struct folio___flags *)folio, _flags_1);
	return 1ull << (order & 31);
}

static __always_inline struct inode___cache *file_host(u64 file)
{
	return BPF_CORE_READ((struct file___cache *)file, f_mapping, host);
}

static __always_inline u64 fault_flags(const void *fault)
{
	if (bpf_core_field_exists(struct vm_fault___number, flags))
		return BPF_CORE_READ((const struct vm_fault___number *)fault, flags);
	return BPF_CORE_READ((const struct vm_fault___enum *)fault, flags);
}

/* ---- counting */

/* Where there is one, the name of the inode that was used last. */
static __always_inline void read_name(struct cachestat_key *key, const struct inode___cache *inode)
{
	u64 alias = (u64)BPF_CORE_READ(inode, i_dentry.first);
	const char *name;
	u8 next = 0;

	if (!alias)
		return;
	if (bpf_core_field_exists(struct dentry___plain, d_alias))
		alias -= bpf_core_field_offset(struct dentry___plain, d_alias);
	else
		alias -= bpf_core_field_offset(struct dentry___named, d_u.d_alias);
	name = (const char *)BPF_CORE_READ((const struct dentry___cache *)alias, d_name.name);
	if (bpf_probe_read_kernel_str(key->name, sizeof(key->name), name) != sizeof(key->name))
		return;
	bpf_probe_read_kernel(&next, sizeof(next), name + sizeof(key->name) - 1);
	key->is_cut = !!next;
}

static __always_inline void name_file(struct cachestat_key *key, const struct inode___cache *inode)
{
	key->inode = BPF_CORE_READ(inode, i_ino);
	key->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK)
		key->device = BPF_CORE_READ(inode, i_rdev);
	read_name(key, inode);
}

static __always_inline bool has_keys(void)
{
	return task_key_kind != TASK_KEY_NONE || by_file;
}

static __always_inline struct cachestat_counts *counts_of(const struct cachestat_key *key)
{
	struct cachestat_counts *counts = has_keys() ? table_at(key) : NULL;
	struct cachestat_cells *cells;

	if (counts)
		return counts;
	cells = counts_at(1, 0);
	return cells ? &cells->counts : NULL;
}

/* inode: NULL where only its numbers are known. */
static __always_inline struct cachestat_counts *find_counts(const struct inode___cache *inode, u64 number, u32 dev)
{
	struct cachestat_key key = {};

	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&key.task);
	if (by_file && inode) {
		name_file(&key, inode);
	} else if (by_file) {
		key.inode = number;
		key.dev = dev;
	}
	return counts_of(&key);
}

/* Whether these pages are not to be counted here: the tool's own, or those that a filter drops, which count as filtered. */
static __always_inline bool pages_filtered(u64 pages)
{
	u64 id = task_pid_tgid();

	if (event_is_over() || id >> 32 == filter.self)
		return true;
	if (task_wanted(id, NULL))
		return false;
	atomic_add(&event_stats_slot()->filtered, pages);
	return true;
}

/* One of the words of struct cachestat_counts. */
#define WORD(member) (__builtin_offsetof(struct cachestat_counts, member) / sizeof(u64))

/* Counts pages in that word.  inode, number, dev: as of find_counts().  Not inlined, as it has many callers. */
static __noinline int count_pages(const struct inode___cache *inode, u64 number, u32 dev, u32 word, u64 pages)
{
	struct cachestat_counts *counts;

	if (!pages || pages_filtered(pages))
		return 0;
	counts = find_counts(inode, number, dev);
	if (counts)
		count_add((u64 *)counts + (word & (CACHESTAT_WORDS - 1)), pages);
	return 0;
}

/* What a call has come to. */
static __always_inline void count_call(const struct call *call, bool is_fault, u64 hits, u64 misses, u64 ahead)
{
	const struct inode___cache *inode;

	if (reads_ahead)
		return;
	inode = file_host(call->file);
	if (hits)
		count_pages(inode, 0, 0, is_fault ? WORD(fault_hits) : WORD(read_hits), hits);
	if (misses)
		count_pages(inode, 0, 0, is_fault ? WORD(fault_misses) : WORD(read_misses), misses);
	if (ahead)
		count_pages(inode, 0, 0, WORD(readahead), ahead);
}

#include "readahead.bpf.h"

static __always_inline struct call_key call_key_of(enum kind kind)
{
	return (struct call_key){ .tid = (u32)bpf_get_current_pid_tgid(), .kind = kind };
}

static __always_inline int begin(enum kind kind, struct call *call)
{
	struct call_key key = call_key_of(kind);

	if (event_is_over() || task_pid_tgid() >> 32 == filter.self)
		return 0;
	call->low = NO_PAGE;
	call_begin(&calls, &key, call);
	return 0;
}

/* ---- reads */

static __always_inline int begin_read(u64 file, u64 position, u64 bytes, u64 already)
{
	struct call call = { .file = file, .position = position, .already = already, .first = position >> page_shift };

	if (!bytes)
		return 0;
	call.last = (position + bytes - 1) >> page_shift;
	return begin(READ, &call);
}

static __always_inline int end_read(s64 result)
{
	struct call_key key = call_key_of(READ);
	struct call *call = bpf_map_lookup_elem(&calls, &key);
	u64 pages = 0, misses = 0, last;

	if (!call)
		return 0;
	if (result > 0 && (u64)result > call->already) {
		last = (call->position + result - call->already - 1) >> page_shift;
		pages = last - call->first + 1;
		/* a short read: pages are added in their order, and what comes behind its end was not read */
		if (call->low <= last) {
			misses = last - call->low + 1;
			if (misses > call->missed)
				misses = call->missed;
		}
	}
	count_call(call, false, pages - misses, misses, call->ahead + call->missed - misses);
	call_end(&calls, &key);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(read_enter, struct kiocb___cache *iocb, struct iov_iter___cache *iter, ssize_t already)
{
	return begin_read((u64)BPF_CORE_READ(iocb, ki_filp), BPF_CORE_READ(iocb, ki_pos), BPF_CORE_READ(iter, count),
			  already > 0 ? already : 0);
}

SEC("kretprobe")
int BPF_KRETPROBE(read_exit, ssize_t result)
{
	return end_read(result);
}

SEC("kprobe")
int BPF_KPROBE(splice_enter, struct file *file, loff_t *position, void *pipe, size_t bytes)
{
	loff_t at = 0;

	bpf_probe_read_kernel(&at, sizeof(at), position);
	return begin_read((u64)file, at, bytes, 0);
}

SEC("kretprobe")
int BPF_KRETPROBE(splice_exit, ssize_t result)
{
	return end_read(result);
}

/* ---- faults */

static __always_inline int begin_fault(struct vm_fault___cache *fault)
{
	u64 file = (u64)BPF_CORE_READ(fault, vma, vm_file), wanted = BPF_CORE_READ(fault, pgoff);
	const struct inode___cache *host = file_host(file);
	struct call call = { .file = file, .first = wanted, .last = wanted, .fault = (u64)fault, .flags = fault_flags(fault) };

	/* a file on tmpfs has no other place than the cache */
	if (BPF_CORE_READ(host, i_sb, s_magic) == TMPFS_MAGIC)
		return 0;
	return begin(FAULT, &call);
}

static __always_inline int end_fault(bool is_hit, bool is_access)
{
	struct call_key key = call_key_of(FAULT);
	struct call *call = bpf_map_lookup_elem(&calls, &key);
	bool counts;

	if (!call)
		return 0;
	counts = is_access && !(call->flags & FAULT_TRIED);
	if (counts && call->missed)
		count_call(call, true, 0, 1, call->ahead + call->missed - 1);
	else
		count_call(call, true, counts && is_hit, 0, call->ahead + call->missed);
	call_end(&calls, &key);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(fault_enter, struct vm_fault___cache *fault)
{
	return begin_fault(fault);
}

SEC("kretprobe")
int BPF_KRETPROBE(fault_exit, unsigned int result)
{
	struct call_key key = call_key_of(FAULT);
	struct call *call = bpf_map_lookup_elem(&calls, &key);

	return call ? end_fault(!(result & RESULT_RETRY) || !(call->flags & FAULT_VMA_LOCK), !(result & RESULT_ERRORS)) : 0;
}

/* Maps the pages around the fault that are in the cache, perhaps also the one that is wanted. */
SEC("kprobe")
int BPF_KPROBE(map_enter, struct vm_fault___cache *fault)
{
	return begin_fault(fault);
}

SEC("kretprobe")
int BPF_KRETPROBE(map_exit, unsigned int result)
{
	return end_fault(result & RESULT_NOPAGE, true);
}

/* Up to 5.11 it has no result: the caller looks at the page table, and so does this. */
SEC("kretprobe")
int map_exit_void(void *ctx)
{
	struct call_key key = call_key_of(FAULT);
	struct call *call = bpf_map_lookup_elem(&calls, &key);
	struct vm_fault___cache *fault;
	u64 address, pte, entry = 0;

	if (!call)
		return 0;
	fault = (struct vm_fault___cache *)call->fault;
	pte = (u64)BPF_CORE_READ(fault, pte);
	if (pte) {
		address = BPF_CORE_READ(fault, vma, vm_start) + ((call->first - BPF_CORE_READ(fault, vma, vm_pgoff)) << page_shift);
		/* the address and the entry were moved on together */
		pte -= ((s64)(BPF_CORE_READ(fault, address) >> page_shift) - (s64)(address >> page_shift)) * (s64)sizeof(u64);
		bpf_probe_read_kernel(&entry, sizeof(entry), (const void *)pte);
	}
	return end_fault(entry, true);
}

/* ---- readahead(2), posix_fadvise(2), madvise(2) */

SEC("kprobe")
int BPF_KPROBE(advise_enter, struct file *file)
{
	struct call call = { .file = (u64)file, .first = 1 };

	return begin(ADVICE, &call);
}

SEC("kretprobe")
int advise_exit(void *ctx)
{
	struct call_key key = call_key_of(ADVICE);
	struct call *call = bpf_map_lookup_elem(&calls, &key);

	if (!call)
		return 0;
	count_call(call, false, 0, 0, call->ahead);
	call_end(&calls, &key);
	return 0;
}

/* ---- pages */

static __always_inline bool add_to_call(enum kind kind, u64 inode, u32 dev, u64 index, u64 pages)
{
	struct call_key key = call_key_of(kind);
	struct call *call = bpf_map_lookup_elem(&calls, &key);
	struct inode___cache *host;
	u64 from = index, to = index + pages - 1, wanted = 0;

	if (!call)
		return false;
	/* what the file system reads meanwhile to find the blocks of the file is not of the file */
	host = file_host(call->file);
	if (BPF_CORE_READ(host, i_ino) != inode || BPF_CORE_READ(host, i_sb, s_dev) != dev)
		return false;
	/* a folio may have more pages than those that are asked for */
	if (from < call->first)
		from = call->first;
	if (to > call->last)
		to = call->last;
	if (from <= to) {
		wanted = to - from + 1;
		if (from < call->low)
			call->low = from;
	}
	call->missed += wanted;
	call->ahead += pages - wanted;
	if (reads_ahead && !wanted)
		ahead_begin(call, index, pages);
	return true;
}

SEC("tp/filemap/mm_filemap_add_to_page_cache")
int TP_PROG(page_added, struct tp_filemap__mm_filemap_add_to_page_cache *ctx)
{
	u64 inode = ctx->i_ino, index = ctx->index, pages = 1;
	u32 dev = ctx->s_dev;

	if (event_is_over())
		return 0;
	if (bpf_core_field_exists(ctx->order))
		pages = 1ull << (ctx->order & 31);
	if (!add_to_call(FAULT, inode, dev, index, pages) && !add_to_call(READ, inode, dev, index, pages) &&
	    !add_to_call(ADVICE, inode, dev, index, pages) && !reads_ahead)
		count_pages(NULL, inode, dev, WORD(other), pages);
	return 0;
}

/* With interrupts off, and so not preempted on 7.0 and newer; void (struct folio *folio, struct address_space *mapping) */
static __always_inline int count_dirtied(u64 *ctx)
{
	u64 pages;

	if (reads_ahead)
		return ahead_end((const void *)ctx[0], WORD(ahead_written));
	pages = folio_pages((const void *)ctx[0]);
	count_pages(BPF_CORE_READ((struct address_space___cache *)ctx[1], host), 0, 0, WORD(dirtied), pages);
	return 0;
}

SEC("raw_tp/writeback_dirty_folio")
int folio_dirtied(u64 *ctx)
{
	return count_dirtied(ctx);
}

SEC("raw_tp/writeback_dirty_page")
int page_dirtied(u64 *ctx)
{
	return count_dirtied(ctx);
}

/* A page or a folio begins to be written back, by whoever writes it. */
SEC("kprobe")
int BPF_KPROBE(write_back, void *folio)
{
	struct address_space___cache *mapping;
	u64 pages = folio_pages(folio);

	if (bpf_core_type_exists(struct folio___cache))
		mapping = BPF_CORE_READ((struct folio___cache *)folio, mapping);
	else
		mapping = BPF_CORE_READ((struct page___cache *)folio, mapping);
	/* one without a file is swapped out */
	if (mapping && !((u64)mapping & 3))
		count_pages(BPF_CORE_READ(mapping, host), 0, 0, WORD(written), pages);
	return 0;
}

static __always_inline void drop_all_of_thread(void)
{
	struct call_key read = call_key_of(READ), fault = call_key_of(FAULT), advice = call_key_of(ADVICE);

	call_drop_stale(&calls, &read);
	call_drop_stale(&calls, &fault);
	call_drop_stale(&calls, &advice);
}

CALL_THREAD_EXIT(drop_all_of_thread())

char LICENSE[] SEC("license") = "Dual BSD/GPL";
