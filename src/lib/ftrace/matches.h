/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions patterns meant at an earlier start, so that the kernel need not match them again: 130 M instructions of a start on 6.12.  They are the
 * same as long as the kernel and its modules are: the kernel's build id and, of every module, name, size, address and build id.  Where a module has no build id, or is being loaded or unloaded, nothing is kept and nothing is read.
 *
 *	if (matches__read(&matches, &functions, module, patterns, count)) {
 *		functions__match(&functions, ...);
 *		matches__keep(&matches, &functions);
 *	}
 */
#ifndef PROBELIGHT_MATCHES_H
#define PROBELIGHT_MATCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "functions.h"
#include "lib/kernel/cache.h"

struct matches {
	struct cache_key key;	/* the kernel and the patterns */
	__u64 modules;		/* a hash of the kernel's modules, which stands before what is kept */
	bool has_key;
};

/* Where the kernel tells what it is made of, and where matches are kept; for tests. */
struct matches_places {
	const char *notes;		/* /sys/kernel/notes */
	const char *modules;		/* /proc/modules: proc_modules(5) */
	const char *module_folder;	/* /sys/module, with MODULE/notes/.note.gnu.build-id */
	const char *cache;		/* CACHE_FOLDER */
};
extern struct matches_places matches__places;

/*
 * Adds what was kept about these patterns, to functions that are empty.  0; or -ENOENT where nothing is kept or is to be believed, and then
 * matches is for matches__keep().
 */
int matches__read(struct matches *matches, struct functions *functions, const char *module, const char *const *patterns, size_t count);

/* Keeps what these patterns matched, unless a module has come or gone since matches__read(), or one of the patterns matches none. */
void matches__keep(const struct matches *matches, const struct functions *functions);

#endif
