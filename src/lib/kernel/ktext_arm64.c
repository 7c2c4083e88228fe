/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of arm64: every instruction has 4 bytes, the lowest first. */
#include <errno.h>
#include <string.h>

#include "ktext_arch.h"

#define NOP 0xd503201fu
#define BTI_C 0xd503245fu
#define MOV_X9_LR 0xaa1e03e9u	/* a nop at a function's start, after the boot (arch/arm64/kernel/ftrace.c) */
#define BRK_MASK 0xffe0001fu
#define BRK 0xd4200000u		/* kprobes: brk #4 */

const char *const ktext_arm64__names[] = {
	[KTEXT_OTHER] = "",
	[KTEXT_ENDBR] = "bti c",
	[KTEXT_SEALED] = "mov x9, x30",
	[KTEXT_NOP] = "nop",
	[KTEXT_CALL] = "bl",
	[KTEXT_JUMP] = "b",
	[KTEXT_INT3] = "brk",
};

struct ktext_insn ktext_arm64__decode(const uint8_t *bytes, size_t size, uint64_t address)
{
	struct ktext_insn insn = { .kind = KTEXT_OTHER };
	uint32_t word;

	if (size < sizeof(word))
		return insn;
	memcpy(&word, bytes, sizeof(word));
	switch (word >> 26) {
	case 0x25:
		insn.kind = KTEXT_CALL;
		break;
	case 0x05:
		insn.kind = KTEXT_JUMP;
		break;
	default:
		if (word == NOP)
			insn.kind = KTEXT_NOP;
		else if (word == BTI_C)
			insn.kind = KTEXT_ENDBR;
		else if (word == MOV_X9_LR)
			insn.kind = KTEXT_SEALED;
		else if ((word & BRK_MASK) == BRK)
			insn.kind = KTEXT_INT3;
	}
	insn.size = sizeof(word);
	/* 26 bits, signed, count instructions */
	if (insn.kind == KTEXT_CALL || insn.kind == KTEXT_JUMP)
		insn.target = address + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
	return insn;
}

/* The compiler leaves two nops; the first of them is a mov once the kernel runs, or a kprobe's brk.  The hook is the second one. */
int ktext_arm64__find_hook(const uint8_t bytes[KTEXT_BEGIN])
{
	unsigned int first = ktext_arm64__decode(bytes, KTEXT_BEGIN, 0).kind == KTEXT_ENDBR ? 4 : 0;
	enum ktext_kind before = ktext_arm64__decode(bytes + first, KTEXT_BEGIN - first, 0).kind;
	enum ktext_kind hook = ktext_arm64__decode(bytes + first + 4, KTEXT_BEGIN - first - 4, 0).kind;

	if (before != KTEXT_SEALED && before != KTEXT_NOP && before != KTEXT_INT3)
		return -ENOENT;
	return hook == KTEXT_NOP || hook == KTEXT_CALL || hook == KTEXT_INT3 ? (int)first + 4 : -ENOENT;
}

/* A kprobe of a function lies at its start, also where that is a bti. */
bool ktext_arm64__is_skipped(const uint8_t bytes[KTEXT_MARK])
{
	(void)bytes;
	return false;
}

void ktext_arm64__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx)
{
	for (size_t at = 0; at + 4 <= size; at += 4) {
		struct ktext_insn insn = ktext_arm64__decode(code + at, size - at, address + at);

		if (insn.kind == KTEXT_CALL || insn.kind == KTEXT_JUMP)
			found(ctx, insn.target);
	}
}
