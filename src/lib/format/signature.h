/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program on a function, a tracepoint or a system call gets, as C declares it: the parameters of BPF_KPROBE() and similar macros.
 *
 * A program may be compiled with a vmlinux.h of another kernel. So numbers with a type of the kernel's own (typedefs, enums) have one of
 * the same size and sign that each vmlinux.h has (u64 for size_t, u32 for an enum), structs that pointers lead to can be declared before
 * the program, and what else pointers lead to is void. A bool is a u8: the macros convert a whole register, and of that a bool has one
 * byte only.
 */
#ifndef PROBELIGHT_SIGNATURE_H
#define PROBELIGHT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "lib/btf/rawbtf.h"
#include "lib/print/fault.h"

#define SIGNATURE_PARAMS 12		/* MAX_BPF_FUNC_ARGS of the kernel */
#define SIGNATURE_TYPE_MAX 192
#define SIGNATURE_NAME_MAX 128

struct signature_value {
	char name[SIGNATURE_NAME_MAX];		/* of the program's parameter; "ctx" is the macro's own, and becomes ctx_ */
	char type[SIGNATURE_TYPE_MAX];		/* "u16", "struct filename *" */
	char declared[SIGNATURE_TYPE_MAX];	/* as the kernel has it: "umode_t", "struct filename *" */
};

struct signature {
	struct signature_value params[SIGNATURE_PARAMS];
	size_t count;
	struct signature_value result;		/* type "": none (void) */
};

/* What a signature is made of. */
struct signature_source {
	const char *what;	/* for messages: "kprobe/vfs_open" */
	const char *name;	/* of the function (BTF_KIND_FUNC) in the kernel's BTF */
	/* a typedef of a pointer to such a function, which tells where BTF has no function of that name; or NULL */
	const char *pointer;
	unsigned first;		/* the first parameter that is an argument */
};

/*
 * Finds the function of that name in raw, which was not scanned yet. 0, or -errno with one line in fault: -ENOENT where BTF does not have
 * it, -ENOTUNIQ where it has several that differ, -E2BIG with more than SIGNATURE_PARAMS parameters, -EOPNOTSUPP where it is variadic, or
 * has a struct as a parameter or a result, whose place depends on its size.
 */
int signature__find(struct signature *signature, struct rawbtf *raw, const struct signature_source *source, struct fault *fault);

/* Adds a parameter to a signature that was made empty (zeroed): a field of a format that was made of arguments (made_format.h). */
void signature__add(struct signature *signature, const struct format_field *field);

/* Writes the parameters as they stand in BPF_KPROBE(): ", int dfd, struct filename *name". */
void signature__put_params(const struct signature *signature, struct text_buffer *to);

/* Writes the kernel's own declaration: "int do_unlinkat(int dfd, struct filename *name)". */
void signature__put_declared(const struct signature *signature, const char *name, struct text_buffer *to);

/* Writes a type and a name as C has them: "int dfd", "struct filename *name". */
void signature__put_value(const char *type, const char *name, struct text_buffer *to);

/* The name of the struct or union that a type (signature_value's) points to, with its first word, into to: "struct filename"; or false. */
bool signature__struct_of(const char *type, char to[SIGNATURE_TYPE_MAX]);

#endif
