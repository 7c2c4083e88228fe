/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/format/usdt_operand.h"

#include <string.h>

#include "check.h"
#include "lib/kernel/registers.h"

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
	CHECK(usdt_operands__read("", operands) == 0);
	CHECK(usdt_operands__read("  8@%rax   4@$5 ", operands) == 2 && operands[1].kind == USDT_CONSTANT);
	CHECK(usdt_operands__read("1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12 1@$13", operands) == USDT_OPERANDS_MAX);
	return check_done();
}

#else
int main(void)
{
	return check_done();
}
#endif
