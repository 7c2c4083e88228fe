/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * any_bits: gives bit fields of the kernel's structs known values: opens three perf events, whose precise_ip is 1, 2 and 2 and of which the
 * first one has namespaces and the last one exclude_kernel, and exits as a task that is reset on fork.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
			.precise_ip = i ? 2 : 1, .namespaces = i == 0, .exclude_kernel = i == 2,
		};

		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) {
			perror("any_bits: perf_event_open");
			return 1;
		}
	}
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &(struct sched_param){})) {
		perror("any_bits: sched_setscheduler");
		return 1;
	}
	return 0;
}
