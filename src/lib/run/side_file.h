/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that a tool writes besides its output: --svg FILE, --pprof FILE, --trace FILE.  It is opened once the start has succeeded, and
 * before capabilities are dropped: a start that fails leaves the file of the last run as it was.
 *
 *	static struct side_file picture = { .option = "--svg", .fd = -1 };
 *
 *	picture.path = arg;				the option; without it the calls below do nothing
 *	side_file__open(&picture, &tool);
 *	side_file__write(&picture, &tool, bytes, size);
 *	side_file__close(&picture);
 */
#ifndef PROBELIGHT_SIDE_FILE_H
#define PROBELIGHT_SIDE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct tool;

struct side_file {
	const char *option;		/* for messages */
	const char *path;		/* NULL: it is not asked for */
	int fd;				/* -1: not open */
};

/* Makes the file, or empties the one that is there.  Where it cannot be opened, this ends the start.  tool->err. */
int side_file__open(struct side_file *file, struct tool *tool);

/* Whether it is asked for, and can still be written. */
bool side_file__is_open(const struct side_file *file);

/* Appends all size bytes.  What fails is reported once, as a failure of the tool, and closes the file; the run goes on. */
void side_file__write(struct side_file *file, struct tool *tool, const char *bytes, size_t size);

/* The same for bytes that could not be made; err: -errno. */
void side_file__fail(struct side_file *file, struct tool *tool, int err);

/* Also of one that is not open. */
void side_file__close(struct side_file *file);

#endif
