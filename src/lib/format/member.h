/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members of what a pointer leads to, out of BTF: the way of "->f_path.dentry->d_name.name" from a struct file *, and what is there.
 */
#ifndef PROBELIGHT_MEMBER_H
#define PROBELIGHT_MEMBER_H

#include "format.h"
#include "lib/btf/rawbtf.h"
#include "lib/print/fault.h"

/* A type as a field of a record has it. */
struct member_type {
	unsigned size;		/* bytes of a number: 1, 2, 4 or 8; 0: it is a text */
	bool is_signed;
	bool is_pointer;
	__u32 enum_id;		/* of the enum that the number is of; else 0 */
};

/* What an argument of this type is: a number, or a text where it is a char *.  Whether it is one of both. */
bool member__type_of(struct rawbtf *raw, __u32 id, struct member_type *type);

/*
 * Follows a path (an operator, a name; "[3]") from an argument of the type with that id.  0 and the hops, what is there and the id of its
 * type; -EINVAL with one line in fault, which tells the part that is wrong and the nearest names.
 */
int member__follow(struct rawbtf *raw, __u32 *id, const char *path, struct format_hops *hops, struct member_type *type,
		   struct fault *fault);

/* The same from a pointer to the struct with that id: path begins with "->". */
int member__follow_in(struct rawbtf *raw, __u32 *id, const char *path, struct format_hops *hops, struct member_type *type,
		      struct fault *fault);

/* Writes a type's name as C has it, "const struct file *", cut to size. */
void member__type_name(struct rawbtf *raw, __u32 id, char *name, size_t size);

#endif
