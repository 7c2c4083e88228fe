/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of many places a program on uprobes is at (lib/user/user_attach.h).  Include it once in a tool, after vmlinux.h.
 *
 * A uprobe.multi link has a cookie for each place.  Lines of one event in uprobe_events have none, and the address of the instruction tells
 * little, for each process has the file elsewhere.  But on the way to the program the kernel leaves the line's record where the task's own
 * record leads to: uprobe_dispatcher() and uretprobe_dispatcher() of kernel/trace/trace_uprobe.c, since Linux 3.14.
 */
#ifndef PROBELIGHT_USER_SITE_BPF_H
#define PROBELIGHT_USER_SITE_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/user_site.h"
#include "own_stack.bpf.h"
#include "stats.bpf.h"

/* Whether places have cookies (uprobe.multi). */
const volatile bool user_by_cookie = false;

struct inode___user_site {
	long long i_size;
} __attribute__((preserve_access_index));

struct trace_uprobe___user_site {
	struct inode___user_site *inode;
	unsigned long offset;
} __attribute__((preserve_access_index));

struct uprobe_dispatch_data___user_site {
	struct trace_uprobe___user_site *tu;
} __attribute__((preserve_access_index));

struct uprobe_task___user_site {
	unsigned long vaddr;
} __attribute__((preserve_access_index));

struct task_struct___user_site {
	struct uprobe_task___user_site *utask;
} __attribute__((preserve_access_index));

/* Made only where it is needed, with room for all places. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct user_site_key);
	__type(value, __u32);
} user_sites SEC(".maps");

/* The number that user_sites has for the place; USER_SITE_NONE: it has none. */
static __noinline __u32 user_site_found(void)
{
	struct task_struct___user_site *task = (void *)bpf_get_current_task();
	struct uprobe_dispatch_data___user_site *data = (void *)BPF_CORE_READ(task, utask, vaddr);
	struct trace_uprobe___user_site *line = BPF_CORE_READ(data, tu);
	struct user_site_key key = { .offset = BPF_CORE_READ(line, offset), .size = BPF_CORE_READ(line, inode, i_size) };
	__u32 *number = bpf_map_lookup_elem(&user_sites, &key);

	return number ? *number : USER_SITE_NONE;
}

/* The number of the place that a program is at; false: it is not known, which counts as lost, or the run is over. */
static __always_inline bool user_site_number(void *ctx, __u32 *number)
{
	own_stack_ask(ctx);
	if (event_is_over())
		return false;
	*number = user_by_cookie ? (__u32)bpf_get_attach_cookie(ctx) : user_site_found();
	if (*number != USER_SITE_NONE)
		return true;
	event_count_lost();
	return false;
}

#endif
