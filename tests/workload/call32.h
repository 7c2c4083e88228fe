/* SPDX-License-Identifier: BSD-2-Clause */
/* A 32-bit system call from a 64-bit program. */
#ifndef CALL32_H
#define CALL32_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

#define CALL32_NONE 77		/* exit status of a program that needs them, where there are none */

/*
 * The call of that number in syscall_32.tbl: its result, or -errno.  A kernel without CONFIG_IA32_EMULATION answers with
 * SIGSEGV, and arm64 has none from a 64-bit program.  The upper halves of the registers are not the call's: they are filled with what must
 * not show.
 */
static inline long call32(long nr, long a, long b, long c, long d, long e)
{
#ifdef __x86_64__
	long junk = (long)0xabcd000000000000, result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"((a & 0xffffffff) | junk), "c"((b & 0xffffffff) | junk), "d"((c & 0xffffffff) | junk),
			   "S"((d & 0xffffffff) | junk), "D"((e & 0xffffffff) | junk)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)result;
#else
	return -ENOSYS;
#endif
}

static inline void call32__none(int signal)
{
	(void)signal;
	_exit(CALL32_NONE);
}

/* Ends the program where the kernel has no 32-bit calls. */
static inline void call32__need(void)
{
	signal(SIGSEGV, call32__none);
	if (call32(20 /* getpid */, 0, 0, 0, 0, 0) != getpid())
		exit(CALL32_NONE);
	signal(SIGSEGV, SIG_DFL);
}

/* Whether the kernel has 32-bit calls, for a program that goes on without; stdout is to be flushed before. */
static inline bool call32__works(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		call32__need();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Copies size bytes to where a 32-bit call's pointer can point, and returns that; 1 MB is all there is. */
static inline long low32(const void *data, size_t size)
{
	static char *memory;
	void *at;

	if (!memory)
		memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (memory == MAP_FAILED)
		exit(1);
	at = memory;
	memcpy(at, data, size);
	memory += (size + 15) & ~15ul;
	return (long)at;
}

#endif
