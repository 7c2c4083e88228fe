/* SPDX-License-Identifier: BSD-2-Clause */
/* execs COUNT [WRITERS [RATE]]: starts the smallest program there is (bench-child beside this one) and waits for its end. */
#include <libgen.h>
#include <spawn.h>

#include "work.h"

static char child[4096];

static void start_child(void)
{
	char *arguments[] = { child, "one", "two", NULL }, *environment[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, child, NULL, NULL, arguments, environment)) {
		perror(child);
		exit(1);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	snprintf(child, sizeof(child), "%s/bench-child", dirname(strdup(argv[0])));
	return work__run(argc, argv, NULL, start_child);
}
