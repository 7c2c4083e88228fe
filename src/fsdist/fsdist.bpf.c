/* SPDX-License-Identifier: BSD-2-Clause */
/* How long reads, writes, opens and syncs of files take, as lib/bpf/file_times.bpf.h sees them. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "fsdist.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/file_times.bpf.h"

COUNTS(struct fsdist_counts, FILE_OPS);

static __always_inline int file_op_ended(void *ctx, const struct file_op_end *end)
{
	struct fsdist_counts *counts = counts_at(FILE_OPS, end->op);

	if (counts)
		hist_add(&counts->times, end->latency_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
