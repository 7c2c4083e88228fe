/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that one program sees begin and another one sees return (call.bpf.h), with their arguments: `calls` has what the program at the
 * return is given as its context. Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_RETURNED_BPF_H
#define PROBELIGHT_RETURNED_BPF_H

#include <bpf/bpf_helpers.h>

#include "call.bpf.h"
#include "lib/shared/returned.h"

CALLS_BY(struct returned_key, RETURNED_CALLS, struct returned);

/* By task: a thread that runs an exec may get another number meanwhile. */
static __always_inline struct returned_key returned_key_of(__u32 event, __u32 frame)
{
	return (struct returned_key){ .task = bpf_get_current_task(), .event = event, .frame = frame };
}

/* Keeps a call that begins, whose args are filled in. Where there is no room, it is counted as lost. */
static __always_inline void returned_begin(__u32 event, __u32 frame, struct returned *call)
{
	struct returned_key key = returned_key_of(event, frame);

	call->ret = 0;
	call->duration_ns = 0;
	call->begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &key, call);
}

/* The call that returns, with its result and its time; NULL: nobody saw it begin. It is there until call_end(&calls, key). */
static __always_inline struct returned *returned_find(const struct returned_key *key, __s64 ret)
{
	struct returned *call = bpf_map_lookup_elem(&calls, key);

	if (!call)
		return NULL;
	call->ret = ret;
	call->duration_ns = bpf_ktime_get_ns() - call->begun_ns;
	return call;
}

#endif
