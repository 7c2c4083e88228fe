/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that owns something in the kernel that outlives it, as part of a name there.  A pid alone is not enough:
 * tracefs is one for the machine, pids are for each pid namespace, and a pid comes back.  So the name also has the inode of
 * the pid namespace and the time when the process started: "1234nf0000004s5a3c".  That time is the one of the initial time
 * namespace, also for processes in others.
 */
#ifndef PROBELIGHT_OWNER_H
#define PROBELIGHT_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct owner {
	pid_t pid;		/* in its own pid namespace */
	uint32_t pid_ns;	/* inode of /proc/PID/ns/pid; 0: not known */
	uint64_t start;		/* field 22 of /proc/PID/stat, without the time namespace: clock ticks after boot; 0: not known */
};

#define OWNER_TEXT_MAX 40

/* This process. */
struct owner owner__self(void);

/* "1234nf0000004s5a3c" */
void owner__text(const struct owner *owner, char text[OWNER_TEXT_MAX]);

/* Reads such a text, which another letter ends: where that stands, or NULL where it is no owner. */
const char *owner__parse(const char *text, struct owner *owner);

bool owner__is_same(const struct owner *a, const struct owner *b);

/*
 * Whether the process is known to be gone, or its pid belongs to another one now.  One of another pid namespace is known to
 * be gone where the caller is in the initial pid namespace and sees no such process.  False where that cannot be known.
 */
bool owner__is_known_dead(const struct owner *owner);

/* "process 1234", or "process 1 of another pid namespace": for messages. */
void owner__describe(const struct owner *owner, char *text, size_t size);

#endif
