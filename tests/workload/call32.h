/* SPDX-License-Identifier: BSD-2-Clause */
/* A 32-bit system call from a 64-bit program. */
#ifndef CALL32_H
#define CALL32_H

/*
 * The call of that number in syscall_32.tbl: its result, or -errno.  A kernel without CONFIG_IA32_EMULATION answers with
 * SIGSEGV.  The upper halves of the registers are not the call's: they are filled with what must not show.
 */
static inline long call32(long nr, long a, long b, long c, long d, long e)
{
	long junk = (long)0xabcd000000000000, result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"((a & 0xffffffff) | junk), "c"((b & 0xffffffff) | junk), "d"((c & 0xffffffff) | junk),
			   "S"((d & 0xffffffff) | junk), "D"((e & 0xffffffff) | junk)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)result;
}

#endif
