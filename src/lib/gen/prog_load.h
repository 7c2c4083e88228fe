/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands between libbpf and bpf(BPF_PROG_LOAD): the linker leads libbpf's calls of bpf_prog_load() here (--wrap, see the Makefile), with
 * the programs as the kernel would get them.  What their constants rule out is left out (prune.h), and so are the lines of the sources,
 * which no tool shows.  A program that the kernel refuses so is loaded as it was, so that the reason is about that one.
 */
#ifndef PROBELIGHT_PROG_LOAD_H
#define PROBELIGHT_PROG_LOAD_H

#include <bpf/bpf.h>

/* bpf_prog_load() as of libbpf: a descriptor, or -errno, which errno has, too. */
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license, const struct bpf_insn *insns, size_t count,
	struct bpf_prog_load_opts *opts);

/* libbpf's own. */
int __real_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license, const struct bpf_insn *insns, size_t count,
	struct bpf_prog_load_opts *opts);

#endif
