/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that end in paths, or other strings.  Most are short and a few have PATH_SIZE bytes: the event is reserved with little
 * room first, and once more with room for the longest if a string turns out not to fit.  Include it after tool.bpf.h.
 *
 *	struct path_text path = { .from = user_pointer };
 *	u16 room;
 *
 *	event = event_reserve_paths(sizeof(*event), 0, &path, 1, &room);
 *	if (!event)
 *		return 0;
 *	event->path_size = path.size;		the path lies at the end of the fixed part, the next one room bytes further
 */
#ifndef PROBELIGHT_PATH_BPF_H
#define PROBELIGHT_PATH_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/path.h"
#include "ring.bpf.h"

/* A string to read; size is set by event_reserve_paths(), the rest by the caller. */
struct path_text {
	const char *from;	/* NULL: there is none, and nothing is tried */
	bool in_kernel;		/* in the kernel's memory, not in the current task's */
	__u32 size;		/* with its 0 byte; 0: it could not be read */
};

/* 1 if the number, below 2^31 or negative, is 0, else 0 or, for negative ones, 1.  Without a branch. */
static __always_inline __u32 path_is_zero(__u32 number)
{
	number--;
	barrier_var(number);	/* else clang sees a comparison */
	return number >> 31;
}

/*
 * Reads a text; room is a constant.  Returns its size with the 0 byte, 0 where it could not be read.  There is no branch on what
 * the helper returns: the verifier would walk all that follows once for each way out.
 */
static __always_inline __u32 path_text_read(char *to, const __u32 room, const struct path_text *text)
{
	__u32 size;
	__s32 sign;

	/* an empty string: the helper says 0 of it up to 6.12 (strncpy_from_user_nofault() in mm/maccess.c) */
	to[0] = 0;
	size = text->in_kernel ? bpf_probe_read_kernel_str(to, room, text->from) : bpf_probe_read_user_str(to, room, text->from);
	size += path_is_zero(size);
	sign = size;
	barrier_var(sign);
	sign >>= 31;
	barrier_var(sign);
	return size & ~sign;
}

/* Reads each text into its place. Whether all of them fit. */
static __always_inline bool path_texts_read(char *to, const __u32 room, struct path_text *texts, const __u32 count)
{
	__u32 too_long = 0;

#pragma unroll
	for (__u32 i = 0; i < count; i++) {
		texts[i].size = texts[i].from ? path_text_read(to + i * room, room, &texts[i]) : 0;
		too_long |= path_is_zero(texts[i].size ^ room);
	}
	return !too_long;
}

/*
 * Room for an event of fixed bytes, count texts behind them, each with *room bytes, and extra bytes at the end.  fixed, extra and
 * count are constants.  As event_reserve() otherwise: NULL where there is no room, and the event is counted as lost.
 */
static __always_inline void *event_reserve_paths(const __u32 fixed, const __u32 extra, struct path_text *texts, const __u32 count,
						 __u16 *room)
{
	char *event = event_reserve(fixed + count * PATH_ROOM_SHORT + extra);

	if (!event)
		return NULL;
	*room = PATH_ROOM_SHORT;
	if (path_texts_read(event + fixed, PATH_ROOM_SHORT, texts, count))
		return event;
	event_discard(event);
	event = event_reserve(fixed + count * PATH_SIZE + extra);
	if (!event)
		return NULL;
	*room = PATH_SIZE;
	path_texts_read(event + fixed, PATH_SIZE, texts, count);
	return event;
}

#endif
