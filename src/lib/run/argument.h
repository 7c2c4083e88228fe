/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and lists of words on a command line.  What is none ends the run with a line that names the option, and exit status 2. */
#ifndef PROBELIGHT_ARGUMENT_H
#define PROBELIGHT_ARGUMENT_H

#include <stdint.h>

/* The largest number that a task can have: PID_MAX_LIMIT, include/linux/threads.h. */
#define ARGUMENT_PID_MAX (4 * 1024 * 1024)

/* A whole decimal number from min to max, with nothing before or behind it. */
uint64_t argument__number(const char *option, const char *text, uint64_t min, uint64_t max);

/* Seconds above 0 with an optional fraction ("1", "0.5"), in nanoseconds. */
uint64_t argument__seconds(const char *option, const char *text);

/* Milliseconds from 0 on with an optional fraction ("10", "0.5"), in nanoseconds. */
uint64_t argument__milliseconds(const char *option, const char *text);

/*
 * How long something takes, from 0 on, in nanoseconds: a number with an optional fraction and its unit ("10ms", "500us",
 * "2s", "800ns").  A number alone is microseconds.
 */
uint64_t argument__time(const char *option, const char *text);

/* "lock,comm": a bit for each of the words, which end with NULL (32 at most), that stands in the list; never 0. */
uint32_t argument__words(const char *option, const char *list, const char *const *words);

#endif
