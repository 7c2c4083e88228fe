/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths and kinds of x86-64 instructions.  A uprobe may be put at the start of an instruction only: the kernel does not check, and a
 * breakpoint inside one makes the program compute something else.
 */
#ifndef PROBELIGHT_INSN_X86_H
#define PROBELIGHT_INSN_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_X86_MAX 15		/* bytes; the processor refuses longer ones */

enum insn_x86_kind {
	INSN_X86_PLAIN,
	INSN_X86_RET,		/* ret, ret N */
	INSN_X86_JUMP,		/* jmp, direct or indirect */
	INSN_X86_REFUSED,	/* the kernel takes no uprobe there: prefixes, traps, system calls, in and out, AVX-512 */
};

struct insn_x86 {
	size_t length;		/* 0: no instruction, or not all of it is among the bytes */
	enum insn_x86_kind kind;
};

/*
 * The instruction at code, of which size bytes may be read, in 64-bit mode.  Source: the opcode maps of Intel's manual (volume 2, appendix
 * A), VEX, EVEX and XOP included; REX2 and the other forms of APX are none.  tests/unit/insn_x86 compares it with objdump.
 */
struct insn_x86 insn_x86__at(const uint8_t *code, size_t size);

#endif
