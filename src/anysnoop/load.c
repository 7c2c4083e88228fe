/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop-load COUNT [WRITERS [RATE]]: asks whether it is there itself, with kill(2). */
#include <signal.h>

#include "work.h"

static pid_t self;

static void prepare(void)
{
	self = getpid();
}

static void ask(void)
{
	kill(self, 0);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, prepare, ask);
}
