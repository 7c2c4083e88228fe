/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a tool over a workload whose number of events is known, and nothing else: between the tool's ready line and its
 * end no other process is started, no file opened and no signal sent than is written here, so that what the tool
 * counts can be compared to the last event.
 *
 * 	law [-s] [-t] [-i] [-o FILE] [-e FILE] TOOL ARG… -- WORKLOAD ARG…
 *
 * WORKLOAD is a program made with law_workload.h. @PID among the tool's arguments becomes the first writer's pid. -s: the
 * tool is stopped (SIGSTOP) while the workload runs. -t: ends it with SIGTERM, not SIGINT. -i: not before it has printed the
 * end of an interval, for how fast the workload is depends on the machine. The tool's stdout and stderr go to FILEs (law.out,
 * law.err). Prints "status=S generated=N failed=F first=F1 work_ms=T writer=PID", in the words of a
 * shell: the tool's exit status, what the workload says, how long it took, and the first writer's pid.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Only what hangs takes so long, however busy the machine is. */
#define READY_SECONDS 900
#define WORK_SECONDS 900
#define END_SECONDS 900
#define LOOK_AGAIN_MS 2

static pid_t tool, workload;
static int tool_fd;

/* Whatever is not as it should be ends both, so that nothing of a failed run disturbs the next. */
static void die(const char *what)
{
	fprintf(stderr, "law: %s\n", what);
	if (tool > 0)
		kill(tool, SIGKILL);
	if (workload > 0)
		kill(workload, SIGKILL);
	exit(125);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A line of the workload's, without its newline. */
static void read_line(int fd, char *line, size_t size, int seconds)
{
	int64_t deadline_ms = now_ms() + seconds * 1000;
	size_t used = 0;

	while (used < size - 1) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };

		if (poll(&pollfd, 1, (int)(deadline_ms - now_ms())) <= 0)
			die("the workload is too slow");
		if (read(fd, line + used, 1) != 1)
			die("the workload ended");
		if (line[used] == '\n')
			break;
		used++;
	}
	line[used] = 0;
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

static void start_workload(char **argv, int *to, int *from)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe");
	workload = fork();
	if (!workload) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(*argv, argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	*from = out[0];
}

/* Through a pidfd: kill(2) is what killsnoop counts. */
static int send_signal(int signal)
{
	return (int)syscall(SYS_pidfd_send_signal, tool_fd, signal, NULL, 0);
}

static void start_tool(char **argv, int out, int err)
{
	tool = fork();
	if (!tool) {
		dup2(out, 1);
		dup2(err, 2);
		execvp(*argv, argv);
		_exit(127);
	}
	tool_fd = (int)syscall(SYS_pidfd_open, tool, 0);	/* since 5.3 */
	if (tool_fd < 0)
		die("pidfd_open");
}

/*
 * The tool's first line means that everything is attached. lseek(2): fstat(2) is what statsnoop counts. Where the offset is
 * does not matter to who appends.
 */
static void wait_ready(int out)
{
	int64_t deadline_ms = now_ms() + READY_SECONDS * 1000;

	while (!lseek(out, 0, SEEK_END)) {
		if (waitpid(tool, NULL, WNOHANG) == tool) {
			tool = 0;
			die("the tool ended before it was ready");
		}
		if (now_ms() > deadline_ms)
			die("the tool is not ready in time");
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

/* Waits for a line of JSON that ends an interval.  It may be read in two halves, so each look is at all that there is. */
static void wait_interval(int out)
{
	static char text[4 << 20];
	int64_t deadline_ms = now_ms() + READY_SECONDS * 1000;

	for (;;) {
		ssize_t length = pread(out, text, sizeof(text) - 1, 0);

		if (length < 0)
			die("the tool's output cannot be read");
		text[length] = 0;
		if (strstr(text, "\"interval\":{"))
			return;
		if (waitpid(tool, NULL, WNOHANG) == tool) {
			tool = 0;
			die("the tool ended before the workload");
		}
		if (now_ms() > deadline_ms)
			die("the tool ends no interval");
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static int wait_end(void)
{
	int64_t deadline_ms = now_ms() + END_SECONDS * 1000;
	int status;

	while (!waitpid(tool, &status, WNOHANG)) {
		if (now_ms() > deadline_ms)
			die("the tool does not end");
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	tool = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *out_path = "law.out", *err_path = "law.err";
	char ready[1024], result[256], *first_pid, **work;
	unsigned int generated, failed, first;
	int option, out, err, to, from, status, end_signal = SIGINT;
	bool stop = false, interval = false;
	int64_t start_ms, work_ms;

	while ((option = getopt(argc, argv, "+stio:e:")) != -1) {
		switch (option) {
		case 's': stop = true; break;
		case 't': end_signal = SIGTERM; break;
		case 'i': interval = true; break;
		case 'o': out_path = optarg; break;
		case 'e': err_path = optarg; break;
		default: return 2;
		}
	}
	argv += optind;
	for (work = argv; *work && strcmp(*work, "--"); work++)
		;
	if (work == argv || !*work || !work[1])
		die("usage: law [-s] [-t] [-i] [-o FILE] [-e FILE] TOOL ARG... -- WORKLOAD ARG...");
	*work++ = NULL;

	out = make_file(out_path);
	err = make_file(err_path);
	start_workload(work, &to, &from);
	read_line(from, ready, sizeof(ready), READY_SECONDS);
	if (strncmp(ready, "ready ", 6))
		die("the workload does not get ready");
	first_pid = strtok(ready + 6, " ");
	for (char **arg = argv; *arg; arg++)
		if (!strcmp(*arg, "@PID"))
			*arg = first_pid;
	start_tool(argv, out, err);
	wait_ready(out);

	if (stop && (send_signal(SIGSTOP) || waitpid(tool, &status, WUNTRACED) != tool || !WIFSTOPPED(status)))
		die("the tool cannot be stopped");
	start_ms = now_ms();
	if (write(to, "go\n", 3) != 3)
		die("the workload does not listen");
	read_line(from, result, sizeof(result), WORK_SECONDS);
	if (sscanf(result, "generated %u failed %u first %u", &generated, &failed, &first) != 3)
		die("the workload does not say what it did");
	work_ms = now_ms() - start_ms;
	if (interval)
		wait_interval(out);
	send_signal(end_signal);
	if (stop)
		send_signal(SIGCONT);
	status = wait_end();
	printf("status=%d generated=%u failed=%u first=%u work_ms=%lld writer=%s\n", status, generated, failed, first,
	       (long long)work_ms, first_pid);
	close(to);
	waitpid(workload, NULL, 0);
	return 0;
}
