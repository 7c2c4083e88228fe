/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preempted PROCESSES CALLS: which programs the kernel runs for each event, though threads are preempted all the time.  So many processes
 * make so many system calls each, on the CPUs that they share, while a program of some length is on them.  Prints a line for each kind of
 * hook: its name, and how often the program has run, or "-" where the kernel does not have the hook.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/shared/syscalls.h"
#include "workload/preempted.skel.h"

#define FUNCTION SYSCALL_PREFIX "getpgid"

static struct bpf_link *attach(struct bpf_program *program, const char *name)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = !strncmp(name, "kret", 4));

	if (strstr(name, "_multi"))
		return bpf_program__attach_kprobe_multi_opts(program, FUNCTION, &options);
	if (strstr(name, "probe"))
		return bpf_program__attach_kprobe(program, options.retprobe, FUNCTION);
	return bpf_program__attach(program);
}

static int make_calls(int processes, long calls)
{
	int status, bad = 0;

	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (pid)
			continue;
		while (calls--)
			if (syscall(SYS_getpgid, 0) < 0)
				_exit(1);
		_exit(0);
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad;
}

static void measure(const char *name, int processes, long calls)
{
	struct preempted_bpf *skel = preempted_bpf__open();
	struct bpf_link *link = NULL;
	struct bpf_program *program;

	if (!skel)
		exit(1);
	program = bpf_object__find_program_by_name(skel->obj, name);
	if (*name == 'f')
		bpf_program__set_attach_target(program, 0, FUNCTION);
	bpf_program__set_autoload(program, true);
	if (!preempted_bpf__load(skel)) {
		skel->bss->wanted = getpgrp();
		link = attach(program, name);
	}
	if (!link) {
		printf("%s -\n", name);
	} else if (make_calls(processes, calls)) {
		exit(1);
	} else {
		printf("%s %llu\n", name, (unsigned long long)skel->bss->runs);
	}
	bpf_link__destroy(link);
	preempted_bpf__destroy(skel);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {
		"raw_tp", "tp", "tp_of_call", "fentry", "fexit", "kprobe", "kretprobe", "kprobe_multi", "kretprobe_multi",
	};

	if (argc != 3)
		return 2;
	setpgid(0, 0);
	libbpf_set_print(NULL);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		measure(kinds[i], atoi(argv[1]), atol(argv[2]));
	return 0;
}
