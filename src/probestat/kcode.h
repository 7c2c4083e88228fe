/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel function begins with at this moment, instruction by instruction, and where its calls lead. */
#ifndef PROBELIGHT_KCODE_H
#define PROBELIGHT_KCODE_H

#include <stdio.h>

#include "lib/kernel/ksyms.h"
#include "lib/kernel/ktext.h"
#include "lib/probe/probed.h"
#include "static_keys.h"

#define KCODE_SIZE 16		/* bytes that are looked at */
#define KCODE_HEX_SIZE (3 * KCODE_SIZE + 1)

/* An instruction that ftrace or kprobes care about, and what stands before it as bytes. */
struct kcode_line {
	uint64_t offset;		/* in the function */
	unsigned int size;
	uint8_t bytes[KCODE_SIZE];
	struct ktext_insn insn;
	const struct ksym *target;	/* of a call or a jump, the table's; NULL: not known */
	uint64_t target_offset;		/* in the target */
	char handler[128];		/* of a call to one of ftrace's trampolines: what that calls; "": not known */
	const char *key;		/* the variable that makes it a nop or a jump (static_keys.h); NULL: none, or not known */
};

/*
 * Reads KCODE_SIZE bytes at address, which is at that offset of the function: the instructions that are known one by one, others beside
 * each other as one.  kcore: of ktext__open().  probed, probed_count: who is attached to the function, for what a trampoline of
 * ftrace calls.  Returns the number of lines, at most KCODE_SIZE, or -errno.
 */
int kcode__read(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t offset, const struct probed *probed,
		size_t probed_count, struct kcode_line lines[KCODE_SIZE]);

/*
 * Decodes all of the function of size bytes that begins at address: instructions after the first KCODE_SIZE bytes that lead to code made at
 * run time, or are breakpoints, where no kprobe is listed.  The number of lines, or -errno; 0 also for a function of more than
 * KCODE_FUNCTION_MAX bytes.
 */
#define KCODE_CHANGES 16
#define KCODE_FUNCTION_MAX (256 << 10)
int kcode__find_changes(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t size, const struct probed *probed,
			size_t probed_count, struct kcode_line lines[KCODE_CHANGES]);

/*
 * The instructions in size bytes of code at address that static keys switch, by rising address.  keys: of static_keys__load().  The number
 * of lines, or -errno.
 */
#define KCODE_SWITCHED 64
int kcode__find_switched(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t size, const struct static_keys *keys,
			 struct kcode_line lines[KCODE_SWITCHED]);

/* The bytes of a line in hexadecimal, what `between` says between two of them; text has room for KCODE_HEX_SIZE. */
void kcode__hex(char *text, const struct kcode_line *line, const char *between);

/* The lines as elements of a JSON array. */
void kcode__json(FILE *to, const struct kcode_line *lines, int count);

#endif
