/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of probed.h while it is filled, from several sources.  For probed.c, bpf_links.c and event_users.c. */
#ifndef PROBELIGHT_GATHER_H
#define PROBELIGHT_GATHER_H

#include <stdbool.h>

#include "probed.h"

struct gather {
	struct probed_list *list;
	const struct ksyms *ksyms;
	probed_wanted wanted;
	void *context;
	bool counts_runs;	/* of BPF programs */
	struct btf *vmlinux;	/* once a program on a trampoline was met */
};

/* Adds a note to the list, unless it is there already. */
void __attribute__((format(printf, 2, 3))) gather__note(struct gather *gather, const char *format, ...);

/* Takes over what is in probed, or frees it and returns NULL where it is not wanted. */
struct probed *gather__add(struct gather *gather, struct probed *probed);

/* Sets function, module and offset from probed->address, where the kernel's symbols have it. */
void gather__place(const struct gather *gather, struct probed *probed);

/* Sets name, type and runs of the program of probed->program_id (bpf_links.c); counts_runs: the kernel counts them. */
void probed__describe_program(struct probed *probed, bool counts_runs);

/* Adds what BPF programs are attached to (bpf_links.c). */
void gather__bpf(struct gather *gather);

/* A copy in which "kprobe_ftrace_handler+0x0/0x1d0" is "kprobe_ftrace_handler"; the caller frees it (probed_lines.c). */
char *probed__without_sizes(const char *text);

#endif
