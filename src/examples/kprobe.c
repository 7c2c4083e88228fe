/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <unistd.h>
#include "kprobe.skel.h"

/* The function's name up to Linux 6.12, and the one on 7.2: one of them never exists. */
static struct bpf_link *attach(struct bpf_program *program, bool at_return)
{
	struct bpf_link *link = bpf_program__attach_kprobe(program, at_return, "do_unlinkat");

	return link ? link : bpf_program__attach_kprobe(program, at_return, "filename_unlinkat");
}

int main(void)
{
	struct kprobe_bpf *skel;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
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
	pause();	/* the kernel detaches everything when the process ends */
	return 0;
}
