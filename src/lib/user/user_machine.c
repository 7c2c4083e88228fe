/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_machine.h"

#include <elf.h>

const struct user_machine user_machine__x86 = {
	.name = "x86-64", .elf = EM_X86_64, .cache = 0x0300, .triplet = "x86_64-linux-gnu", .musl = "ld-musl-x86_64", .decode = insn_x86__at,
};

const struct user_machine user_machine__arm64 = {
	.name = "arm64", .elf = EM_AARCH64, .cache = 0x0a00, .triplet = "aarch64-linux-gnu", .musl = "ld-musl-aarch64", .decode = insn_arm64__at,
};

const struct user_machine *user_machine__own(void)
{
#if defined(__x86_64__)
	return &user_machine__x86;
#elif defined(__aarch64__)
	return &user_machine__arm64;
#else
#error "lib/user/user_machine.c does not know this architecture"
#endif
}
