/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel lockdown (kernel_lockdown(7), since 5.4): whether this kernel lets anybody trace.  In mode "confidentiality" the kernel
 * hides tracefs and refuses programs that read kernel memory; "integrity", which Secure Boot sets, permits both.
 */
#ifndef PROBELIGHT_LOCKDOWN_H
#define PROBELIGHT_LOCKDOWN_H

/*
 * One line that says why tracing is impossible, or NULL if lockdown does not forbid it.  NULL also where
 * /sys/kernel/security is not mounted.  The string is static.
 */
const char *lockdown__why(void);

/*
 * The same for when something has failed.  Where /sys/kernel/security is not mounted, it asks the kernel by loading a program
 * that calls bpf_probe_read_kernel(), which a locked-down kernel refuses.
 */
const char *lockdown__why_failed(void);

#endif
