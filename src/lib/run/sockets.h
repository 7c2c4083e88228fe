/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user side of lib/bpf/ends.bpf.h and tcp.bpf.h: the options of tools that show sockets or packets, which programs run, and
 * the columns of whose sockets they are.
 */
#ifndef PROBELIGHT_SOCKETS_H
#define PROBELIGHT_SOCKETS_H

#include "foreign_options.h"
#include "lib/print/address.h"
#include "lib/shared/socket.h"
#include "lib/shared/socket_call.h"
#include "tool.h"

/* Rows for a tool's own options, which sockets__parse() takes: the filters, and with the column of tools that print rows. */
#define SOCKETS_FILTER_OPTIONS                                                                                       \
	{ "ipv4", '4', NULL, 0, "IPv4 only", 0 },                                                     \
	{ "ipv6", '6', NULL, 0, "IPv6 only", 0 },                                                     \
	{ "port", 'P', "PORT", 0, "only this port, at either end (repeatable, or 80,443)", 0 },                     \
	{ "lport", 'L', "PORT", 0, "this local port only (repeatable)", 0 },                                         \
	{ "rport", 'D', "PORT", 0, "this remote port only (repeatable)", 0 }
#define SOCKETS_OPTIONS                                                                                              \
	SOCKETS_FILTER_OPTIONS,                                                                                      \
	{ "netns", 'N', NULL, 0, "a column with the network namespace", 0 }

/* The same for tools whose sockets have no other end yet. */
#define SOCKETS_LOCAL_OPTIONS                                                                                        \
	{ "ipv4", '4', NULL, 0, "IPv4 only", 0 },                                                                    \
	{ "ipv6", '6', NULL, 0, "IPv6 only", 0 },                                                                    \
	{ "port", 'P', "PORT", 0, "only this port (repeatable, or 80,443)", 0 },                                     \
	{ "netns", 'N', NULL, 0, "a column with the network namespace", 0 }

/* The table of a tool that has no others. */
extern const struct argp_option sockets_options[];

/* Options of other collections' tools of this kind, for about.foreign_options. */
extern const struct foreign_option sockets_foreign_options[];

/* For about.parse, or what a tool's own calls for keys that it does not know.  Does not return on bad usage. */
error_t sockets__parse(int key, char *arg, struct argp_state *state);

/* Between tool__opened() and tool__load(): gives the filters to the programs. */
void sockets__set_filter(const struct tool *tool);

/*
 * The same, and chooses the program on the socket's states that misses least on this kernel; for tools with tcp.bpf.h.
 */
void sockets__choose_programs(const struct tool *tool);

/* After tool__load(), where the tool has the program: attaches sock_graft, for which tool->attach is.  tool->attach->err. */
void sockets__attach_accept(struct tool *tool);

/* The values of TOOL_TASK_COLUMNS: none where the task is not known. */
void sockets__task(struct tool *tool, const struct event_task *task);

/* Columns of a system call on a socket, with room for EADDRINUSE.  sockets__call_columns() fills them, with none what is not known. */
#define SOCKETS_CALL_COLUMNS                                           \
	{ "ERRNO", 3, &tool_not_shown, NULL },                         \
	{ "ERR", -10, NULL, "error" },                                 \
	{ "PROTO", -5, NULL, NULL },                                   \
	ADDRESS_LOCAL_COLUMNS

void sockets__call_columns(struct out *out, const struct socket_call *call);

/*
 * A TCP state's column, "ESTABLISHED": the kernel's own name without TCP_, which is the same in each.  A number where names,
 * those of the field newstate of sock/inet_sock_set_state, has none; it may be NULL.
 */
struct value_names;
void sockets__state(struct out *out, const struct value_names *names, uint32_t state);

/* For tool.before_summary: one line on stderr if there were more sockets at the same time than the programs could keep. */
void sockets__report_no_room(const struct tool *tool);

#endif
