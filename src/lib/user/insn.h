/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lengths and kinds of a program's instructions, in a file for each architecture.  A uprobe may be put at the start of an instruction
 * only: the kernel does not check, and a breakpoint inside one makes the program compute something else.  All of the files are compiled
 * everywhere and do not depend on the machine: user_machine.h has that of the program's own, unit tests take every one.
 */
#ifndef PROBELIGHT_INSN_H
#define PROBELIGHT_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_X86_MAX 15		/* bytes; the processor refuses longer ones */
#define INSN_ARM64_SIZE 4	/* bytes of each */
#define INSN_MAX INSN_X86_MAX

enum insn_kind {
	INSN_PLAIN,
	INSN_RET,		/* it returns to the caller */
	INSN_JUMP,		/* it always jumps: what follows it is not executed next */
};

/* arm64: what ldxr begins is undone by an exception, and then stxr fails. */
enum insn_exclusive {
	INSN_NOT_EXCLUSIVE,
	INSN_BEGINS_EXCLUSIVE,	/* ldxr, ldaxr, ldxp, ldaxp */
	INSN_ENDS_EXCLUSIVE,	/* stxr and its kind, clrex */
};

struct insn {
	size_t length;		/* 0: no instruction, or not all of it is among the bytes */
	enum insn_kind kind;
	bool is_refused;	/* the kernel takes no uprobe there, or one would break the program */
	bool has_target;	/* it jumps, always or on a condition, to a place that it names; calls, which return, have none */
	int64_t target;		/* that place: bytes from the instruction's start */
	bool is_call;		/* what follows it is executed when the function that it calls returns, if it does */
	enum insn_exclusive exclusive;
	/* x86-64: the kernel executes it by itself, without a single step, which takes a third of what a hit costs */
	bool is_emulated;
	bool is_neutral;	/* x86-64: endbr64, test and cmp of registers, which leave registers and memory as they are */
};

/*
 * The instruction at code, of which size bytes may be read, in 64-bit mode.  Refused are prefixes, traps, system calls, in and out,
 * AVX-512.  Source: the opcode maps of Intel's manual (volume 2, appendix A), VEX, EVEX and XOP included; REX2 and the other forms of APX
 * are none.
 * tests/unit/insn_x86 compares it with objdump.
 */
struct insn insn_x86__at(const uint8_t *code, size_t size);

/*
 * The same of A64.  Source: Arm's manual (DDI 0487, chapter C4), and for what is refused arch/arm64/kernel/probes/decode-insn.c of 5.10
 * to 7.3: the kernel executes most instructions elsewhere, and those that read the program counter, or must not be apart from their
 * neighbours, it simulates or refuses.  Refused here on all kernels:
 *
 *	loads of literals	before 6.12 the kernel simulated those of x and w registers, and read the program's memory as if it were its
 *				own (acc450aa0709); those of SIMD registers it executes elsewhere still, where they load something else
 *	cpy*, set*		three belong together; refused by the kernel since 6.14
 *	newer branches		bc.cond, cb: taken for instructions that do not branch
 *
 * tests/unit/insn_arm64 compares it with llvm-objdump.
 */
struct insn insn_arm64__at(const uint8_t *code, size_t size);

#endif
