/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes patterns of functions into set_ftrace_filter of an instance, where the kernel matches them. */
#ifndef PROBELIGHT_FUNCTION_FILTER_H
#define PROBELIGHT_FUNCTION_FILTER_H

#include <stdbool.h>

#include "instance.h"

#define FUNCTION_FILTER "set_ftrace_filter"

struct function_filter {
	struct instance *instance;
	bool with_clock;	/* the instance's clock is set meanwhile (instance__begin_clock()) */
	bool has_any;		/* something was written: what comes next is added to it */
};

/*
 * Adds what "[MODULE:]PATTERN" means, in a module alone where module is not NULL: a plain name without a function also means its
 * variants (NAME.isra.0), and a function may be called by any of its names (aliases.h).  0; -EINVAL: it matches none; or -errno of writing.
 */
int function_filter__add(struct function_filter *filter, const char *module, const char *pattern);

/*
 * Takes out what "[MODULE:]PATTERN" means, with the variants of a plain name; not by other names that ftrace does not have.  None of them
 * need be in the filter.  Some must stay: an empty filter means all functions.  0 or -errno of writing.
 */
int function_filter__remove(struct function_filter *filter, const char *module, const char *pattern);

#endif
