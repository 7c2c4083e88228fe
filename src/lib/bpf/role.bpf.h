/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program sees of an event, where neither its section nor its kind tells: lib/probe/missed adds the runs that the kernel skipped
 * up by that.  Between SEC() and the function:
 *
 *	SEC("raw_tp/block_rq_issue") SEES_BEGIN
 *	int request_issue(u64 *ctx)
 *
 * The word is a declaration tag in the object's BTF (clang 14), so a wrong one does not compile.
 */
#ifndef PROBELIGHT_ROLE_BPF_H
#define PROBELIGHT_ROLE_BPF_H

#include "lib/shared/role.h"

#define SEES_BEGIN __attribute__((btf_decl_tag(ROLE_BEGIN)))		/* an event begins */
#define SEES_END __attribute__((btf_decl_tag(ROLE_END)))		/* an event that another program has seen begin ends */
#define SEES_WHOLE __attribute__((btf_decl_tag(ROLE_WHOLE)))		/* a whole event, though it hooks a function's return */
#define SEES_NO_EVENT __attribute__((btf_decl_tag(ROLE_NO_EVENT)))	/* without its run no event is missed */

#endif
