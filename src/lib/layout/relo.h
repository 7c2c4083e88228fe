/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CO-RE relocation record: the field, type or enumerator that an instruction asks for (struct bpf_core_relo in linux/bpf.h,
 * Documentation/bpf/llvm_reloc.rst), and whether a kernel's BTF has it.
 */
#ifndef PROBELIGHT_RELO_H
#define PROBELIGHT_RELO_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/btf.h>

/* One record.  The strings lie in btf or in the ELF bytes. */
struct relo {
	enum bpf_core_relo_kind kind;
	__u32 root_id;			/* in the object's BTF: the type that the access starts from */
	const char *access;		/* "0:1:2": indexes of array elements and members */
	const char *function;		/* the program or subprogram that the instruction is in */
	bool in_program;		/* false: a subprogram (.text) */
	bool is_access;			/* the instruction reads or writes the field; false: it uses the number */
};

/* One step of an access: a named member of a struct or union, or an element of an array (name NULL). */
struct relo_step {
	const char *name;
	__u32 index;			/* of the element, or of the member in the struct */
	__u32 type_id;			/* of the member or the element */
};

#define RELO_STEPS_MAX 64		/* as libbpf has it */

/*
 * The steps of a field's access; steps has room for RELO_STEPS_MAX.  Anonymous structs on the way give no step.
 * The first step is the index into the root type taken as an array, 0 but for &pointer[2].  Their number, or -EINVAL.
 */
int relo__steps(const struct relo *relo, const struct btf *btf, struct relo_step *steps);

/* The enumerator that an enum's relocation is about; NULL: the record is wrong. */
const char *relo__enumerator(const struct relo *relo, const struct btf *btf);

bool relo__is_field(const struct relo *relo);
bool relo__is_enumerator(const struct relo *relo);
/* Asks whether something exists, and so needs no error where it does not. */
bool relo__is_question(const struct relo *relo);

/*
 * Whether CO-RE finds in target what the record asks for, by libbpf's rules: a type of the same name (but for flavours)
 * and kind, in it the members of the same names and of kinds that fit, in arrays the elements.  Always true for what
 * needs no target.
 */
bool relo__is_found(const struct relo *relo, const struct btf *btf, const struct btf *target);

/* The type behind typedefs and qualifiers, of which *id becomes the id; NULL for void. */
const struct btf_type *relo__resolve(const struct btf *btf, __u32 *id);

/* Length of a type's name without a flavour: "task_struct___old" is "task_struct" (libbpf's rule). */
size_t relo__essential_length(const char *name);

#endif
