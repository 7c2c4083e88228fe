/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * on_terminal LINES COMMAND…: runs the command on a terminal of that many lines and 80 columns, and copies what it prints
 * there to stdout.  Its stderr stays.  The exit status is the command's.
 *
 * on_terminal -c TEXT LINES COMMAND…: stderr is the terminal, too, which echoes what is typed; once TEXT was printed,
 * somebody types Ctrl-C.
 */
#include <errno.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* Types Ctrl-C once the text was seen in what is printed, all of it in one read. */
static void type(int master, const char **text, const char *bytes, size_t size)
{
	if (!*text || !memmem(bytes, size, *text, strlen(*text)))
		return;
	if (write(master, "\003", 1) != 1)
		die("the terminal");
	*text = NULL;
}

int main(int argc, char **argv)
{
	const char *text = argc > 2 && !strcmp(argv[1], "-c") ? argv[2] : NULL;
	bool echoes = text;
	struct winsize size = { .ws_col = 80 };
	struct termios raw;
	int master, slave, status;
	char bytes[4096];
	ssize_t got;
	pid_t pid;

	if (text) {
		argv += 2;
		argc -= 2;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: on_terminal [-c TEXT] LINES COMMAND...\n");
		return 125;
	}
	size.ws_row = (unsigned short)atoi(argv[1]);
	if (openpty(&master, &slave, NULL, NULL, &size) || tcgetattr(slave, &raw))
		die("openpty");
	/* what is written comes out as it is: no \r before \n */
	if (echoes)
		raw.c_oflag &= ~(tcflag_t)OPOST;
	else
		cfmakeraw(&raw);
	if (tcsetattr(slave, TCSANOW, &raw))
		die("tcsetattr");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(master);
		dup2(slave, STDOUT_FILENO);
		if (echoes) {
			setsid();
			ioctl(slave, TIOCSCTTY, 0);
			dup2(slave, STDERR_FILENO);
		}
		close(slave);
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	close(slave);
	/* EIO: the command was the last who had it open */
	while ((got = read(master, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0) {
			if (fwrite(bytes, 1, (size_t)got, stdout) != (size_t)got || fflush(stdout))
				die("stdout");
			type(master, &text, bytes, (size_t)got);
		}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
