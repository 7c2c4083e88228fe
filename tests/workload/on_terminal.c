/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * on_terminal LINES COMMAND…: runs the command on a terminal of that many lines and 80 columns, and copies what it prints there to
 * stdout.  Its stderr stays.  The exit status is the command's.
 */
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(125);
}

int main(int argc, char **argv)
{
	struct winsize size = { .ws_row = (unsigned short)(argc > 2 ? atoi(argv[1]) : 0), .ws_col = 80 };
	struct termios raw;
	int master, slave, status;
	char bytes[4096];
	ssize_t got;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: %s LINES COMMAND...\n", argv[0]);
		return 125;
	}
	if (openpty(&master, &slave, NULL, NULL, &size) || tcgetattr(slave, &raw))
		die("openpty");
	/* what is written comes out as it is: no \r before \n */
	cfmakeraw(&raw);
	if (tcsetattr(slave, TCSANOW, &raw))
		die("tcsetattr");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(master);
		dup2(slave, STDOUT_FILENO);
		close(slave);
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	close(slave);
	/* EIO: the command was the last who had it open */
	while ((got = read(master, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0 && fwrite(bytes, 1, (size_t)got, stdout) != (size_t)got)
			die("stdout");
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
