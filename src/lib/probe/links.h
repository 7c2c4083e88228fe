/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds a skeleton's programs to their hooks. */
#ifndef PROBELIGHT_LINKS_H
#define PROBELIGHT_LINKS_H

#include <bpf/libbpf.h>

/*
 * Detaches all, at the same time: each link waits for RCU grace periods several times, partly under a lock of the kernel's
 * (event_mutex).  killsnoop's nine probes took 169 ms so, one after the other 349 (6.1, bench/README.md).  The skeleton's links
 * are NULL then.
 */
void links__detach(struct bpf_object_skeleton *skeleton);

/*
 * Detaches those that see something begin, kprobes and fentry.  What they have seen goes on to be seen when it ends, by those
 * that stay: what is left over then was missed, or has not ended.
 */
void links__detach_entries(struct bpf_object_skeleton *skeleton);

#endif
