/* SPDX-License-Identifier: BSD-2-Clause */
/* What is looked at before anything is loaded, so that the user reads a reason and not an errno of a later stage. */
#ifndef PROBELIGHT_PREFLIGHT_H
#define PROBELIGHT_PREFLIGHT_H

#include <stdbool.h>

/*
 * stdin, stdout and stderr are open (the first and the last are mended with /dev/null, and stdout where it is not used), and the
 * process may have as many files as its hard limit allows.  0, or -EBADF after a message.
 */
int preflight__files(bool uses_stdout);

/* After --help and --version: whether stdout took it all.  The exit status, after a message if it is not 0. */
int preflight__text_written(void);

/* /proc is mounted: the layouts are handed over through /proc/self/fd.  0, or -ENOENT after a message. */
int preflight__proc(void);

/* Whether this is not the initial user namespace, as far as /proc/self/uid_map tells (user_namespaces(7)). */
bool preflight__in_user_namespace(void);

/*
 * Root, or CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN (capabilities(7)), and a kernel that is not locked down against tracing.
 * 0, or -EPERM after a message.
 */
int preflight__rights(void);

/*
 * Whether BPF's ring buffer can be used without harm to the machine: not on a real-time kernel in which it sleeps in atomic context
 * (CVE-2024-50138). 0, or -EOPNOTSUPP after a message.
 */
int preflight__ring(void);

#endif
