/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes of struct attach: the steps that all ways of attaching share.  For attach.c, attach_all.c and attach_fentry.c. */
#ifndef PROBELIGHT_ATTACH_PROBE_H
#define PROBELIGHT_ATTACH_PROBE_H

#include <stdbool.h>

#include "attach.h"
#include "attempt.h"
#include "funcname.h"

/* One more probe of attach->probes, zeroed; valid until the next call.  NULL without memory. */
struct attach_probe *attach__add_probe(struct attach *attach);

/*
 * Takes over the link of an attempt that worked into *link, with a probe for it, unless kprobes are off after all.  remark: "" or what is
 * odd.  0 or the error.
 */
int attach__take_link(struct attach *attach, struct attempt *attempt, const struct funcname *name, const char *remark,
		      struct bpf_link **link);

/* Parses the name, and checks what it says by itself.  0 or the error. */
int attach__check_name(struct attach *attach, const struct attempt *attempt, const char *function, struct funcname *name);

/* Asks attach->may_link, which see.  0, or -errno with a line in fault. */
int attach__may_link(const struct attach *attach, const struct attempt *attempt, bool has_substitute, struct fault *fault);

#endif
