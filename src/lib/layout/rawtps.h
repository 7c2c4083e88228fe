/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's raw tracepoints, out of its BTF: also those that are no events and have no format file. */
#ifndef PROBELIGHT_RAWTPS_H
#define PROBELIGHT_RAWTPS_H

#include <stdbool.h>
#include <stddef.h>

struct format;
struct rawtps;

#define RAWTPS_BTF "/sys/kernel/btf/vmlinux"
#define RAWTPS_SYSTEM "rawtp"	/* of the formats */

/*
 * All of a file of BTF (RAWTPS_BTF: the kernel itself, without its modules').  0, freed by rawtps__free(); -errno where BTF cannot be
 * read.
 */
int rawtps__load(struct rawtps **rawtps, const char *btf);
void rawtps__free(struct rawtps *rawtps);

/* Their names, sorted; valid as long as rawtps is.  NULL behind the last one. */
const char *rawtps__name(const struct rawtps *rawtps, size_t number);

/*
 * The arguments as a format, with the members that are asked for (arguments.h).  0, or -errno with one line in why: -ENOENT where there
 * is none of that name.
 */
int rawtps__format(const struct rawtps *rawtps, const char *name, const char *const *members, size_t count, struct format **format,
		   char *why, size_t size);

/*
 * Whether a program on it would run itself again without an end.  The kernel ends every program on a raw tracepoint by
 * rcu_read_unlock(), which may raise a softirq, set the mark to reschedule or send an interrupt to the own CPU, and these are events.
 */
bool rawtps__recurses(const char *name);

#endif
