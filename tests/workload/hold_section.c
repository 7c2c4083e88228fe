/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold_section FILE: reads lines of the form
 *
 * 	irqs|preempt|wanted|lazy US[,US…] COUNT [GAP_US [CPU]]
 *
 * Each switches interrupts or preemption off on CPU (default 0), COUNT times for about US microseconds (5,000 at most; arm64 3,000),
 * with GAP_US of work in between (default 317), and as much more that the sections' begins are spread evenly over 100 us of the
 * clock: a timer of that period is due once at each COUNTth of it.  Then the same for the next US.  FILE has a line for each
 * section then, and stdout says "end", or what failed.
 *
 * 	BEFORE BEGIN END AFTER US
 *
 * in nanoseconds of CLOCK_MONOTONIC: before the system call that makes the section, just before the section, just after it,
 * after the system call.  The section of interrupts lies between BEGIN and END; that of preemption around them, within
 * BEFORE and AFTER.
 *
 * wanted: as preempt, and a real-time task on the same CPU wakes up every 1.3 ms.  Its wake-ups are printed too:
 *
 * 	wake DUE RAN
 *
 * lazy: the same with a task of the fair class, for which kernels with lazy preemption mark the CPU lazily.
 *
 * A program is loaded when it is first asked for: the verifier takes a second or two for it in a guest.
 *
 * hold_section cost: makes no sections but those of others: prints how many nanoseconds 20 million rounds of a loop take,
 * 20,000 calls of getppid(2), and how many of a second's sleep the CPU is not idle (-1: the kernel does not tell).  For a
 * machine of one CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "workload/hold_section.skel.h"

#define WAKES_MAX 100000
#define WAKE_PERIOD_NS 1300000

static struct { int64_t due, ran; } wakes[WAKES_MAX];
static volatile int wakes_count;
static volatile bool has_begun, is_over;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* fair: NULL for a real-time task */
static void *wake(void *fair)
{
	const struct sched_param param = { .sched_priority = 50 };
	int64_t due = now_ns();

	if (!fair && sched_setscheduler(0, SCHED_FIFO, &param))
		perror("hold_section: SCHED_FIFO");
	has_begun = true;
	while (!is_over && wakes_count < WAKES_MAX) {
		struct timespec at;
		int64_t ran;

		due += WAKE_PERIOD_NS;
		at = (struct timespec){ .tv_sec = due / 1000000000, .tv_nsec = due % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		ran = now_ns();
		wakes[wakes_count].due = due;
		wakes[wakes_count].ran = ran;
		wakes_count++;
		if (ran > due + WAKE_PERIOD_NS / 2)
			due = ran;
	}
	return NULL;
}

/* One section; AFTER, or 0 on failure. */
static int64_t hold(int fd)
{
	char packet[64] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet), .repeat = 1);

	if (bpf_prog_test_run_opts(fd, &opts)) {
		perror("hold_section: BPF_PROG_TEST_RUN");
		exit(1);
	}
	return now_ns();
}

/*
 * How many rounds take so long: of some tries the median.  How long a section then is, is seen from what it measures; on a machine that is
 * busy meanwhile it is another time.
 */
static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

#define TRIES 41
#define TRY_ROUNDS 300

static uint64_t calibrate(int fd, const struct hold_section_bpf *skel, int64_t ns)
{
	int64_t took[2][TRIES], difference;

	for (int i = 0; i < TRIES; i++) {
		for (int j = 0; j < 2; j++) {
			skel->bss->rounds = j ? TRY_ROUNDS : 0;
			hold(fd);
			took[j][i] = (int64_t)(skel->bss->end_ns - skel->bss->begin_ns);
		}
	}
	qsort(took[0], TRIES, sizeof(**took), compare);
	qsort(took[1], TRIES, sizeof(**took), compare);
	difference = took[1][TRIES / 2] - took[0][TRIES / 2];
	return (uint64_t)(ns * TRY_ROUNDS / (difference > 0 ? difference : 1)) + 1;
}

#define SPREAD_NS 100000

/* Works for gap_us, and on to where the i-th of count sections begins in the clock's 100 us. */
static void work_between(int64_t from_ns, int gap_us, int i, int count)
{
	int64_t until_ns = from_ns + gap_us * 1000LL, phase_ns = (int64_t)SPREAD_NS * i / count;

	until_ns += (phase_ns - until_ns % SPREAD_NS + SPREAD_NS) % SPREAD_NS;
	while (now_ns() < until_ns)
		;
}

