/* SPDX-License-Identifier: BSD-2-Clause */
/* tcprtt-load COUNT [WRITERS [RATE]]: segments on a connection, data and acknowledgements in turn. */
#include "../../tests/workload/tcp_segments.h"
#include "work.h"

static int from, to, turn;

static void make(void)
{
	/* each writer has a connection of its own */
	if (!from && tcp_segments_connect(AF_INET, &from, &to))
		exit(1);
	if (turn++ % 2 ? tcp_segments_acknowledge(from, to) : tcp_segments_send(from))
		exit(1);
}

int main(int argc, char **argv)
{
	int status = work__run(argc, argv, NULL, make), one = 1;

	/* a socket under repair is closed without a segment: a FIN would be one more event */
	setsockopt(from, SOL_TCP, TCP_REPAIR, &one, sizeof(one));
	setsockopt(to, SOL_TCP, TCP_REPAIR, &one, sizeof(one));
	return status;
}
