/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_command.h"

#include <stdlib.h>

#include "foreign_options.h"

#define WHY_SIZE (4096 + 256)		/* there may be a path in it */

void tool_command__take(struct tool *tool, struct argp_state *state)
{
	if (tool->about->no_task)
		usage_error("-- %s: %s", state->argv[state->next - 1], tool->about->no_task);
	tool->command.argv = &state->argv[state->next - 1];
	state->next = state->argc;
}

void tool_command__end(const struct tool *tool, const struct argp_state *state)
{
	if (state->quoted && !tool->command.argv)
		usage_error("--: no command follows it");
}

void tool_command__check(struct tool *tool)
{
	struct task_filter *filter = &tool->options.filter;
	const char *instead = foreign_options__instead(tool->about->foreign_options, "-f");	/* bcc's -f */
	bool has_command = tool->command.argv;

	if (has_command && (filter->pids_count || filter->tids_count))
		usage_error("%s and -- COMMAND exclude each other", filter->pids_count ? "-p" : "-t");
	if (filter->follows && filter->tids_count)
		usage_error("-f and -t exclude each other: -f follows processes");
	if (filter->follows && !filter->pids_count && !filter->by_cgroup && !has_command)
		usage_error("-f: it needs -p PID or a command, as in %s -f -- COMMAND%s%s", tool->about->name, instead ? "; " : "",
			    instead ? instead : "");
	if (tool->command.gives_status && !has_command)
		usage_error("--preserve-status: it needs a command, as in %s --preserve-status -- COMMAND", tool->about->name);
	/* what a process of a cgroup makes is in it */
	filter->follows = filter->follows && (filter->pids_count || has_command);
}

void tool_command__make(struct tool *tool)
{
	struct command *command = &tool->command;
	struct fault fault;

	if (!command->argv)
		return;
	if (command__make(command, &fault)) {
		say("%s", fault.text);
		exit(command->gives_status && command->has_status ? command->status : TOOL_EXIT_FAILED);
	}
	tool->options.filter.pids[tool->options.filter.pids_count++] = (uint32_t)command->pid;
}

int tool_command__start(struct tool *tool)
{
	struct fault fault;
	int err = command__start(&tool->command, &fault);

	return err ? tool__fail(tool, err, "%s", fault.text) : 0;
}

int tool_command__finish(struct tool *tool)
{
	struct command *command = &tool->command;
	bool has_run = !tool->err && tool->exit_status == TOOL_EXIT_DONE;

	command__end(command);
	if (command->gives_status && command->has_status && (has_run || !command->has_started))
		return command->status;
	return tool->err ? TOOL_EXIT_FAILED : tool->exit_status;
}
