/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctrl_c WORD COMMAND…: runs the command in a session and on a terminal of its own, with signals as a login has them, and
 * copies what it prints there to stdout.  Types Ctrl-C once WORD was printed.  The exit status is the command's, or 128 + N
 * for signal N.
 */
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char all[1 << 16];
	size_t used = 0;
	int master, status, typed = 0;
	ssize_t got;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: %s WORD COMMAND...\n", argv[0]);
		return 125;
	}
	pid = forkpty(&master, NULL, NULL, NULL);
	if (pid < 0) {
		perror("forkpty");
		return 125;
	}
	if (!pid) {
		/* a shell starts what runs in the background with SIGINT ignored */
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	/* EIO: nobody has the terminal any more */
	while (used < sizeof(all) - 1 && (got = read(master, all + used, sizeof(all) - 1 - used)) > 0) {
		if (write(1, all + used, (size_t)got) != got)
			return 125;
		used += (size_t)got;
		if (!typed && strstr(all, argv[1]))
			typed = write(master, "\003", 1) == 1;
	}
	if (waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
