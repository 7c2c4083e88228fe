/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of the kernel's own functions for programs that see a call begin and return (bpf/session.bpf.h).  Compiled, each is the call
 * of a helper that does not exist, with one of these numbers; probe/tracing.h makes it the call of the running kernel's function.
 */
#ifndef PROBELIGHT_SESSION_H
#define PROBELIGHT_SESSION_H

#define SESSION_IS_RETURN 0x5e550001	/* bpf_session_is_return() */
#define SESSION_VALUE 0x5e550002	/* bpf_session_cookie() */

#endif
