/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks among processes of one user, by files in a directory that nobody else may open.  flock(2) takes any descriptor, also one that was
 * opened for reading: a lock on a file that others may read is theirs to hold.
 */
#ifndef PROBELIGHT_LOCK_H
#define PROBELIGHT_LOCK_H

#include <stdint.h>

enum lock_kind { LOCK_SHARED, LOCK_EXCLUSIVE };

/*
 * Opens the file of a lock, a name in the directory, or the directory itself (NULL).  The directory is made if it is not there; it, and the
 * file, become accessible to their owner alone.  A file descriptor, whose close() unlocks, or -errno: -EPERM where one of them belongs to
 * somebody else, or others may write to the directory, or it is in a directory of somebody else or where others may replace it.
 */
int lock__open(const char *directory, const char *name);

/* Takes the lock, and waits at most limit_ms for others.  0, -ETIMEDOUT, or -errno of flock(2). */
int lock__take(int fd, enum lock_kind kind, int64_t limit_ms);

void lock__release(int fd);

#endif
