/* SPDX-License-Identifier: BSD-2-Clause */
/* One program on many functions by one link. */
#ifndef PROBELIGHT_ATTACH_MANY_H
#define PROBELIGHT_ATTACH_MANY_H

#include <stdint.h>

#include "attach.h"

/*
 * Attaches a program in section "kprobe.multi" (or "kretprobe.multi") to functions by their addresses, as /proc/kallsyms has them;
 * by name the kernel would search all symbols for each before 7.0 (81 M instructions for 100 functions on 6.12, by address 8.3).
 * All or nothing: an address that cannot be traced fails the whole.  Only where attempt__has_multi().  *link is the caller's.
 * Returns attach->err, with attach->error set.
 */
int attach__many(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const uint64_t *addresses,
		 size_t count);

/*
 * The same for a program of tracing__target(), of type TRACING_KPROBE_SESSION.  The link is kept by links__own().
 */
int attach__many_sessions(struct attach *attach, struct bpf_program *program, const uint64_t *addresses, size_t count);

/*
 * The same, of the other types, by the functions' ids in the kernel's BTF.  cookies: what bpf_get_attach_cookie() tells the
 * program, for each; or NULL.  All or nothing, too: of 10,000 functions the kernel refused 15 (variable arguments, large
 * ones), so an error does not stick to attach->err: it is returned.
 */
int attach__many_ids(struct attach *attach, struct bpf_program *program, const uint32_t *ids, const uint64_t *cookies, size_t count);

/* The bare system calls, which libbpf 1.4 has not: a descriptor or -errno. */
int attach_many__link_probes(int program_fd, int attach_type, const uint64_t *addresses, size_t count);
int attach_many__link_functions(int program_fd, int attach_type, const uint32_t *ids, const uint64_t *cookies, size_t count);

#endif
