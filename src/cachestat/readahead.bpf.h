/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of pages that are read ahead.  A folio is followed from being added to the cache without having been asked for until a call
 * reads it, a process maps it, somebody writes to it, or it is removed from the cache; whichever comes first takes its entry.  So
 *
 *	read ahead = used + dropped + waiting
 *
 * page for page, for all folios that have found room.  A folio's place in its file is the key, which stays when the kernel moves the folio
 * in memory.  A folio is used as a whole, so one of which a page was asked for is not read ahead.
 */
#ifndef CACHESTAT_READAHEAD_BPF_H
#define CACHESTAT_READAHEAD_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CACHESTAT_AHEAD);
	__type(key, struct ahead_key);
	__type(value, struct ahead_folio);
} ahead SEC(".maps");

static __always_inline void ahead_count(const struct ahead_folio *folio, u32 word)
{
	struct cachestat_counts *counts = counts_of(&folio->key);

	if (counts)
		count_add((u64 *)counts + (word & (CACHESTAT_WORDS - 1)), folio->pages);
}

static __always_inline void ahead_count_age(const struct ahead_folio *folio, u32 word)
{
	struct cachestat_cells *cells = counts_at(1, 0);
	u64 age_ns = bpf_ktime_get_ns() - folio->added_ns, slot = hist_slot(age_ns, 0);
	struct hist_rough *hist;

	if (!cells)
		return;
	hist = word == WORD(ahead_dropped) ? &cells->dropped : &cells->used;
	asm volatile("" : "+r"(slot));
	if (slot >= HIST_ROUGH_SLOTS)
		slot = HIST_ROUGH_SLOTS - 1;
	count_add(&hist->slots[slot], folio->pages);
	count_add(&hist->sum, age_ns * folio->pages);
}

/* word: where its pages count now; nothing for a folio that is not waiting. */
static __noinline int ahead_end_of(const struct ahead_key *key, u32 word)
{
	const struct ahead_folio *entry = bpf_map_lookup_elem(&ahead, key);
	struct ahead_folio folio;

	if (!entry || event_is_over())
		return 0;
	folio = *entry;
	/* two CPUs may use it at the same time, and it counts once */
	if (bpf_map_delete_elem(&ahead, key))
		return 0;
	atomic_add(&event_stats_slot()->in_flight, -folio.pages);
	ahead_count(&folio, word);
	if (by_age)
		ahead_count_age(&folio, word);
	return 0;
}

/* folio: of a kernel without folios the page */
static __always_inline int ahead_end(const void *folio, u32 word)
{
	struct ahead_key key = {};

	if (bpf_core_type_exists(struct folio___cache)) {
		key.mapping = (u64)BPF_CORE_READ((const struct folio___cache *)folio, mapping);
		key.index = BPF_CORE_READ((const struct folio___cache *)folio, index);
	} else {
		key.mapping = (u64)BPF_CORE_READ((const struct page___cache *)folio, mapping);
		key.index = BPF_CORE_READ((const struct page___cache *)folio, index);
	}
	return key.mapping ? ahead_end_of(&key, word) : 0;
}

/* A call has added a folio that it was not asked for. */
static __noinline int ahead_begin(const struct call *call, u64 index, u64 pages)
{
	u64 file = call->file;
	struct ahead_key key = { .mapping = (u64)BPF_CORE_READ((struct file___cache *)file, f_mapping), .index = index };
	struct ahead_folio folio = { .pages = pages };
	int err;

	if (pages_filtered(pages))
		return 0;
	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&folio.key.task);
	if (by_file)
		name_file(&folio.key, file_host(file));
	folio.added_ns = bpf_ktime_get_ns();
	err = bpf_map_update_elem(&ahead, &key, &folio, BPF_NOEXIST);
	if (err == -EEXIST) {
		/* no program has seen that it was removed */
		ahead_end_of(&key, WORD(ahead_dropped));
		err = bpf_map_update_elem(&ahead, &key, &folio, BPF_NOEXIST);
	}
	if (err) {
		atomic_add(&event_stats_slot()->no_room, pages);
		return 0;
	}
	atomic_add(&event_stats_slot()->in_flight, pages);
	ahead_count(&folio, WORD(ahead));
	return 0;
}

/* mark_page_accessed(), since 5.16 folio_mark_accessed(): of what a read copies or gives to a pipe. */
SEC("kprobe") SEES_END
int BPF_KPROBE(ahead_accessed, const void *folio)
{
	return ahead_end(folio, WORD(ahead_read));
}

struct page___tail {
	unsigned long compound_head;
} __attribute__((preserve_access_index));

/* A process maps a page, or pages of a folio: page_add_file_rmap(), since 6.6 with the folio first. */
SEC("kprobe") SEES_END
int BPF_KPROBE(ahead_mapped, const void *page)
{
	u64 head = 0;

	if (bpf_core_field_exists(struct page___tail, compound_head))
		head = BPF_CORE_READ((const struct page___tail *)page, compound_head);
	return ahead_end(head & 1 ? (const void *)(head - 1) : page, WORD(ahead_mapped));
}

/* With the lock of the mapping held; void (struct folio *folio) */
SEC("raw_tp/mm_filemap_delete_from_page_cache") SEES_END
int ahead_removed(u64 *ctx)
{
	return ahead_end((const void *)ctx[0], WORD(ahead_dropped));
}

#endif
