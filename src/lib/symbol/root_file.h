/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files below the root directory of a process, which may be hostile and see other mounts than we do.  A path is followed
 * step by step, so that no link and no ".." leads out of that directory.
 */
#ifndef PROBELIGHT_ROOT_FILE_H
#define PROBELIGHT_ROOT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* What tells the root directory of a process from another one's: two processes with the same see the same files. */
struct root_id {
	dev_t device;
	ino_t inode;
	int mount;
};

bool root_id__is_same(const struct root_id *a, const struct root_id *b);

/*
 * Opens the root directory of a process (O_PATH): a descriptor for close(), which stays that directory whatever the
 * process does; or -errno.
 */
int root_file__root(uint32_t pid, struct root_id *id);

/*
 * Finds a regular file by its path from a root directory ("tmp/x") and tells of it; nothing is opened for reading, no
 * device is told. follow: links are followed as in that root directory, at most 40.  A descriptor (O_PATH), or -errno:
 * -ENOENT, -EPERM where it is not a regular file, or, without follow, where a link or ".." is in its path.
 */
int root_file__find(int root, const char *path, bool follow, struct stat *stat);

/* Opens what was found for reading, and closes found.  A descriptor or -errno. */
int root_file__open(int found);

#endif
