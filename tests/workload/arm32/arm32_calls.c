/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls32: a 32-bit program for arm64, without a C library: makes each of these system calls once and ends with exit code 5.  Numbers:
 * arch/arm64/include/asm/unistd32.h.  tests/guest/calls32 has what each tool must show.
 */
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r7 __asm__("r7") = nr, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d, r4 __asm__("r4") = e, r5 __asm__("r5") = f;

	__asm__ volatile("svc #0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5) : "memory");
	return r0;
}

#define AT_FDCWD (-100)
#define CALL(nr, ...) CALL_6(nr, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_6(nr, a, b, c, d, e, f, ...) call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

void _start(void);
void _start(void)
{
	/* 127.0.0.1, port 4711 */
	static const unsigned char address[16] = { 2, 0, 0x12, 0x67, 127, 0, 0, 1 };
	/* 2 ms: struct old_timespec32 and struct __kernel_timespec */
	static const int short_time[2] = { 0, 2000000 };
	static const long long long_time[2] = { 0, 2000000 };
	int word = 0;
	long socket, file;

	CALL(5, "/none32-open");			/* open */
	CALL(322, AT_FDCWD, "/none32-openat");		/* openat */
	file = CALL(8, "/tmp/made32", 0600);		/* creat */
	CALL(4, file, "12345", 5);			/* write */
	CALL(181, file, "678", 3, 0, 5, 0);		/* pwrite64 */
	CALL(437, AT_FDCWD, "/none32-openat2", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	CALL(10, "/tmp/made32");			/* unlink */
	CALL(328, AT_FDCWD, "/none32-unlinkat", 0);	/* unlinkat */
	CALL(40, "/none32-rmdir");			/* rmdir */
	CALL(37, 4194304, 15);				/* kill: no process has that number */
	CALL(238, 4194304, 10);				/* tkill */
	CALL(195, "/none32-stat64", 0);			/* stat64 */
	CALL(397, AT_FDCWD, "/none32-statx", 0, 0, 0);	/* statx */
	CALL(11, "/none32-execve", 0, 0);		/* execve */
	CALL(352, 999, 3, 0x11, 0x2, 0x33, 0x4);	/* fallocate: 64-bit numbers in two registers */
	CALL(180, 999, 0, 7, 0, 0x55, 0x6);		/* pread64: a register is left out before them */
	CALL(307, 0x5a00aa01, 1, 0);			/* shmget: no segment has that key */
	CALL(308, 77777777, 0x100);			/* shmctl: IPC_RMID, with IPC_64 */
	CALL(21, "none32-source", "/none32-target", "tmpfs", 2, 0);	/* mount: MS_NOSUID */
	CALL(52, "/none32-umount", 0);			/* umount2 */
	CALL(129, "none32_module", 0x800);		/* delete_module: O_NONBLOCK */
	CALL(118, 999);					/* fsync */
	socket = CALL(281, 2, 1, 0);			/* socket: AF_INET, SOCK_STREAM */
	CALL(282, socket, address, 16);			/* bind */
	CALL(284, socket, 7);				/* listen */
	CALL(240, &word, 128, 0, short_time);		/* futex: FUTEX_WAIT_PRIVATE */
	CALL(422, &word, 128, 0, long_time);		/* futex_time64 */
	CALL(1, 5);					/* exit */
	for (;;)
		;
}
