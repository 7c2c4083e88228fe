/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder that a relative path starts from, as its names: from the innermost outwards, each ended by a 0 byte.
 * dir_read() in dir.bpf.h reads them.
 */
#ifndef PROBELIGHT_DIR_H
#define PROBELIGHT_DIR_H

#define DIR_NAME_SIZE 256	/* NAME_MAX, and the 0 byte */
#define DIR_SIZE 4096		/* bytes of names, before the last one; a power of two */
#define DIR_ROOM (DIR_SIZE + DIR_NAME_SIZE)
#define DIR_DEPTH 48		/* folders and mount points followed upwards */

#endif
