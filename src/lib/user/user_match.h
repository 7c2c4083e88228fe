/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions a pattern means, each once, under the name that programs call. */
#ifndef PROBELIGHT_USER_MATCH_H
#define PROBELIGHT_USER_MATCH_H

#include "user_targets.h"

/* Gets a function under its best name; a result other than 0 ends the search. */
typedef int user_match_found(void *context, const struct user_function *function);

/*
 * Calls found() for each address of a file at which functions are whose names match (user_file__match()).  Of several names there it has
 * the one that a program calls: "fork" rather than "__libc_fork".  0, or what found() has returned.
 */
int user_match__each(const struct user_file *file, const char *pattern, user_match_found *found, void *context);

/* None of the files has a function of that name: says why, with the nearest names.  -ENOENT. */
int user_match__explain(const struct user_targets *targets, const char *function, struct fault *fault);

#endif
