/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of programs on functions of programs and libraries: uprobe/FILE:FUNCTION. */
#ifndef PROBELIGHT_CTXGEN_USER_HOOKS_H
#define PROBELIGHT_CTXGEN_USER_HOOKS_H

#include "kinds.h"
#include "lib/format/signature.h"
#include "lib/print/fault.h"

#define USER_HOOK_MAX 1024

struct user_hook {
	char path[USER_HOOK_MAX];		/* as SEC() has it: "/usr/lib/x86_64-linux-gnu/libc.so.6:getenv" */
	char function[SIGNATURE_NAME_MAX];	/* "getenv" */
	bool are_types_known;
};

/*
 * Finds "libc.so.6:getenv", "/bin/tool:fn(const char *path, int ret)": the file as the dynamic linker or a shell would, and in it the
 * function, which must be one that can be probed.  0 with hook and signature filled, or -errno with one line in fault.
 */
int user_hook__find(const struct kind *kind, const char *name, struct user_hook *hook, struct signature *signature, struct fault *fault);

#endif
