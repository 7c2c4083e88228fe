/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that are allocated of the kernel's slab caches, by cache.  The tracepoint kmem_cache_alloc has the cache since 6.1, its record
 * the name on 7.2; before 6.1 the functions have it, which are probed.  kmalloc's has the size of the objects of the cache and the
 * flags, which tell which cache of that size it is.  What kmem_cache_alloc_bulk() allocates has no tracepoint: it is probed on all kernels.
 *
 * The tables have all their room from the begin: a table that grows asks the same allocator for it (96 allocations of 529 on 7.3).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "lib/bpf/tp.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"
#include "slabratetop.h"

COUNTS(struct slabratetop_counts, 1);	/* of the keys without room */
TABLE(struct slabratetop_key, struct slabratetop_counts, SLABRATETOP_KEYS);

const volatile bool by_cache = true;
/* __GFP_DMA, __GFP_RECLAIMABLE, __GFP_ACCOUNT, whose numbers differ; 0: the kernel has no such caches */
const volatile __u64 gfp_dma = 0, gfp_reclaimable = 0, gfp_account = 0;

struct kmem_cache___part {
	const char *name;
	unsigned int size;
} __attribute__((preserve_access_index));

/* as ctxgen writes them, on 7.2 */
struct tp_kmem__kmem_cache_alloc {
	u64 ptr;
	u32 __data_loc_name;
	u64 bytes_alloc;
} __attribute__((preserve_access_index));

struct tp_kmem__kmalloc {
	u64 ptr;
	u64 bytes_alloc;
	u64 gfp_flags;
} __attribute__((preserve_access_index));

static __always_inline bool is_unwanted(u64 object)
{
	return !object || event_is_over() || task_filtered();
}

static __always_inline void count(struct slabratetop_key *key, u64 objects, u64 size)
{
	struct slabratetop_counts *counts;

	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&key->task);
	counts = table_at(key);
	if (!counts)
		counts = counts_at(1, 0);
	if (!counts)
		return;
	count_add(&counts->allocs, objects);
	count_add(&counts->bytes, objects * size);
}

static __noinline int count_named(const char *name, u64 objects, u64 size)
{
	struct slabratetop_key key = {};

	if (by_cache)
		bpf_probe_read_kernel_str(key.name, sizeof(key.name), name);
	count(&key, objects, size);
	return 0;
}

static __always_inline int count_cache(const struct kmem_cache___part *cache, u64 objects)
{
	return count_named(BPF_CORE_READ(cache, name), objects, BPF_CORE_READ(cache, size));
}

/* The order in which kmalloc_type() asks. */
static __always_inline u64 kind_of(u64 gfp)
{
	if (gfp & gfp_dma)
		return SLAB_KMALLOC_DMA;
	if (gfp & gfp_reclaimable)
		return SLAB_KMALLOC_RECLAIMABLE;
	return gfp & gfp_account ? SLAB_KMALLOC_CGROUP : SLAB_KMALLOC;
}

static __noinline int count_kmalloc(u64 size, u64 gfp)
{
	struct slabratetop_key key = {};

	if (by_cache) {
		key.size = size;
		key.kind = kind_of(gfp);
	}
	count(&key, 1, size);
	return 0;
}

/* (call_site, ptr, cache, flags, node), since 6.1 */
SEC("raw_tp/kmem_cache_alloc")
int cache_alloc(u64 *args)
{
	return is_unwanted(args[1]) ? 0 : count_cache((const struct kmem_cache___part *)args[2], 1);
}

/* (call_site, ptr, bytes_req, bytes_alloc, flags…) */
SEC("raw_tp/kmalloc")
int kmalloc_alloc(u64 *args)
{
	return is_unwanted(args[1]) ? 0 : count_kmalloc(args[3], (u32)args[4]);
}

/* The same before 6.1, where a node was asked for. */
SEC("raw_tp/kmalloc_node")
int kmalloc_node_alloc(u64 *args)
{
	return is_unwanted(args[1]) ? 0 : count_kmalloc(args[3], (u32)args[4]);
}

/* From 7.0 on raw programs can be preempted. */
SEC("tp/kmem/kmem_cache_alloc")
int TP_PROG(cache_alloc_event, struct tp_kmem__kmem_cache_alloc *ctx)
{
	struct slabratetop_key key = {};

	if (is_unwanted(ctx->ptr))
		return 0;
	if (by_cache)
		tp_str(key.name, sizeof(key.name), ctx, __data_loc_name);
	count(&key, 1, ctx->bytes_alloc);
	return 0;
}

SEC("tp/kmem/kmalloc")
int TP_PROG(kmalloc_event, struct tp_kmem__kmalloc *ctx)
{
	return is_unwanted(ctx->ptr) ? 0 : count_kmalloc(ctx->bytes_alloc, ctx->gfp_flags);
}

/* Before 6.1: void *kmem_cache_alloc(struct kmem_cache *s, gfp_t flags), and the one for a node. */
SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(cache_enter, struct kmem_cache___part *cache)
{
	return is_unwanted(1) ? 0 : count_cache(cache, 1);
}

SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(cache_node_enter, struct kmem_cache___part *cache)
{
	return is_unwanted(1) ? 0 : count_cache(cache, 1);
}

/* int kmem_cache_alloc_bulk(struct kmem_cache *s, gfp_t flags, size_t nr, void **p): all or nothing */
SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(bulk_enter, struct kmem_cache___part *cache, u32 gfp, u64 objects)
{
	return is_unwanted(1) ? 0 : count_cache(cache, objects);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
