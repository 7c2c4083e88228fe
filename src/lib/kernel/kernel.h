/* SPDX-License-Identifier: BSD-2-Clause */
/* The running kernel: its version, and what it was built with. */
#ifndef PROBELIGHT_KERNEL_H
#define PROBELIGHT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* A version as one number to compare: kernel_version(6, 1, 115). */
#define kernel_version(major, minor, patch) \
	((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | ((patch) > 255 ? 255 : (uint32_t)(patch)))

/*
 * The version from uname(2); Debian's releases ("6.1.0-50-amd64") have their stable version in the version string
 * ("… Debian 6.1.176-1 …").  0 where it cannot be read.  Prefer a look at the feature itself: distributions backport.
 */
uint32_t kernel__version(void);

/* The same, whatever --as-kernel says. */
uint32_t kernel__own_version(void);

/*
 * Makes kernel__version() answer version from now on; 0 undoes it.  For --as-kernel: a distribution's kernel may behave as
 * another release than its number says, and not everything can be asked (docs/kernels.md).
 */
void kernel__use_version(uint32_t version);

/* "6.1" or "6.1.115" as kernel_version() has it; 0 where it is neither. */
uint32_t kernel__parse_version(const char *text);

/* Whether memory of BPF maps and programs counts for the user here, before 5.11, and RLIMIT_MEMLOCK has a bound for it. */
bool kernel__bounds_maps(void);

/* Whether it is a PREEMPT_RT kernel. */
bool kernel__is_rt(void);

/*
 * Whether it preempts its own code: CONFIG_PREEMPTION, which "PREEMPT", "PREEMPT_DYNAMIC" or "PREEMPT_RT" in uname(2)'s version tells
 * (scripts/mkcompile_h).  With PREEMPT_DYNAMIC it may have been told not to (preempt=none, preempt=voluntary).
 */
bool kernel__is_preemptible(void);

/* Whether it tells its types: CONFIG_DEBUG_INFO_BTF, and /sys/kernel/btf there to be read. */
bool kernel__has_btf(void);

/*
 * Whether it has IPv6: it was built in, or its module is loaded, and ipv6.disable=1 did not turn it off at boot.  Else nobody has a
 * socket of it, and its functions may be missing.  Also true where /proc does not tell.
 */
bool kernel__has_ipv6(void);

/* Whether it takes 32-bit system calls (machine.h). */
bool kernel__has_compat(void);

/*
 * Whether programs may call bpf_task_pt_regs(): since 5.15 (dd6e10fbd9fb), on kernels that have BTF.  Older kernels are asked, as
 * distributions backport.
 */
bool kernel__has_task_pt_regs(void);

/* Whether a link on a tracepoint has a cookie, which programs get by bpf_get_attach_cookie(): since 5.15 (7adfc6c9b315). */
bool kernel__has_attach_cookie(void);

/* Whether programs are compiled: net.core.bpf_jit_enable is not 0, as far as it can be read. */
bool kernel__has_jit(void);

/* Whether programs may call bpf_loop(): since 5.17 (e6f2dd0f8067), unless net.core.bpf_jit_enable is 0.  Older kernels are asked. */
bool kernel__has_loop(void);

/* Whether programs may call bpf_snprintf(), which knows the names of kernel addresses: since 5.13 (7b15523a989b).  Likewise. */
bool kernel__has_snprintf(void);

/*
 * Whether a hash may allocate room for a key when it is seen first (BPF_F_NO_PREALLOC), in every context: since 6.1 (34dd3bad1a6f,
 * 7c8199e24fa0).  Not on PREEMPT_RT, where a thread refills what is held ready for that, perhaps too late.
 */
bool kernel__allocates_on_demand(void);

/*
 * Whether sched_switch has the state in which a task leaves its CPU among its arguments.  The version is safe: a kernel that has the
 * argument and is not believed to has the task's field as well.
 */
bool kernel__switch_has_state(void);

/*
 * Whether a program on a tracepoint may be preempted in the middle of its run.  What other tasks then do on its CPU passes it
 * by until it goes on, which the kernel counts as missed.  Kernels before 7.0 do not preempt them: each tracepoint's probe ran
 * with preemption off (include/linux/tracepoint.h, and since 6.13 for system calls include/trace/bpf_probe.h); seen on 7.2.
 */
bool kernel__preempts_programs(void);

#endif
