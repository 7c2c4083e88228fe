/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program on a function of a program or library gets: the parameters of BPF_UPROBE() and the result of BPF_URETPROBE(). */
#ifndef PROBELIGHT_USER_SIGNATURE_H
#define PROBELIGHT_USER_SIGNATURE_H

#include <stdbool.h>

#include "lib/print/fault.h"
#include "signature.h"

/*
 * Makes the signature of a function, TARGET:FUNCTION.  declared: its C declarations, "const char *path, int flags, int ret", the one named
 * ret being the result; NULL: what user_prototype() knows, and of other functions the registers as they are (arg0 to CALL_ARGS_LAST) and
 * ret.
 * *are_known says whether the types are real ones.  0, or -errno with one line in fault, which begins with the name.
 */
int user_signature__make(struct signature *signature, const char *name, const char *declared, bool *are_known, struct fault *fault);

#endif
