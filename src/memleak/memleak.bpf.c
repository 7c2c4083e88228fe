/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is allocated and not freed: by address, in one table, which the user side reads and sums by stack.  (Sums by stack that programs
 * keep race with each other.)  Before memory is given back its entry goes, and it is in the table only once it is allocated: so an
 * address that another thread gets at once is that thread's.
 *
 * Allocators call each other (calloc() malloc(), aligned_alloc() memalign()): the outermost call of a thread counts.  The stack pointer
 * tells: what is called later has a lower one, or the same after a tail call.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "memleak.h"
#include "lib/bpf/arch.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/stack_nested.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"

const volatile __u64 sample = 1;	/* one of so many addresses */
const volatile __u64 cpus = 1;		/* possible ones */
const volatile __u64 page_size = 4096;
const volatile bool of_kernel = false;
const volatile bool no_kernel = false, no_user = false;
const volatile bool cache_has_size = false;	/* kmem_cache_alloc's arguments have no sizes but the cache (since 6.1) */

COUNTS(struct memleak_counts, 1);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMLEAK_ALLOCATIONS);
	__type(key, struct memleak_key);
	__type(value, struct memleak_block);
} allocations SEC(".maps");

/* When a process executed another program: what it had allocated before is gone. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMLEAK_EXECS);	/* set before it is loaded */
	__type(key, u32);
	__type(value, u64);
} execs SEC(".maps");

struct call {
	u64 stack;		/* the stack pointer at the entry */
	u64 caller;		/* where it returns to: at the entry, as the kernel's return probe replaces it */
	u64 bytes;		/* ~0: more than there is */
	u64 old;		/* realloc(): what it is called with */
	u64 *result;		/* posix_memalign(): where it writes the address; NULL: it returns it */
	u64 is_mapping;		/* mmap(), mremap(): fails with MAP_FAILED */
	struct memleak_block moving;	/* realloc(): what was there; since_ns 0: nothing that is known */
};

/* By thread.  Not CALLS(): probes on functions of programs are never skipped, and what was missed of the kernel are single events. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMLEAK_CALLS);
	__type(key, u32);
	__type(value, struct call);
} under_way SEC(".maps");

struct task_struct___memleak {
	void *mm;
} __attribute__((preserve_access_index));

struct kmem_cache___memleak {
	unsigned int size;
} __attribute__((preserve_access_index));

/* as ctxgen writes them, on 7.3 */
struct tp_kmem__kmalloc {
	u64 ptr;
	u64 bytes_alloc;
} __attribute__((preserve_access_index));

struct tp_kmem__kmem_cache_alloc {
	u64 ptr;
	u64 bytes_alloc;
} __attribute__((preserve_access_index));

struct tp_kmem__kfree {
	u64 ptr;
} __attribute__((preserve_access_index));

struct tp_kmem__kmem_cache_free {
	u64 ptr;
} __attribute__((preserve_access_index));

struct tp_kmem__mm_page_alloc {
	u64 pfn;
	u32 order;
} __attribute__((preserve_access_index));

struct tp_kmem__mm_page_free {
	u64 pfn;
	u32 order;
} __attribute__((preserve_access_index));

struct tp_percpu__percpu_alloc_percpu {
	u64 size;
	u64 ptr;
} __attribute__((preserve_access_index));

struct tp_percpu__percpu_free_percpu {
	u64 ptr;
} __attribute__((preserve_access_index));

/* ---- the table */

/* Whether an address is one of those that --sample chooses: an allocation and its end are both in, or both out. */
static __always_inline bool is_chosen(u64 address)
{
	if (sample == 1)
		return true;
	address ^= address >> 12;
	address *= 0x9e3779b97f4a7c15ull;
	address ^= address >> 32;
	address *= 0xd6e8feb86659fd93ull;
	return (address >> 32) % sample == 0;
}

static __always_inline struct memleak_key key_of(u64 address)
{
	struct task_struct___memleak *task = (void *)bpf_get_current_task();

	/* a process of vfork(2) shares its parent's memory, and a thread that of the others; what is forked has its own */
	return (struct memleak_key){ .address = address, .space = of_kernel ? 0 : (u64)BPF_CORE_READ(task, mm) };
}

