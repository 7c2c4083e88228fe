/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a program could not be attached, in words for the user.  For attach.c. */
#ifndef PROBELIGHT_ATTACH_WHY_H
#define PROBELIGHT_ATTACH_WHY_H

#include <stdbool.h>

#include "attach.h"
#include "attempt.h"
#include "funcname.h"
#include "lib/kernel/ksyms.h"

/*
 * Each sets attach->err and attach->error, unless an error is there already, and returns attach->err.  The links will be
 * destroyed next, so kernel.ftrace_enabled is set for that (attach__before_detach).
 */

/*
 * A trampoline program, of which the kernel said err.  Looks whether its function can be traced at all, which takes 200 M
 * instructions and more.
 */
int attach__fail_trampoline(struct attach *attach, const struct bpf_program *program, int err);

/* Any reason, in the caller's words. */
int __attribute__((format(printf, 3, 4))) attach__fail(struct attach *attach, int err, const char *format, ...);

/* The kernel has the function (match says what), and gave an error for it (attempt->err). */
int attach__fail_existing(struct attach *attach, const struct attempt *attempt, const struct funcname *name,
			  const struct ksyms_match *match);

/* The kernel has none of count functions, of which name is the first; match has names that are near to it. */
int attach__fail_missing(struct attach *attach, const struct funcname *name, const char *const *functions,
			 unsigned int count, const struct ksyms_match *match);

/* The compiler has split the function into several, or has two of its kind. */
int attach__fail_split(struct attach *attach, const struct funcname *name, const struct ksyms_match *match);

/* The only variant of the function is one that this program must not be attached to (struct attach's only_counts). */
int attach__fail_variant(struct attach *attach, const struct funcname *name, const char *variant);

/* Fails if the last try did for a reason that another name would meet as well; otherwise 0. */
int attach__fail_unless_name(struct attach *attach, const struct attempt *attempt);

/*
 * Around each attachment.  Before it: arming__begin(), and for a kprobe whether kprobes are switched off.  Returns
 * attach->err; after 0 one of the others must follow.
 */
int attach__begin(struct attach *attach, bool is_kprobe);

/*
 * After it, with its result in err: arming__end().  Where somebody has switched hooks off meanwhile *link is destroyed and
 * NULL, or the descriptor closed, and attach->err is set; otherwise err, or an fd that is an -errno, is returned as it is.
 * The count of links goes up.
 */
int attach__finish(struct attach *attach, int err, struct bpf_link **link);
int attach__finish_descriptor(struct attach *attach, int fd);

/*
 * Between the two, after attempt->link was made to the function name: whether kprobes are switched off after all; the link
 * is destroyed then. Where kprobes/enabled cannot be read, the first probe tells: it uses ftrace's hook, and ftrace lists
 * the functions that are hooked.
 */
int attach__check_kprobe(struct attach *attach, const struct attempt *attempt, const struct funcname *name);

#endif
