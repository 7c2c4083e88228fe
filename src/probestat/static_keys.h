/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's static keys: places in its code that are a nop or a jump, by a switch in memory, such as a tracepoint's.  The kernel has a
 * table of them (__jump_table, include/linux/jump_label.h), which is read through /proc/kcore.  Those of modules are in tables of their own
 * and are not known here.
 */
#ifndef PROBELIGHT_STATIC_KEYS_H
#define PROBELIGHT_STATIC_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct static_key_site {
	uint64_t code;		/* where the nop or the jump is */
	uint64_t key;
	const char *name;	/* the variable that the key is in, "__tracepoint_sched_switch"; NULL: not known */
};

struct static_keys {
	struct static_key_site *sites;
	size_t count;
};

/*
 * Fills keys (zeroed); reads /proc/kallsyms twice (200 M instructions).  0, also where the kernel has no such table; or -errno,
 * -EPERM where the table's address is hidden.
 * static_keys__free() takes one that failed, too.
 */
int static_keys__load(struct static_keys *keys);
void static_keys__free(struct static_keys *keys);

#endif
