/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a USDT probe has its arguments: strings such as "-4@%edi 8@-16(%rbp) 4@$5", on arm64 "-4@x0 8@[sp, 16] 4@5", which the assembler made of
 * the compiler's operands.  Anybody may have written them, so each is checked.  Source: systemtap's wiki, UserSpaceProbeImplementation;
 * sys/sdt.h.
 */
#ifndef PROBELIGHT_USDT_OPERAND_H
#define PROBELIGHT_USDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USDT_OPERANDS_MAX 12	/* as many as sys/sdt.h has macros for */

enum usdt_operand_kind {
	USDT_UNKNOWN,		/* one that is not understood, such as "8@symbol(%rip)" or a floating one */
	USDT_REGISTER,
	USDT_MEMORY,
	USDT_CONSTANT,
};

struct usdt_operand {
	enum usdt_operand_kind kind;
	unsigned size;		/* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	unsigned offset;	/* of the register, or of the one that the memory is relative to, in struct pt_regs */
	int64_t number;		/* a constant, or what is added to that register */
};

/* Reads a string: how many operands it has, at most USDT_OPERANDS_MAX; those that are not understood are USDT_UNKNOWN. */
size_t usdt_operands__read(const char *text, struct usdt_operand operands[USDT_OPERANDS_MAX]);

/* One operand behind "@", which is changed, into kind and number, and the name of its register ("di", "x0"); its size is given. */
#define USDT_REGISTER_MAX 8
void usdt_operand__read_x86(char *text, struct usdt_operand *operand, char whole[USDT_REGISTER_MAX]);
void usdt_operand__read_arm64(char *text, struct usdt_operand *operand, char whole[USDT_REGISTER_MAX]);

#endif
