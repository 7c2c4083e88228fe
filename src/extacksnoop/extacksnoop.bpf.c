/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that the kernel answers a netlink request with, as it finds them. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (256 * 1024)	/* these are rare; zeroing and mapping 1 MB would be a third of the start */

#include "extacksnoop.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/tp.bpf.h"

/* as ctxgen writes it */
struct tp_netlink__netlink_extack {
	__u32 __data_loc_msg;			/* at 8: __data_loc char[]; tp_str(to, size, ctx, __data_loc_msg) */
} __attribute__((preserve_access_index));

SEC("tp/netlink/netlink_extack")
int TP_PROG(netlink_extack, struct tp_netlink__netlink_extack *ctx)
{
	struct extack_event *event;

	if (task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->msg_copied = tp_str(event->msg, sizeof(event->msg), ctx, __data_loc_msg);
	event->msg_size = tp_size(ctx, __data_loc_msg);
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
