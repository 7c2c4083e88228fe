/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows on a terminal: a table that fits its width, and the header again after each screenful. */
#ifndef PROBELIGHT_TERMINAL_H
#define PROBELIGHT_TERMINAL_H

#include <stddef.h>

struct out;

/* How many characters a line of the terminal has that out prints to; 0: it prints JSON, or into a file or a pipe. */
size_t terminal__columns(const struct out *out);

/*
 * Inside of out__header(), the first time: makes the columns that are shown fit the terminal that out prints to. Wide
 * columns of text become narrower, to TERMINAL_NARROWEST characters, then those of out->spare go, in its order, until
 * the table fits. Nothing is done for a file or a pipe, or JSON.
 */
#define TERMINAL_NARROWEST 12
void terminal__fit(struct out *out);

/* Inside of out__flush(): writes the header again, before the rows that are pending, if it has left the screen. */
void terminal__repeat_header(struct out *out);

#endif
