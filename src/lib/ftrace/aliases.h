/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions with several names at one address.  ftrace has each function under one of them, the first that kallsyms has, and its files take
 * no other.  Every system call without arguments is such a function: getppid(2) of all ABIs is __do_sys_getppid().
 */
#ifndef PROBELIGHT_ALIASES_H
#define PROBELIGHT_ALIASES_H

#include <stdbool.h>

#include "lib/kernel/names.h"

/*
 * The name under which ftrace has the function that is also called name, in a module (NULL: the kernel or any): "NAME" or "NAME [MODULE]".
 * false: there is none, or it is name itself.
 */
bool alias__find(struct names *names, const char *module, const char *name, char found[NAMES_NAME_MAX]);

/*
 * Calls each() with every system call's function that the pattern matches and that ftrace has under another name, which is
 * given as by alias__find().  Only for patterns that begin with what such functions' names begin with; other aliases are
 * taken by their whole names alone. 0, or the first result of each() that is not 0.
 */
int aliases__each(const char *pattern, int (*each)(void *ctx, char *found), void *ctx);

#endif
