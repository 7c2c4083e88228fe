/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpconnect-load COUNT [WRITERS [RATE]]: connections of a socket with itself. */
#include "../../tests/workload/tcp_self.h"
#include "work.h"

static void make(void)
{
	if (tcp_self_connect())
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
