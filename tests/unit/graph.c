/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph that was never opened is released without closing a file that is somebody else's. */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "lib/ftrace/graph.h"

int main(void)
{
	static struct graph graph;
	int fd = open("/dev/null", O_RDONLY);

	CHECK(fd >= 0);
	if (fd)
		dup2(fd, 0);
	CHECK_INT(graph__release(&graph), 0);
	graph__close(&graph);
	CHECK(fcntl(0, F_GETFD) >= 0);
	return check_done();
}
