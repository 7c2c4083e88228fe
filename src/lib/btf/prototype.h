/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and types of functions' parameters, out of the kernel's BTF. */
#ifndef PROBELIGHT_PROTOTYPE_H
#define PROBELIGHT_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/shared/call_args.h"

#define PROTOTYPE_PARAMS CALL_ARGS	/* those that are passed in registers */

/* A parameter, or what a function returns. */
struct prototype_value {
	const char *name;	/* NULL: it has none */
	uint8_t bytes;		/* 1 to 8; 0: it is no number (a struct, which takes other registers; nothing) */
	bool is_signed, is_pointer, is_bool;
};

struct prototype {
	bool known;
	bool more;		/* it has other parameters behind these */
	size_t count;
	struct prototype_value params[PROTOTYPE_PARAMS];
	struct prototype_value result;
};

/*
 * Adds the value that is in the lower bytes of a register: a number, "true", a pointer in hexadecimal, as which the unknown
 * is shown, too.
 */
struct text_buffer;
void prototype_value__add(struct text_buffer *text, const struct prototype_value *value, uint64_t bits);

/*
 * The arguments of a call, "NAME=VALUE" each ended by a 0 byte, and "..." where there are others; values are those of the first values_count
 * parameters.  How many bytes; what does not fit is cut.
 */
size_t prototype__list(const struct prototype *prototype, const uint64_t *values, size_t values_count, char *list, size_t size);

struct prototypes;

#define PROTOTYPES_BTF "/sys/kernel/btf/vmlinux"

/*
 * Those of functions in a file of BTF (PROTOTYPES_BTF: the kernel itself), one for each name, in its order.  modules[i] is the module
 * that functions[i] is of, or NULL: the kernel's; modules may be NULL, too.  A module's BTF is beside the kernel's, under its name, since
 * Linux 5.11.  Where there is none of that name or no such BTF, or more than one of different types, prototype.known is false.  Both lists
 * are needed during the call only.  NULL with errno where the kernel's BTF cannot be read.  prototypes__free() takes NULL.
 */
struct prototypes *prototypes__load(const char *btf, const char *const *functions, const char *const *modules, size_t count);
const struct prototype *prototypes__at(const struct prototypes *prototypes, size_t number);
void prototypes__free(struct prototypes *prototypes);

#endif
