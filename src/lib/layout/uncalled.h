/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes calls out of programs before libbpf sees them, so that the functions that they call are not loaded.  The verifier
 * removes code that frozen read-only data makes dead, but it charges for it: a subprogram that nothing reaches is still copied,
 * walked by check_cfg(), hashed, and removed with one memmove of the whole program.  And up to 6.2 one subprogram makes the verifier
 * keep the exact value of every scalar (be2ef8161572), so that it tells more states apart and walks the same code again for each.
 */
#ifndef PROBELIGHT_UNCALLED_H
#define PROBELIGHT_UNCALLED_H

#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

struct uncalled {
	const char *function;
	bool gives_0;		/* a call of it does nothing and gives 0; else it is not reached, and the verifier refuses it if it is */
};

/*
 * In the programs of an opened object, of which elf and size are the bytes: replaces each call of one of the functions (count of them)
 * by an instruction.  Calls out of other subprograms stay.  0 or -errno.
 */
int uncalled__apply(const struct bpf_object *object, const void *elf, size_t size, const struct uncalled *functions, size_t count);

#endif
