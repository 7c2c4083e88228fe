/* SPDX-License-Identifier: BSD-2-Clause */
/* What execs starts: ends at once. Without the C library, whose start would cost more than the exec. */
void _start(void);

void _start(void)
{
#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(231), "D"(0));	/* exit_group(0) */
#elif defined(__aarch64__)
	register long number __asm__("x8") = 94;
	register long status __asm__("x0") = 0;

	__asm__ volatile("svc 0" : : "r"(number), "r"(status));
#endif
	__builtin_unreachable();
}
