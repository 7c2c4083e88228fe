/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FOOCOUNT_H
#define PROBELIGHT_FOOCOUNT_H

#include "lib/shared/event.h"

/* What is counted apart. */
enum foocount_class {
	FOOCOUNT_PROCESSES,
	FOOCOUNT_THREADS,
	FOOCOUNT_CLASSES,
};

/* The cells of a class: words of 64 bits that only grow.  A new count goes here first. */
struct foocount_counts {
	__u64 made;
};

#endif
