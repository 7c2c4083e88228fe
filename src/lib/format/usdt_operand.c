/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt_operand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/registers.h"

#define OPERAND_MAX 64	/* characters; longer ones are not understood */

/* The register whose low bytes have that name: "eax" and "al" are "ax", "r8d" is "r8".  Their size, or 0. */
static unsigned whole_register(const char *name, char whole[8])
{
	static const char *const low[][5] = {
		/* 8, 4, 2, 1 bytes, and what pt_regs calls it */
		{ "rax", "eax", "ax", "al", "ax" }, { "rbx", "ebx", "bx", "bl", "bx" }, { "rcx", "ecx", "cx", "cl", "cx" },
		{ "rdx", "edx", "dx", "dl", "dx" }, { "rsi", "esi", "si", "sil", "si" }, { "rdi", "edi", "di", "dil", "di" },
		{ "rbp", "ebp", "bp", "bpl", "bp" }, { "rsp", "esp", "sp", "spl", "sp" },
	};
	static const char *const ends[] = { "", "d", "w", "b" };
	size_t digits;

	for (size_t i = 0; i < sizeof(low) / sizeof(*low); i++)
		for (unsigned j = 0; j < 4; j++)
			if (!strcmp(name, low[i][j])) {
				strcpy(whole, low[i][4]);
				return 8U >> j;
			}
	digits = *name == 'r' ? strspn(name + 1, "0123456789") : 0;
	if (!digits || digits > 2 || atoi(name + 1) < 8 || atoi(name + 1) > 15)
		return 0;
	for (unsigned j = 0; j < 4; j++)
		if (!strcmp(name + 1 + digits, ends[j])) {
			snprintf(whole, 8, "%.*s", (int)(1 + digits), name);
			return 8U >> j;
		}
	return 0;
}

/* Where pt_regs has it.  Whether it is one, of at least `size` bytes. */
static bool find_register(const char *name, unsigned size, unsigned *offset)
{
	char whole[8];
	struct fault unused;
	unsigned has = whole_register(name, whole);
	int found = has && has >= size ? registers__offset(whole, &unused) : -EINVAL;

	*offset = (unsigned)found;
	return found >= 0;
}

/* A number that takes up all of the text. */
static bool read_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 0);
	return !errno && *text && !*end && *text != ' ' && *text != '+';
}

/* "SIZE@OPERAND", of which text is a copy. */
static void read_operand(char *text, struct usdt_operand *operand)
{
	char *at = strchr(text, '@'), *paren;
	int64_t size;

	*operand = (struct usdt_operand){ .kind = USDT_UNKNOWN };
	if (!at)
		return;
	*at++ = 0;
	if (!read_number(text, &size) || (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 && size != -4 &&
					  size != -8))
		return;
	operand->size = (unsigned)llabs(size);
	operand->is_signed = size < 0;
	if (*at == '$') {
		if (read_number(at + 1, &operand->number))
			operand->kind = USDT_CONSTANT;
	} else if (*at == '%') {
		if (find_register(at + 1, operand->size, &operand->offset))
			operand->kind = USDT_REGISTER;
	} else {
		paren = strchr(at, '(');
		if (!paren || paren[1] != '%' || paren[strlen(paren) - 1] != ')')
			return;
		paren[strlen(paren) - 1] = 0;
		*paren = 0;
		/* an address has all of a register */
		if ((!*at || read_number(at, &operand->number)) && operand->number >= INT32_MIN && operand->number <= INT32_MAX &&
		    find_register(paren + 2, 8, &operand->offset))
			operand->kind = USDT_MEMORY;
	}
}

size_t usdt_operands__read(const char *text, struct usdt_operand operands[USDT_OPERANDS_MAX])
{
	size_t count = 0;

	for (text += strspn(text, " "); *text && count < USDT_OPERANDS_MAX; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");
		char copy[OPERAND_MAX + 1] = "";

		if (length <= OPERAND_MAX)
			memcpy(copy, text, length);
		read_operand(copy, &operands[count++]);
		text += length;
	}
	return count;
}
