/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel lockdown (kernel_lockdown(7), since 5.4): whether this kernel lets anybody trace. */
#ifndef PROBELIGHT_LOCKDOWN_H
#define PROBELIGHT_LOCKDOWN_H

/*
 * One line that says why tracing is impossible, or NULL if lockdown does not forbid it: in mode "confidentiality" the kernel hides
 * tracefs and refuses programs that read kernel memory; "integrity", which Secure Boot sets, permits both.  NULL also where
 * /sys/kernel/security is not mounted and nobody can tell.  The string is static.
 */
const char *lockdown__why(void);

#endif
