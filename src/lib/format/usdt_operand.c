/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt_operand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/registers.h"

#define OPERAND_MAX 64	/* characters; longer ones are not understood */

/* The register whose low bytes have that name: "eax" and "al" are "ax", "r8d" is "r8".  Their size, or 0. */
static unsigned x86_register(const char *name, char whole[USDT_REGISTER_MAX])
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
			snprintf(whole, USDT_REGISTER_MAX, "%.*s", (int)(1 + digits), name);
			return 8U >> j;
		}
	return 0;
}

/* A number that takes up all of the text. */
static bool read_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 0);
	return !errno && *text && !*end && *text != ' ' && *text != '+';
}

/* "$5", "%edi", "-16(%rbp)" */
void usdt_operand__read_x86(char *text, struct usdt_operand *operand, char whole[USDT_REGISTER_MAX])
{
	char *paren;

	if (*text == '$') {
		if (read_number(text + 1, &operand->number))
			operand->kind = USDT_CONSTANT;
	} else if (*text == '%') {
		if (x86_register(text + 1, whole) >= operand->size)
			operand->kind = USDT_REGISTER;
	} else {
		paren = strchr(text, '(');
		if (!paren || paren[1] != '%' || paren[strlen(paren) - 1] != ')')
			return;
		paren[strlen(paren) - 1] = 0;
		*paren = 0;
		/* an address has all of a register */
		if ((!*text || read_number(text, &operand->number)) && x86_register(paren + 2, whole) == 8)
			operand->kind = USDT_MEMORY;
	}
}

/* Whether it is one of 64 bits, "x0" to "x30", "sp"; is_low: one of 32 bits, too, "w0" to "w30". */
static bool arm64_register(const char *name, bool is_low, char whole[USDT_REGISTER_MAX])
{
	size_t digits = *name ? strspn(name + 1, "0123456789") : 0;

	if (!strcmp(name, "sp")) {
		strcpy(whole, name);
		return true;
	}
	if ((*name != 'x' && !(is_low && *name == 'w')) || !digits || digits > 2 || name[1 + digits] || atoi(name + 1) > 30 ||
	    (digits == 2 && name[1] == '0'))
		return false;
	snprintf(whole, USDT_REGISTER_MAX, "x%d", atoi(name + 1));
	return true;
}

/* "5", "x0", "[x29]", "[sp, 16]", "[sp, #-16]" */
void usdt_operand__read_arm64(char *text, struct usdt_operand *operand, char whole[USDT_REGISTER_MAX])
{
	char *end = text + strlen(text), *comma;

	if (*text != '[') {
		if (read_number(text + (*text == '#'), &operand->number))
			operand->kind = USDT_CONSTANT;
		else if (arm64_register(text, operand->size <= 4, whole))
			operand->kind = USDT_REGISTER;
		return;
	}
	if (end[-1] != ']')
		return;
	end[-1] = 0;
	comma = strchr(text, ',');
	if (comma) {
		*comma++ = 0;
		comma += strspn(comma, " ");
		comma += *comma == '#';
	}
	if ((!comma || read_number(comma, &operand->number)) && arm64_register(text + 1, false, whole))
		operand->kind = USDT_MEMORY;
}

#if defined(__x86_64__)
#define OWN_READ usdt_operand__read_x86
#elif defined(__aarch64__)
#define OWN_READ usdt_operand__read_arm64
#else
#error "lib/format/usdt_operand.c does not know this architecture"
#endif

/* "SIZE@OPERAND", of which text is a copy. */
static void read_operand(char *text, struct usdt_operand *operand)
{
	char *at = strchr(text, '@'), whole[USDT_REGISTER_MAX] = "";
	struct fault unused;
	int64_t size;
	int offset = 0;

	*operand = (struct usdt_operand){ .kind = USDT_UNKNOWN };
	if (!at)
		return;
	*at++ = 0;
	if (!read_number(text, &size) || (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 && size != -4 &&
					  size != -8))
		return;
	operand->size = (unsigned)llabs(size);
	operand->is_signed = size < 0;
	OWN_READ(at, operand, whole);
	if (operand->kind == USDT_REGISTER || operand->kind == USDT_MEMORY)
		offset = registers__offset(whole, &unused);
	if (offset < 0 || (operand->kind == USDT_MEMORY && (operand->number < INT32_MIN || operand->number > INT32_MAX)))
		operand->kind = USDT_UNKNOWN;
	else
		operand->offset = (unsigned)offset;
}

/* The end of an operand: a space that is not in brackets. */
static size_t operand_length(const char *text)
{
	size_t length = strcspn(text, " [");

	if (text[length] == '[')
		length += strcspn(text + length, "]");
	return length + strcspn(text + length, " ");
}

size_t usdt_operands__read(const char *text, struct usdt_operand operands[USDT_OPERANDS_MAX])
{
	size_t count = 0;

	for (text += strspn(text, " "); *text && count < USDT_OPERANDS_MAX; text += strspn(text, " ")) {
		size_t length = operand_length(text);
		char copy[OPERAND_MAX + 1] = "";

		if (length <= OPERAND_MAX)
			memcpy(copy, text, length);
		read_operand(copy, &operands[count++]);
		text += length;
	}
	return count;
}
