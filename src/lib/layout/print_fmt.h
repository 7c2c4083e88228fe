/* SPDX-License-Identifier: BSD-2-Clause */
/* What a print fmt says of one field: "prev_pid=%d …", REC->prev_pid, … */
#ifndef PROBELIGHT_PRINT_FMT_H
#define PROBELIGHT_PRINT_FMT_H

#include <stdbool.h>
#include <stddef.h>

#define PRINT_FMT_CONVERSION_SIZE 8

/*
 * How the value of the field is printed, where it is an argument by itself (with casts and parentheses around it): "d", "x", "s",
 * "pI4", without width and length.  Whether it is one; conversion has PRINT_FMT_CONVERSION_SIZE bytes.
 */
bool print_fmt__conversion(const char *print_fmt, const char *field, char *conversion);

/*
 * The text that stands for no flag at all, `FIELD ? __print_flags(REC->FIELD, …) : "R"`.  Whether there is one, shorter than size.
 */
bool print_fmt__none(const char *print_fmt, const char *field, char *none, size_t size);

#endif
