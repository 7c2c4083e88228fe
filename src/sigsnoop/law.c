/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>

#include "law_workload.h"

static void handle(int signal)
{
	(void)signal;
}

/* A signal sent to itself, which is handled before kill(2) returns; one that is to fail is ignored. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	if (!index) {
		signal(SIGUSR1, handle);
		signal(SIGUSR2, SIG_IGN);
	}
	kill(getpid(), fail ? SIGUSR2 : SIGUSR1);
	return fail;
}
