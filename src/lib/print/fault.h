/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What went wrong: an error number, and one line for the user without the tool's name in front.
 *
 *	struct fault fault;
 *
 *	if (format__read(name, &format, &fault))
 *		say("%s", fault.text);
 *
 * A function with a fault among its arguments sets it where it returns an error, and else leaves it alone.
 */
#ifndef PROBELIGHT_FAULT_H
#define PROBELIGHT_FAULT_H

#include "text_buffer.h"

#define FAULT_TEXT_MAX 1024		/* with the 0 byte; a longer text is cut */

struct fault {
	int err;			/* -errno */
	char text[FAULT_TEXT_MAX];	/* "": there are no words for it */
};

/* Takes -errno and, as printf(3), the words.  Returns err.  fault may be NULL: nobody wants to know. */
int fault__set(struct fault *fault, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, with words that are added piece by piece. */
struct text_buffer fault__begin(struct fault *fault, int err);

#endif
