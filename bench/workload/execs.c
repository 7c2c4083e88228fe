/* SPDX-License-Identifier: BSD-2-Clause */
/* execs COUNT: starts the smallest program there is (bench-child beside this one) and waits for its end, each time. */
#include <libgen.h>
#include <spawn.h>
#include <sys/wait.h>

#include "work.h"

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1);
	char child[4096], *arguments[] = { child, "one", "two", NULL }, *environment[] = { NULL };
	struct work_span span;
	pid_t pid;

	snprintf(child, sizeof(child), "%s/bench-child", dirname(strdup(argv[0])));
	span = work__begin();
	for (long i = 0; i < count; i++) {
		if (posix_spawn(&pid, child, NULL, NULL, arguments, environment)) {
			perror(child);
			return 1;
		}
		waitpid(pid, NULL, 0);
	}
	work__end(&span, count);
	return 0;
}
