// SPDX-License-Identifier: BSD-2-Clause
/*
 * user_go [offset NAME]: a program with the section that Go programs have, which looks at its return addresses as Go's runtime does when it
 * grows a stack, and ends by SIGABRT where one is not in its code.  Prints "right".  offset: as user_harm.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char __executable_start[], etext[];

__asm__(".section .go.buildinfo,\"aw\"\n.ascii \"\\xff Go buildinf:\"\n.balign 16\n.text\n");

static int others;	/* return addresses that are not in the code */

__attribute__((noinline, noclone, used)) int grow(int number)
{
	const char *back = __builtin_return_address(0);

	others += back < __executable_start || back >= etext;
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

/* Its way out is a jump, which no ret instruction of its own tells. */
__attribute__((noinline, noclone, used)) int last(int number)
{
	return grow(number + 1);
}

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc == 3 && !strcmp(argv[1], "offset"))
		return printf("0x%lx\n", (unsigned long)((uintptr_t)grow - (uintptr_t)__executable_start)) < 0;
	for (int i = 0; i < 5; i++)
		sum += grow(i);
	sum += last(0);
	if (others)
		abort();
	puts(sum == 17 ? "right" : "wrong");
	return 0;
}
