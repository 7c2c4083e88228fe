/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on files, as programs (bpf/file_op.bpf.h) and the user side (run/file_ops.h) name them. */
#ifndef PROBELIGHT_FILE_OP_H
#define PROBELIGHT_FILE_OP_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum file_op {
	FILE_READ,
	FILE_WRITE,
	FILE_OPEN,
	FILE_SYNC,
	FILE_CREATE,	/* an open that has made the file; seen at its end */
	FILE_OPS,
};

/* How an operation was asked for. */
enum file_via {
	FILE_VIA_CALL,	/* by a system call that waits for it */
	FILE_VIA_URING,
	FILE_VIA_AIO,	/* io_submit(2) */
	FILE_VIAS,
};

/*
 * What a call does, by its number, as bits, so that programs need no branches; 0: nothing with files.  The second file is always one that
 * is written to.
 */
enum file_call_kind {
	FILE_CALL_OP = 0x03,		/* enum file_op of the first file */
	FILE_CALL_FIRST_IS_1 = 0x04,	/* its descriptor is argument 1, not 0; that of an open is the result */
	FILE_CALL_SECOND = 0x08,	/* there is a second file */
	FILE_CALL_SECOND_IS_2 = 0x10,	/* its descriptor is argument 2, not 0 */
	FILE_CALL_AIO = 0x20,		/* it makes requests that the tool does not probe: that is told, and nothing else */
	FILE_CALL = 0x80,		/* in all of them */
};

#define FILE_CALL_NUMBERS 576	/* SYSCALL_NUMBERS of lib/print/syscall_names.h; those of 32-bit calls come behind */
#define FILE_NAME_SIZE 256	/* NAME_MAX, and the 0 byte */
#define FILE_SYSTEM_SIZE 16	/* the name of a type of file systems; longer ones are cut */

#endif
