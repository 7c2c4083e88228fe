/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's code as it is in memory at this moment, from /proc/kcore, and what ftrace and kprobes make of the first
 * instructions of a function: a nop of 5 bytes that the compiler left, a call in its place, a breakpoint, a jump.
 * Decoded on x86-64 only.
 */
#ifndef PROBELIGHT_KTEXT_H
#define PROBELIGHT_KTEXT_H

#include <stddef.h>
#include <stdint.h>

enum ktext_kind {
	KTEXT_OTHER,	/* none of those below; its length is not known */
	KTEXT_ENDBR,	/* endbr64 (4 bytes), of kernels with CONFIG_X86_KERNEL_IBT */
	KTEXT_SEALED,	/* the nop of 4 bytes in its place, where nothing may jump to indirectly */
	KTEXT_NOP,	/* the 5 bytes for ftrace, not used */
	KTEXT_CALL,	/* call: ftrace's, or a BPF trampoline */
	KTEXT_JUMP,	/* jmp: an optimised kprobe, or a BPF trampoline since 7.0 */
	KTEXT_INT3,	/* a kprobe's breakpoint (1 byte); the rest of the instruction is as it was */
};

struct ktext_insn {
	enum ktext_kind kind;
	unsigned int size;	/* bytes; 0 for KTEXT_OTHER */
	uint64_t target;	/* of a call or a jump */
};

/* Decodes what stands at address; never more than size bytes are looked at. */
struct ktext_insn ktext__decode(const uint8_t *bytes, size_t size, uint64_t address);

/*
 * Where ftrace's hook is in a function's first KTEXT_BEGIN bytes: 0, 4 behind an endbr64, or -ENOENT: they have none, so that it cannot be
 * traced.  Also where the hook is used: then it is a call, a jump, or a breakpoint.
 */
#define KTEXT_BEGIN 9
int ktext__find_hook(const uint8_t bytes[KTEXT_BEGIN]);

/* What to tell of a function that cannot be traced. */
#define KTEXT_NO_HOOK "it was compiled without ftrace's hook (notrace), or ran at boot and is freed"

/* "endbr64", "nop", "call", "jmp", "int3", for KTEXT_SEALED "nop (was endbr64)", for KTEXT_OTHER "". */
const char *ktext_kind__name(enum ktext_kind kind);

/*
 * Opens /proc/kcore, for ktext__read(): a file descriptor for close(), or -errno.  -EPERM: lockdown (confidentiality), or
 * not root.
 */
int ktext__open(void);

/* Reads size bytes from a kernel address.  0, -ENOENT where kcore does not have it, or -errno. */
int ktext__read(int kcore, uint64_t address, void *bytes, size_t size);

#endif
