/* SPDX-License-Identifier: BSD-2-Clause */
/* The cgroup of -c, which may be removed and made again under the same path. */
#ifndef PROBELIGHT_FOLLOW_H
#define PROBELIGHT_FOLLOW_H

#define FOLLOW_PATH_SIZE 256	/* a multiple of 8; of the path in its hierarchy, its 0 byte included */
#define FOLLOW_NO_CGROUP (~0ULL)	/* no cgroup has that id: there is none under the path */

#endif
