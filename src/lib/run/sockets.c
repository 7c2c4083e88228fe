/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/print/protocol.h"
#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"

const struct argp_option sockets_options[] = {
	SOCKETS_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

const struct foreign_option sockets_foreign_options[] = {
	{ "-c", "--count raddr,rport counts connections" },
	{ "-w", "addresses are never cut" },
	{ "--wide", "addresses are never cut" },
	{ "-s", "-j prints JSON; tcpretrans always prints sequence numbers" },
	{ "--sequence", "tcpretrans always prints sequence numbers" },
	{ NULL, NULL },
};

static struct socket_filter filter;

static void set_ip(uint8_t ip)
{
	if (filter.ip && filter.ip != ip)
		usage_error("-4 and -6 exclude each other; without them both are shown");
	filter.ip = ip;
	filter.active = 1;
}

/* A port, or several with commas between them. */
static void add_ports(char option, const char *list, uint16_t *ports, uint16_t *count)
{
	for (const char *text = list;; text++) {
		char *end;
		unsigned long port = strtoul(text, &end, 10);

		if (!isdigit((unsigned char)*text) || (*end && *end != ',') || !port || port > UINT16_MAX)
			usage_error("-%c \"%s\": not a port from 1 to %d, or several as in 80,443", option, list, UINT16_MAX);
		if (*count == SOCKET_PORTS_MAX)
			usage_error("-%c: at most %d ports", option, SOCKET_PORTS_MAX);
		ports[(*count)++] = (uint16_t)port;
		if (!*end)
			break;
		text = end;
	}
	filter.active = 1;
}

error_t sockets__parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case '4':
		set_ip(4);
		return 0;
	case '6':
		set_ip(6);
		return 0;
	case 'P':
		add_ports('P', arg, filter.ports, &filter.ports_count);
		return 0;
	case 'L':
		add_ports('L', arg, filter.local, &filter.local_count);
		return 0;
	case 'D':
		add_ports('D', arg, filter.remote, &filter.remote_count);
		return 0;
	case 'N':
		out__show(&((struct tool *)state->input)->out, &address_shown_netns);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void sockets__set_filter(const struct tool *tool)
{
	tool__set_rodata(tool, "socket_filter", &filter, sizeof(filter));
}

void sockets__choose_programs(const struct tool *tool)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	bool preempted = kernel__preempts_programs();

	sockets__set_filter(tool);
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "state_raw"), !preempted);
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "state_record"), preempted);
}

void sockets__attach_accept(struct tool *tool)
{
	static const char *const functions[] = { "security_sock_graft", NULL };

	if (tool->err)
		return;
	for (int i = 0; i < tool->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, i);

		if (!strcmp(entry->name, "sock_graft"))
			attach__kprobe(tool->attach, *entry->prog, entry->link, functions);
	}
}

void sockets__task(struct tool *tool, const struct event_task *task)
{
	struct out *out = &tool->out;

	if (task->reserved & TASK_UNKNOWN) {
		out__none(out);
		out__none(out);
		out__none(out);
		out__none(out);
		tool__cgroup(tool, 0);
		return;
	}
	out__int(out, task->pid);
	out__int(out, task->tid);
	out__int(out, task->uid);
	out__string(out, task->comm, sizeof(task->comm));
	tool__cgroup(tool, task->cgroup_id);
}

void sockets__call_columns(struct out *out, const struct socket_call *call)
{
	error__columns(out, -call->result);
	if (call->about & SOCKET_CALL_IS_SOCKET)
		protocol__column(out, call->protocol);
	else
		out__none(out);
	address__local_columns(out, call->about & SOCKET_CALL_HAS_ADDRESS ? &call->ends : NULL);
}

void sockets__state(struct out *out, const struct value_names *names, uint32_t state)
{
	const char *name = value_names__find(names, state);

	if (!name)
		out__int(out, state);
	else if (!strncmp(name, "TCP_", 4))
		out__string(out, name + 4, strlen(name + 4));
	else
		out__string(out, name, strlen(name));
}

void sockets__report_no_room(const struct tool *tool)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(*tool->skeleton->obj, ".bss.no_room");
	size_t size;
	const uint64_t *no_room = map ? bpf_map__initial_value(map, &size) : NULL;

	if (no_room && *no_room)
		say("%llu sockets were not followed: there were too many at the same time (their rows have \"-\" for what is not known)",
		    (unsigned long long)*no_room);
}
