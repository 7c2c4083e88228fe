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
#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/lockdown.h"
#include "lib/kernel/rights.h"
#include "lib/print/say.h"

/* A closed 0, 1 or 2 would be given to the next file opened, and rows would be written into a BPF map. */
int preflight__files(bool uses_stdout)
{
	bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;

	file__raise_limit();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return -EBADF;
	if (!closed || !uses_stdout)
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

int preflight__proc(void)
{
	int err = file__may("/proc/self/fd", X_OK);

	if (err)
		say("/proc is not mounted (mount -t proc proc /proc)");
	return err;
}

bool preflight__in_user_namespace(void)
{
	unsigned int inside, outside, count;
	char text[64];

	return file__read_small("/proc/self/uid_map", text, sizeof(text)) > 0 &&
	       sscanf(text, "%u %u %u", &inside, &outside, &count) == 3 && (inside || outside || count != UINT32_MAX);
}

/* The first capability that is missing, as a text; NULL: none.  CAP_SYS_ADMIN stands for both (since 5.8). */
static const char *missing_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	bool bpf, perfmon;

	if (syscall(SYS_capget, &header, data))
		return NULL;	/* the kernel will tell */
	bpf = data[CAP_BPF / 32].effective & 1u << CAP_BPF % 32;
	perfmon = data[CAP_PERFMON / 32].effective & 1u << CAP_PERFMON % 32;
	if (data[0].effective & 1u << CAP_SYS_ADMIN || (bpf && perfmon))
		return NULL;
	return bpf ? "CAP_PERFMON is missing" : perfmon ? "CAP_BPF is missing" :
		geteuid() ? "this needs root, or CAP_BPF and CAP_PERFMON" : "CAP_BPF and CAP_PERFMON are missing";
}

int preflight__rights(void)
{
	const char *why = missing_capability();

	if (why) {
		say("tracing is not permitted: %s (%s)", why, rights__advice());
		return -EPERM;
	}
	why = lockdown__why();
	if (why) {
		say("%s", why);
		return -EPERM;
	}
	return 0;
}

/*
 * CVE-2024-50138: on PREEMPT_RT bpf_ringbuf_reserve() took a sleeping lock in atomic context, until 6.12, and 6.1.115,
 * 6.6.84 and 6.11.6 in the stable series. In sched_switch both CPUs then wait for ever for locks of the scheduler: schedsnoop
 * stopped 5.10-rt in 2 of 20 runs of its test.
 */
static bool ring_sleeps(uint32_t version)
{
	static const uint32_t fixed[] = {
		kernel_version(6, 1, 115), kernel_version(6, 6, 84), kernel_version(6, 11, 6),
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (version >> 8 == fixed[i] >> 8 && version >= fixed[i])
			return false;
	return version < kernel_version(6, 12, 0);
}

int preflight__ring(void)
{
	uint32_t version = kernel__own_version();

	/* --as-kernel tells of a fix that a distribution has applied to an older release, and not of a fault */
	if (!kernel__is_rt() || !ring_sleeps(version) || !ring_sleeps(kernel__version()))
		return 0;
	say("BPF's ring buffer can stop this real-time kernel (%u.%u.%u) for good, so nothing is attached (CVE-2024-50138, fixed in 6.12, "
	    "6.11.6, 6.6.84 and 6.1.115); anysnoop --via ftrace does without it",
	    version >> 16, version >> 8 & 255, version & 255);
	return -EOPNOTSUPP;
}
