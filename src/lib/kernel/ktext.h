/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's code as it is in memory at this moment, from /proc/kcore, and what ftrace and kprobes make of the first
 * instructions of a function: a nop that the compiler left, a call in its place, a breakpoint, a jump.  How they look is said in a file
 * for each architecture (ktext_arch.h); the kinds have the names that they have on x86.
 */
#ifndef PROBELIGHT_KTEXT_H
#define PROBELIGHT_KTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ktext_kind {
	KTEXT_OTHER,	/* none of those below; its length is not known on x86 */
	KTEXT_ENDBR,	/* where an indirect call may lead: endbr64 (4 bytes), of kernels with CONFIG_X86_KERNEL_IBT; arm64: bti c */
	KTEXT_SEALED,	/* x86: the nop of 4 bytes in its place; arm64: the mov before ftrace's hook */
	KTEXT_NOP,	/* ftrace's hook, not used: 5 bytes, on arm64 4 */
	KTEXT_CALL,	/* call, bl: ftrace's, or a BPF trampoline */
	KTEXT_JUMP,	/* jmp, b: an optimised kprobe, or a BPF trampoline since 7.0 */
	KTEXT_INT3,	/* a kprobe's breakpoint: 1 byte, and the rest of the instruction is as it was; arm64: 4 bytes, brk */
};

struct ktext_insn {
	enum ktext_kind kind;
	unsigned int size;	/* bytes; 0: not known */
	uint64_t target;	/* of a call or a jump */
};

/* Decodes what stands at address; never more than size bytes are looked at. */
struct ktext_insn ktext__decode(const uint8_t *bytes, size_t size, uint64_t address);

/*
 * Where ftrace's hook is in a function's first KTEXT_BEGIN bytes: 0, 4 after an endbr64, on arm64 4 or, after a bti, 8; or -ENOENT: they
 * have none, so that it cannot be traced.  Also where the hook is used: then it is a call, a jump, or a breakpoint.
 */
#define KTEXT_BEGIN 12
int ktext__find_hook(const uint8_t bytes[KTEXT_BEGIN]);

/*
 * Whether a kprobe of a function lies behind the instruction at bytes, of KTEXT_MARK bytes, where the function starts: x86's kernels
 * put it behind an endbr64 (or the nop in its place), which has to be the first that is executed.
 */
#define KTEXT_MARK 4
bool ktext__is_skipped(const uint8_t bytes[KTEXT_MARK]);

/*
 * Calls found() with the target of each call, and jump that may leave the function, in size bytes of code that stand at address.  On x86,
 * where an instruction may begin at any byte, some of them are none.
 */
void ktext__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx);

/* What to tell of a function that cannot be traced. */
#define KTEXT_NO_HOOK "it was compiled without ftrace's hook (notrace), or ran at boot and is freed"

/* "endbr64", "nop", "call", "jmp", "int3", for KTEXT_SEALED "nop (was endbr64)", for KTEXT_OTHER ""; arm64: "bti c", "nop", "bl", "b", "brk". */
const char *ktext_kind__name(enum ktext_kind kind);

/*
 * Opens /proc/kcore, for ktext__read(): a file descriptor for close(), or -errno.  -EPERM: lockdown (confidentiality), or
 * not root.
 */
int ktext__open(void);

/* Reads size bytes from a kernel address.  0, -ENOENT where kcore does not have it, or -errno. */
int ktext__read(int kcore, uint64_t address, void *bytes, size_t size);

#endif
