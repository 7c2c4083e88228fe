/* SPDX-License-Identifier: BSD-2-Clause */
#include "skips.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"
#include "tracepoint.h"

#define LOOPBACK 1	/* the interface's number in every network namespace */

static bool has_misses(int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return !bpf_obj_get_info_by_fd(program, &info, &size) &&
	       size >= offsetof(struct bpf_prog_info, recursion_misses) + sizeof(info.recursion_misses) && info.recursion_misses;
}

/*
 * A map's update runs with programs switched off on this CPU (bpf_disable_instrumentation()), and an entry of a DEVMAP is
 * allocated in it, which is an event: kmalloc, up to 6.0 kmalloc_node.
 */
static bool ask(void)
{
	static const char *const events[] = { "kmem/kmalloc", "kmem/kmalloc_node" };
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "skipped", "GPL", nothing, sizeof(nothing) / sizeof(*nothing), NULL);
	int map = bpf_map_create(BPF_MAP_TYPE_DEVMAP, "skips", sizeof(__u32), sizeof(__u32), 1, NULL);
	__u32 key = 0, interface = LOOPBACK;
	bool counted = false;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events) && program >= 0 && map >= 0 && !counted; i++) {
		int event = tracepoint__open(events[i]);

		if (event < 0)
			continue;
		if (!ioctl(event, PERF_EVENT_IOC_SET_BPF, program) && !ioctl(event, PERF_EVENT_IOC_ENABLE, 0) &&
		    !bpf_map_update_elem(map, &key, &interface, BPF_ANY))
			counted = has_misses(program);
		close(event);
	}
	if (map >= 0)
		close(map);
	if (program >= 0)
		close(program);
	return counted;
}

bool skips__are_counted(void)
{
	static bool asked, counted;

	if (kernel__version() >= kernel_version(6, 7, 0))
		return true;
	if (!asked)
		counted = ask();
	asked = true;
	return counted;
}
