/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command that a tool runs and traces: "opensnoop -- ./app".  Its process is made at the end of the command line's
 * parsing, before the tool opens files, catches signals or gives up privileges: so it inherits nothing of that.  It waits
 * until the tool has attached everything, and executes the command then.  If the tool ends before, by whatever signal, the
 * process ends too: the pipe that it waits at is closed.
 */
#ifndef PROBELIGHT_COMMAND_H
#define PROBELIGHT_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/print/fault.h"

/* Zeroed: there is no command. */
struct command {
	char **argv;			/* with a NULL behind it */
	bool gives_status;		/* --preserve-status */

	pid_t pid;			/* its process */
	int process_fd;			/* a pidfd of it: readable once it has ended */
	int go_fd, result_fd;		/* the pipes to and from it; 0: closed */
	bool has_started;		/* it was let go, and executes the command */
	bool has_status;
	int status;			/* as a shell has it: 126, 127: could not be executed; 128 + N: ended by signal N */
};

/*
 * Makes the process, as the user who called sudo (invoker.h), which looks for the command in PATH.  0, or -errno with one
 * line in fault: the command cannot be executed; status is set then.
 */
int command__make(struct command *command, struct fault *fault);

/*
 * The file of a command, as execvp(3) looks for it.  0, or -errno: -EACCES where there is one that may not be executed,
 * else -ENOENT.
 */
int command__find(const char *name, char path[PATH_MAX]);

/* Lets the process go.  Returns when it executes the command: 0, or as command__make(). */
int command__start(struct command *command, struct fault *fault);

/*
 * Waits for the command's end, and sets its status.  A command that was not started is gone then.  One that goes on where
 * the tool has stopped is waited for until a signal comes, with a line that says so, and left alone where SIGTERM or SIGHUP
 * stopped the tool.
 */
void command__end(struct command *command);

#endif
