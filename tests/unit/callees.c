/* SPDX-License-Identifier: BSD-2-Clause */
/* What looks like a call in bytes of code, on each architecture. */
#include "lib/kernel/ktext_arch.h"

#include "check.h"

static uint64_t targets[16];
static size_t count;

static void found(void *ctx, uint64_t target)
{
	(void)ctx;
	if (count < 16)
		targets[count++] = target;
}

/* stp; bl +0x10; b -0x40; cbz +8 (not to another function); ret; a bl that the end cuts */
static void test_arm64(void)
{
	static const uint8_t code[] = {
		0xfd, 0x7b, 0xbe, 0xa9, 0x04, 0x00, 0x00, 0x94, 0xf0, 0xff, 0xff, 0x17, 0x40, 0x00, 0x00, 0xb4,
		0xc0, 0x03, 0x5f, 0xd6, 0x04, 0x00, 0x00,
	};

	count = 0;
	ktext_arm64__scan(code, sizeof(code), 0xffff800080000000, found, NULL);
	CHECK_INT(count, 2);
	CHECK(targets[0] == 0xffff800080000000 + 4 + 0x10);
	CHECK(targets[1] == 0xffff800080000000 + 8 - 0x40);
}

int main(void)
{
	/* nop5; call +0x10; je +0x20; jmp -0x40; mov; ret; a call that the end cuts */
	static const uint8_t code[] = {
		0x0f, 0x1f, 0x44, 0x00, 0x00, 0xe8, 0x10, 0x00, 0x00, 0x00, 0x0f, 0x84, 0x20, 0x00, 0x00, 0x00,
		0xe9, 0xc0, 0xff, 0xff, 0xff, 0x48, 0x89, 0xe5, 0xc3, 0xe8, 0x01, 0x02, 0x03,
	};

	ktext_x86__scan(code, sizeof(code), 0xffffffff81000000, found, NULL);
	CHECK_INT(count, 3);
	CHECK(targets[0] == 0xffffffff81000000 + 10 + 0x10);
	CHECK(targets[1] == 0xffffffff81000000 + 16 + 0x20);
	CHECK(targets[2] == 0xffffffff81000000 + 21 - 0x40);
	count = 0;
	for (size_t size = 0; size < sizeof(code); size++)
		ktext_x86__scan(code, size, 0, found, NULL);
	CHECK(count > 0);
	count = 0;
	ktext_x86__scan(code, 4, 0, found, NULL);
	CHECK_INT(count, 0);
	test_arm64();
	return check_done();
}
