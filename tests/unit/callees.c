/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/callees: what looks like a call in bytes of code. */
#include "lib/ftrace/callees.h"

#include "check.h"

static uint64_t targets[16];
static size_t count;

static void found(void *ctx, uint64_t target)
{
	(void)ctx;
	if (count < 16)
		targets[count++] = target;
}

int main(void)
{
	/* nop5; call +0x10; je +0x20; jmp -0x40; mov; ret; a call that the end cuts */
	static const uint8_t code[] = {
		0x0f, 0x1f, 0x44, 0x00, 0x00, 0xe8, 0x10, 0x00, 0x00, 0x00, 0x0f, 0x84, 0x20, 0x00, 0x00, 0x00,
		0xe9, 0xc0, 0xff, 0xff, 0xff, 0x48, 0x89, 0xe5, 0xc3, 0xe8, 0x01, 0x02, 0x03,
	};

	callees__scan(code, sizeof(code), 0xffffffff81000000, found, NULL);
	CHECK_INT(count, 3);
	CHECK(targets[0] == 0xffffffff81000000 + 10 + 0x10);
	CHECK(targets[1] == 0xffffffff81000000 + 16 + 0x20);
	CHECK(targets[2] == 0xffffffff81000000 + 21 - 0x40);
	count = 0;
	for (size_t size = 0; size < sizeof(code); size++)
		callees__scan(code, size, 0, found, NULL);
	CHECK(count > 0);
	count = 0;
	callees__scan(code, 4, 0, found, NULL);
	CHECK_INT(count, 0);
	return check_done();
}