/* Takes out what is there: whether something was. */
static __always_inline bool take_out(const struct memleak_key *key, struct memleak_block *block)
{
	const struct memleak_block *found = bpf_map_lookup_elem(&allocations, key);

	if (!found)
		return false;
	*block = *found;
	return !bpf_map_delete_elem(&allocations, key);
}

static __always_inline void put_in(struct memleak_counts *counts, const struct memleak_key *key, const struct memleak_block *block)
{
	struct memleak_block before;
	/* int: before 6.4 a map's function is called directly, and leaves the upper half of the register 0 */
	int err = bpf_map_update_elem(&allocations, key, block, BPF_NOEXIST);

	if (err == -EEXIST) {
		if (take_out(key, &before)) {
			count_add(&counts->reused, 1);
			count_add(&counts->reused_bytes, before.bytes);
		}
		err = bpf_map_update_elem(&allocations, key, block, BPF_NOEXIST);
	}
	if (!err)
		return;
	count_add(&counts->no_room, 1);
	count_add(&counts->no_room_bytes, block->bytes);
	event_count_no_room();
}

/* Not in line: each program would have it. */
static __noinline int allocated(void *ctx, u64 address, u64 bytes, u64 caller)
{
	struct memleak_counts *counts = counts_at(1, 0);
	struct memleak_block block = {};
	struct memleak_key key;
	u64 *place = NULL;
	u32 nest;

	if (!counts || !is_chosen(address))
		return 0;
	count_add(&counts->allocs, 1);
	count_add(&counts->alloc_bytes, bytes);
	if (!of_kernel) {
		block.stack.pid = task_pid_tgid() >> 32;
		bpf_get_current_comm(block.stack.comm, sizeof(block.stack.comm));
	}
	block.stack.hashes[STACK_KERNEL] = no_kernel ? 0 : STACK_NO_PLACE;
	block.stack.hashes[STACK_USER] = no_user ? 0 : STACK_NO_PLACE;
	nest = stack_place_take(&place);
	if (nest < STACK_NESTS && place) {
		if (!no_kernel)
			block.stack.hashes[STACK_KERNEL] = stack_take_nested(ctx, STACK_KERNEL + STACK_KINDS * nest, &block.stack, 0);
		if (!no_user)
			block.stack.hashes[STACK_USER] = stack_take_nested(ctx, STACK_USER + STACK_KINDS * nest, &block.stack, caller);
		stack_place_leave(place);
	}
	block.bytes = bytes;
	block.since_ns = bpf_ktime_get_ns();
	key = key_of(address);
	put_in(counts, &key, &block);
	return 0;
}

/* is_ours: the task passes the filters.  What another one frees is gone all the same. */
static __always_inline void freed(u64 address, bool is_ours)
{
	struct memleak_counts *counts = counts_at(1, 0);
	struct memleak_key key = key_of(address);
	struct memleak_block block;

	if (!counts || !is_chosen(address))
		return;
	if (take_out(&key, &block)) {
		count_add(&counts->frees, 1);
		count_add(&counts->freed_bytes, block.bytes);
	} else if (is_ours) {
		count_add(&counts->unknown, 1);
	}
}

static __always_inline u64 product(u64 count, u64 size)
{
	u64 most = count ? ~0ull / count : ~0ull;

	/* else clang calls a function that multiplies 128 bits */
	asm volatile("" : "+r"(most));
	return size > most ? ~0ull : count * size;
}

/* ---- a process's allocator */

/* Whether a call with this stack pointer is inside of another one of the thread, or that has jumped to it (a tail call). */
static __always_inline bool is_inner(u64 stack)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	const struct call *outer = bpf_map_lookup_elem(&under_way, &tid);

	return outer && stack <= outer->stack;
}

static __always_inline void begin(struct pt_regs *ctx, struct call *call)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	own_stack_ask(ctx);
	call->stack = PT_REGS_SP(ctx);
	call->caller = arch_user_caller(ctx);
	if (event_is_over() || is_inner(call->stack) || task_filtered())
		return;
	call_begin(&under_way, &tid, call);
}

