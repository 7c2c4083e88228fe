/* SPDX-License-Identifier: BSD-2-Clause */
/* sigsnoop-load COUNT [WRITERS [RATE]]: sends itself a signal that it ignores. */
#include <signal.h>

#include "work.h"

static pid_t self;

static void prepare(void)
{
	self = getpid();
	signal(SIGUSR1, SIG_IGN);
}

static void send_signal(void)
{
	kill(self, SIGUSR1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, prepare, send_signal);
}
