/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A BTF of only the types and members that a program asks for, taken from a larger one: what CO-RE finds in it, it
 * would find in the larger one too, at the same offsets and with the same sizes and kinds.  The members that are not
 * asked for are left out; pointers point to void, since CO-RE does not follow them.
 */
#ifndef PROBELIGHT_MINBTF_H
#define PROBELIGHT_MINBTF_H

#include <stdbool.h>
#include <stddef.h>

#include <bpf/btf.h>

#include "lib/btf/rawbtf.h"
#include "relos.h"

/* One thing that is asked for. */
struct minbtf_want {
	const char *root;		/* the name of the type that the access starts from */
	__u32 kind;			/* its kind, BTF_KIND_…; an enum stands for both sizes of enums */
	const char *enumerator;		/* of an enum, or NULL */
	int steps_count;		/* of a field's access; 0: only the type itself, its size and its shape */
	struct relo_step *steps;	/* as of relo__steps(); only names and array steps count */
};

/*
 * Adds to `to` what the wants find in raw, under the names that it has there.  What is not found is left out.  Where
 * two types of raw have the same name, both are added.  0, or -errno: -EINVAL for damaged BTF, -ENOMEM.
 */
int minbtf__add(struct btf *to, struct rawbtf *raw, const struct minbtf_want *wants, size_t wants_count);

#endif
