/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "file.h"

uint32_t kernel__version(void)
{
	unsigned int major, minor, patch = 0;
	struct utsname kernel;
	const char *debian;

	if (uname(&kernel) || sscanf(kernel.release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return 0;
	debian = strstr(kernel.version, "Debian ");
	if (!patch && debian)
		sscanf(debian, "Debian %*u.%*u.%u", &patch);
	return kernel_version(major, minor, patch);
}

bool kernel__is_rt(void)
{
	struct utsname kernel;

	return !uname(&kernel) && strstr(kernel.version, "PREEMPT_RT");
}

bool kernel__has_btf(void)
{
	return !file__may("/sys/kernel/btf/vmlinux", R_OK);
}

bool kernel__has_compat(void)
{
	return !file__may("/proc/sys/abi/vsyscall32", F_OK);
}

bool kernel__has_task_pt_regs(void)
{
	return kernel__version() >= kernel_version(5, 15, 0) && kernel__has_btf();
}

bool kernel__has_loop(void)
{
	return kernel__version() >= kernel_version(5, 17, 0);
}

bool kernel__preempts_programs(void)
{
	return kernel__version() >= kernel_version(7, 0, 0);
}
