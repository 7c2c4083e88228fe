/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of C++ and Rust functions as people write them: "_ZN4work4busyEi" is work::busy.  Compilers encode them, and the demangler of
 * GNU binutils (libiberty) decodes them, where the build had it; else names stay as they are.
 *
 * The names come out of files of hostile users.  libiberty limits its depth, and takes no memory but for Rust's punycode; what it makes
 * of a short name may be endless, so it is stopped when the result has DEMANGLED_MAX bytes.
 */
#ifndef PROBELIGHT_DEMANGLE_H
#define PROBELIGHT_DEMANGLE_H

#include <stdbool.h>

#define DEMANGLED_MAX 1023	/* bytes of a result; of a name that would become longer there is none */

/* Whether the build had libiberty. */
bool demangle__is_there(void);

/* The name without its parameters, untrusted bytes, freed by the caller; NULL: it is none that is encoded, or there is no memory. */
char *demangle(const char *name);

/* The same for a type's name, as std::type_info has it: "St13runtime_error" is std::runtime_error, "i" is int. */
char *demangle_type(const char *name);

#endif
