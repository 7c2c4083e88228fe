/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_bytes DIR: connections over lo, IPv4 and IPv6, on which tcp_sender sends and its child tcp_receiver receives in every way, with a
 * file in DIR; then tcp_helper, another child, sends on the same connection.  Prints a line for each process and connection,
 *
 *	PID COMM IP LADDR LPORT RADDR RPORT TX RX SENDS
 *
 * the bytes that its calls have moved, and how many sent some; and for each end of each connection what the kernel says (TCP_INFO),
 *
 *	info LPORT RPORT ACKED RECEIVED
 *
 * without the SYN, which counts as a byte of the client's that is acknowledged, and the FIN, which counts as one that the other end has
 * received.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tcp_listen.h"
#include "uring.h"

#define LARGE 60000
#define HELPED 123

static char data[LARGE];

/* What the process did on the connection. */
static struct {
	unsigned long tx, rx, sends;
} done;

static void sent(ssize_t result, ssize_t expected)
{
	if (result != expected)
		die("send");
	done.tx += (unsigned long)result;
	done.sends++;
}

static void received(ssize_t result, ssize_t expected)
{
	if (result != expected)
		die("receive");
	done.rx += (unsigned long)result;
}

static void put_address(const struct sockaddr_in6 *address, char text[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;

	if (address->sin6_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, &address->sin6_addr, text, INET6_ADDRSTRLEN);
}

static void print_done(int fd)
{
	struct sockaddr_in6 local, remote;
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN], comm[16];
	socklen_t size = sizeof(local), remote_size = sizeof(remote);
	bool is_v4;

	if (getsockname(fd, (struct sockaddr *)&local, &size) || getpeername(fd, (struct sockaddr *)&remote, &remote_size))
		die("ends");
	put_address(&local, from);
	put_address(&remote, to);
	prctl(PR_GET_NAME, comm);
	is_v4 = local.sin6_family == AF_INET;
	printf("%d %s %d %s %u %s %u %lu %lu %lu\n", getpid(), comm, is_v4 ? 4 : 6, from, ntohs(local.sin6_port), to,
	       ntohs(remote.sin6_port), done.tx, done.rx, done.sends);
	fflush(stdout);
	memset(&done, 0, sizeof(done));
}

/* When all that this end has sent is acknowledged.  is_at_end: it has read the other's FIN. */
static void print_info(int fd, bool is_client, bool is_at_end)
{
	struct sockaddr_in6 local, remote;
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info), local_size = sizeof(local), remote_size = sizeof(remote);
	int left = 1;

	while (!ioctl(fd, SIOCOUTQ, &left) && left)
		usleep(1000);
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) || getsockname(fd, (struct sockaddr *)&local, &local_size) ||
	    getpeername(fd, (struct sockaddr *)&remote, &remote_size))
		die("TCP_INFO");
	printf("info %u %u %llu %llu\n", ntohs(local.sin6_port), ntohs(remote.sin6_port),
	       (unsigned long long)info.tcpi_bytes_acked - is_client, (unsigned long long)info.tcpi_bytes_received - is_at_end);
	fflush(stdout);
}

static struct iovec parts[2] = { { data, 300 }, { data + 300, 400 } };

static void send_all(int fd, int file)
{
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct mmsghdr two[2] = { { .msg_hdr = message }, { .msg_hdr = message } };
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SEND, .fd = fd, .addr = (__u64)(uintptr_t)data, .len = 800 };
	off_t offset = 0;
	int pipe_fds[2];

	sent(write(fd, data, 1), 1);
	sent(send(fd, data, 1000, MSG_MORE), 1000);
	sent(writev(fd, parts, 2), 700);
	sent(sendmsg(fd, &message, 0), 700);
	if (sendmmsg(fd, two, 2, 0) != 2)
		die("sendmmsg");
	sent(two[0].msg_len, 700);
	sent(two[1].msg_len, 700);
	sent(uring_submit(&sqe), 800);
	sent(sendfile(fd, file, &offset, 900), 900);
	if (pipe(pipe_fds) || write(pipe_fds[1], data, 500) != 500)
		die("pipe");
	sent(splice(pipe_fds[0], NULL, fd, NULL, 500, 0), 500);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	/* one that blocks: the receiver waits before it reads */
	sent(send(fd, data, LARGE, 0), LARGE);
	/* calls that move nothing */
	if (send(fd, data, 0, 0) != 0 || send(fd, NULL, 10, 0) >= 0 || errno != EFAULT)
		die("nothing");
}

