// SPDX-License-Identifier: BSD-2-Clause
/*
 * many_calls [WAIT]: calls each of 1,000 functions, many_0 to many_999, with its number: number % 3 + 1 times.  many_N returns 2 * N.
 * Prints how many calls there were.  With an argument it says "ready" and waits for a line before that.
 *
 * Every tenth function has two names: also_0, also_10 and so on.
 */
#include <stdio.h>

#define FUNCTIONS 1000

typedef int function(int number);
extern function *const many[FUNCTIONS];

/* Beginnings that the kernel emulates and that it single-steps, by turns. */
__asm__(".altmacro\n"
	".macro one n\n"
	".globl many_\\n\n.type many_\\n, @function\nmany_\\n:\n"
	".if \\n % 2\n\tpush %rbp\n\tlea (%rdi,%rdi),%eax\n\tpop %rbp\n.else\n\tlea (%rdi,%rdi),%eax\n.endif\n\tret\n"
	".size many_\\n, .-many_\\n\n"
	".endm\n"
	".macro other n\n.globl also_\\n\n.set also_\\n, many_\\n\n.type also_\\n, @function\n.size also_\\n, 4\n.endm\n"
	".macro entry n\n\t.quad many_\\n\n.endm\n"
	".text\n.set i, 0\n.rept 1000\none %i\n.set i, i + 1\n.endr\n"
	".set i, 0\n.rept 100\nother %i\n.set i, i + 10\n.endr\n"
	".section .data.rel.ro,\"aw\"\n.globl many\nmany:\n.set i, 0\n.rept 1000\nentry %i\n.set i, i + 1\n.endr\n"
	".noaltmacro\n.text\n");

int main(int argc, char **argv)
{
	int calls = 0;

	(void)argv;
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		if (getchar() == EOF)
			return 1;
	}
	for (int i = 0; i < FUNCTIONS; i++)
		for (int j = 0; j <= i % 3; j++) {
			if (many[i](i) != 2 * i)
				return 1;
			calls++;
		}
	printf("%d\n", calls);
	return 0;
}
