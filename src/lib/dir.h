/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder that a relative path starts from, as its names: from the innermost outwards, each ended by a 0 byte.
 * dir_read() in dir.bpf.h reads them.
 */
#ifndef PROBELIGHT_DIR_H
#define PROBELIGHT_DIR_H

#define DIR_NAME_SIZE 256	/* NAME_MAX, and the 0 byte */
#define DIR_SIZE 4096		/* bytes of names, before the last one; a power of two */
#define DIR_ROOM (DIR_SIZE + DIR_NAME_SIZE)
#define DIR_DEPTH 48		/* folders and mount points followed upwards */

#ifndef __bpf__
#include <stdbool.h>
#include <stddef.h>

/*
 * Puts a relative path, path_size bytes with its 0 byte, behind its folder, of which there are names_size bytes of names, into
 * `to` (room bytes).  is_cut: the outermost names are not among them, and "..." stands in their place.  Returns the size with
 * the 0 byte, 0 where there is no room.
 */
size_t dir__join(char *to, size_t room, const char *path, size_t path_size, const char *names, size_t names_size, bool is_cut);
#endif

#endif
