/* SPDX-License-Identifier: BSD-2-Clause */
/* keys PROCESSES PERIODS: so many processes, each of which wakes up twice in each period of 0.1 s.  Its events are the periods. */
#include <signal.h>
#include <sys/prctl.h>

#include "work.h"

#define PERIOD_NS 100000000
#define PROCESSES_MAX 1000

static void wake_up(int64_t at_ns)
{
	for (;; at_ns += PERIOD_NS / 2)
		work__sleep_until(at_ns);
}

int main(int argc, char **argv)
{
	long processes = work__number(argc, argv, 1, 1), periods = work__number(argc, argv, 2, 1);
	int64_t start_ns = (work__now_ns() / PERIOD_NS + 10) * PERIOD_NS;
	static pid_t pids[PROCESSES_MAX];
	struct work_span span;
	char name[16];

	for (long i = 0; i < processes && i < PROCESSES_MAX; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			return 1;
		if (pids[i])
			continue;
		snprintf(name, sizeof(name), "key%ld", i);
		prctl(PR_SET_NAME, name);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* spread over a quarter of a period */
		wake_up(start_ns + i * PERIOD_NS / 4 / processes);
	}
	work__sleep_until(start_ns + PERIOD_NS);
	span = work__begin();
	work__sleep_until(span.start_ns + periods * PERIOD_NS);
	work__end(&span, periods);
	for (long i = 0; i < processes && i < PROCESSES_MAX; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