/* What it is called with is taken out before it may be another thread's, and put back if the call fails. */
static __always_inline void begin_realloc(struct pt_regs *ctx, u64 old, u64 bytes, const bool is_mapping)
{
	struct memleak_counts *counts = counts_at(1, 0);
	struct call call = { .bytes = bytes, .old = old, .is_mapping = is_mapping, .stack = PT_REGS_SP(ctx),
			     .caller = arch_user_caller(ctx) };
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct memleak_key key;

	own_stack_ask(ctx);
	if (!counts || event_is_over() || is_inner(call.stack) || task_filtered())
		return;
	key = key_of(old);
	if (old && is_chosen(old) && take_out(&key, &call.moving)) {
		count_add(&counts->moving_begun, 1);
		count_add(&counts->moving_begun_bytes, call.moving.bytes);
	} else {
		/* a file, or memory of before: mremap() makes no allocation of it */
		if (is_mapping)
			return;
		call.moving.since_ns = 0;
	}
	if (call_begin(&under_way, &tid, &call) || !call.moving.since_ns)
		return;
	/* its end will not be seen, so what it does to the memory is not known: it counts as freed, which is no false leak */
	count_add(&counts->moving_ended, 1);
	count_add(&counts->moving_ended_bytes, call.moving.bytes);
	count_add(&counts->frees, 1);
	count_add(&counts->freed_bytes, call.moving.bytes);
}

static __always_inline void end_realloc(struct memleak_counts *counts, const struct call *call, bool has_failed)
{
	struct memleak_key key = key_of(call->old);

	if (!call->moving.since_ns) {
		if (!has_failed && is_chosen(call->old))
			count_add(&counts->unknown, 1);
		return;
	}
	count_add(&counts->moving_ended, 1);
	count_add(&counts->moving_ended_bytes, call->moving.bytes);
	if (has_failed) {
		put_in(counts, &key, &call->moving);
		return;
	}
	count_add(&counts->frees, 1);
	count_add(&counts->freed_bytes, call->moving.bytes);
}

/* malloc(size), valloc(size), pvalloc(size), operator new(size …) */
SEC("kprobe")
int malloc_begins(struct pt_regs *ctx)
{
	struct call call = { .bytes = PT_REGS_PARM1(ctx) };

	begin(ctx, &call);
	return 0;
}

/* memalign(alignment, size), aligned_alloc(alignment, size) */
SEC("kprobe")
int memalign_begins(struct pt_regs *ctx)
{
	struct call call = { .bytes = PT_REGS_PARM2(ctx) };

	begin(ctx, &call);
	return 0;
}

SEC("kprobe")
int calloc_begins(struct pt_regs *ctx)
{
	struct call call = { .bytes = product(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx)) };

	begin(ctx, &call);
	return 0;
}

SEC("kprobe")
int posix_memalign_begins(struct pt_regs *ctx)
{
	struct call call = { .bytes = PT_REGS_PARM3(ctx), .result = (u64 *)PT_REGS_PARM1(ctx) };

	begin(ctx, &call);
	return 0;
}

SEC("kprobe")
int realloc_begins(struct pt_regs *ctx)
{
	begin_realloc(ctx, PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), false);
	return 0;
}

SEC("kprobe")
int reallocarray_begins(struct pt_regs *ctx)
{
	begin_realloc(ctx, PT_REGS_PARM1(ctx), product(PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx)), false);
	return 0;
}

/* ---- what the process maps itself; an allocator that maps memory is the outermost call, and so is realloc() */

#define MAP_ANONYMOUS 0x20
#define MAP_ERRORS ((u64)-4095)

static __always_inline u64 whole_pages(u64 bytes)
{
	return (bytes + page_size - 1) & ~(page_size - 1);
}

/* mmap(address, bytes, protection, flags …): what nobody may read or write is no memory yet */
SEC("kprobe")
int mmap_begins(struct pt_regs *ctx)
{
	struct call call = { .bytes = whole_pages(PT_REGS_PARM2(ctx)), .is_mapping = true };

	if (PT_REGS_PARM3(ctx) && PT_REGS_PARM4(ctx) & MAP_ANONYMOUS)
		begin(ctx, &call);
	return 0;
}

/* mremap(old, old_bytes, bytes …): with old_bytes 0 the old one stays */
SEC("kprobe")
int mremap_begins(struct pt_regs *ctx)
{
	if (PT_REGS_PARM2(ctx))
		begin_realloc(ctx, PT_REGS_PARM1(ctx), whole_pages(PT_REGS_PARM3(ctx)), true);
	return 0;
}

