/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in the kernel's code ftrace's hooks are, and the numbers by which set_ftrace_filter takes their functions.  A kernel has 40,000 to
 * 90,000 of them, so each takes 8 bytes.  Before Linux 6.5, which brought available_filter_functions_addrs, addresses come from
 * /proc/kallsyms.
 */
#ifndef PROBELIGHT_FTRACE_CALL_SITES_H
#define PROBELIGHT_FTRACE_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernel/code_id.h"
#include "packed_list.h"

struct call_sites {
	struct packed_list list;	/* by address; a key is its distance from base */
	uint64_t base;		/* below all of them; 0: not known yet */
	int kcore;		/* as of ktext__open(); the caller's */
	struct code_id id;	/* of the code that they are in */
};

/*
 * Reads the hooks that an earlier start has kept.  0; or -ENOENT: none are kept for this kernel and its modules.  call_sites__free()
 * releases them, also after -ENOENT.
 */
int call_sites__read_kept(struct call_sites *sites, int kcore);

/*
 * After call_sites__read_kept(): reads them from the kernel instead, and keeps them for the next start.  Calls each() with every function;
 * module is "" in the kernel itself.  0, -errno, or the first result of each() that is not 0; call_sites__free() releases them in any case.
 */
int call_sites__read(struct call_sites *sites, int (*each)(void *ctx, uint64_t address, const char *name, const char *module), void *ctx);
void call_sites__free(struct call_sites *sites);

/* The first hook at an address or behind it; the list's count where there is none. */
size_t call_sites__from(const struct call_sites *sites, uint64_t address);

/* Of the function or a few bytes behind it (IBT, arm64). */
static inline uint64_t call_sites__address(const struct call_sites *sites, size_t index)
{
	return sites->base + packed_list__key(sites->list.entries[index]);
}

/* Its line in available_filter_functions, from 1. */
static inline uint32_t call_sites__number(const struct call_sites *sites, size_t index)
{
	return packed_list__number(sites->list.entries[index]);
}

/* Marks a hook; whether it had no mark. */
static inline bool call_sites__mark(struct call_sites *sites, size_t index)
{
	return packed_list__mark(&sites->list, index);
}

#endif
