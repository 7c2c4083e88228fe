/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user can do whom the kernel refuses something. */
#ifndef PROBELIGHT_RIGHTS_H
#define PROBELIGHT_RIGHTS_H

/*
 * For the end of a message, without brackets: "run it with sudo".  Root lacks a right in a container, mostly; a service with few
 * capabilities and a security module are others, so that is not claimed.
 */
const char *rights__advice(void);

/* The same where the kernel refuses a perf event, of which probes are a kind: a sysctl may be the reason. */
const char *rights__perf_advice(void);

/* The same where tracefs is not mounted: what mounts it, or in a container that is marked as one, that the host has it. */
const char *rights__tracefs_advice(void);

#endif
