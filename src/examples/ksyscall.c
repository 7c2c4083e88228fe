/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "ksyscall.skel.h"
#include "lib/kernel/switches.h"

/* Waits for Ctrl-C, and then for the switch of all function hooks: one that goes while it is off damages the kernel. */
static void wait_for_the_end(const sigset_t *ends)
{
	int signal;

	sigwait(ends, &signal);
	while (switches__hold_ftrace() < 0)
		sleep(1);
}

int main(void)
{
	struct ksyscall_bpf *skel;
	sigset_t ends;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (switches__ftrace_is_off()) {
		fputs("ksyscall: function hooks are switched off (sysctl kernel.ftrace_enabled=1)\n", stderr);
		return 1;
	}
	skel = ksyscall_bpf__open_and_load();
	if (!skel || ksyscall_bpf__attach(skel)) {
		perror("ksyscall: cannot be loaded or attached (run it with sudo)");
		ksyscall_bpf__destroy(skel);
		return 1;
	}
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	wait_for_the_end(&ends);
	ksyscall_bpf__destroy(skel);
	switches__release_ftrace();
	return 0;
}
