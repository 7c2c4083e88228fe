/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places in the kernel's code as text, "tcp_v4_rcv+0x1a2" or "nf_hook_slow+0x41 [nf_tables]".  The programs tell the name of a place
 * with its first event (lib/bpf/place.bpf.h); a place that was not told, on kernels that cannot, is looked up in
 * /proc/kallsyms, which is read once.
 */
#ifndef PROBELIGHT_PLACES_H
#define PROBELIGHT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/shared/place.h"

struct places;

/*
 * Whether a place, "bpf_trace_run4+0x6c" or a name alone, is none of the callers of what a program is on, but lies between that and the
 * program: the program itself, the kernel's own function that runs it, a trampoline.
 */
bool place__is_entry(const char *text);

/*
 * Whether a function, its name alone, is where the CPU enters the kernel for an interrupt: what called it is only what was interrupted.  Of
 * x86 since 5.8 and of arm64.
 */
bool place__is_interrupt(const char *name);

#define PLACES_OF_STACKS 2048	/* the bound for stacks: what is sampled may be any instruction of the kernel's code */

/*
 * bound: names at most, of which a new one then takes the place of one that was not asked for lately; 0: no bound.  NULL without memory.
 */
struct places *places__new(size_t bound);

/*
 * Keeps the name that the kernel has for an address, as printf's %pB of the kernel writes it ("tcp_v4_rcv+0x1a2/0x1050"): at most
 * size bytes, ended by a 0 byte or not.  One that fills them was cut there, and ends in "..." here.  0 or -ENOMEM.
 */
int places__tell(struct places *places, uint64_t address, const char *name, size_t size);

/* Whether the name of an address was told and is kept. */
bool places__has(const struct places *places, uint64_t address);

/*
 * The text of an address, in buffer or in places, valid until a name comes; "0x…" where nobody knows a name.  One that
 * is too long for buffer is cut, and ends in "...".  The length of
 * the function, behind a slash, is left out.
 */
const char *places__text(struct places *places, uint64_t address, char buffer[PLACE_NAME_SIZE]);

/* Takes NULL. */
void places__free(struct places *places);

#endif
