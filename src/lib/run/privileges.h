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

/*
 * The same, and keeps CAP_BPF, or what stands for it, CAP_SYS_ADMIN: before 5.19 (c8644cd0efe7) bpf(2) asks for it whatever it is
 * asked to do where unprivileged_bpf_disabled is set, also to read and write maps that are open.
 */
int privileges__drop_but_bpf(void);

#endif
