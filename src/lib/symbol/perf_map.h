/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that a JIT compiler tells of, in /tmp/perf-PID.map: a line for each, "START SIZE NAME", the numbers
 * hexadecimal (tools/perf/Documentation/jit-interface.txt in the kernel's sources).  Java, Node.js, .NET, PHP, Python
 * and others write it when they are asked to.
 *
 * Any user can have put anything under that name, and root opens it here: the file must be a regular one of the
 * process' own user, and neither it nor /tmp may be a link.
 */
#ifndef PROBELIGHT_PERF_MAP_H
#define PROBELIGHT_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

#define PERF_MAP_SIZE_MAX (64u << 20)
#define PERF_MAP_NAME_MAX 1023	/* bytes of a name that are taken */

struct perf_map;

/*
 * Opens the file of a process, in the root directory and with the number that the process has itself, as the number
 * that its innermost pid namespace gives it (number).  The caller closes it. -errno: -ENOENT where there is none, -EPERM
 * where it is not to be trusted, -EFBIG.
 */
int perf_map__open(uint32_t pid, uint32_t *number);

/*
 * Parses size bytes, which need not outlive the call.  Lines that are none are left out.  NULL without memory, or room
 * in the budget.
 */
struct perf_map *perf_map__parse(const char *text, size_t size);

/* Takes NULL. */
void perf_map__free(struct perf_map *map);

/*
 * The function at an address, untrusted bytes, never empty, valid until perf_map__free(); NULL: none.  Of several the
 * one that was told last.
 */
const char *perf_map__at(const struct perf_map *map, uint64_t address);

/* How many functions it has. */
size_t perf_map__count(const struct perf_map *map);

#endif
