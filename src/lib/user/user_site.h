/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a file a function may be probed without breaking the programs that execute it: only at the start of an instruction that the
 * kernel takes.
 */
#ifndef PROBELIGHT_USER_SITE_H
#define PROBELIGHT_USER_SITE_H

#include "user_file.h"

#define USER_SITES_MAX 64

/* How returns are seen. */
enum user_returns {
	/* by the instructions where all of them are known, else by the kernel where nothing tells that it breaks programs */
	USER_RETURNS_AUTO,
	USER_RETURNS_RET,	/* probes on the function's ret instructions: they change nothing on the stack */
	USER_RETURNS_KERNEL,	/* the kernel's return probe: it replaces the return address on the stack */
};

struct user_sites {
	uint64_t offsets[USER_SITES_MAX];	/* in the file */
	size_t count;
	bool by_kernel;		/* a return probe at the function's start */
};

/*
 * The place `into` bytes behind the start of a function; for the start itself it may be the second instruction, where that costs less and
 * sees the same.  0 and *sites, or -errno with one line in fault that says why not: -EOPNOTSUPP,
 * of read(2), -ENOEXEC where the file does not have the code.
 */
int user_site__entry(const struct user_file *file, const struct user_function *function, uint64_t into, struct user_sites *sites,
		     struct fault *fault);

/*
 * Where its returns are seen.  force: signs against the kernel's return probe do not matter.  0 or -errno, as above; -ENODATA for one
 * that does not return, of which nothing would be seen.
 */
int user_site__returns(const struct user_file *file, const struct user_function *function, enum user_returns how, bool force,
		       struct user_sites *sites, struct fault *fault);

#endif
