/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks the kernel for the names of addresses in its code, by a program of the object that lib/bpf/stack_names.bpf.h is in.  Where the
 * kernel has no such programs (before 5.14) lib/kernel/places reads /proc/kallsyms.
 */
#ifndef PROBELIGHT_NAMER_H
#define PROBELIGHT_NAMER_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/kernel/places.h"
#include "lib/shared/stack.h"

struct namer {
	int program;			/* -1: none */
	struct stack_names *batch;	/* shared with it; NULL: none */
};

/* Whether this kernel can. */
bool namer__is_there(void);

/* Leaves the program out where it cannot; between open and load. */
void namer__prepare(const struct bpf_object *object);

/*
 * Once the object, NULL for none, is loaded, before capabilities are dropped.  Without the program, which is no error, it opens
 * /proc/kallsyms.  0 or -errno.  namer__close() releases it, also a zeroed one.
 */
int namer__open(struct namer *namer, const struct bpf_object *object);
void namer__close(struct namer *namer);

/* Puts an address on the list, unless places knows it; asks where the list is full.  0 or -errno. */
int namer__add(struct namer *namer, struct places *places, uint64_t address);

/* Asks for what is on the list; the names go to places.  0 or -errno. */
int namer__ask(struct namer *namer, struct places *places);

#endif
