// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kinds of A64 instructions: those of lib/user/insn_arm64 against the words that are known, and against what llvm-objdump prints for
 * programs of arm64: this machine's, or those that ci/deps cross has unpacked into the cache.
 */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lib/user/insn.h"

static struct insn decode(uint32_t word)
{
	const uint8_t bytes[] = { word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, word >> 24 };

	return insn_arm64__at(bytes, sizeof(bytes));
}

static const struct {
	uint32_t word;
	enum insn_kind kind;
	bool is_refused, has_target;
	int64_t target;
	enum insn_exclusive exclusive;
} cases[] = {
	/* what the kernel simulates */
	{ 0x14000000, INSN_JUMP, false, true, 0 },			/* b . */
	{ 0x17ffffff, INSN_JUMP, false, true, -4 },			/* b .-4 */
	{ 0x15ffffff, INSN_JUMP, false, true, 0x7fffffc },
	{ 0x16000000, INSN_JUMP, false, true, -0x8000000 },
	{ 0x94000010, INSN_PLAIN },					/* bl */
	{ 0x54000041, INSN_PLAIN, false, true, 8 },			/* b.ne .+8 */
	{ 0x54ffffe0, INSN_PLAIN, false, true, -4 },			/* b.eq .-4 */
	{ 0xb4000043, INSN_PLAIN, false, true, 8 },			/* cbz x3, .+8 */
	{ 0x35ffff03, INSN_PLAIN, false, true, -32 },			/* cbnz w3, .-32 */
	{ 0x37000060, INSN_PLAIN, false, true, 12 },			/* tbnz w0, #0, .+12 */
	{ 0xb6fc0000, INSN_PLAIN, false, true, -0x8000 },		/* tbz x0, #63 */
	{ 0xd61f0200, INSN_JUMP },					/* br x16 */
	{ 0xd63f0020, INSN_PLAIN },					/* blr x1 */
	{ 0xd65f03c0, INSN_RET }, { 0xd65f0200, INSN_RET },		/* ret; ret x16 */
	{ 0x90000000, INSN_PLAIN }, { 0x10000000, INSN_PLAIN },		/* adrp, adr */
	/* and refuses */
	{ 0xd65f0bff, INSN_RET, true }, { 0xd65f0fff, INSN_RET, true },	/* retaa, retab */
	{ 0x5500001f, INSN_RET, true },					/* retaasppc */
	{ 0xd61f0a1f, INSN_JUMP, true }, { 0xd71f0a11, INSN_JUMP, true },	/* braaz x16; braa x16, x17 */
	{ 0xd63f083f, INSN_PLAIN, true }, { 0xd69f03e0, INSN_PLAIN, true },	/* blraaz x1; eret */
	{ 0xd4000001, INSN_PLAIN, true }, { 0xd4200000, INSN_PLAIN, true },	/* svc #0; brk #0 */
	{ 0x54000050, INSN_PLAIN, true, true, 8 },			/* bc.eq .+8 */
	{ 0x58000040, INSN_PLAIN, true }, { 0x98000040, INSN_PLAIN, true },	/* ldr x0, .+8; ldrsw */
	{ 0x1c000040, INSN_PLAIN, true }, { 0x9c000040, INSN_PLAIN, true },	/* ldr s0; ldr q0 */
	{ 0xd8000040, INSN_PLAIN, true },				/* prfm */
	{ 0xc85f7c20, INSN_PLAIN, true, .exclusive = INSN_BEGINS_EXCLUSIVE },	/* ldxr x0, [x1] */
	{ 0x885ffc20, INSN_PLAIN, true, .exclusive = INSN_BEGINS_EXCLUSIVE },	/* ldaxr w0, [x1] */
	{ 0xc87f0440, INSN_PLAIN, true, .exclusive = INSN_BEGINS_EXCLUSIVE },	/* ldxp x0, x1, [x2] */
	{ 0xc8027c20, INSN_PLAIN, true, .exclusive = INSN_ENDS_EXCLUSIVE },	/* stxr w2, x0, [x1] */
	{ 0xd5033f5f, INSN_PLAIN, false, .exclusive = INSN_ENDS_EXCLUSIVE },	/* clrex */
	{ 0x48207c82, INSN_PLAIN, true },				/* casp x0, x1, x2, x3, [x4] */
	{ 0x19010440, INSN_PLAIN, true },				/* cpyfp [x0]!, [x1]!, x2! */
	{ 0xd51bd040, INSN_PLAIN, true }, { 0xd50342df, INSN_PLAIN, true },	/* msr tpidr_el0, x0; msr daifset, #2 */
	{ 0xd53b4220, INSN_PLAIN, true },				/* mrs x0, daif */
	{ 0xd503203f, INSN_PLAIN, true }, { 0xd503205f, INSN_PLAIN, true },	/* yield; wfe */
	{ 0xd50323bf, INSN_PLAIN, true },				/* autiasp */
	{ 0x00000000, INSN_PLAIN, true },				/* udf */
	/* plain ones that are near to those */
	{ 0xd503201f, INSN_PLAIN }, { 0xd503233f, INSN_PLAIN }, { 0xd503237f, INSN_PLAIN },	/* nop; paciasp; pacibsp */
	{ 0xd503245f, INSN_PLAIN }, { 0xd50324df, INSN_PLAIN }, { 0xd50320ff, INSN_PLAIN },	/* bti c; bti jc; xpaclri */
	{ 0xd5033bbf, INSN_PLAIN }, { 0xd5033fdf, INSN_PLAIN },		/* dmb ish; isb */
	{ 0xd53bd040, INSN_PLAIN }, { 0xd50b7420, INSN_PLAIN },		/* mrs x0, tpidr_el0; dc zva, x0 */
	{ 0x88a07c41, INSN_PLAIN }, { 0xc8dffc20, INSN_PLAIN }, { 0xc89ffc20, INSN_PLAIN },	/* cas; ldar; stlr */
	{ 0xf9400000, INSN_PLAIN }, { 0xa9bf7bfd, INSN_PLAIN },		/* ldr x0, [x0]; stp x29, x30, [sp, #-16]! */
};

