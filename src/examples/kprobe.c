/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "kprobe.skel.h"
#include "lib/kernel/switches.h"

/* Waits for Ctrl-C, and then for the switch of all function hooks: one that goes while it is off damages the kernel. */
static void wait_for_the_end(const sigset_t *ends)
{
	int signal;

	sigwait(ends, &signal);
	while (switches__hold_ftrace() < 0)
		sleep(1);
}

/* The function's name up to Linux 6.12, and the one on 7.2: one of them never exists. */
static struct bpf_link *attach(struct bpf_program *program, bool at_return)
{
	struct bpf_link *link = bpf_program__attach_kprobe(program, at_return, "do_unlinkat");

	return link ? link : bpf_program__attach_kprobe(program, at_return, "filename_unlinkat");
}

int main(void)
{
	struct kprobe_bpf *skel;
	sigset_t ends;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (switches__ftrace_is_off()) {
		fputs("kprobe: function hooks are switched off (sysctl kernel.ftrace_enabled=1)\n", stderr);
		return 1;
	}
	skel = kprobe_bpf__open_and_load();
	if (!skel) {
		perror("kprobe: cannot be loaded (run it with sudo)");
		return 1;
	}
	skel->links.unlink_enter = attach(skel->progs.unlink_enter, false);
	skel->links.unlink_exit = attach(skel->progs.unlink_exit, true);
	if (!skel->links.unlink_enter || !skel->links.unlink_exit) {
		perror("kprobe: cannot be attached");
		kprobe_bpf__destroy(skel);
		return 1;
	}
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	wait_for_the_end(&ends);
	kprobe_bpf__destroy(skel);
	switches__release_ftrace();
	return 0;
}
