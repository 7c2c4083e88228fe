/* SPDX-License-Identifier: BSD-2-Clause */
/* The word for keys that have no row: those below -r, and those without room. */
#ifndef PROBELIGHT_OTHERS_H
#define PROBELIGHT_OTHERS_H

#define OTHERS "(others)"

#endif
