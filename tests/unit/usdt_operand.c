/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/format/usdt_operand.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lib/kernel/registers.h"

/* Operands of arm64, which are read on every machine: without their registers' places. */
static void check_arm64(const char *text, unsigned size, enum usdt_operand_kind kind, const char *reg, int64_t number)
{
	struct usdt_operand operand = { .size = size };
	char copy[64], whole[USDT_REGISTER_MAX] = "";

	snprintf(copy, sizeof(copy), "%s", text);
	usdt_operand__read_arm64(copy, &operand, whole);
	if (operand.kind != kind || (kind != USDT_UNKNOWN && (strcmp(whole, reg) != 0 || operand.number != number)))
		check_report(0, __FILE__, __LINE__, "%s: kind %d, register '%s', number %lld", text, operand.kind, whole, (long long)operand.number);
}

static void check_all_arm64(void)
{
	static const char *const odd[] = {
		"", "x", "x31", "x00", "x1x", "y0", "[", "]", "[]", "[x0", "[w0]", "[x0, ]", "[x0, x1]", "[x0, 8]!", "#", "xzr", "d0", "%x0", "$5", "[sp,",
		"symbol", "99999999999999999999", "x999999999999", "[sp, 99999999999999999999]",
	};

	check_arm64("x0", 8, USDT_REGISTER, "x0", 0);
	check_arm64("x30", 4, USDT_REGISTER, "x30", 0);
	check_arm64("w5", 4, USDT_REGISTER, "x5", 0);
	check_arm64("w5", 8, USDT_UNKNOWN, "", 0);
	check_arm64("sp", 8, USDT_REGISTER, "sp", 0);
	check_arm64("5", 4, USDT_CONSTANT, "", 5);
	check_arm64("-1", 4, USDT_CONSTANT, "", -1);
	check_arm64("#0x10", 8, USDT_CONSTANT, "", 16);
	check_arm64("[x29]", 8, USDT_MEMORY, "x29", 0);
	check_arm64("[sp, 16]", 4, USDT_MEMORY, "sp", 16);
	check_arm64("[sp,#-16]", 4, USDT_MEMORY, "sp", -16);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		check_arm64(odd[i], 8, USDT_UNKNOWN, "", 0);
}

#if defined(__x86_64__)

static unsigned place_of(const char *name)
{
	return (unsigned)registers__offset(name, NULL);
}

static void check_one(const char *text, enum usdt_operand_kind kind, unsigned size, bool is_signed, const char *reg, int64_t number)
{
	struct usdt_operand operands[USDT_OPERANDS_MAX];

	if (!CHECK(usdt_operands__read(text, operands) == 1) || !CHECK(operands[0].kind == kind))
		return;
	if (kind == USDT_UNKNOWN)
		return;
	CHECK(operands[0].size == size && operands[0].is_signed == is_signed && operands[0].number == number);
	CHECK(!reg || operands[0].offset == place_of(reg));
}

int main(void)
{
	struct usdt_operand operands[USDT_OPERANDS_MAX];
	static const char *const odd[] = {
		"8", "@", "8@", "3@%rax", "8@%", "8@%foo", "8@%eax", "4@%al", "8@%r16", "8@%r7", "8@%r8x", "8f@%xmm0", "8@symbol(%rip)", "8@(%rip)",
		"8@8(%eax)", "8@8(%rax", "8@8(%rax,%rbx,4)", "8@x(%rax)", "8@$", "8@$x", "8@99999999999(%rax)", "4@$99999999999999999999", " ", "8@%r999999999999",
		"99999999999999999999@%rax", "--8@%rax", "8@%rax%rax",
		"8@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};

	check_one("8@%rax", USDT_REGISTER, 8, false, "ax", 0);
	check_one("-4@%edi", USDT_REGISTER, 4, true, "di", 0);
	check_one("2@%si", USDT_REGISTER, 2, false, "si", 0);
	check_one("-1@%dil", USDT_REGISTER, 1, true, "di", 0);
	check_one("1@%al", USDT_REGISTER, 1, false, "ax", 0);
	check_one("4@%r8d", USDT_REGISTER, 4, false, "r8", 0);
	check_one("1@%r15b", USDT_REGISTER, 1, false, "r15", 0);
	check_one("4@%rdx", USDT_REGISTER, 4, false, "dx", 0);
	check_one("8@-16(%rbp)", USDT_MEMORY, 8, false, "bp", -16);
	check_one("-4@0x10(%rsp)", USDT_MEMORY, 4, true, "sp", 16);
	check_one("8@(%r12)", USDT_MEMORY, 8, false, "r12", 0);
	check_one("-4@$-1", USDT_CONSTANT, 4, true, NULL, -1);
	check_one("8@$0x10", USDT_CONSTANT, 8, false, NULL, 16);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		size_t count = usdt_operands__read(odd[i], operands);

		CHECK(count <= 1 && (!count || operands[0].kind == USDT_UNKNOWN));
	}
	check_all_arm64();
	CHECK(usdt_operands__read("", operands) == 0);
	CHECK(usdt_operands__read("  8@%rax   4@$5 ", operands) == 2 && operands[1].kind == USDT_CONSTANT);
	CHECK(usdt_operands__read("1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12 1@$13", operands) == USDT_OPERANDS_MAX);
	return check_done();
}

#else
int main(void)
{
	struct usdt_operand operands[USDT_OPERANDS_MAX];

	check_all_arm64();
	CHECK(usdt_operands__read("  -4@x0 8@[sp, 16]  4@5 8@[x29,-8] ", operands) == 4);
	CHECK(operands[0].kind == USDT_REGISTER && operands[0].is_signed && operands[0].offset == 0);
	CHECK(operands[1].kind == USDT_MEMORY && operands[1].number == 16 && operands[1].offset == (unsigned)registers__offset("sp", NULL));
	CHECK(operands[2].kind == USDT_CONSTANT && operands[2].number == 5);
	CHECK(operands[3].kind == USDT_MEMORY && operands[3].number == -8);
	CHECK(usdt_operands__read("8@[sp, 99999999999] 8@[sp 8", operands) == 2 && operands[0].kind == USDT_UNKNOWN && operands[1].kind == USDT_UNKNOWN);
	return check_done();
}
#endif
