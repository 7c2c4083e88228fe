// SPDX-License-Identifier: BSD-2-Clause
/*
 * user_probes N: comes to USDT probes of its own, N times each:
 *
 *	demo:plain	in two places, with a text and three numbers each, which the second place has elsewhere
 *	demo:guarded	only while its semaphore is not 0
 *	other:plain	without arguments
 *	bad:inside	whose note names a place inside an instruction, where a nop's byte is
 *
 * Prints the semaphore at the end.  The notes are as sys/sdt.h writes them.
 */
#include <stdio.h>
#include <stdlib.h>

#define PROBE(provider, name, args, semaphore) PROBE_AT("nop", "990b", provider, name, args, semaphore)
#define PROBE_AT(insn, place, provider, name, args, semaphore)                                                       \
	"990:	" insn "\n"                                                                              \
	".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n"                                     \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"                  \
	"993: .8byte " place "\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"                            \
	".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n" \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n"

unsigned short guarded_semaphore __attribute__((section(".probes"), used));

struct values {
	const char *text;
	int number;
	short small;
};

#ifdef __x86_64__

__attribute__((noinline)) static void come(const struct values *values)
{
	__asm__ volatile(PROBE("demo", "plain", "8@%%rsi -4@%%edx -2@12(%%rcx) 4@$7", "0")
			 : : "S"(values->text), "d"(values->number), "c"(values));
	__asm__ volatile(PROBE("demo", "plain", "8@(%%rcx) -4@8(%%rcx) -2@%%dx 4@$8", "0") : : "c"(values), "d"(values->small) : "memory");
	if (*(volatile unsigned short *)&guarded_semaphore)
		__asm__ volatile(PROBE("demo", "guarded", "-4@%%eax 8@unknown(%%rip)", "guarded_semaphore") : : "a"(values->number));
	__asm__ volatile(PROBE("other", "plain", "", "0"));
	__asm__ volatile(PROBE_AT("movl $0x90909090, %%eax", "990b+1", "bad", "inside", "", "0") : : : "eax");
}

#else

/* A nop's byte is none of an instruction of 4 bytes, which starts at multiples of 4 alone. */
__attribute__((noinline)) static void come(const struct values *values)
{
	register const struct values *at __asm__("x3") = values;
	register const char *text __asm__("x1") = values->text;
	register int number __asm__("w2") = values->number;

	__asm__ volatile(PROBE("demo", "plain", "8@x1 -4@x2 -2@[x3, 12] 4@7", "0") : : "r"(text), "r"(number), "r"(at));
	number = values->small;
	__asm__ volatile(PROBE("demo", "plain", "8@[x3] -4@[x3, 8] -2@w2 4@8", "0") : : "r"(at), "r"(number) : "memory");
	number = values->number;
	if (*(volatile unsigned short *)&guarded_semaphore)
		__asm__ volatile(PROBE("demo", "guarded", "-4@x2 8@unknown", "guarded_semaphore") : : "r"(number));
	__asm__ volatile(PROBE("other", "plain", "", "0"));
	__asm__ volatile(PROBE_AT("nop", "990b+1", "bad", "inside", "", "0"));
}

#endif

int main(int argc, char **argv)
{
	char text[32];

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		struct values values = { text, -i, (short)(100 - i) };

		snprintf(text, sizeof(text), "text %d", i);
		come(&values);
	}
	printf("%u\n", *(volatile unsigned short *)&guarded_semaphore);
	return 0;
}
