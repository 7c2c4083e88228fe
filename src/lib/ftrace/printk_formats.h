/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of the kernel that records have addresses of (printk_formats in tracefs): formats of trace_printk(), and what code has
 * declared by tracepoint_string(), as rcu_utilization's.
 */
#ifndef PROBELIGHT_PRINTK_FORMATS_H
#define PROBELIGHT_PRINTK_FORMATS_H

#include <stddef.h>
#include <stdint.h>

struct printk_format {
	uint64_t address;
	const char *text;
};

struct printk_formats {
	char *file;
	struct printk_format *all;	/* by address */
	size_t count;
};

/* Reads them; formats is zeroed.  0, or -errno, with nothing to release. */
int printk_formats__load(struct printk_formats *formats);

/* The text at an address, valid until printk_formats__free(); NULL: none is known. */
const char *printk_formats__find(const struct printk_formats *formats, uint64_t address);

void printk_formats__free(struct printk_formats *formats);

#endif
