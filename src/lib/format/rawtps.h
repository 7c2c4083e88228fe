/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's raw tracepoints, out of its BTF: also those that are no events and have no format file. */
#ifndef PROBELIGHT_RAWTPS_H
#define PROBELIGHT_RAWTPS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/fault.h"

struct format;
struct rawtps;

#define RAWTPS_BTF "/sys/kernel/btf/vmlinux"
#define RAWTPS_SYSTEM "rawtp"	/* of the formats */

/* At most so many are looked for by their names. */
#define RAWTPS_NAMES_MAX 16

/*
 * Those of a file of BTF (RAWTPS_BTF: the kernel itself, without its modules') that have one of the names, at most RAWTPS_NAMES_MAX, which
 * reads a part of the file only.  0, freed by rawtps__free(); -errno where BTF cannot be read.
 */
int rawtps__load(struct rawtps **rawtps, const char *btf, const char *const *names, size_t count);
void rawtps__free(struct rawtps *rawtps);

/* Loads the others too.  0 or -errno. */
int rawtps__load_all(struct rawtps *rawtps);

/* The names of those that are loaded, sorted; valid as long as rawtps is.  NULL behind the last one. */
const char *rawtps__name(const struct rawtps *rawtps, size_t number);

/*
 * The arguments as a format, with the members that are asked for (arguments.h).  0, or -errno with one line in fault: -ENOENT where there
 * is none of that name.  Loads all if it is not loaded.
 */
int rawtps__format(struct rawtps *rawtps, const char *name, const char *const *members, size_t count, struct format **format,
		   struct fault *fault);

/*
 * Whether a program on it would run itself again without an end.  The kernel ends every program on a raw tracepoint by
 * rcu_read_unlock(), which may raise a softirq, set the mark to reschedule or send an interrupt to the own CPU, and these are events.
 */
bool rawtps__recurses(const char *name);

#endif
