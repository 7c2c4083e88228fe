/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks for what lib/gen/patch puts into a program before it is loaded. */
#ifndef PROBELIGHT_PATCH_BPF_H
#define PROBELIGHT_PATCH_BPF_H

/*
 * Instructions that find two values in r6 and r7 and give one in r0.  They may clobber r1 to r5, and the stack beyond the program's own
 * part of it.
 */
#define PATCH_CODE(mark, first, second)                                                              \
	({                                                                                           \
		register __u64 patch_first asm("r6") = (__u64)(first);                               \
		register __u64 patch_second asm("r7") = (second);                                    \
		register __u64 patch_result asm("r0");                                               \
		asm volatile("%0 = %1"                                                               \
			     : "=r"(patch_result)                                                    \
			     : "i"(mark), "r"(patch_first), "r"(patch_second)                        \
			     : "r1", "r2", "r3", "r4", "r5", "memory");                              \
		patch_result;                                                                        \
	})

/* The same for instructions that find one value, in r6: a register less for the program to save. */
#define PATCH_CODE_OF(mark, first)                                                                   \
	({                                                                                           \
		register __u64 patch_first asm("r6") = (__u64)(first);                               \
		register __u64 patch_result asm("r0");                                               \
		asm volatile("%0 = %1"                                                               \
			     : "=r"(patch_result)                                                    \
			     : "i"(mark), "r"(patch_first)                                           \
			     : "r1", "r2", "r3", "r4", "r5", "memory");                              \
		patch_result;                                                                        \
	})

/*
 * The body of a function that is replaced.  Its arguments are used and its result is unknown, as far as the compiler can tell, so it
 * passes and takes them as for any other function.
 */
#define PATCH_FUNCTION(mark, first, second)                                                          \
	({                                                                                           \
		__u64 patch_result;                                                                  \
		asm volatile("%0 = %1" : "=r"(patch_result)                                          \
			     : "i"(mark), "r"(first), "r"(second) : "memory");                       \
		patch_result;                                                                        \
	})

/* A number that the compiler does not know, and the verifier does. */
#define PATCH_NUMBER(mark)                                                                           \
	({                                                                                           \
		__u64 patch_number;                                                                  \
		asm volatile("%0 = %1" : "=r"(patch_number) : "i"(mark));                            \
		patch_number;                                                                        \
	})

/* A number of which the program asks only whether it is 0: what the answer leaves out is not loaded. */
#define PATCH_CHOICE(mark) PATCH_NUMBER(mark)

#endif
