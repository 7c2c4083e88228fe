/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libbpf asks the kernel at each start by making maps and loading programs, and what all kernels from 5.10 on, the oldest one here,
 * answer alike: they have global data, bpf_probe_read_kernel(), maps bound to programs and mapped arrays.  These questions are not put:
 * a program for each is verified, compiled and freed again, and a start without them takes 0.25 million instructions less (6.1).
 *
 * They are known by what they are made of (features.c of libbpf 1.4).  One that another libbpf asks in other ways is put.  Whether
 * programs can be loaded at all is asked, as messages depend on it.  Of what one question asks, tags of arguments (arg:ctx), the tools have
 * none, so that the answer is the same to them.
 */
#ifndef PROBELIGHT_QUESTIONS_H
#define PROBELIGHT_QUESTIONS_H

#include <bpf/bpf.h>

/*
 * A descriptor in place of the map or the program, to be closed, where it is for such a question.  Otherwise, or where there is no
 * descriptor, -1, and it has to be made.
 */
int questions__map(const char *name);
int questions__program(enum bpf_prog_type type, const char *name, const struct bpf_insn *insns, size_t count);

/* bpf_map_create() and bpf_prog_bind_map() as of libbpf, which the linker leads here (--wrap, see the Makefile). */
int __wrap_bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_size, __u32 value_size, __u32 max_entries,
	const struct bpf_map_create_opts *opts);
int __wrap_bpf_prog_bind_map(int program, int map, const struct bpf_prog_bind_opts *opts);

/* libbpf's own. */
int __real_bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_size, __u32 value_size, __u32 max_entries,
	const struct bpf_map_create_opts *opts);
int __real_bpf_prog_bind_map(int program, int map, const struct bpf_prog_bind_opts *opts);

#endif
