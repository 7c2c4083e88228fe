/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long reads, writes, opens and syncs of files take, as lib/bpf/file_times.bpf.h sees them: by operation, or by what --by says of the
 * task that asked.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "fsdist.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"

struct file_asker {
	struct task_key key;
};

#include "lib/bpf/file_times.bpf.h"

COUNTS(struct fsdist_counts, FILE_OPS);
TABLE(struct fsdist_key, struct hist_rough, FSDIST_KEYS);

const volatile bool by_op = true;

static __always_inline void file_asker_fill(void *ctx, struct file_asker *asker, u64 begun_ns)
{
	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&asker->key);
}

static __always_inline void count_by_task(const struct file_op_end *end, struct fsdist_counts *counts)
{
	struct fsdist_key key = {};
	struct hist_rough *hist;

	if (end->asker)
		key.task = end->asker->key;
	else
		task_key_set_current(&key.task);
	key.op = by_op ? end->op : 0;
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, end->latency_ns);
}

static __always_inline int file_op_ended(void *ctx, const struct file_op_end *end)
{
	struct fsdist_counts *counts = counts_at(FILE_OPS, end->op);

	if (!counts)
		return 0;
	if (task_key_kind == TASK_KEY_NONE)
		hist_add(&counts->times, end->latency_ns);
	else
		count_by_task(end, counts);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
