/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include "vfs_open.skel.h"
#include "lib/kernel/arming.h"

static int fail(const char *why)
{
	fprintf(stderr, "vfs_open: %s\n", why);
	return 1;
}

static void destroy(void *skel)
{
	vfs_open_bpf__destroy(skel);
}

int main(void)
{
	struct vfs_open_bpf *skel;
	int err, signal;
	struct fault fault;
	sigset_t ends;

	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	/* a hook that comes or goes while all are switched off damages the kernel */
	if (arming__begin(&fault))
		return fail(fault.text);
	skel = vfs_open_bpf__open_and_load();
	err = skel ? vfs_open_bpf__attach(skel) : -errno;
	if (arming__end(err, destroy, skel, &fault)) {
		if (!err)
			return fail(fault.text);
		errno = -err;
		perror("vfs_open: cannot be loaded or attached (run it with sudo)");
		return 1;
	}
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	sigwait(&ends, &signal);
	disarming__await();
	vfs_open_bpf__destroy(skel);
	disarming__end();
	return 0;
}
