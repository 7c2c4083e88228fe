/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of an event as BTF: a struct that a program's own struct for the event is relocated against. */
#ifndef PROBELIGHT_TPBTF_H
#define PROBELIGHT_TPBTF_H

#include <bpf/btf.h>

#include "lib/format/format.h"

/* Zeroed but for target before the first use. */
struct tpbtf {
	struct btf *target;		/* what the structs are added to */

	/* the rest is tpbtf.c's */
	const struct btf *btf;
	int int_ids[4][2];		/* in target, by log2(size) and sign; 0: not there yet */
	int pointer_id;
};

/*
 * Adds a struct with the name that the struct of that id in btf (the program's) has, its flavour left out: of the
 * members that it declares those that the kernel has, in the kernel's order, with the offsets in the context
 * (ctx__offset()) and the kernel's sizes.  0 or -errno.
 */
int tpbtf__add(struct tpbtf *tpbtf, const struct format *format, const struct btf *btf, __u32 struct_id);

#endif
