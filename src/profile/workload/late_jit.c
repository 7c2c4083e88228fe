/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late_jit FUNCTIONS MS: makes functions one after the other, fn0, fn1, …, tells of each in /tmp/perf-PID.map, and runs it
 * for so long of its own CPU time. It says "ready PID" and begins when a byte comes from stdin; says "done", and ends when
 * another byte comes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROOM 256	/* bytes of a function */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	/* a function that counts down, with a frame pointer */
	static const unsigned char code[] = {
		0x55,			/* push %rbp */
		0x48, 0x89, 0xe5,	/* mov %rsp,%rbp */
		0x48, 0xff, 0xcf,	/* dec %rdi */
		0x75, 0xfb,		/* jne to the dec */
		0x5d, 0xc3,		/* pop %rbp; ret */
	};
	int count = argc > 2 ? atoi(argv[1]) : 0;
	uint64_t ns = argc > 2 ? (uint64_t)atoi(argv[2]) * 1000000 : 0;
	unsigned char *made = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64], byte;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	if (made == MAP_FAILED || !file || count < 1 || count > 65536 / ROOM)
		return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	for (int i = 0; i < count; i++) {
		unsigned char *function = made + i * ROOM;
		uint64_t begin;

		memcpy(function, code, sizeof(code));
		fprintf(file, "%lx %zx fn%d\n", (unsigned long)function, sizeof(code), i);
		fflush(file);
		for (begin = cpu_ns(); cpu_ns() - begin < ns;)
			((void (*)(uint64_t))function)(200000);
	}
	printf("done\n");
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}
