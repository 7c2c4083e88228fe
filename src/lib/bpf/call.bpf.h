/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that one program sees begin and another one sees end.  What the second needs of the first is kept in a hash named
 * `calls`, by thread, and taken out on every return.  A return that no program saw (a return probe has few slots: up to
 * 5.10 one for each CPU, then ten or two for each CPU, for all the calls that sleep at the same time) leaves its entry
 * behind: the thread's next call finds it, or the reader at the end (lib/reader), and it is counted as missed.
 * Include it after tool.bpf.h.
 */
#ifndef PROBELIGHT_CALL_BPF_H
#define PROBELIGHT_CALL_BPF_H

#include "tool.bpf.h"

#define CALL_EEXIST 17

/*
 * Keeps a call, in a hash, under key.  Where the hash is full the event is counted as lost, and false returned.
 */
static __always_inline bool call_begin(void *calls, const void *key, const void *call)
{
	/* int: before 6.4 a map's function is called directly, and leaves the upper half of the register 0 */
	int err = bpf_map_update_elem(calls, key, call, BPF_NOEXIST);

	if (err == -CALL_EEXIST) {
		__sync_fetch_and_add(&event_stats_slot()->missed, 1);
		err = bpf_map_update_elem(calls, key, call, BPF_ANY);
	}
	if (err)
		event_count_lost();
	return !err;
}

#endif