/* munmap(address, bytes).  Files are unmapped, too, and free() unmaps what malloc() has mapped: neither is in the table. */
SEC("kprobe")
int munmap_begins(struct pt_regs *ctx)
{
	u64 address = PT_REGS_PARM1(ctx), bytes = whole_pages(PT_REGS_PARM2(ctx));
	struct memleak_counts *counts = counts_at(1, 0);
	struct memleak_key key = key_of(address);
	struct memleak_block block;

	own_stack_ask(ctx);
	if (!counts || event_is_over() || is_inner(PT_REGS_SP(ctx)) || !is_chosen(address) || !take_out(&key, &block))
		return 0;
	/* of a part at the begin the rest stays, if it is one of those that are chosen */
	if (bytes < block.bytes && is_chosen(address + bytes)) {
		count_add(&counts->freed_bytes, bytes);
		block.bytes -= bytes;
		key.address += bytes;
		put_in(counts, &key, &block);
		return 0;
	}
	count_add(&counts->frees, 1);
	count_add(&counts->freed_bytes, block.bytes);
	return 0;
}

SEC("kprobe")
int call_ends(struct pt_regs *ctx)
{
	struct memleak_counts *counts = counts_at(1, 0);
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 address = PT_REGS_RC(ctx);
	struct call *found, call;
	bool has_failed;

	own_stack_ask(ctx);
	found = bpf_map_lookup_elem(&under_way, &tid);
	if (!found || !counts || event_is_over())
		return 0;
	/* at a ret, or behind it, where the kernel's return probe is */
	if (PT_REGS_SP(ctx) != found->stack && PT_REGS_SP(ctx) != found->stack + ARCH_RETURN_SIZE)
		return 0;
	call = *found;
	call_end(&under_way, &tid);
	if (call.result) {
		u64 error = (u32)address;

		address = 0;
		if (!error)
			bpf_probe_read_user(&address, sizeof(address), call.result);
	}
	if (call.is_mapping && address >= MAP_ERRORS)
		address = 0;
	/* realloc() of 0 bytes may free what is there, and return nothing; mremap() fails */
	has_failed = !address && (call.is_mapping || !(call.old && !call.bytes));
	if (has_failed)
		count_add(&counts->failed, 1);
	if (call.old)
		end_realloc(counts, &call, has_failed);
	if (address)
		allocated(ctx, address, call.bytes, call.caller);
	return 0;
}

SEC("kprobe")
int free_begins(struct pt_regs *ctx)
{
	u64 address = PT_REGS_PARM1(ctx);

	own_stack_ask(ctx);
	if (!address || event_is_over() || is_inner(PT_REGS_SP(ctx)))
		return 0;
	freed(address, !task_filtered());
	return 0;
}

static __always_inline void note_exec(void)
{
	u32 pid = task_pid_tgid() >> 32;
	u64 now_ns = bpf_ktime_get_ns();
	struct memleak_counts *counts = counts_at(1, 0);

	/* -t: the thread that executes it has the first one's number by now */
	if (!filter.tids_count && task_is_never_wanted())
		return;
	if (!event_is_over() && pid && bpf_map_update_elem(&execs, &pid, &now_ns, BPF_ANY) && counts)
		count_add(&counts->execs_lost, 1);
}

SEC("raw_tp/sched_process_exec") SEES_NO_EVENT
int execs_raw(void *ctx)
{
	note_exec();
	return 0;
}

SEC("tp/sched/sched_process_exec") SEES_NO_EVENT
int TP_PROG(execs_event, void *ctx)
{
	note_exec();
	return 0;
}

CALL_THREAD_EXIT(call_thread_exit(&under_way))

/* ---- the kernel's allocators */

static __always_inline bool is_unwanted(u64 address)
{
	return !address || event_is_over() || task_filtered();
}

static __always_inline int kernel_allocated(void *ctx, u64 address, u64 bytes)
{
	return is_unwanted(address) ? 0 : allocated(ctx, address, bytes, 0);
}

/* Whoever frees it: an interrupt, a thread that works for others. */
static __always_inline int kernel_freed(u64 address)
{
	if (address && !event_is_over())
		freed(address, true);
	return 0;
}

