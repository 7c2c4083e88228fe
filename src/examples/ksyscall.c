/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <unistd.h>
#include "ksyscall.skel.h"

int main(void)
{
	struct ksyscall_bpf *skel;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	skel = ksyscall_bpf__open_and_load();
	if (!skel || ksyscall_bpf__attach(skel)) {
		perror("ksyscall: cannot be loaded or attached (run it with sudo)");
		ksyscall_bpf__destroy(skel);
		return 1;
	}
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	pause();	/* the kernel detaches everything when the process ends */
	return 0;
}
