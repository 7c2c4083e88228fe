/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that have the pages of a process's texts in memory before they are read.  A program that may not sleep cannot read a page
 * that the process has not touched yet, such as a string constant at its first use; one that may sleep can have the kernel fetch it.
 */
#ifndef PROBELIGHT_TOUCH_H
#define PROBELIGHT_TOUCH_H

#include "emit.h"
#include "lib/format/format.h"

/* Whether the format has fields that are texts of the process. */
bool touch__has_texts(const struct format *format);

/*
 * Writes the function, called with the context in r1, for a sleepable program: of each text the first page, and the next one where it may
 * go on there.  0 or as of emit__finish().
 */
int touch__emit(struct emit *emit, const struct format *format);

/* The same for a program that may not sleep: does nothing. */
int touch__emit_nothing(struct emit *emit);

#endif
