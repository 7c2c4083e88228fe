/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks for what lib/gen/splice puts into a program before it is loaded. */
#ifndef PROBELIGHT_SPLICE_BPF_H
#define PROBELIGHT_SPLICE_BPF_H

/*
 * Instructions that find two values in r6 and r7 and give one in r0.  They may clobber r1 to r5, and the stack beyond the program's own
 * part of it.
 */
#define SPLICE_CODE(mark, first, second)                                                             \
	({                                                                                           \
		register __u64 splice_first asm("r6") = (__u64)(first);                              \
		register __u64 splice_second asm("r7") = (second);                                   \
		register __u64 splice_result asm("r0");                                              \
		asm volatile("%0 = %1"                                                               \
			     : "=r"(splice_result)                                                   \
			     : "i"(mark), "r"(splice_first), "r"(splice_second)                      \
			     : "r1", "r2", "r3", "r4", "r5", "memory");                              \
		splice_result;                                                                       \
	})

/* The same for instructions that find one value, in r6: a register less for the program to save. */
#define SPLICE_CODE_OF(mark, first)                                                                  \
	({                                                                                           \
		register __u64 splice_first asm("r6") = (__u64)(first);                              \
		register __u64 splice_result asm("r0");                                              \
		asm volatile("%0 = %1"                                                               \
			     : "=r"(splice_result)                                                   \
			     : "i"(mark), "r"(splice_first)                                          \
			     : "r1", "r2", "r3", "r4", "r5", "memory");                              \
		splice_result;                                                                       \
	})

/*
 * The body of a function that is replaced.  Its arguments are used and its result is unknown, as far as the compiler can tell, so it
 * passes and takes them as for any other function.
 */
#define SPLICE_FUNCTION(mark, first, second)                                                         \
	({                                                                                           \
		__u64 splice_result;                                                                 \
		asm volatile("%0 = %1" : "=r"(splice_result)                                         \
			     : "i"(mark), "r"(first), "r"(second) : "memory");                       \
		splice_result;                                                                       \
	})

/* A number that the compiler does not know, and the verifier does. */
#define SPLICE_NUMBER(mark)                                                                          \
	({                                                                                           \
		__u64 splice_number;                                                                 \
		asm volatile("%0 = %1" : "=r"(splice_number) : "i"(mark));                           \
		splice_number;                                                                       \
	})

/* A number of which the program asks only whether it is 0: what the answer leaves out is not loaded. */
#define SPLICE_CHOICE(mark) SPLICE_NUMBER(mark)

#endif
