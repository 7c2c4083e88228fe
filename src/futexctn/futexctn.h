/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUTEXCTN_H
#define PROBELIGHT_FUTEXCTN_H

#include "lib/shared/stack.h"

/* What is counted apart. */
struct futexctn_key {
	struct stack_key waiter;	/* the first member: what lib/run/stack_report knows */
	__u64 lock;			/* the futex' address in the process */
};

struct futexctn_counts {
	struct stack_value others;	/* of the keys without room */
};

/* Numbers of system calls, of the machine's own ABI and of the 32-bit one; those that there are not are FUTEXCTN_NO_CALL. */
enum futexctn_call {
	FUTEXCTN_FUTEX,
	FUTEXCTN_TIME64,	/* futex() with 64-bit times, of 32-bit programs */
	FUTEXCTN_WAIT,		/* futex_wait(), since Linux 6.7 */
	FUTEXCTN_WAITV,		/* futex_waitv(), since 5.16: for one of several */
	FUTEXCTN_RESTART,	/* restart_syscall(), by which a wait with a timeout goes on after a signal without a handler */
	FUTEXCTN_CALLS,
};
#define FUTEXCTN_NO_CALL 0xffffffff

/* Operations of futex() that wait (include/uapi/linux/futex.h), as bits. */
#define FUTEXCTN_OP_WAIT (1 << 0)
#define FUTEXCTN_OP_BITSET (1 << 9)
#define FUTEXCTN_OP_PI (1 << 6 | 1 << 13)
#define FUTEXCTN_OP_REQUEUE (1 << 11)
#define FUTEXCTN_OP_WAITV (1u << 31)	/* futex_waitv(); futex() has no such operation */
#define FUTEXCTN_OPS (FUTEXCTN_OP_WAIT | FUTEXCTN_OP_BITSET | FUTEXCTN_OP_PI | FUTEXCTN_OP_REQUEUE | FUTEXCTN_OP_WAITV)
#define FUTEXCTN_OP_MASK 0x7f	/* above it: private, which clock */

#define FUTEXCTN_KEYS 16384
#define FUTEXCTN_WAITS 16384	/* under way at the same time */

#endif
