/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs and the user side share about places in the kernel's code.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_PLACE_H
#define PROBELIGHT_PLACE_H

#define PLACE_NAME_SIZE 128	/* "tcp_v4_rcv+0x1a2/0x1050 [module]", and its 0 byte; one of as many bytes and more is cut */

#endif
