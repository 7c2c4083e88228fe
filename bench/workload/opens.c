/* SPDX-License-Identifier: BSD-2-Clause */
/* opens COUNT [WRITERS [RATE]]: opens and closes a file, in so many processes at once; RATE opens a second together. */
#include <sys/wait.h>

#include "work.h"

static void write_at(int64_t at_ns)
{
	struct timespec until = { .tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

static void open_files(long count, long rate)
{
	int64_t start_ns = work__now_ns();

	for (long i = 0; i < count; i++) {
		if (rate)
			write_at(start_ns + i * 1000000000 / rate);
		close(open(WORK_MARKER, O_RDONLY));
	}
}

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1), writers = work__number(argc, argv, 2, 1);
	long rate = work__number(argc, argv, 3, 0), each = count / writers;
	struct work_span span;
	int gate[2];

	close(open(WORK_MARKER, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	if (writers == 1) {
		span = work__begin();
		open_files(count, rate);
		work__end(&span, count);
		return 0;
	}
	/* they wait for the pipe to be closed, and so start together */
	if (pipe(gate))
		return 1;
	for (long i = 0; i < writers; i++) {
		char byte;

		if (fork())
			continue;
		close(gate[1]);
		if (read(gate[0], &byte, 1))
			_exit(1);
		open_files(each, rate / writers);
		_exit(0);
	}
	span = work__begin();
	close(gate[1]);
	while (wait(NULL) > 0)
		;
	work__end(&span, each * writers);
	return 0;
}
