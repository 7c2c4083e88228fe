/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals, and why they were sent, by name. */
#ifndef PROBELIGHT_SIGNALS_H
#define PROBELIGHT_SIGNALS_H

#include "flags.h"

#define SIGNAL_NAME_MAX 16
#define SIGNAL_CODE_MAX 20

/*
 * "SIGTERM", "SIGRTMIN+3", or the number where there is no such signal (0 too, which only asks whether the target
 * exists).  The kernel's SIGRTMIN is 32, the C library keeps two or three to itself: ours is its.  What has a number in it is
 * written to number, which is returned then; the other names are constant, as a row has no time to copy them.
 */
const char *signal__name(int signal, char number[SIGNAL_NAME_MAX]);

/* The number of "TERM", "sigterm", "SIGRTMIN+3", "SIGRTMAX-1" or "15", or -EINVAL. */
int signal__parse(const char *text);

/*
 * Why a signal was sent, its siginfo's si_code: "SI_USER", "SEGV_MAPERR" (what a positive code means depends on the signal), or
 * the number where it has no name, which is written to number as above.
 */
const char *signal__code(int signal, int code, char number[SIGNAL_CODE_MAX]);

/* The flags of pidfd_send_signal(2) by name. */
extern const struct flag_name pidfd_signal_flags[];

#endif
