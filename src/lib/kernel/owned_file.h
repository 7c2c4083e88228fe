/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that nobody but root can have written. */
#ifndef PROBELIGHT_OWNED_FILE_H
#define PROBELIGHT_OWNED_FILE_H

#include <stddef.h>

/*
 * Opens a directory, "/run/containerd", that root owns and nobody else may write; links on the way to it are followed.
 * Returns it, the caller's to close, or -errno: -EPERM where it is somebody else's.
 */
int owned_file__directory(const char *path);

/*
 * Opens below such a directory what a relative path leads to, by directories of the same kind and without following a
 * link: a directory too, or, with flags 0, a regular file. flags: 0 or O_DIRECTORY. Returns it, the caller's to close,
 * or -errno: -EPERM as above, -ELOOP at a link.
 */
int owned_file__open(int directory, const char *path, int flags);

/* Reads such a file below a directory, of at most size_max bytes: as file__read(). */
int owned_file__read(int directory, const char *path, size_t size_max, char **text, size_t *size);

#endif
