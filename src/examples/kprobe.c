/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include "kprobe.skel.h"
#include "lib/kernel/arming.h"

static int fail(const char *why)
{
	fprintf(stderr, "kprobe: %s\n", why);
	return 1;
}

/* The function's name up to Linux 6.12, and the one on 7.2: one of them never exists. */
static struct bpf_link *attach(struct bpf_program *program, bool at_return)
{
	struct bpf_link *link = bpf_program__attach_kprobe(program, at_return, "do_unlinkat");

	return link ? link : bpf_program__attach_kprobe(program, at_return, "filename_unlinkat");
}

static void destroy(void *skel)
{
	kprobe_bpf__destroy(skel);
}

int main(void)
{
	struct kprobe_bpf *skel;
	int err, signal;
	struct fault fault;
	sigset_t ends;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	skel = kprobe_bpf__open_and_load();
	if (!skel) {
		perror("kprobe: cannot be loaded (run it with sudo)");
		return 1;
	}
	/* a hook that comes or goes while all are switched off damages the kernel */
	if (arming__begin(&fault))
		return fail(fault.text);
	skel->links.unlink_enter = attach(skel->progs.unlink_enter, false);
	skel->links.unlink_exit = attach(skel->progs.unlink_exit, true);
	err = skel->links.unlink_enter && skel->links.unlink_exit ? 0 : -1;
	if (arming__end(err, destroy, skel, &fault))
		return fail(err ? "cannot be attached" : fault.text);
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	sigwait(&ends, &signal);
	disarming__await();
	kprobe_bpf__destroy(skel);
	disarming__end();
	return 0;
}