static void check_cases(void)
{
	static const uint8_t ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn = decode(cases[i].word);

		if (insn.length != INSN_ARM64_SIZE || insn.kind != cases[i].kind || insn.is_refused != cases[i].is_refused ||
		    insn.has_target != cases[i].has_target || insn.target != cases[i].target || insn.exclusive != cases[i].exclusive)
			check_report(0, __FILE__, __LINE__, "%08x: kind %d, refused %d, target %lld, exclusive %d", cases[i].word, insn.kind,
				     insn.is_refused, (long long)insn.target, insn.exclusive);
	}
	/* cut off */
	CHECK_INT(insn_arm64__at(ret, sizeof(ret)).kind, INSN_RET);
	for (size_t size = 0; size < sizeof(ret); size++)
		CHECK_INT(insn_arm64__at(ret, size).length, 0);
}

/* Whether the list has the word. */
static bool has(const char *list, const char *word, size_t length)
{
	for (const char *at = list; (at = strstr(at, word)); at++)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

/* What a line says of its instruction, by its words alone: "ldr", "x0, 0x1234 <name+0x4>". */
static struct insn expect(const char *mnemonic, const char *operands, uint64_t address)
{
	static const char refused[] = "svc hvc smc brk hlt dcps1 dcps2 dcps3 udf eret drps blraa blraaz blrab blrabz yield wfe wfi wfet wfit sev sevl dgh "
				      "esb csdb hint msr psb tsb autiasp autibsp autiaz autibz autia1716 autib1716 casp caspa caspl caspal <unknown> "
				      "gcspopm chkfeat clrbhb cfinv xaflag axflag";
	struct insn insn = { .length = INSN_ARM64_SIZE };
	const char *last = strstr(operands, "0x");
	size_t length = strlen(mnemonic);

	/* its last operand is an address, neither a number (#0x10) nor a part of one in brackets */
	while (last && strstr(last + 1, ", 0x"))
		last = strstr(last + 1, ", 0x") + 2;
	if (last && ((last > operands && last[-1] == '#') || strchr(operands, '[')))
		last = NULL;
	insn.is_refused = has(refused, mnemonic, length);
	if (has("ret retaa retab", mnemonic, length)) {
		insn.kind = INSN_RET;
		insn.is_refused = length > 3;
	} else if (has("b br braa braaz brab brabz", mnemonic, length)) {
		insn.kind = INSN_JUMP;
		insn.is_refused = length > 2;
	}
	if (last && (has("b cbz cbnz tbz tbnz", mnemonic, length) || !strncmp(mnemonic, "b.", 2) || !strncmp(mnemonic, "bc.", 3))) {
		insn.has_target = true;
		insn.target = (int64_t)(strtoull(last, NULL, 16) - address);
		insn.is_refused = mnemonic[1] == 'c' && mnemonic[2] == '.';
	}
	if (last && has("ldr ldrsw prfm", mnemonic, length))
		insn.is_refused = true;
	if (!strncmp(mnemonic, "ldx", 3) || !strncmp(mnemonic, "ldax", 4))
		insn.exclusive = INSN_BEGINS_EXCLUSIVE;
	if (!strncmp(mnemonic, "stx", 3) || !strncmp(mnemonic, "stlx", 4) || !strcmp(mnemonic, "clrex"))
		insn.exclusive = INSN_ENDS_EXCLUSIVE;
	insn.is_refused |= insn.exclusive && strcmp(mnemonic, "clrex") != 0;
	insn.is_refused |= !strncmp(mnemonic, "cpy", 3) || (!strncmp(mnemonic, "set", 3) && strncmp(mnemonic, "setf", 4) != 0);
	return insn;
}

static void compare_file(const char *path)
{
	size_t instructions = 0, differ = 0;
	char command[512], line[512];
	FILE *file;

	snprintf(command, sizeof(command), "llvm-objdump -d --no-leading-headers --mattr=+v8.5a '%s'", path);
	file = popen(command, "r");
	while (file && fgets(line, sizeof(line), file)) {
		char mnemonic[32], operands[256] = "";
		unsigned long long address;
		struct insn insn, wanted;
		unsigned bytes[4];

		if (sscanf(line, " %llx: %2x %2x %2x %2x %31s %255[^\n]", &address, &bytes[0], &bytes[1], &bytes[2], &bytes[3], mnemonic, operands) < 6)
			continue;
		wanted = expect(mnemonic, operands, address);
		insn = decode(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24);
		/* what is data in code is as it may be */
		if (!strcmp(mnemonic, "<unknown>"))
			continue;
		instructions++;
		if (insn.length == wanted.length && insn.kind == wanted.kind && insn.is_refused == wanted.is_refused &&
		    insn.has_target == wanted.has_target && insn.target == wanted.target && insn.exclusive == wanted.exclusive)
			continue;
		if (differ++ < 10)
			fprintf(stderr, "%s: kind %d, refused %d, target %lld, exclusive %d: %s", path, insn.kind, insn.is_refused,
				(long long)insn.target, insn.exclusive, line);
	}
	CHECK(file && !pclose(file));
	CHECK_INT(differ, 0);
	CHECK(instructions > 10000);
	printf("%s: %zu instructions, as llvm-objdump has them\n", path, instructions);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "lib/aarch64-linux-gnu/libc.so.6", "bin/busybox", "bin/bash" };
	const char *root = getenv("PROBELIGHT_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[300];

	check_cases();
	/* of which there are more: build/unit/insn_arm64 FILE… */
	for (int i = 1; i < argc; i++)
		compare_file(argv[i]);
	for (size_t i = 0; argc == 1 && i < sizeof(names) / sizeof(*names); i++) {
		if (root)
			snprintf(path, sizeof(path), "%.200s/cross/arm64/%s", root, names[i]);
		else if (xdg)
			snprintf(path, sizeof(path), "%.200s/probelight/cross/arm64/%s", xdg, names[i]);
		else
			snprintf(path, sizeof(path), "%.200s/.cache/probelight/cross/arm64/%s", home ? home : "", names[i]);
		if (!access(path, R_OK) && !access("/usr/bin/llvm-objdump", X_OK))
			compare_file(path);
	}
	return check_done();
}
