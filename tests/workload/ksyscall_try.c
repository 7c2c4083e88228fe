/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ksyscall_try: loads a program with BPF_KSYSCALL() as a tool with probes does, and prints "loaded", or why attach__prepare()
 * does not let it.  Exit status 0 loaded, 1 not.
 */
#include <stdio.h>

#include "workload/ksyscall_try.skel.h"
#include "lib/probe/attach.h"

int main(void)
{
	struct ksyscall_try_bpf *skel = ksyscall_try_bpf__open();
	struct attach attach = { 0 };

	if (!skel)
		return 2;
	if (!attach__prepare(&attach, skel->obj) && ksyscall_try_bpf__load(skel)) {
		perror("load");
		return 2;
	}
	puts(attach.err ? attach.error : "loaded");
	ksyscall_try_bpf__destroy(skel);
	attach__end(&attach);
	return attach.err ? 1 : 0;
}
