/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of names that were printed last, for the lists that print fmts have.  Most fields with names have a dozen different values,
 * and one with eight flags takes 5,700 instructions to print (prev_state of sched_switch): more than the rest of its row.
 */
#ifndef PROBELIGHT_KEPT_NAMES_H
#define PROBELIGHT_KEPT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define KEPT_NAME_MAX 45

struct kept_name {
	uint64_t value;
	uint32_t list;			/* 0: there is none */
	int length;			/* of the text, or -errno: it cannot be printed */
	bool is_unnamed;		/* the text is a number */
	char text[KEPT_NAME_MAX];
};

/* A number for a list, which no other one gets; 0: there are none left, and its names are not kept. */
uint32_t kept_names__new_list(void);

/* The name of a value of the list (not 0); NULL: it is not known.  Valid until the next one is kept. */
const struct kept_name *kept_names__find(uint32_t list, uint64_t value);

/* Keeps it, in place of another one, unless it is too long. */
void kept_names__keep(uint32_t list, uint64_t value, const char *text, int length, bool is_unnamed);

#endif
