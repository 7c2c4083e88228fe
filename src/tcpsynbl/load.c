/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpsynbl-load COUNT [WRITERS [RATE]]: connections that a full listener of its own drops. */
#include "../../tests/workload/tcp_self.h"
#include "work.h"

static struct sockaddr_in address;

static int ask(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	connect(fd, (struct sockaddr *)&address, sizeof(address));
	return fd;
}

/* One connection fills its queue. */
static void open_listener(void)
{
	int fd = tcp_bound(&address);

	if (fd < 0 || listen(fd, 0) || ask() < 0)
		exit(1);
}

static void make(void)
{
	close(ask());
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_listener, make);
}
