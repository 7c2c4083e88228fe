/* SPDX-License-Identifier: BSD-2-Clause */
#include "insn.h"

/* Of a distance, which counts instructions: how many bits, and the lowest of them. */
struct distance {
	uint8_t bits, first;
};

/* The first form that matches is an instruction's; all others are plain ones. */
static const struct form {
	uint32_t mask, value;
	enum insn_kind kind;
	bool is_refused;
	struct distance distance;
	enum insn_exclusive exclusive;
	bool is_call;
} forms[] = {
	/* branches that the kernel simulates */
	{ 0xfc000000, 0x14000000, INSN_JUMP, .distance = { 26, 0 } },			/* b */
	{ 0xfc000000, 0x94000000, INSN_PLAIN, .is_call = true },			/* bl */
	{ 0xff000010, 0x54000000, INSN_PLAIN, .distance = { 19, 5 } },			/* b.cond */
	{ 0x7e000000, 0x34000000, INSN_PLAIN, .distance = { 19, 5 } },			/* cbz, cbnz */
	{ 0x7e000000, 0x36000000, INSN_PLAIN, .distance = { 14, 5 } },			/* tbz, tbnz */
	{ 0xfffffc1f, 0xd61f0000, INSN_JUMP },						/* br */
	{ 0xfffffc1f, 0xd63f0000, INSN_PLAIN, .is_call = true },			/* blr */
	{ 0xfffffc1f, 0xd65f0000, INSN_RET },						/* ret */
	/* and that it does not */
	{ 0xff000010, 0x54000010, INSN_PLAIN, true, .distance = { 19, 5 } },		/* bc.cond */
	{ 0x7e000000, 0x74000000, INSN_PLAIN, true, .distance = { 9, 5 } },		/* cb, cbb, cbh */
	{ 0xff00001f, 0x5500001f, INSN_RET, true },					/* retaasppc, retabsppc */
	{ 0xfee00000, 0xd6000000, INSN_JUMP, true },					/* braa and its kind */
	{ 0xfee00000, 0xd6400000, INSN_RET, true },					/* retaa, retab, and those with a register */
	/* hints, of which the others may trap or wait */
	{ 0xffffffff, 0xd503201f, INSN_PLAIN },						/* nop */
	{ 0xffffffff, 0xd50320ff, INSN_PLAIN },						/* xpaclri */
	{ 0xffffffbf, 0xd503211f, INSN_PLAIN },						/* pacia1716, pacib1716 */
	{ 0xffffff9f, 0xd503231f, INSN_PLAIN },						/* paciaz, paciasp, pacibz, pacibsp */
	{ 0xffffff3f, 0xd503241f, INSN_PLAIN },						/* bti */
	{ 0xfffff01f, 0xd503201f, INSN_PLAIN, true },
	/* other instructions for the system */
	{ 0xfffff0ff, 0xd503305f, INSN_PLAIN, .exclusive = INSN_ENDS_EXCLUSIVE },	/* clrex */
	{ 0xfffff01f, 0xd503301f, INSN_PLAIN },						/* barriers */
	{ 0xffd80000, 0xd5080000, INSN_PLAIN },						/* sys, sysl: caches */
	{ 0xffffffe0, 0xd53b4220, INSN_PLAIN, true },					/* mrs of daif */
	{ 0xfff00000, 0xd5300000, INSN_PLAIN },						/* mrs */
	/* msr, svc, brk and what else is in the group of branches */
	{ 0x1c000000, 0x14000000, INSN_PLAIN, true },
	/* loads and stores */
	{ 0x3b000000, 0x18000000, INSN_PLAIN, true },					/* ldr, ldrsw, prfm of a literal */
	{ 0xbfa07c00, 0x08207c00, INSN_PLAIN, true },					/* casp: the kernel takes it for an exclusive one */
	{ 0x3fc00000, 0x08400000, INSN_PLAIN, true, .exclusive = INSN_BEGINS_EXCLUSIVE },
	{ 0x3fc00000, 0x08000000, INSN_PLAIN, true, .exclusive = INSN_ENDS_EXCLUSIVE },
	{ 0x3b200c00, 0x19000400, INSN_PLAIN, true },					/* cpy*, set* */
	/* udf, and what is no instruction */
	{ 0x9e000000, 0x00000000, INSN_PLAIN, true },
};

/* The distance in bytes. */
static int64_t read_distance(uint32_t word, struct distance distance)
{
	uint64_t top = (uint64_t)word << (64 - distance.first - distance.bits);

	return ((int64_t)top >> (64 - distance.bits)) * INSN_ARM64_SIZE;
}

struct insn insn_arm64__at(const uint8_t *code, size_t size)
{
	uint32_t word;

	if (size < INSN_ARM64_SIZE)
		return (struct insn){ .length = 0 };
	word = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct form *form = &forms[i];

		if ((word & form->mask) != form->value)
			continue;
		return (struct insn){ .length = INSN_ARM64_SIZE, .kind = form->kind, .is_refused = form->is_refused,
				      .has_target = form->distance.bits, .exclusive = form->exclusive, .is_call = form->is_call,
				      .target = form->distance.bits ? read_distance(word, form->distance) : 0 };
	}
	return (struct insn){ .length = INSN_ARM64_SIZE };
}
