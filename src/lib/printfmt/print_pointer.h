/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's %p prints of bytes: addresses, UUIDs, hexadecimal digits (Documentation/core-api/printk-formats.rst). */
#ifndef PROBELIGHT_PRINT_POINTER_H
#define PROBELIGHT_PRINT_POINTER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the conversion of a field of so many bytes is known (0: it is dynamic): pI4, pI6, pI6c, pIS (with p: the port), pM, pU, ph.
 */
bool print_pointer__is_known(const char *conversion, size_t size);

#define PRINT_POINTER_MAX (3 * 64 + 1)	/* bytes of a text: the kernel shows 64 bytes by ph */

/* The text, with a 0 byte, in PRINT_POINTER_MAX bytes at `to`. False where there are fewer bytes than it takes. */
bool print_pointer__text(const char *conversion, const void *bytes, size_t size, char *to);

#endif
