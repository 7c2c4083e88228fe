/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files below the root directory of a process, which may be hostile and see other mounts than we do.  A path is followed step by step and
 * no link is: an absolute one would lead to a file of our own root; ".." is refused.
 */
#ifndef PROBELIGHT_ROOT_FILE_H
#define PROBELIGHT_ROOT_FILE_H

#include <stdint.h>
#include <sys/stat.h>

/*
 * Finds a regular file by its path from there ("tmp/x") and tells of it; nothing is opened for reading, no device is told.  A descriptor
 * (O_PATH), or -errno: -ENOENT, -EPERM where it is not a regular file or a link is in its path.
 */
int root_file__find(uint32_t pid, const char *path, struct stat *stat);

/* Opens what was found for reading, and closes found.  A descriptor or -errno. */
int root_file__open(int found);

#endif
