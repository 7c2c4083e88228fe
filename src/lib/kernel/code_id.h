/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What functions the running kernel has: they are the same as long as the kernel and its modules are, told by the kernel's build id and, of every
 * module, name, size, address and build id.  What was once found out about them can be kept under it for the next start.
 */
#ifndef PROBELIGHT_CODE_ID_H
#define PROBELIGHT_CODE_ID_H

#include <linux/types.h>
#include <stddef.h>

#include "cache.h"

struct code_id {
	struct cache_key key;	/* the kernel; its hash is the caller's: of the question */
	__u64 modules;		/* a hash of the modules, which stands before what is kept: that of other modules is replaced */
};

/*
 * 0 or -errno: where a module has no build id (-ENOENT and others), or is being loaded or unloaded (-EBUSY), nothing is to be kept and nothing to be
 * read.
 */
int code_id__read(struct code_id *id);

/*
 * Reads what was kept under a key (cache.h) of these modules: *bytes, which the caller frees, begins with 8 bytes that are not the caller's.  0 or -errno:
 * -ENOENT where nothing is kept, or of other modules.
 */
int code_id__read_kept(const struct code_id *id, char **bytes, size_t *size);
#define CODE_ID_SIZE sizeof(__u64)

/* Keeps bytes, the first CODE_ID_SIZE of which are overwritten, unless a module has come or gone since code_id__read().  Where it fails, nothing is kept. */
void code_id__keep(const struct code_id *id, char *bytes, size_t size);

/* Where the kernel tells what it is made of, and where things are kept; for tests. */
struct code_id_places {
	const char *notes;		/* /sys/kernel/notes */
	const char *modules;		/* /proc/modules: proc_modules(5) */
	const char *module_folder;	/* /sys/module, with MODULE/notes/.note.gnu.build-id */
	const char *cache;		/* CACHE_FOLDER */
};
extern struct code_id_places code_id__places;

#endif
