/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's functions by address, many at once: a BPF iterator (since 5.9) goes through a map of addresses and
 * prints "%pB" of each.  For kernels that have no bpf_snprintf() (before 5.13), where /proc/kallsyms takes 250 M
 * instructions and this 10 M for the kernel's BTF and then some thousand for a name.
 */
#ifndef PROBELIGHT_FTRACE_NAME_LIST_H
#define PROBELIGHT_FTRACE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#define NAME_LIST_ROOM 2048	/* addresses that can be asked for at once */
#define NAME_LIST_TIMES 4	/* how often */

struct named;

struct name_list {
	uint64_t *addresses;		/* shared with the program; NULL: the list is not open */
	int iterators[NAME_LIST_TIMES];
	unsigned int next;		/* iterator: each goes through the map once */
	struct named *names;		/* by address */
	size_t count;
};

/* Before capabilities are dropped.  0 or -errno; name_list__close() takes one that failed or is zeroed. */
int name_list__open(struct name_list *list);
void name_list__close(struct name_list *list);

/* Asks for the names that are not known yet.  0, -ENOSPC where they are too many or too often, or -errno. */
int name_list__ask(struct name_list *list, const uint64_t *addresses, size_t count);

/* "NAME" or "NAME [MODULE]" of the function that the address is in, valid until the next ask; NULL: not known. */
const char *name_list__find(const struct name_list *list, uint64_t address);

#endif
