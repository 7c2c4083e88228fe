/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "law_workload.h"

/* Not an event: the kernel checks no capability for giving up one. */
static void give_up_boot(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &header, data);
	data[0].effective &= ~(1u << CAP_SYS_BOOT);
	if (syscall(SYS_capset, &header, data))
		law_die("capset");
}

/*
 * System calls that check one capability before they look at their arguments, which are none that they take.  Those that are to
 * fail ask for one that the writer has given up.
 */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	if (!index)
		give_up_boot();
	if (fail)
		return syscall(SYS_reboot, 0, 0, 0, NULL) < 0;
	syscall(SYS_sethostname, NULL, -1);
	return false;
}
