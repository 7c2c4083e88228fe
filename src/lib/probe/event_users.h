/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside tracepoint_users: reads the kernel's structures of one tracepoint, or of one event. */
#ifndef PROBELIGHT_EVENT_USERS_H
#define PROBELIGHT_EVENT_USERS_H

#include "holders.h"
#include "lib/kernel/cpus.h"
#include "lib/kernel/kmemory.h"
#include "tracepoint_users.h"

enum event_users_member {
	TRACEPOINT_FUNCS, FILE_TR, TR_NAME, CALL_PERF_EVENTS, CALL_PROG_ARRAY, CALL_PERF_REFCOUNT, ARRAY_ITEMS, PROG_AUX, AUX_ID,
	LINK_PROG, LINK_ID, PERF_HLIST_ENTRY, PERF_OWNER, PERF_PROG, TASK_TGID, TASK_COMM, EVENT_USERS_MEMBERS
};

struct event_users {
	struct kmemory memory;
	const struct ksyms *ksyms;
	uint64_t per_cpu_offset;
	struct cpu_set cpus;			/* possible ones */
	uint32_t offsets[EVENT_USERS_MEMBERS];	/* bytes */
	uint32_t item_size;			/* of struct bpf_prog_array's items */
	bool data_is_link;			/* of a raw tracepoint's function: a link, since 6.10; before, the program */
	struct holders holders;
	bool counts_runs;			/* of BPF programs */
};

/* ksyms must live as long.  0 or -errno with one line in fault; event_users__close() takes one that failed, and a zeroed one. */
int event_users__open(struct event_users *reader, const struct ksyms *ksyms, uint64_t per_cpu_offset, struct fault *fault);
void event_users__close(struct event_users *reader);

/* Adds who is on the struct tracepoint at that address. */
void event_users__add_of_tracepoint(const struct event_users *reader, struct tracepoint_users *users, uint64_t address);

/* Adds the perf events and programs of the struct trace_event_call at that address. */
void event_users__add_of_call(const struct event_users *reader, struct tracepoint_users *users, uint64_t address);

/* Adds the instances of tracefs that have enabled an event, "SYSTEM/NAME", as their files say. */
void event_users__add_instances(const struct event_users *reader, struct tracepoint_users *users, const char *event);

#endif
