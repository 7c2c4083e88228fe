/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is written anew again and again, and that others read at any time: each time another file is made beside it and takes its
 * name, so that a reader has one whole text or the other.
 *
 *	struct replaced_file file = REPLACED_FILE("--metrics", path);
 *
 *	replaced_file__open(&file);			before capabilities are dropped
 *	privileges__allow_files_in(file.directory);	and this, too: see privileges.h
 *	replaced_file__write(&file, text, size);	any number of times
 *	replaced_file__close(&file, remove);
 */
#ifndef PROBELIGHT_REPLACED_FILE_H
#define PROBELIGHT_REPLACED_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct replaced_file {
	const char *option;		/* for messages */
	const char *path;
	/* the rest is replaced_file.c's */
	int directory;			/* -1: not open */
	const char *name;		/* in the directory */
	char made_name[256];		/* of the file that takes its place, ".NAME.tmp" */
	int fd;				/* of the file that has the name now, locked by flock(2); -1: none yet */
};
#define REPLACED_FILE(option, path) { option, path, .directory = -1, .fd = -1 }

/*
 * Opens the directory, and takes the lock of the file that is there, if one is: what it has stays until the first write.  0, or -errno
 * after a message: the directory is not there or cannot be written, the name is that of something else than a regular file (a link, a
 * pipe, a directory), or another run holds the lock (-EBUSY).
 */
int replaced_file__open(struct replaced_file *file);

/*
 * Makes a file with this text and mode 0644, whatever the umask is (a collector runs as another user), which takes the name.
 * 0, or
 * -errno
 * where the file is as it was before.
 */
int replaced_file__write(struct replaced_file *file, const char *text, size_t size);

/* Closes what is open.  remove: the file goes, if this run has written it. */
void replaced_file__close(struct replaced_file *file, bool remove);

#endif
