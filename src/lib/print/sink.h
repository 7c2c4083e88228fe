/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes to a file descriptor whose reader may have stopped reading: a pipe to a pager, a terminal after Ctrl-S. */
#ifndef PROBELIGHT_SINK_H
#define PROBELIGHT_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sink {
	int fd;
	const char *path;		/* of the file, for messages; NULL: stdout */
	/*
	 * Both are called whenever a write was interrupted by a signal or took only a part of the bytes, and each second while a
	 * descriptor with O_NONBLOCK takes none.  Either may be NULL.
	 */
	bool (*should_stop)(void);		/* whether to stop waiting for the reader */
	void (*on_blocked)(void *ctx);		/* what must go on meanwhile; must not write to this sink */
	void *on_blocked_ctx;
};

/*
 * Writes all bytes, and waits for the reader as long as that takes.  Once should_stop() says so, it waits for at most a second
 * at a time: a full pipe must not cost the user a second Ctrl-C.  0, -EAGAIN if it stopped waiting, or -errno of write(2).
 */
int sink__write(const struct sink *sink, const char *bytes, size_t size);

/* Whether a descriptor is of the same file: what is written to it meanwhile may stand in the middle of a row. */
bool sink__is_same_file(const struct sink *sink, int fd);

#endif