static void receive_all(int fd)
{
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_RECV, .fd = fd, .addr = (__u64)(uintptr_t)data, .len = 800, .msg_flags = MSG_WAITALL,
	};
	int pipe_fds[2], one = 1;
	size_t left;

	received(read(fd, data, 1), 1);
	/* an acknowledgement that is due, and is sent at once: no byte is read */
	if (setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one)) || recv(fd, data, 100, MSG_PEEK | MSG_WAITALL) != 100)
		die("peek");
	received(recv(fd, data, 1000, MSG_WAITALL), 1000);
	if (setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one)))
		die("TCP_QUICKACK");
	received(recvmsg(fd, &message, MSG_WAITALL), 700);
	/* thrown away */
	received(recv(fd, data, 700, MSG_WAITALL | MSG_TRUNC), 700);
	received(recv(fd, data, 700, MSG_WAITALL), 700);
	received(recv(fd, data, 700, MSG_WAITALL), 700);
	received(uring_submit(&sqe), 800);
	received(recv(fd, data, 900, MSG_WAITALL), 900);
	if (pipe(pipe_fds))
		die("pipe");
	for (left = 500; left;) {
		ssize_t taken = splice(fd, NULL, pipe_fds[1], NULL, left, 0);

		received(taken, taken > 0 ? taken : 1);
		left -= (size_t)taken;
	}
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	usleep(20000);
	for (left = LARGE + HELPED; left;) {
		ssize_t taken = read(fd, data, left < 5000 ? left : 5000);

		received(taken, taken > 0 ? taken : 1);
		left -= (size_t)taken;
	}
}

static void run(int family, int file)
{
	struct sockaddr_in6 address;
	socklen_t size;
	int listener = tcp_listen(family, 1, &address, &size), small = 4096, status, fd;
	pid_t child, helper;

	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "tcp_receiver");
		uring_make(0);
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			die("accept");
		receive_all(fd);
		sent(write(fd, data, 77), 77);
		/* one call that waits several times, and reads the end of the connection, too */
		received(recv(fd, data, 1000, MSG_WAITALL), 110);
		print_info(fd, false, true);
		print_done(fd);
		exit(0);
	}
	fd = socket(family, SOCK_STREAM, 0);
	if (child < 0 || fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)) ||
	    connect(fd, (struct sockaddr *)&address, size))
		die("connect");
	send_all(fd, file);
	helper = fork();
	if (!helper) {
		prctl(PR_SET_NAME, "tcp_helper");
		memset(&done, 0, sizeof(done));
		sent(write(fd, data, HELPED), HELPED);
		print_done(fd);
		exit(0);
	}
	if (waitpid(helper, &status, 0) != helper || status)
		die("helper");
	received(recv(fd, data, 77, MSG_WAITALL), 77);
	sent(write(fd, data, 50), 50);
	usleep(20000);
	sent(write(fd, data, 60), 60);
	print_info(fd, true, false);
	print_done(fd);
	if (shutdown(fd, SHUT_WR) || send(fd, data, 10, MSG_NOSIGNAL) >= 0 || errno != EPIPE)
		die("EPIPE");
	if (waitpid(child, &status, 0) != child || status)
		die("receiver");
	close(fd);
	close(listener);
}

int main(int argc, char **argv)
{
	char path[256];
	int file;

	if (argc < 2)
		return 2;
	prctl(PR_SET_NAME, "tcp_sender");
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	file = open(path, O_CREAT | O_RDWR, 0600);
	if (file < 0 || write(file, data, 900) != 900)
		die(path);
	uring_make(0);
	run(AF_INET, file);
	run(AF_INET6, file);
	return 0;
}
