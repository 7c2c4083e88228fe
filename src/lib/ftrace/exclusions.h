/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns that take functions out of those that other patterns mean: "!vfs_read", "!ext4:ext4_sync_*".  Their order among the others does
 * not matter.
 */
#ifndef PROBELIGHT_EXCLUSIONS_H
#define PROBELIGHT_EXCLUSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "function_filter.h"
#include "functions.h"

static inline bool exclusion__is(const char *pattern)
{
	return *pattern == '!';
}

/* Whether one of the patterns excludes a function by this name; module: the function's, or NULL.  of_module: that of --module, or NULL. */
bool exclusions__have(const char *of_module, const char *const *patterns, size_t count, const char *name, const char *module);

/*
 * Takes out of the list what the patterns exclude; functions may be excluded by any of their names (aliases.h).  A pattern that excludes
 * nothing is one that matches none (functions->unmatched), with the nearest names.  How many patterns exclude.
 */
size_t exclusions__apply(struct functions *functions, const char *of_module, const char *const *patterns, size_t count);

/*
 * Takes the same out of an instance's filter, where functions are left: an empty filter would mean all functions.  0 or -errno of writing.
 */
int exclusions__write(struct function_filter *filter, const char *of_module, const char *const *patterns, size_t count);

#endif
