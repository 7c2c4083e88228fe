/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpaccept-load COUNT [WRITERS [RATE]]: connections to a listener of its own, which it accepts. */
#include "../../tests/workload/tcp_self.h"
#include "work.h"

static struct sockaddr_in address;
static int listener;

static void open_listener(void)
{
	listener = tcp_bound(&address);
	if (listener < 0 || listen(listener, 1))
		exit(1);
}

static void make(void)
{
	int from = socket(AF_INET, SOCK_STREAM, 0), to;

	if (connect(from, (struct sockaddr *)&address, sizeof(address)))
		exit(1);
	to = accept(listener, NULL, NULL);
	if (to < 0)
		exit(1);
	close(to);
	close(from);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_listener, make);
}
