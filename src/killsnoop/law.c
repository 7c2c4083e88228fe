/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <sys/syscall.h>

#include "law_workload.h"

/* kill, tkill and tgkill in turn, of the writer itself; signal 0 does nothing, 65 is none. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	long signal = fail ? 65 : 0, self = getpid();

	(void)writer;
	switch (index % 3) {
	case 0:
		return syscall(SYS_kill, self, signal);
	case 1:
		return syscall(SYS_tkill, self, signal);
	default:
		return syscall(SYS_tgkill, self, self, signal);
	}
}
