/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a lease has written, for whoever gives it back when the process is gone: a file in /run/probelight with its owner in the first line,
 * and a line "FILE<tab>BEFORE<tab>DIGEST" for each write, of which the last one of a file counts.
 */
#ifndef PROBELIGHT_FTRACE_LEASE_RECORD_H
#define PROBELIGHT_FTRACE_LEASE_RECORD_H

#include <stddef.h>

#include "lib/kernel/owner.h"

#define LEASE_RECORD "tracefs.lease"
#define LEASE_FILES_MAX 32
#define LEASE_TEXT_MAX 64	/* bytes of a file's name, and of what it said before, the 0 byte included */
#define LEASE_DIGEST_MAX 32

struct lease_record {
	struct owner owner;
	size_t count;
	struct {
		char file[LEASE_TEXT_MAX], before[LEASE_TEXT_MAX];
		char digest[LEASE_DIGEST_MAX];	/* "?": it was about to be written */
	} files[LEASE_FILES_MAX];
};

/*
 * Makes the directory of the record if it is not there, and locks it: a file descriptor, which close() unlocks, or -errno; -EPERM where it
 * belongs to somebody else, or others may write to it, -EAGAIN where another process has had the lock for half a minute.
 */
int lease_record__lock(const char *folder);

/* These take the directory's descriptor.  1, or 0 where there is none, or none that can be read. */
int lease_record__read(int folder_fd, struct lease_record *record);

/* Makes one of this process, or takes it away.  0 or -errno. */
int lease_record__make(int folder_fd);
int lease_record__remove(int folder_fd);

/* Removes what a process left that was killed while it made one: whoever has the lock may. */
void lease_record__sweep(int folder_fd);

/* Appends a line.  0 or -errno. */
int lease_record__note(int folder_fd, const char *file, const char *before, const char *digest);

#endif
