/* SPDX-License-Identifier: BSD-2-Clause */
/* Which tasks -f follows: one bit for each number that a task can have. */
#ifndef PROBELIGHT_CHILDREN_H
#define PROBELIGHT_CHILDREN_H

#define CHILDREN_NUMBERS (4 * 1024 * 1024)	/* PID_MAX_LIMIT, include/linux/threads.h: no task has a higher number */
#define CHILDREN_WORD_BITS 64
#define CHILDREN_WORDS (CHILDREN_NUMBERS / CHILDREN_WORD_BITS)

#endif
