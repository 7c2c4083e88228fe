/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that runs beside the tool's own, in an object of its own, on the tracepoint that its SEC() names.
 *
 *	if (side_program__begin(&side, &fault))
 *		return ...
 *	skel = NAME_bpf__open_opts(&side.opts);
 *	...					read-only data, maps of other objects, side.layout
 *	err = side_program__attach(&side, skel ? skel->skeleton : NULL, &fault);
 */
#ifndef PROBELIGHT_SIDE_PROGRAM_H
#define PROBELIGHT_SIDE_PROGRAM_H

#include <bpf/libbpf.h>

#include "lib/print/fault.h"

struct side_program {
	struct layout *layout;
	struct bpf_object_open_opts opts;
};

/* 0, and side_program__attach() must follow; or -errno. */
int side_program__begin(struct side_program *side, struct fault *fault);

/*
 * Loads and attaches.  skeleton: NULL where it could not be opened, with errno still as it was.  0 or -errno; the skeleton stays the
 * caller's, who destroys it in both cases.
 */
int side_program__attach(struct side_program *side, struct bpf_object_skeleton *skeleton, struct fault *fault);

#endif