/* Nanoseconds that the CPU has been idle; -1: /proc/timer_list does not have it (7.2 and 7.3), and /proc/stat has ticks. */
static int64_t idle_ns(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	long long idle = -1;
	char line[256];

	while (file && idle < 0 && fgets(line, sizeof(line), file))
		sscanf(line, " .idle_sleeptime : %lld", &idle);
	if (file)
		fclose(file);
	return idle;
}

static int64_t sleep_awake_ns(void)
{
	const struct timespec second = { .tv_sec = 1 };
	int64_t begin = now_ns(), idle = idle_ns();

	nanosleep(&second, NULL);
	return idle < 0 ? -1 : now_ns() - begin - (idle_ns() - idle);
}

static void print_cost(void)
{
	volatile uint64_t rounds = 0;
	int64_t begin = now_ns(), middle, end;

	while (rounds < 20000000)
		rounds++;
	middle = now_ns();
	for (int i = 0; i < 20000; i++)
		syscall(SYS_getppid);
	end = now_ns();
	printf("%lld %lld %lld\n", (long long)(middle - begin), (long long)(end - middle), (long long)sleep_awake_ns());
}

static struct hold_section_bpf *load(bool irqs)
{
	struct hold_section_bpf *skel = hold_section_bpf__open();

	if (!skel)
		return NULL;
	bpf_program__set_autoload(irqs ? skel->progs.hold_preempt : skel->progs.hold_irqs, false);
	if (hold_section_bpf__load(skel)) {
		hold_section_bpf__destroy(skel);
		return NULL;
	}
	return skel;
}

/* line: as main() takes it */
static int make_sections(FILE *file, char *line)
{
	static struct hold_section_bpf *skels[2];
	char kind[16], lengths[128];
	int count, gap_us = 317, cpu = 0, fd;
	bool irqs, wanted, lazy;
	struct hold_section_bpf *skel;
	pthread_t thread;
	uint64_t per_ms;
	cpu_set_t cpus;

	if (sscanf(line, "%15s %127s %d %d %d", kind, lengths, &count, &gap_us, &cpu) < 3)
		return -EINVAL;
	irqs = !strcmp(kind, "irqs");
	lazy = !strcmp(kind, "lazy");
	wanted = lazy || !strcmp(kind, "wanted");
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	if (!skels[irqs])
		skels[irqs] = load(irqs);
	skel = skels[irqs];
	if (!skel)
		return -errno;
	fd = bpf_program__fd(irqs ? skel->progs.hold_irqs : skel->progs.hold_preempt);
	per_ms = calibrate(fd, skel, 1000000);
	is_over = false;
	has_begun = false;
	wakes_count = 0;
	if (wanted && pthread_create(&thread, NULL, wake, lazy ? &cpus : NULL))
		return -EAGAIN;
	/* the scheduler may let this thread make some sections before the new one has run at all */
	while (wanted && !has_begun)
		usleep(100);
	for (char *us = strtok(lengths, ","); us; us = strtok(NULL, ",")) {
		skel->bss->rounds = per_ms * strtoull(us, NULL, 10) / 1000 + 1;
		for (int i = 0; i < count; i++) {
			int64_t before, after;

			work_between(now_ns(), gap_us, i, count);
			before = now_ns();
			after = hold(fd);
			fprintf(file, "%lld %llu %llu %lld %s\n", (long long)before, (unsigned long long)skel->bss->begin_ns,
			       (unsigned long long)skel->bss->end_ns, (long long)after, us);
		}
	}
	is_over = true;
	if (wanted)
		pthread_join(thread, NULL);
	for (int i = 0; i < wakes_count; i++)
		fprintf(file, "wake %lld %lld\n", (long long)wakes[i].due, (long long)wakes[i].ran);
	return 0;
}

int main(int argc, char **argv)
{
	char line[256];
	int err;

	if (argc == 2 && !strcmp(argv[1], "cost")) {
		print_cost();
		return 0;
	}
	if (argc != 2)
		return 2;
	libbpf_set_print(silent);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		FILE *file = fopen(argv[1], "w");

		err = file ? make_sections(file, line) : -errno;
		if (file && fclose(file) && !err)
			err = -errno;
		printf("%s\n", err ? strerror(-err) : "end");
	}
	return 0;
}
