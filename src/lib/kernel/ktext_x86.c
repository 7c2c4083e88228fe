/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of x86-64. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "ktext_arch.h"

const char *const ktext_x86__names[] = {
	[KTEXT_OTHER] = "",
	[KTEXT_ENDBR] = "endbr64",
	[KTEXT_SEALED] = "nop (was endbr64)",
	[KTEXT_NOP] = "nop",
	[KTEXT_CALL] = "call",
	[KTEXT_JUMP] = "jmp",
	[KTEXT_INT3] = "int3",
};

struct ktext_insn ktext_x86__decode(const uint8_t *bytes, size_t size, uint64_t address)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	/* gen_endbr_poison() in arch/x86/include/asm/ibt.h, of 6.12 and of 7.2 */
	static const uint8_t sealed[][4] = { { 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	/* x86_nops[5] in arch/x86/kernel/alternative.c; up to 5.12 ideal_nops[] had three kinds, by the CPU's maker */
	static const uint8_t nops[][5] = {
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 }, { 0x66, 0x66, 0x66, 0x66, 0x90 }, { 0x3e, 0x8d, 0x74, 0x26, 0x00 },
	};
	struct ktext_insn insn = { .kind = KTEXT_OTHER };
	int32_t relative;

	if (size >= sizeof(endbr) && !memcmp(bytes, endbr, sizeof(endbr)))
		return (struct ktext_insn){ .kind = KTEXT_ENDBR, .size = sizeof(endbr) };
	for (size_t i = 0; i < sizeof(sealed) / sizeof(*sealed); i++)
		if (size >= sizeof(*sealed) && !memcmp(bytes, sealed[i], sizeof(*sealed)))
			return (struct ktext_insn){ .kind = KTEXT_SEALED, .size = sizeof(*sealed) };
	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (size >= sizeof(*nops) && !memcmp(bytes, nops[i], sizeof(*nops)))
			return (struct ktext_insn){ .kind = KTEXT_NOP, .size = sizeof(*nops) };
	if (size >= 5 && (bytes[0] == 0xe8 || bytes[0] == 0xe9)) {
		memcpy(&relative, bytes + 1, sizeof(relative));
		insn.kind = bytes[0] == 0xe8 ? KTEXT_CALL : KTEXT_JUMP;
		insn.size = 5;
		insn.target = address + 5 + (uint64_t)(int64_t)relative;
	} else if (size && bytes[0] == 0xcc) {
		insn.kind = KTEXT_INT3;
		insn.size = 1;
	}
	return insn;
}

int ktext_x86__find_hook(const uint8_t bytes[KTEXT_BEGIN])
{
	struct ktext_insn first = ktext_x86__decode(bytes, KTEXT_BEGIN, 0);
	unsigned int before = first.kind == KTEXT_ENDBR || first.kind == KTEXT_SEALED ? first.size : 0;

	return ktext_x86__decode(bytes + before, KTEXT_BEGIN - before, 0).kind >= KTEXT_NOP ? (int)before : -ENOENT;
}

bool ktext_x86__is_skipped(const uint8_t bytes[KTEXT_MARK])
{
	enum ktext_kind kind = ktext_x86__decode(bytes, KTEXT_MARK, 0).kind;

	return kind == KTEXT_ENDBR || kind == KTEXT_SEALED;
}

void ktext_x86__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx)
{
	for (size_t at = 0; at + 5 <= size; at++) {
		/* call, jmp; and after 0f a conditional jmp */
		bool is_call = code[at] == 0xe8 || code[at] == 0xe9 || ((code[at] & 0xf0) == 0x80 && at && code[at - 1] == 0x0f);
		int32_t relative;

		if (!is_call)
			continue;
		memcpy(&relative, code + at + 1, sizeof(relative));
		found(ctx, address + at + 5 + (uint64_t)(int64_t)relative);
	}
}
