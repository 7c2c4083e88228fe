/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the clocks of the C library, and is the only file that does. */
#ifndef PROBELIGHT_PRINT_CLOCK_H
#define PROBELIGHT_PRINT_CLOCK_H

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

#endif
