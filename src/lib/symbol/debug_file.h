/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separate files with the functions of stripped ones, as distributions keep them for debuggers.  They are read as
 * hostile files: only regular ones, and their sizes have limits.
 */
#ifndef PROBELIGHT_DEBUG_FILE_H
#define PROBELIGHT_DEBUG_FILE_H

#include <stdbool.h>

struct elf_symbols;

/*
 * Looks for the functions of the file at an absolute path of a process, if it lacks some, and takes those of the first
 * file that is the right one: by its build id (/usr/lib/debug/.build-id) in our root directory, then in the process';
 * by its .gnu_debuglink in the process' root, in the directory of the file and in .debug there, and by the same path
 * below /usr/lib/debug in both roots.  Links are followed in .build-id alone, where RPM distributions have them.
 *
 * own, root: the two root directories (root_file__root()); negative: not known.  Returns whether the process' was asked.
 * Then the names are for processes with that root directory alone: any user can have one in which /usr/lib/debug has
 * what he likes.
 */
bool debug_file__read(struct elf_symbols *symbols, int own, int root, const char *path);

#endif
