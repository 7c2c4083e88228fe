/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys that two events are joined by (anysnoop --between): part by part a value of the first event and one of the second, made so that
 * equal values are equal bytes.
 */
#ifndef PROBELIGHT_KEY_PAIR_H
#define PROBELIGHT_KEY_PAIR_H

#include <stddef.h>

#include "key.h"
#include "lib/print/fault.h"

/* The two names of each part: those of the first event's values, and of the second's. */
struct key_names {
	const char *names[2][KEY_PARTS_MAX];
	size_t count;
};

/*
 * Reads "pid=next_pid,cpu", "a.pid=b.next_pid" or "a.pid,b.next_pid" out of text, which is changed and must live as long: a name alone is
 * of both events, "a." stands before one of the first and "b." before one of the second.  0, or -EINVAL with one line in fault.
 */
int key_names__parse(struct key_names *names, char *text, struct fault *fault);

/*
 * Plans both keys.  Numbers are compared as 64 bits with their sign.  0: key__emit() of each makes the same bytes of the same values, and
 * both are released by key__free(); -EINVAL with one line in fault: there is no such value, or the two cannot be equal (a text and a
 * number, or texts of different kinds); -ENOMEM.  The formats must live as long.
 */
int key_pair__plan(struct key keys[2], const struct format *const formats[2], const struct key_names *names, struct fault *fault);

#endif
