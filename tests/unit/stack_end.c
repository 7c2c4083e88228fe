/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/shared/stack_end: kernel stacks of 16 KB (pages of 4 and 16 KB), of 32 and 64 KB (KASAN; pages of 64 KB), of 128 KB. */
#include "lib/shared/stack_end.h"

#include "check.h"

#define LEAST 16384u		/* ARCH_STACK_SIZE (lib/bpf/arch.bpf.h) */
#define BASE 0xffff80008a5c0000ull	/* a multiple of 128 KB and more */

/* Each address of a stack of that size. */
static void test_size(__u64 size)
{
	const __u64 end = BASE + size;
	unsigned int right = 0, on_it = 0, wrong_below = 0;

	for (__u64 depth = 8; depth <= size; depth += 8) {
		__u64 found = stack_end(end - depth, LEAST), by_offset = BASE + stack_end(size - depth, LEAST);

		right += found == end;
		on_it += found > BASE && found <= end && found > end - depth && found - (end - depth) <= LEAST;
		wrong_below += found != end && depth <= LEAST;
		/* from the stack's begin, too (lib/bpf/suppressed.bpf.h) */
		CHECK_INT(by_offset, found);
	}
	CHECK_INT(right, LEAST / 8);
	CHECK_INT(on_it, size / 8);
	CHECK_INT(wrong_below, 0);
}

/* Two addresses: never one stack where they are of two, and one where they are in the same 16 KB of one. */
static void test_one(__u64 size)
{
	const __u64 step = 1016;
	unsigned int across = 0, wrong = 0;

	for (__u64 a = 0; a < size; a += step) {
		for (__u64 b = 0; b < size; b += step) {
			wrong += stack_is_one((__u32)(BASE + a), (__u32)(BASE + b), LEAST) != (a / LEAST == b / LEAST);
			across += stack_is_one((__u32)(BASE + a), (__u32)(BASE + size + b), LEAST);
		}
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(across, 0);
}

int main(void)
{
	static const __u64 sizes[] = { 16384, 32768, 65536, 131072 };

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		test_size(sizes[i]);
		test_one(sizes[i]);
	}
	return check_done();
}
