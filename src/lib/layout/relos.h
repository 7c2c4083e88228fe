/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CO-RE relocation records of a compiled BPF object: which fields of which types its programs ask for.  libbpf
 * applies them at load and does not show them, so they are read from the object's ELF bytes (.BTF.ext, described in
 * Documentation/bpf/btf.rst, section 4.2; struct bpf_core_relo in linux/bpf.h).
 */
#ifndef PROBELIGHT_RELOS_H
#define PROBELIGHT_RELOS_H

#include <stddef.h>

#include "relo.h"

struct relos {
	struct relo *list;
	size_t count;
};

/*
 * Reads them from the ELF bytes of an object, of which btf is bpf_object__btf().  They are in the order of the file.
 * 0 and *relos, released by relos__free(); bytes and btf must live as long.  -EINVAL: no BPF object.
 */
int relos__read(struct relos *relos, const struct btf *btf, const void *elf, size_t size);
void relos__free(struct relos *relos);

#endif
