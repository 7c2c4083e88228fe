/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of functions by their addresses, in a table that a program searches (bpf/addresses.bpf.h, funccount/addresses.h). */
#ifndef PROBELIGHT_SHARED_ADDRESSES_H
#define PROBELIGHT_SHARED_ADDRESSES_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define ADDRESSES_TRIES 4	/* places where an address may be: the first is the upper bits of a product */

struct address_place {
	__u64 address;		/* 0: free */
	__u64 number;
};

#endif
