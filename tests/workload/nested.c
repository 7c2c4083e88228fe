/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested CALLS: events that happen inside of a BPF program, for which the kernel skips other programs (trace_call_bpf() in
 * kernel/trace/bpf_trace.c).  A program on CALLS system calls makes one event each: a probe's, as perf drops those that come
 * from a tracepoint's before (lib/probe/missed.h).  Prints what missed__read() makes of it:
 *
 *	missed N, known
 *	missed N, unknown
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/probe/missed.h"
#include "workload/nested.skel.h"

int main(int argc, char **argv)
{
	long calls = argc == 2 ? atol(argv[1]) : 0;
	struct nested_bpf *skel;
	struct missed missed;

	if (calls <= 0)
		return 2;
	skel = nested_bpf__open_and_load();
	if (!skel || nested_bpf__attach(skel)) {
		perror("nested: cannot load or attach");
		return 1;
	}
	skel->bss->pid = (uint32_t)getpid();
	while (calls--)
		syscall(SYS_getpgid, 0);
	missed = missed__read(skel->skeleton);
	printf("missed %llu, %s\n", (unsigned long long)missed.all, missed.known ? "known" : "unknown");
	if (skel->bss->inner_runs)
		printf("the kernel ran the program that it should skip\n");
	nested_bpf__destroy(skel);
	return 0;
}
