/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the clocks of the C library, and is the only file that does. */
#ifndef PROBELIGHT_PRINT_CLOCK_H
#define PROBELIGHT_PRINT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * The time of a clock (CLOCK_MONOTONIC, CLOCK_REALTIME) in nanoseconds.  Never negative: the kernel keeps both below 2^63.
 *
 * The vDSO reads the clock where the clock source is the TSC or a hypervisor's page.  With any other one (hpet, acpi_pm, jiffies, a TSC
 * that the kernel has marked unstable) it calls clock_gettime(2), which a seccomp filter can refuse.  Then the process prints why and
 * ends with exit status 1: without a clock every deadline, interval and time stamp would be wrong.
 */
int64_t clock__ns(clockid_t id);

/*
 * What the time namespace of this process adds to a clock, "monotonic" or "boottime", in nanoseconds (time_namespaces(7),
 * since 5.6).  False, and 0, where nobody can tell: the process has called unshare(2) and not entered the new one.
 */
bool clock__namespace_offset(const char *name, int64_t *ns);

/*
 * The kernel's CLOCK_MONOTONIC in nanoseconds, with which events are stamped: without the offset of the time namespace,
 * which is read at the first call, and cannot change.
 */
int64_t clock__kernel_ns(void);

/* The offset of a clock in the text of /proc/PID/timens_offsets, a line for each: "monotonic       86400         0".  0: it has none. */
int64_t clock__parse_offset(const char *text, const char *name);

#endif
