/* SPDX-License-Identifier: BSD-2-Clause */
/* A table that is shown again and again in the same place of a terminal. */
#ifndef PROBELIGHT_SCREEN_H
#define PROBELIGHT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct out;

/* Whether out prints text on a terminal that can be cleared; TERM=dumb, or none, says that it cannot.  A file or a pipe is none. */
bool screen__is_there(const struct out *out);

/* Clears it: what out prints next begins at its top.  Nothing is written before out__flush(), so that it does not flicker. */
void screen__clear(struct out *out);

/* How many lines the terminal has now; 0: not known, or out is none. */
size_t screen__lines(const struct out *out);

#endif
