/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops that have two forms: by bpf_loop(), of which the verifier looks at the callback once, and in place, of which it looks at each
 * round.  A kernel without bpf_loop() refuses a program that calls it, even where nothing reaches the call; so each form is a function by
 * itself, and tool__choose_loop() leaves one of them out:
 *
 *	whole = has_loop ? NAME_by_loop(…) : NAME_in_place(…);
 */
#ifndef PROBELIGHT_LOOP_BPF_H
#define PROBELIGHT_LOOP_BPF_H

#include "vmlinux.h"

const volatile bool has_loop = false;	/* bpf_loop() is there */

#endif
