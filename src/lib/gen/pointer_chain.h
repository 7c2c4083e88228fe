/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that follow a field's hops (lib/format/format.h) to a value in memory, and read it. */
#ifndef PROBELIGHT_POINTER_CHAIN_H
#define PROBELIGHT_POINTER_CHAIN_H

#include "emit.h"
#include "lib/format/format.h"

/*
 * Writes r3 = the address of the value.  offset: where the context has the pointer; ctx: the register with the context; slot: 8 bytes of
 * the stack that are free (r10 + slot).  Where a pointer cannot be read it goes to fault, with -errno in r0.  Clobbers r0 to r5.
 */
void pointer_chain__address(struct emit *emit, const struct format_hops *hops, int offset, int ctx, int slot, emit_label fault);

/*
 * Reads the number at r3, or the address that it is (is_address), of size bytes to memory at that offset of the register to; r0: 0 or
 * -errno.  As the hops say it is read from the kernel's memory or the process's.  Clobbers r1 to r5.
 */
void pointer_chain__read(struct emit *emit, const struct format_hops *hops, int to, int offset, unsigned int size);

/* Of a bit field: makes reg, the number that is at its address, the field's value, 64 bits with their sign.  Others stay as they are. */
void pointer_chain__take_bits(struct emit *emit, const struct format_hops *hops, int reg, bool is_signed);

/*
 * Reads the text at r3 to r1, at most r2 bytes with its 0 byte; r0: its bytes with that, or -errno.  The address tells whether it is the
 * kernel's or the process's (a path that a system call was called with), unless the hops do.
 */
void pointer_chain__read_text(struct emit *emit, const struct format_hops *hops);

#endif
