/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading files into memory.  Files in /proc, /sys and tracefs do not tell their size before they are read, so nothing
 * here asks for it.
 */
#ifndef PROBELIGHT_FILE_H
#define PROBELIGHT_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Reads a whole file.  The caller frees *text; a 0 byte follows its *size bytes, which may hold 0 bytes themselves.
 * 0 or -errno: of open(2) and read(2), -ENOMEM, -EFBIG where the file has more than size_max bytes.  On an error *text
 * and *size stay as they are.
 *
 * open(2) of a FIFO waits for a writer: do not pass a path that somebody else could have chosen.
 */
int file__read(const char *path, size_t size_max, char **text, size_t *size);

/* The same from an open file, from where it stands; the caller closes fd. */
int file__read_fd(int fd, size_t size_max, char **text, size_t *size);

/*
 * Reads the first bytes of a small file with one read(2), up to size - 1, and ends them with a 0 byte.  Returns their
 * number, or -errno of open(2) or read(2); then text is "".
 */
int file__read_small(const char *path, char *text, size_t size);

/* Reads up to size bytes at an offset of the file.  Returns their number, fewer only at the file's end, or -errno. */
ssize_t file__read_at(int fd, void *to, size_t size, off_t offset);

/* The same from where the file stands, which a process may do that has given up pread(2) (run/privileges.h). */
ssize_t file__read_on(int fd, void *to, size_t size);

/*
 * Whether this process may use a file: mode as for access(2), F_OK, R_OK, W_OK and X_OK.  0 or -errno.  It asks for the
 * effective user and capabilities, as open(2) does; access(2) asks for the real user, without capabilities.
 */
int file__may(const char *path, int mode);

/*
 * Raises this process' soft limit of open files (RLIMIT_NOFILE) to the hard one, at most FILE_LIMIT_MAX.  The usual soft limit of 1,024
 * is for programs that call select(2); files of ring buffers are one for each CPU and instance, those of perf one for each CPU and event.
 */
#define FILE_LIMIT_MAX (1 << 20)	/* fs.nr_open, as kernels have it by default */
void file__raise_limit(void);

#endif
