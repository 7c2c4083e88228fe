/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "invoker.h"
#include "lib/loop/loop.h"
#include "lib/print/say.h"

#define NOT_EXECUTED 126	/* exit statuses as shells have them */
#define NOT_FOUND 127
#define BY_SIGNAL 128
#define SOON_MS 300

/* What the process says through its pipe, before it executes the command and if that fails. */
struct word {
	int32_t err;		/* -errno, 0: found */
	int32_t as_user;	/* that came of becoming the user */
};

/* ---- the process */

/* 0, or -errno: no file that the process may execute. */
static int check_file(const char *path)
{
	struct stat file;

	if (stat(path, &file))
		return -errno;
	if (S_ISDIR(file.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -errno : 0;
}

int command__find(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH"), *end;
	int err = -ENOENT;

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX ? check_file(path) : -ENAMETOOLONG;
	for (; *name && at; at = *end ? end + 1 : NULL) {
		end = strchrnul(at, ':');
		/* an empty part is the current directory */
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - at), at, end == at ? "./" : "/", name) >= PATH_MAX)
			continue;
		if (!check_file(path))
			return 0;
		if (!access(path, F_OK))
			err = -EACCES;
	}
	return err;
}

static void send(int fd, struct word word)
{
	/* if that fails the tool is gone */
	if (write(fd, &word, sizeof(word)) != sizeof(word))
		_exit(NOT_FOUND);
}

static void __attribute__((noreturn)) be_command(char **argv, int go_fd, int result_fd)
{
	char path[PATH_MAX], byte;
	int err = invoker__become();
	bool as_user = err;

	/* those of the tool, if it is not root's (systemd's AmbientCapabilities), go on through execve(2) */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (!err)
		err = command__find(*argv, path);
	send(result_fd, (struct word){ .err = err, .as_user = as_user });
	/* nothing is read if the tool ends before */
	if (err || TEMP_FAILURE_RETRY(read(go_fd, &byte, 1)) != 1)
		_exit(NOT_FOUND);
	execv(path, argv);
	send(result_fd, (struct word){ .err = -errno });
	_exit(NOT_FOUND);
}

/* ---- the tool */

/*
 * Moves a descriptor above those of the standard files, which may be closed: rows would be written to it.  The new one, or
 * -errno; fd is closed or -1 with errno set.
 */
static int move_up(int fd)
{
	int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), err = errno;

	if (fd >= 0)
		close(fd);
	return moved < 0 ? -err : moved;
}

/* 0 or -errno. */
static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	ends[0] = move_up(ends[0]);
	ends[1] = move_up(ends[1]);
	return ends[0] < 0 ? ends[0] : ends[1] < 0 ? ends[1] : 0;
}

static void close_fd(int *fd)
{
	if (*fd)
		close(*fd);
	*fd = 0;
}

/* Sets the status of a command that cannot be executed. */
static int fail(struct command *command, const struct word *word, struct fault *fault)
{
	const char *name = *command->argv;
	bool is_script = word->err == -ENOEXEC;

	command->has_status = true;
	command->status = word->err == -ENOENT ? NOT_FOUND : NOT_EXECUTED;
	if (word->as_user)
		return fault__set(fault, word->err, "\"%s\" cannot be run as the user who called sudo: %s", name, strerror(-word->err));
	if (word->err == -ENOENT && !strchr(name, '/'))
		return fault__set(fault, word->err, "\"%s\": there is no such program in PATH, which sudo may have set "
				  "(one in this directory is ./%s)", name, name);
	return fault__set(fault, word->err, "\"%s\" cannot be executed: %s%s%s%s", name, strerror(-word->err),
			  is_script ? " (a script begins with #!/bin/sh, or is run by: sh " : "", is_script ? name : "", is_script ? ")" : "");
}

/* What the process says next; false: it executes the command, or was ended by a signal. */
static bool receive(const struct command *command, struct word *word)
{
	ssize_t got;

	do
		got = read(command->result_fd, word, sizeof(*word));
	while (got < 0 && errno == EINTR && !loop__is_stopping());
	return got == sizeof(*word);
}

int command__make(struct command *command, struct fault *fault)
{
	int go[2], result[2], err;
	struct word word;

	err = make_pipe(go);
	if (!err)
		err = make_pipe(result);
	if (!err) {
		command->pid = fork();
		err = command->pid < 0 ? -errno : 0;
	}
	if (err)
		return fault__set(fault, err, "no process can be made for the command: %s", strerror(-err));
	if (!command->pid) {
		close(go[1]);
		close(result[0]);
		be_command(command->argv, go[0], result[1]);
	}
	close(go[0]);
	close(result[1]);
	command->go_fd = go[1];
	command->result_fd = result[0];
	command->process_fd = move_up((int)syscall(SYS_pidfd_open, command->pid, 0));	/* since 5.3 */
	if (command->process_fd < 0) {
		err = command->process_fd;
		command->process_fd = 0;
		return fault__set(fault, err, "the command cannot be waited for: pidfd_open: %s", strerror(-err));
	}
	return receive(command, &word) && word.err ? fail(command, &word, fault) : 0;
}

int command__start(struct command *command, struct fault *fault)
{
	struct word word;
	bool has_gone;

	if (!command->argv)
		return 0;
	/* SIGPIPE is ignored.  A signal may have ended the process: then the run ends at once */
	has_gone = write(command->go_fd, "", 1) == 1;
	close_fd(&command->go_fd);
	command->has_started = true;
	if (!has_gone || !receive(command, &word))
		return 0;
	command->has_started = false;
	return fail(command, &word, fault);
}

/* Whether the command has ended, or is to be waited for no longer. */
static bool await_end(const struct command *command)
{
	int signal = loop__stop_signal();

	if (loop__await_process(command->process_fd, signal == SIGTERM || signal == SIGHUP ? 0 : SOON_MS))
		return true;
	if (signal != SIGTERM && signal != SIGHUP) {
		say("waiting for the command to end (process %d); nothing is traced any more", command->pid);
		if (loop__await_process(command->process_fd, -1))
			return true;
	}
	say("the command goes on (process %d)", command->pid);
	return false;
}

void command__end(struct command *command)
{
	int status;

	if (command->pid <= 0)
		return;
	close_fd(&command->go_fd);
	close_fd(&command->result_fd);
	if (!command->has_started || await_end(command)) {
		if (TEMP_FAILURE_RETRY(waitpid(command->pid, &status, 0)) == command->pid && command->has_started) {
			command->status = WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
			command->has_status = true;
		}
	}
	close_fd(&command->process_fd);
	command->pid = 0;
}
