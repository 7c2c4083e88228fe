/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linked into a tool with --wrap=out__end: each row takes some thousand instructions more. bench-check must notice, also
 * where it lets 25 % pass because the compiler is another one.
 */
#include "lib/print/out.h"

#define TURNS 500

void __real_out__end(struct out *out);
void __wrap_out__end(struct out *out);

void __wrap_out__end(struct out *out)
{
	for (volatile int i = 0; i < TURNS; i++)
		;
	__real_out__end(out);
}
