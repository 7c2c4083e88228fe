/* SPDX-License-Identifier: BSD-2-Clause */
/* A relative path with the directory that it starts from. */
#ifndef PROBELIGHT_PRINT_DIR_H
#define PROBELIGHT_PRINT_DIR_H

#include <stdbool.h>
#include <stddef.h>

struct out;

/*
 * Puts a relative path, path_size bytes with its 0 byte, behind its directory, of which there are names_size bytes of names, into
 * `to` (room bytes).  is_cut: the outermost names are not among them, and "..." stands in their place; if none is, the directory
 * is not known, and the path stands alone.  Returns the size with the 0 byte, 0 where there is no room.
 */
size_t dir__join(char *to, size_t room, const char *path, size_t path_size, const char *names, size_t names_size, bool is_cut);

/*
 * The value of the next column: a cgroup's path, or another one of which there are names alone, as programs read them (size bytes; 0: "/").
 * is_cut as above.
 */
void dir__put_names(struct out *out, const char *names, size_t size, bool is_cut);

#endif
