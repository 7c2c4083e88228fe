/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * churn COUNT: so many processes, one after the other.  Each executes this program anew, opens a file of its own name that is not there,
 * sends a byte over a TCP connection, computes for a while, sleeps for a moment and ends: a bit of all that tools keep by process, by
 * stack, by call and by connection.  Prints their number.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMPUTE_NS 300000
#define SLEEP_NS 50000

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void set_loopback_up(int fd)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

	if (ioctl(fd, SIOCSIFFLAGS, &request))
		die("lo");
}

/* As stacks of calls of different depths, each with another function's return address in it. */
static __attribute__((noinline)) unsigned int descend(unsigned int depth, uint64_t until_ns)
{
	unsigned int sum = depth;

	while (!depth && now_ns() < until_ns)
		sum++;
	return depth ? descend(depth - 1, until_ns) + sum : sum;
}

static void be_short(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct timespec moment = { .tv_nsec = SLEEP_NS };
	const struct linger reset = { .l_onoff = 1 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char path[32];

	snprintf(path, sizeof(path), "/churn.%d", (int)getpid());
	if (open(path, O_RDONLY | O_CLOEXEC) >= 0)
		die(path);
	/* a connection that is reset does not stay in TIME_WAIT */
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) || connect(fd, (const struct sockaddr *)&to, sizeof(to)) ||
	    write(fd, "", 1) != 1)
		die("connect");
	close(fd);
	descend((unsigned int)getpid() % 16, now_ns() + COMPUTE_NS);
	nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int count, fd;
	char port[8], path[256] = { 0 };

	if (argc == 3) {
		be_short((uint16_t)atoi(argv[2]));
		return 0;
	}
	count = argc == 2 ? atoi(argv[1]) : 0;
	if (count < 1)
		return 2;
	/* its name is the process' */
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		die("/proc/self/exe");
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	set_loopback_up(fd);
	if (bind(fd, (const struct sockaddr *)&address, size) || listen(fd, 8) || getsockname(fd, (struct sockaddr *)&address, &size))
		die("listen");
	snprintf(port, sizeof(port), "%u", address.sin_port);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		int status, peer;

		if (pid < 0)
			die("fork");
		if (!pid) {
			execl(path, "churn", "-", port, (char *)NULL);
			die("exec");
		}
		peer = accept(fd, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || status)
			die("a process failed");
		close(peer);
	}
	printf("%d\n", count);
	return 0;
}
