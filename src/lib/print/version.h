/* SPDX-License-Identifier: BSD-2-Clause */
/* Which version it is. */
#ifndef PROBELIGHT_VERSION_H
#define PROBELIGHT_VERSION_H

#define PROBELIGHT_VERSION "0.1"

#endif
