/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of a workload for the accounting law (tests/common/law): one program law_TOOL for each event tool, called as
 *
 *	law_TOOL EVENTS WRITERS
 *
 * It starts WRITERS processes named law_writer, says "ready PID…" when they wait, has each of them cause EVENTS events
 * once a line comes from stdin, says "generated N failed F first F1" (F of them failed events, F1 of those the first
 * writer's) when each of them waits in read(), and ends at the end of stdin.
 * A program is this header, make_event() and the number of events is known.
 */
#ifndef LAW_WORKLOAD_H
#define LAW_WORKLOAD_H

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

/*
 * Causes exactly one event, a failed one where `fail` is set and the tool knows such.  Called in the writer; index counts
 * its events. Returns whether the event was a failed one.
 */
static bool make_event(unsigned int writer, unsigned int index, bool fail);

#define LAW_WRITERS_MAX 64

static void law_die(const char *what)
{
	perror(what);
	exit(125);
}

/* The writer that this process is; static, so that one that executes another program can hand it on. */
static struct {
	unsigned int writer, events, index, failed;
	int go, result;
} law_self;

/* Makes the events that are left, tells how many failed, then waits for the end. */
static void law_go_on(void)
{
	char byte;

	for (; law_self.index < law_self.events; law_self.index++)
		law_self.failed += make_event(law_self.writer, law_self.index, law_self.index % 10 == 9);
	if (write(law_self.result, &law_self.failed, sizeof(law_self.failed)) != sizeof(law_self.failed))
		_exit(1);
	/* the end of a process is an event too for some tools: not before theirs is over */
	if (read(law_self.go, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

/* Waits for its pipe to be readable. */
static void law_writer(unsigned int writer, unsigned int events, int go, int result)
{
	char byte;

	law_self.writer = writer;
	law_self.events = events;
	law_self.go = go;
	law_self.result = result;
	prctl(PR_SET_NAME, "law_writer");
	if (read(go, &byte, 1) != 1)
		_exit(0);
	law_go_on();
}

int main(int argc, char **argv)
{
	unsigned int events = argc > 2 ? (unsigned int)atoi(argv[1]) : 0, writers = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	unsigned int failed = 0, failed_first = 0;
	int go[LAW_WRITERS_MAX], result[LAW_WRITERS_MAX], asleep[LAW_WRITERS_MAX];
	pid_t pids[LAW_WRITERS_MAX];
	char line[64];

	if (!writers || writers > LAW_WRITERS_MAX) {
		fprintf(stderr, "usage: %s EVENTS WRITERS\n", argv[0]);
		return 125;
	}
	printf("ready");
	for (unsigned int i = 0; i < writers; i++) {
		int to[2], from[2];

		if (pipe(to) || pipe(from))
			law_die("pipe");
		fflush(stdout);
		pids[i] = fork();
		if (pids[i] < 0)
			law_die("fork");
		if (!pids[i]) {
			/* those of the writers before, too: their end is when the parent closes */
			for (unsigned int j = 0; j < i; j++)
				close(go[j]);
			close(to[1]);
			law_writer(i, events, to[0], from[1]);
		}
		close(to[0]);
		close(from[1]);
		go[i] = to[1];
		result[i] = from[0];
		asleep[i] = open_asleep(pids[i]);
		printf(" %d", pids[i]);
	}
	printf("\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 125;
	for (unsigned int i = 0; i < writers; i++)
		if (write(go[i], "", 1) != 1)
			law_die("write");
	for (unsigned int i = 0; i < writers; i++) {
		unsigned int count;

		if (read(result[i], &count, sizeof(count)) != sizeof(count))
			law_die("a writer died");
		failed += count;
		if (!i)
			failed_first = count;
	}
	/* that they wait is an event too for some tools, and one that is under way */
	for (unsigned int i = 0; i < writers; i++)
		while (!is_asleep(SYS_read, asleep[i]))
			poll(NULL, 0, 1);
	printf("generated %u failed %u first %u\n", events * writers, failed, failed_first);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	for (unsigned int i = 0; i < writers; i++)
		close(go[i]);
	while (wait(NULL) > 0)
		;
	return 0;
}

#endif
