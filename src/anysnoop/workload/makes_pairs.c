/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes pairs of the kernel's events, makes_pairs KIND COUNT: what anysnoop --between joins in tests/guest/between-kernel. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_socket(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(9999) };
	if (fd < 0 || bind(fd, (struct sockaddr *)address, sizeof(*address)))
		die("socket");
	return fd;
}

static void sleep_once(void)
{
	struct timespec time = { .tv_nsec = 1000000 };

	nanosleep(&time, NULL);
}

/* A datagram over the loopback. */
static void send_once(void)
{
	static struct sockaddr_in address;
	static int fd = -1;
	char byte = 0;

	if (fd < 0)
		fd = open_socket(&address);
	if (sendto(fd, &byte, 1, 0, (struct sockaddr *)&address, sizeof(address)) != 1 || recv(fd, &byte, 1, 0) != 1)
		die("sendto");
}

/* A wait with a timer of the kernel's that expires. */
static void time_out_once(void)
{
	struct timeval time = { .tv_usec = 10000 };
	static struct sockaddr_in address;
	static int fd = -1;
	char byte;

	if (fd < 0) {
		fd = open_socket(&address);
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	}
	if (recv(fd, &byte, 1, 0) >= 0)
		die("recv");
}

static void handle(int signal)
{
	(void)signal;
}

static void signal_once(void)
{
	raise(SIGUSR1);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		execl("/bin/busybox", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

/* What is written to a terminal is taken over by a work. */
static void write_to_terminal_once(void)
{
	static int fd = -1, other;

	if (fd < 0) {
		fd = posix_openpt(O_RDWR | O_NOCTTY);
		if (fd < 0 || grantpt(fd) || unlockpt(fd))
			die("a terminal");
		other = open(ptsname(fd), O_RDWR | O_NOCTTY);
		if (other < 0)
			die("its other end");
	}
	if (write(other, "x", 1) != 1)
		die("write");
	sleep_once();
}

static void call_getpgid(void)
{
	syscall(SYS_getpgid, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} kinds[] = {
		{ "sleep", sleep_once }, { "send", send_once }, { "timeout", time_out_once }, { "signal", signal_once }, { "fork", fork_once },
		{ "terminal", write_to_terminal_once }, { "call", call_getpgid },
	};
	int count = argc == 3 ? atoi(argv[2]) : 0;

	signal(SIGUSR1, handle);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (count && !strcmp(argv[1], kinds[i].name)) {
			while (count--)
				kinds[i].make();
			return 0;
		}
	fprintf(stderr, "usage: makes_pairs KIND COUNT\n");
	return 2;
}