/* (call_site, ptr, bytes_req, bytes_alloc …) */
SEC("raw_tp/kmalloc")
int kmalloc(u64 *args)
{
	return kernel_allocated(args, args[1], args[3]);
}

/* before 6.1, where a node was asked for */
SEC("raw_tp/kmalloc_node")
int kmalloc_node(u64 *args)
{
	return kernel_allocated(args, args[1], args[3]);
}

/* (call_site, ptr, cache …) since 6.1; else as kmalloc */
SEC("raw_tp/kmem_cache_alloc")
int cache_alloc(u64 *args)
{
	const struct kmem_cache___memleak *cache = (void *)args[2];

	return kernel_allocated(args, args[1], cache_has_size ? BPF_CORE_READ(cache, size) : args[3]);
}

SEC("raw_tp/kmem_cache_alloc_node")
int cache_alloc_node(u64 *args)
{
	return kernel_allocated(args, args[1], args[3]);
}

/* (call_site, ptr …) */
SEC("raw_tp/kfree")
int kfree(u64 *args)
{
	return kernel_freed(args[1]);
}

SEC("raw_tp/kmem_cache_free")
int cache_free(u64 *args)
{
	return kernel_freed(args[1]);
}

/* (page, order …) */
SEC("raw_tp/mm_page_alloc")
int page_alloc(u64 *args)
{
	return kernel_allocated(args, args[0], page_size << ((u32)args[1] & 31));
}

SEC("raw_tp/mm_page_free")
int page_free(u64 *args)
{
	return kernel_freed(args[0]);
}

/* From 7.0 on raw programs can be preempted. */
SEC("tp/kmem/kmalloc")
int TP_PROG(kmalloc_event, struct tp_kmem__kmalloc *ctx)
{
	return kernel_allocated(ctx, ctx->ptr, ctx->bytes_alloc);
}

SEC("tp/kmem/kmem_cache_alloc")
int TP_PROG(cache_alloc_event, struct tp_kmem__kmem_cache_alloc *ctx)
{
	return kernel_allocated(ctx, ctx->ptr, ctx->bytes_alloc);
}

SEC("tp/kmem/kfree")
int TP_PROG(kfree_event, struct tp_kmem__kfree *ctx)
{
	return kernel_freed(ctx->ptr);
}

SEC("tp/kmem/kmem_cache_free")
int TP_PROG(cache_free_event, struct tp_kmem__kmem_cache_free *ctx)
{
	return kernel_freed(ctx->ptr);
}

/* pfn: ~0 where the allocation has failed */
SEC("tp/kmem/mm_page_alloc")
int TP_PROG(page_alloc_event, struct tp_kmem__mm_page_alloc *ctx)
{
	return kernel_allocated(ctx, ctx->pfn + 1, page_size << (ctx->order & 31));
}

SEC("tp/kmem/mm_page_free")
int TP_PROG(page_free_event, struct tp_kmem__mm_page_free *ctx)
{
	return kernel_freed(ctx->pfn + 1);
}

SEC("tp/percpu/percpu_alloc_percpu")
int TP_PROG(percpu_alloc, struct tp_percpu__percpu_alloc_percpu *ctx)
{
	return kernel_allocated(ctx, ctx->ptr, ctx->size * cpus);
}

SEC("tp/percpu/percpu_free_percpu")
int TP_PROG(percpu_free, struct tp_percpu__percpu_free_percpu *ctx)
{
	return kernel_freed(ctx->ptr);
}

#define BULK_BLOCK 16
#define BULK_BLOCKS 32		/* a page of pointers, as kfree_rcu() collects them */

/* A function that the verifier looks at once. */
__attribute__((noinline)) int bulk_freed(u64 list, u32 from, u32 count)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < BULK_BLOCK && from + i < count; i++) {
		u64 object = 0;

		bpf_probe_read_kernel(&object, sizeof(object), (void *)(list + (from + i) * sizeof(object)));
		kernel_freed(object);
	}
	return 0;
}

/* void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p): no tracepoint tells of these */
SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(bulk_free, void *cache, u64 count, u64 list)
{
	u32 number = count > BULK_BLOCK * BULK_BLOCKS ? BULK_BLOCK * BULK_BLOCKS : count;

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < BULK_BLOCKS && i * BULK_BLOCK < number; i++)
		bulk_freed(list, i * BULK_BLOCK, number);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
