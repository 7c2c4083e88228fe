/* SPDX-License-Identifier: BSD-2-Clause */
/* The user side of lib/bpf/tcp.bpf.h: which of its programs run, and the columns of whose sockets they are. */
#ifndef PROBELIGHT_SOCKETS_H
#define PROBELIGHT_SOCKETS_H

#include "lib/print/address.h"
#include "lib/shared/socket.h"
#include "tool.h"

/* Between tool__opened() and tool__load(): the program on the socket's states that misses least on this kernel. */
void sockets__choose_programs(const struct tool *tool);

/* After tool__load(), where the tool has the program: attaches sock_graft, for which tool->attach is.  tool->attach->err. */
void sockets__attach_accept(struct tool *tool);

/* The values of TOOL_TASK_COLUMNS: none where the task is not known. */
void sockets__task(struct tool *tool, const struct event_task *task);

/*
 * A TCP state's column, "ESTABLISHED": the kernel's own name without TCP_, which is the same in each.  A number where names,
 * those of the field newstate of sock/inet_sock_set_state, has none; it may be NULL.
 */
struct names;
void sockets__state(struct out *out, const struct names *names, uint32_t state);

/* For tool.before_summary: one line on stderr if there were more sockets at the same time than the programs could keep. */
void sockets__tell_unkept(const struct tool *tool);

#endif
