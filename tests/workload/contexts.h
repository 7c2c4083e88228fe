/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of contexts.bpf.c have read, by kind. */
#ifndef CONTEXTS_H
#define CONTEXTS_H

enum { KPROBE, KRETPROBE, KSYSCALL, KRETSYSCALL, RAWTP, TP_BTF, FENTRY, FEXIT, LSM, PERF_EVENT, UPROBE, URETPROBE, KINDS };

#define VALUES 6

struct seen {
	unsigned long long count;
	unsigned long long values[VALUES];	/* of the last time */
	long long ret;				/* of FEXIT, behind them */
};

#endif
