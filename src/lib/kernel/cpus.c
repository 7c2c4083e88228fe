/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

int cpus__first_online(void)
{
	char text[64];

	/* "0-3,5" */
	return file__read_small(CPUS_ONLINE, text, sizeof(text)) > 0 ? atoi(text) : 0;
}

/* A number below CPUS_MAX, and *text behind it; -EINVAL. */
static int parse_cpu(const char **text)
{
	char *end;
	unsigned long cpu;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	cpu = strtoul(*text, &end, 10);
	*text = end;
	return cpu < CPUS_MAX ? (int)cpu : -EINVAL;
}

int cpu_set__parse(struct cpu_set *set, const char *text)
{
	*set = (struct cpu_set){ 0 };
	if (!*text || *text == '\n')
		return 0;
	for (;;) {
		int first = parse_cpu(&text), last = first;

		if (*text == '-') {
			text++;
			last = parse_cpu(&text);
		}
		if (first < 0 || last < first)
			return -EINVAL;
		for (int cpu = first; cpu <= last; cpu++)
			set->words[cpu / 64] |= 1ULL << cpu % 64;
		if (*text != ',')
			return *text && *text != '\n' ? -EINVAL : 0;
		text++;
	}
}

int cpus__read(const char *path, struct cpu_set *set)
{
	char text[4096];
	ssize_t got = file__read_small(path, text, sizeof(text));

	*set = (struct cpu_set){ 0 };
	return got < 0 ? (int)got : cpu_set__parse(set, text);
}

bool cpus__can_come(void)
{
	char text[64];

	/* "0" where there is one */
	return file__read_small(CPUS_POSSIBLE, text, sizeof(text)) > 0 && strpbrk(text, "-,");
}

uint64_t cpus__steal_ms(void)
{
	char text[512];
	unsigned long long steal;

	/* "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …", in clock ticks */
	if (file__read_small("/proc/stat", text, sizeof(text)) < 0 ||
	    sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		return 0;
	return steal * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK);
}
