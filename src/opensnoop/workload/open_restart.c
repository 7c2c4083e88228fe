/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_restart FOLDER: a thread of the name "restarted" opens a FIFO and waits there.  It is stopped and goes on, which
 * interrupts its call and restarts it, and then the open succeeds; one row, as open_calls has them.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "asleep.h"
#include "open_calls.h"

static int opener(void)
{
	prctl(PR_SET_NAME, "restarted");
	prctl(PR_GET_NAME, calls_comm);
	expect_row(open("fifo", O_RDONLY), O_RDONLY, 0, "fifo");
	fflush(stdout);
	return 0;
}

static void await_asleep(pid_t pid)
{
	while (!is_asleep_in(SYS_openat, pid))
		;
}

int main(int argc, char **argv)
{
	int status, fd;
	pid_t pid;

	start_calls(argc, argv);
	if (mkfifo("fifo", 0600))
		die("mkfifo");
	pid = fork();
	if (!pid)
		_exit(opener());
	await_asleep(pid);
	if (kill(pid, SIGSTOP) || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) || kill(pid, SIGCONT) ||
	    waitpid(pid, &status, WCONTINUED) != pid)
		die("stopping it");
	await_asleep(pid);
	fd = open("fifo", O_WRONLY);
	if (waitpid(pid, &status, 0) != pid || status)
		die("the opener");
	close(fd);
	return 0;
}
