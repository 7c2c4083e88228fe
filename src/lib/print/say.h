/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to the user: one line on stderr each, "NAME: what failed: why (what to do)". */
#ifndef PROBELIGHT_SAY_H
#define PROBELIGHT_SAY_H

#include <stdarg.h>

/* The name that every message begins with, the tool's.  name must stay valid; until it is set it is "probelight". */
void say__name(const char *name);

/* The name that was set. */
const char *say__own_name(void);

/*
 * Prints one line; the format has no newline at its end.  It is one write, so that lines of other writers do not mix in.  A
 * message often quotes a name that somebody else chose: text__escape() is applied to all of it.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void vsay(const char *format, va_list args);

/*
 * "NAME: warning: …": what the user does without.  It waits for say__started(): a start that fails has one reason, and its line
 * stands alone.  The program may end without having started; what waits is then never printed.
 */
void say__warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The start has succeeded: prints the warnings that wait, in their order; from now on they are printed at once. */
void say__started(void);

#endif
