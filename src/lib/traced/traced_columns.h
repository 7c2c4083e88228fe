/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns and keys of rows about functions that a tool traces, and what their arguments are called. */
#ifndef PROBELIGHT_TRACED_COLUMNS_H
#define PROBELIGHT_TRACED_COLUMNS_H

#include "traced.h"

/*
 * The names and types of the functions' parameters, from the BTF of the kernel and of its modules: *prototypes is to be freed by
 * prototypes__free(); NULL, and the user is told so, where the kernel's cannot be read.  tool->err.
 */
struct prototypes;
int traced__load_prototypes(const struct traced *traced, struct tool *tool, struct prototypes **prototypes);

/* That of a function of the list; NULL: it is not known, or prototypes are NULL. */
struct prototype;
const struct prototype *traced__prototype(const struct traced *traced, const struct prototypes *prototypes, size_t number);

/* The columns FUNCTION and MODULE of a row; NULL: it is not known. */
void traced__put(struct out *out, const struct function *function);

/* The same columns, of "NAME" or "NAME [MODULE]", as names__of() has it. */
void traced__put_named(struct out *out, const char *text);

/* The column ARGS: the first values_count values, by the names and types of a prototype.  0: they are not known. */
void traced__put_args(struct out *out, const struct prototype *prototype, const uint64_t *values, size_t values_count);

/* What a call returned, by the type of a prototype (NULL: it is not known), as text.  False: the function returns nothing. */
#define TRACED_RESULT_MAX 32
bool traced__write_result(const struct prototype *prototype, uint64_t bits, char text[TRACED_RESULT_MAX]);

/* "NAME", "NAME [MODULE]" of a function. */
#define TRACED_NAME_MAX (KSYMS_NAME_MAX + KSYMS_MODULE_MAX + 4)
void traced__text(const struct function *function, char text[TRACED_NAME_MAX]);

/* Such a text as the key of a table: "function = NAME [MODULE]", {"function":"NAME","module":"MODULE"}. */
struct interval_key;
void traced__describe(struct interval_key *to, const char *text);

/* The index of the function of such a text, "NAME" or "NAME [MODULE]"; SIZE_MAX: there is none. */
size_t traced__find_named(const struct traced *traced, const char *text);

#endif
