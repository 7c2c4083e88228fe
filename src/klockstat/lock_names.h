/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the kernel's locks: of those that are variables, or parts of variables.  Others have none. */
#ifndef PROBELIGHT_LOCK_NAMES_H
#define PROBELIGHT_LOCK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/kernel/names.h"

struct lock_variable;

struct lock_names {
	struct names names;
	bool is_asked;			/* the kernel tells names; else they are read from /proc/kallsyms, once, when the first is needed */
	bool is_read;
	struct lock_variable *variables;	/* by rising address */
	size_t count, room;
};

/* Before capabilities are dropped.  lock_names__close() takes a zeroed one, too. */
void lock_names__open(struct lock_names *names);
void lock_names__close(struct lock_names *names);

/* Writes "rtnl_mutex", "net_rwsem [x]" or "init_net+0x10"; whether the lock has a name. */
bool lock_names__of(struct lock_names *names, uint64_t lock, char name[NAMES_NAME_MAX]);

/*
 * Whether a function, its name alone, is one of those that take locks: not who wants the lock, but how.  With sections in between: the
 * program's own frames and the tracepoint.
 */
bool lock_names__is_taking(const char *function);

/* "mutex", "rwsem-read", "spin": by the flags of lock/contention_begin (enum klock_flags). */
const char *lock_names__type(uint32_t flags);

#endif
