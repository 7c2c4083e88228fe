/* SPDX-License-Identifier: BSD-2-Clause */
/* extacksnoop: the kernel's messages on why it refuses a netlink request (ip, tc, bridge, …). */
#include "lib/run/metrics.h"
#include "lib/stacks/row_stacks.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "extacksnoop.h"
#include "extacksnoop.skel.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "MSG", 0, NULL, NULL },
	{ "MSG_MORE", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct extack_event *event = data;
	char text[EXTACK_MSG_SIZE + 32];
	uint32_t more = 0;

	tool__row(tool, &event->task);
	if (event->msg_copied > 0 && event->msg_size > (uint32_t)event->msg_copied)
		more = event->msg_size - (uint32_t)event->msg_copied;
	if (event->msg_copied <= 0)
		out__string(&tool->out, NULL, 0);
	else if (more && !tool->out.json)
		out__string(&tool->out, text, (size_t)snprintf(text, sizeof(text), "%.*s [+%u bytes more]",
							       event->msg_copied - 1, event->msg, more));
	else
		out__string(&tool->out, event->msg, (size_t)event->msg_copied);
	out__int(&tool->out, more);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct extack_event *event = data;

	(void)size;
	return event->msg_copied <= EXTACK_MSG_SIZE;
}

static const struct tool_about about = {
	.name = "extacksnoop",
	.summary = "Shows the kernel's messages when it refuses, or warns about, a netlink request: those of ip, "
		   "tc, bridge, ethtool and daemons, also when the program does not print them.",
	.examples = "  sudo extacksnoop              all of them\n"
		    "  sudo extacksnoop -n ip -T     those that ip gets, with the time\n"
		    "  sudo extacksnoop -c system.slice/NetworkManager.service\n",
	.columns = columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.since = "5.12",
	RECORDS(extacksnoop, sizeof(struct extack_event), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("netlink_errors_total", "Messages with which the kernel refused a request by netlink."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct extacksnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = extacksnoop_bpf__open_opts(tool__open_opts(&tool));
	tool__run(&tool, skel, print_event);
	extacksnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}
