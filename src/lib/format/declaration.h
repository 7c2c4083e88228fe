/* SPDX-License-Identifier: BSD-2-Clause */
/* An event's context declared in C, as ctxgen writes it and --check compares with. */
#ifndef PROBELIGHT_DECLARATION_H
#define PROBELIGHT_DECLARATION_H

#include <stddef.h>
#include <stdio.h>

#include "format.h"

#define DECLARATION_SIZE (2 * FORMAT_NAME_MAX)

/*
 * Writes the declaration of a field that the context has, with types of fixed width, to text (size bytes; DECLARATION_SIZE
 * is enough): "__s32 prev_pid", "char comm[16]", "const void *sk", "__u32 __data_loc_msg".
 */
void declaration__of(const struct format *format, const struct format_field *field, char *text, size_t size);

/*
 * Writes the struct of an event's own fields, by the name tag, with the print fmt before it, and behind each member where it
 * is on this kernel, its type as the format has it, and for a dynamic one the accessor of lib/bpf/tp.bpf.h.  Errors are to's.
 */
void declaration__put_struct(const struct format *format, const char *tag, FILE *to);

#endif
