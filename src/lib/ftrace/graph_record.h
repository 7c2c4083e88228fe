/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of the kernel's function_graph tracer: a call begins, a call returns (kernel/trace/trace_entries.h).  Where their fields are
 * is read from the running kernel's events/ftrace/funcgraph_entry/format and funcgraph_exit/format.  The records' bytes are not believed:
 * nothing outside of them is read.
 */
#ifndef PROBELIGHT_FTRACE_GRAPH_RECORD_H
#define PROBELIGHT_FTRACE_GRAPH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page.h"


/* Where a number is in a record. */
struct graph_field {
	uint32_t offset, size;	/* bytes; the size is 4 or 8; 0: this kernel's records do not have it */
};

struct graph_entry_layout {
	uint16_t type;		/* 0: there are no such records */
	uint32_t size_min;	/* a record with all of the fields has so many bytes at least */
	uint32_t args;		/* offset of the arguments (funcgraph-args, since 6.15); 0: none */
	struct graph_field function, depth;
};

struct graph_layout {
	struct graph_entry_layout entry;
	struct graph_entry_layout retaddr;	/* the other kind of entry, which funcgraph-retaddr makes (since 6.13) */
	uint16_t exit_type;
	uint32_t exit_size_min;
	struct graph_field function, depth, overrun, begin, end, result;	/* of an exit */
};

enum graph_kind { GRAPH_OTHER, GRAPH_ENTRY, GRAPH_EXIT };

/* What the CPU was doing. */
enum graph_context { GRAPH_TASK, GRAPH_SOFTIRQ, GRAPH_HARDIRQ, GRAPH_NMI };

struct graph_record {
	enum graph_kind kind;
	enum graph_context context;
	uint16_t state;		/* record_state.h */
	uint64_t time_ns;	/* of the buffer's trace_clock */
	uint32_t tid;		/* in the initial pid namespace; 0: an idle task, of which each CPU has one */
	/* not decoded, but set by the reader, who knows: */
	uint32_t cpu;
	bool lost_some;		/* records of this CPU were lost just before it ... */
	uint64_t lost;		/* ... so many; 0: the kernel does not say */
	/* if it is wanted: how long its task was off the CPU until now, and how often switches were lost (off_cpu.h) */
	uint64_t off_ns, off_losses;
	uint64_t function;	/* its address, or a few bytes behind it (IBT) */
	uint32_t depth;		/* how many calls of traced functions the task is in already; the same in both records of a call */
	/* GRAPH_ENTRY */
	size_t args_count;	/* 0: the record has none */
	uint64_t args[CALL_ARGS];
	/* GRAPH_EXIT */
	uint64_t ns;		/* how long the call took */
	/* calls of this task that found no room on its stack of return addresses, since it has one; the lower bits */
	uint32_t overrun;
	bool has_result;
	uint64_t result;	/* funcgraph-retval (since 6.5), where the kernel has it */
};

/*
 * Reads the two format files, and funcgraph-retaddr's if there is one.  0, -ENOENT where the kernel has no such tracer, -EINVAL where a
 * field is not there or has an unknown size, or -errno of reading.
 */
int graph_layout__read(struct graph_layout *layout);

/* Decodes a record of a ring buffer's page.  GRAPH_OTHER: it is something else, or is too short. */
enum graph_kind graph_record__decode(const struct graph_layout *layout, const struct page_record *from, struct graph_record *record);

/* How far a task's overrun has risen between two of its records.  A lower one is another task's, which has the number now. */
static inline uint32_t graph_record__overrun_rise(uint32_t was, uint32_t overrun)
{
	return (int32_t)(overrun - was) >= 0 ? overrun - was : overrun;
}

#endif
