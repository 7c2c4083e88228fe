/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that the kernel does not make while a switch is off: who traces them would wait in vain. */
#ifndef ANYSNOOP_GATED_H
#define ANYSNOOP_GATED_H

/* Says so, once for each switch, where the event's is off now.  Where there is no switch, or it cannot be read, nothing is said. */
void gated__tell(const char *system, const char *name);

#endif
