/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel.h"

#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "file.h"
#include "machine.h"

static uint32_t used_version;

void kernel__use_version(uint32_t version)
{
	used_version = version;
}

uint32_t kernel__parse_version(const char *text)
{
	unsigned long parts[3] = { 0, 0, 0 };
	char *end = (char *)text;
	int count = 0;

	do {
		text = end + (count > 0);
		if (*text < '0' || *text > '9')
			return 0;
		parts[count++] = strtoul(text, &end, 10);
	} while (*end == '.' && count < 3);
	return *end || count < 2 || parts[0] > 255 || parts[1] > 255 ? 0 : kernel_version(parts[0], parts[1], parts[2]);
}

uint32_t kernel__own_version(void)
{
	static uint32_t found;
	unsigned int major, minor, patch = 0;
	struct utsname kernel;
	const char *debian;

	/* it does not change while we run, and sscanf() takes 4,000 instructions */
	if (found)
		return found;
	if (uname(&kernel) || sscanf(kernel.release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return 0;
	debian = strstr(kernel.version, "Debian ");
	if (!patch && debian)
		sscanf(debian, "Debian %*u.%*u.%u", &patch);
	found = kernel_version(major, minor, patch);
	return found;
}

uint32_t kernel__version(void)
{
	return used_version ? used_version : kernel__own_version();
}

bool kernel__bounds_maps(void)
{
	struct rlimit limit;

	return kernel__version() < kernel_version(5, 11, 0) && !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

bool kernel__is_rt(void)
{
	struct utsname kernel;

	return !uname(&kernel) && strstr(kernel.version, "PREEMPT_RT");
}

bool kernel__is_preemptible(void)
{
	struct utsname kernel;

	return !uname(&kernel) && strstr(kernel.version, " PREEMPT");
}

bool kernel__has_btf(void)
{
	return !file__may("/sys/kernel/btf/vmlinux", R_OK);
}

bool kernel__has_ipv6(void)
{
	return !file__may("/proc/net/if_inet6", F_OK) || file__may("/proc/net/dev", F_OK);
}

bool kernel__has_compat(void)
{
	return machine__has_compat();
}

/* Whether the kernel knows a helper: it loads a program that calls it, and gives another reason if it refuses that. */
static bool has_helper(enum bpf_func_id helper)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, helper, NULL) == 1;
}

bool kernel__has_task_pt_regs(void)
{
	if (!kernel__has_btf())
		return false;
	return kernel__version() >= kernel_version(5, 15, 0) || has_helper(BPF_FUNC_task_pt_regs);
}

bool kernel__has_attach_cookie(void)
{
	return kernel__version() >= kernel_version(5, 15, 0);
}

bool kernel__has_jit(void)
{
	static char enabled[8];

	if (!*enabled && file__read_small("/proc/sys/net/core/bpf_jit_enable", enabled, sizeof(enabled)) <= 0)
		strcpy(enabled, "1");
	return *enabled != '0';
}

bool kernel__has_loop(void)
{
	/* programs that are interpreted must not have callbacks (fixup_call_args() in kernel/bpf/verifier.c) */
	if (!kernel__has_jit())
		return false;
	return kernel__version() >= kernel_version(5, 17, 0) || has_helper(BPF_FUNC_loop);
}

bool kernel__has_snprintf(void)
{
	return kernel__version() >= kernel_version(5, 13, 0) || has_helper(BPF_FUNC_snprintf);
}

bool kernel__preempts_programs(void)
{
	return kernel__version() >= kernel_version(7, 0, 0);
}

bool kernel__switch_has_state(void)
{
	return kernel__version() >= kernel_version(5, 18, 0);
}

bool kernel__allocates_on_demand(void)
{
	return kernel__version() >= kernel_version(6, 1, 0) && !kernel__is_rt();
}
