/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place in the kernel's memory that is watched, and what an access to it shows:
 *
 *	SYMBOL[+OFFSET][:SIZE][:w|rw|r]
 *	0xADDRESS[:SIZE][:w|rw|r]
 */
#ifndef PROBELIGHT_WATCH_H
#define PROBELIGHT_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"
#include "lib/print/fault.h"

#define WATCH_SYSTEM "w"
#define WATCH_TAKES "w:SYMBOL[+OFFSET][:SIZE][:w|rw|r] or w:0xADDRESS[:SIZE][:w|rw|r]"

struct watch {
	uint64_t address;
	unsigned size;		/* bytes, 1, 2, 4 or 8, as the address is aligned */
	int type;		/* HW_BREAKPOINT_W and the like, of linux/hw_breakpoint.h */
};

/*
 * Reads one.  Without a size it is the largest that fits before the next symbol.  0; -EINVAL, -ENOENT with one line in fault; as of
 * variable__find().
 */
int watch__parse(struct watch *watch, const char *name, struct fault *fault);

/*
 * Its format: value, what is there when the program runs, and ip, the place in the code that the access was made from; names that are in
 * the grammar of the kernel's probes (fetch.h).  0 and *format, freed by format__free(); -errno with one line in fault.
 */
int watch__format(const char *name, const char *const *names, size_t count, struct format **format, struct fault *fault);

#endif
