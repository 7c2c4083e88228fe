/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals by name. */
#ifndef PROBELIGHT_SIGNALS_H
#define PROBELIGHT_SIGNALS_H

#define SIGNAL_NAME_MAX 16

/*
 * "SIGTERM", "SIGRTMIN+3", or the number where there is no such signal (0 too, which only asks whether the target
 * exists); returns name.  The kernel's SIGRTMIN is 32, the C library keeps two or three to itself: ours is its.
 */
const char *signal__name(int signal, char name[SIGNAL_NAME_MAX]);

/* The number of "TERM", "sigterm", "SIGRTMIN+3", "SIGRTMAX-1" or "15", or -EINVAL. */
int signal__parse(const char *text);

#endif
