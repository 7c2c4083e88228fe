/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program that sees calls begin and return (bpf/session.bpf.h), on all functions that a tool traces:
 *
 *	session__ask(&session, &traced);			before load: what the kernel has of it
 *	session__prepare(&session, on_probes, on_functions);	the same code twice, in sections session_probe and session_function
 *	session__attach(&session, &traced, tool);		after load
 */
#ifndef PROBELIGHT_TRACED_SESSION_H
#define PROBELIGHT_TRACED_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/traced/traced.h"

enum session_kind {
	SESSION_NONE,
	SESSION_PROBES,		/* kprobe.session; a call is missed where the kernel has no room for its return (before 6.14) */
	SESSION_FUNCTIONS,	/* fsession.multi, on the kernel's trampolines, and kprobe.session on functions that its BTF lacks */
};

struct session {
	enum session_kind kind;		/* what is taken; after session__attach() what was */
	char why[256];			/* why not fsession.multi */
	size_t others;			/* functions that the kernel's BTF lacks */
	bool has_probes;		/* the kernel has kprobe.session, and no function_graph is in the way (return_conflict.h) */
	struct bpf_program *on_probes, *on_functions;
};

/* Finds out which kind the kernel takes on the functions, and their ids in its BTF where it is fsession.multi. */
void session__ask(struct session *session, struct traced *traced);

/* Whether the kernel has SESSION_FUNCTIONS, for functions whose ids trampoline__check() has found, in their order.  It is taken then. */
bool session__take_ids(struct session *session, struct traced *traced, const uint32_t *ids);

/* Which of the two programs are loaded: for SESSION_FUNCTIONS both, as the kernel may refuse a function.  0 or -errno. */
int session__prepare(struct session *session, struct bpf_program *on_probes, struct bpf_program *on_functions);

/* Attaches one of them.  The functions' addresses must be known.  tool->err, or tool->attach->err, which tool__attach() looks at. */
int session__attach(struct session *session, const struct traced *traced, struct tool *tool);

/* "kprobe.session", "fsession.multi", or both. */
const char *session__name(const struct session *session);

#endif
