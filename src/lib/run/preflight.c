/* SPDX-License-Identifier: BSD-2-Clause */
#include "preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exit.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/lockdown.h"
#include "lib/print/say.h"

/* A closed 0, 1 or 2 would be given to the next file opened, and rows would be written into a BPF map. */
int preflight__standard_files(void)
{
	bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return -EBADF;
	if (!closed)
		return 0;
	say("stdout is closed: there is nowhere to print to (do not start it with >&-)");
	return -EBADF;
}

int preflight__text_written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return TOOL_EXIT_DONE;
	say("stdout cannot be written: %s", strerror(errno));
	return TOOL_EXIT_FAILED;
}

/* Root, or what stands for it: CAP_BPF and CAP_PERFMON (since 5.8), or CAP_SYS_ADMIN. */
static bool have_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		return true;	/* the kernel will tell */
	if (data[0].effective & 1u << CAP_SYS_ADMIN)
		return true;
	return data[CAP_BPF / 32].effective & 1u << CAP_BPF % 32 && data[CAP_PERFMON / 32].effective & 1u << CAP_PERFMON % 32;
}

int preflight__rights(void)
{
	const char *locked_down;

	if (!have_capabilities()) {
		say("tracing is not permitted: this needs root (run it with sudo)");
		return -EPERM;
	}
	locked_down = lockdown__why();
	if (locked_down) {
		say("%s", locked_down);
		return -EPERM;
	}
	return 0;
}

/*
 * CVE-2024-50138: on PREEMPT_RT bpf_ringbuf_reserve() took a sleeping lock in atomic context, until 6.12, and 6.1.115,
 * 6.6.84 and 6.11.6 in the stable series.
 */
void preflight__warn_of_rt(void)
{
	static const uint32_t fixed[] = {
		kernel_version(6, 1, 115), kernel_version(6, 6, 84), kernel_version(6, 11, 6),
	};
	uint32_t version = kernel__version();

	if (!kernel__is_rt() || version >= kernel_version(6, 12, 0))
		return;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (version >> 8 == fixed[i] >> 8 && version >= fixed[i])
			return;
	say("warning: this real-time kernel (%u.%u.%u) may sleep in BPF's ring buffer where it must not "
	    "(CVE-2024-50138, fixed in 6.12, 6.11.6, 6.6.84 and 6.1.115)",
	    version >> 16, version >> 8 & 255, version & 255);
}
