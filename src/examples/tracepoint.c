/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "tracepoint.skel.h"
#include "lib/layout/layout.h"

/* Opens and loads it with the layout that the event's record has on this kernel. NULL after a message. */
static struct tracepoint_bpf *load(void)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts) };
	struct tracepoint_bpf *skel = NULL;
	struct layout *layout;
	struct fault fault;
	const void *elf;
	size_t size = 0;

	if (layout__new(&layout))
		return NULL;
	opts.btf_custom_path = layout__btf_path(layout);
	skel = tracepoint_bpf__open_opts(&opts);
	elf = tracepoint_bpf__elf_bytes(&size);
	if (!skel)
		perror("tracepoint");
	else if (layout__fill(layout, skel->obj, elf, size, &fault))
		fprintf(stderr, "tracepoint: cannot be loaded (run it with sudo): %s\n", fault.text);
	else if (tracepoint_bpf__load(skel) || tracepoint_bpf__attach(skel))
		fprintf(stderr, "tracepoint: cannot be loaded or attached (run it with sudo): %s\n", strerror(errno));
	else
		return skel;
	tracepoint_bpf__destroy(skel);
	return NULL;
}

int main(void)
{
	libbpf_set_print(NULL);		/* what it would say is for those who debug libbpf */
	if (!load())
		return 1;
	puts("attached; see what it prints with: sudo tracepipe (Ctrl-C ends this)");
	fflush(stdout);
	pause();	/* the kernel detaches everything when the process ends */
	return 0;
}
