/* SPDX-License-Identifier: BSD-2-Clause */
/* What a BPF program on a tracepoint gets to see of the event's fields: its context, and their names in C. */
#ifndef PROBELIGHT_CTX_H
#define PROBELIGHT_CTX_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"

/*
 * Where the context has a field: its offset in bytes, or -EACCES for one in the first 8 bytes, which hold a pointer
 * of the kernel's own, or -ENOENT for one that the context does not have.  For the events of "syscalls", whose context
 * is a struct of its own (syscall_tp_t in kernel/trace/trace_syscalls.c), it is not what the format says.
 */
int ctx__offset(const struct format *format, const struct format_field *field);

/* Whether the context is the one of system calls, whose arguments have 8 bytes each. */
bool ctx__is_syscall(const struct format *format);

/* Whether the field is one value of 1, 2, 4 or 8 bytes: no array, no struct.  So is the u32 of a dynamic field. */
bool ctx__is_scalar(const struct format_field *field);

/* One number of the context, as a program reads it. */
struct ctx_number {
	int offset;		/* bytes */
	unsigned size;		/* 1, 2, 4 or 8 */
	bool is_signed;
};

/*
 * The number that a field's value is.  Of a system call's argument, for which the context has 8 bytes, as many as its type has:
 * an int is -100 also where the other half is 0.  0; -EINVAL for a dynamic field, an array, a struct; as of ctx__offset().
 */
int ctx__number(const struct format *format, const struct format_field *field, struct ctx_number *number);

#define CTX_MEMBER_NAME_SIZE (FORMAT_NAME_MAX + sizeof("__data_loc_"))

/*
 * Writes the name that a field has in the struct to name, which has room for CTX_MEMBER_NAME_SIZE: "prev_comm",
 * "__data_loc_msg", "__rel_loc_msg".  Returns name.
 */
char *ctx__member_name(const struct format_field *field, char *name);

/* The field of that name in the struct, or NULL; in the context or not. */
const struct format_field *ctx__field(const struct format *format, const char *member_name);

#endif
