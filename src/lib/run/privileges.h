/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tool may do is given up once everything is attached: an attacker who takes over the loop finds nothing to use. */
#ifndef PROBELIGHT_PRIVILEGES_H
#define PROBELIGHT_PRIVILEGES_H

/*
 * Drops all capabilities of the calling thread (capset(2)), sets no_new_privs (prctl(2)), and allows only the system calls that
 * a loop, its end and the C library make (seccomp(2)); others fail with EPERM.  Threads that are made later inherit it.
 * For when everything is open and attached.  What runs after it is limited to open descriptors, memory, and files that the
 * user may open without a capability.
 *
 * 0, or -errno of the first two.  A kernel without seccomp filters (CONFIG_SECCOMP_FILTER) is no error.
 */
int privileges__drop(void);

#endif
