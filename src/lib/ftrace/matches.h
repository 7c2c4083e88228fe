/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions patterns meant at an earlier start, so that the kernel need not match them again: 130 M instructions of a start on 6.12.
 * They are the same as long as the kernel's code is (lib/kernel/code_id.h).
 *
 *	if (matches__read(&matches, &functions, module, patterns, count)) {
 *		functions__match(&functions, ...);
 *		matches__keep(&matches, &functions);
 *	}
 */
#ifndef PROBELIGHT_MATCHES_H
#define PROBELIGHT_MATCHES_H

#include <stddef.h>

#include "functions.h"
#include "lib/kernel/code_id.h"

struct matches {
	struct code_id id;	/* the question: the patterns */
};

/*
 * Adds what was kept about these patterns, to functions that are empty.  0; or -ENOENT where nothing is kept or is to be believed, and then
 * matches is for matches__keep().
 */
int matches__read(struct matches *matches, struct functions *functions, const char *module, const char *const *patterns, size_t count);

/* Keeps what these patterns matched, unless a module has come or gone since matches__read(), or one of the patterns matches none. */
void matches__keep(const struct matches *matches, const struct functions *functions);

#endif
