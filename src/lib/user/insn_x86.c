/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "insn.h"

/*
 * What follows an opcode:
 *
 *	-  nothing			M  ModRM			x  no instruction in 64-bit mode
 *	b  a byte			B  ModRM and a byte		P  it is a prefix
 *	w  two bytes			Z  ModRM and 2 or 4 bytes	R  it is a REX prefix
 *	z  2 or 4 bytes, by prefix	G  ModRM, for reg 0 and 1 also an immediate
 *	v  2, 4 or 8 bytes		C  ModRM that means registers whatever mod says
 *	j  4 bytes			T  another map
 *	o  an address			E  three bytes
 */
static const char one_byte[] =
	"MMMMbzxxMMMMbzxT"	/* 00 */
	"MMMMbzxxMMMMbzxx"	/* 10 */
	"MMMMbzPxMMMMbzPx"	/* 20 */
	"MMMMbzPxMMMMbzPx"	/* 30 */
	"RRRRRRRRRRRRRRRR"	/* 40 */
	"----------------"	/* 50 */
	"xxTMPPPPzZbB----"	/* 60 */
	"bbbbbbbbbbbbbbbb"	/* 70 */
	"BZxBMMMMMMMMMMMM"	/* 80: 8f is pop or XOP */
	"----------x-----"	/* 90 */
	"oooo----bz------"	/* a0 */
	"bbbbbbbbvvvvvvvv"	/* b0 */
	"BBw-TTBZE-w--bx-"	/* c0 */
	"MMMMxxx-MMMMMMMM"	/* d0 */
	"bbbbbbbbjjxb----"	/* e0 */
	"P-PP--GG------MM";	/* f0 */

/* After 0f. */
static const char two_byte[] =
	"MMMMx-----x-xM-B"	/* 00 */
	"MMMMMMMMMMMMMMMM"	/* 10 */
	"CCCCxxxxMMMMMMMM"	/* 20 */
	"------x-TxTxxxxx"	/* 30 */
	"MMMMMMMMMMMMMMMM"	/* 40 */
	"MMMMMMMMMMMMMMMM"	/* 50 */
	"MMMMMMMMMMMMMMMM"	/* 60 */
	"BBBBMMM-MMxxMMMM"	/* 70 */
	"jjjjjjjjjjjjjjjj"	/* 80 */
	"MMMMMMMMMMMMMMMM"	/* 90 */
	"---MBMCC---MBMMM"	/* a0 */
	"MMMMMMMMMMBMMMMM"	/* b0 */
	"MMBMBBBM--------"	/* c0 */
	"MMMMMMMMMMMMMMMM"	/* d0 */
	"MMMMMMMMMMMMMMMM"	/* e0 */
	"MMMMMMMMMMMMMMMM";	/* f0 */

/* An instruction that is being read. */
struct reader {
	const uint8_t *code;
	size_t size, at;
	bool is_bad;		/* no instruction, or cut off */
	bool has_66, has_67, has_f2, has_rex_w;
	bool has_bad_prefix;	/* one that the kernel refuses */
};

static uint8_t next(struct reader *reader)
{
	if (reader->at >= reader->size || reader->at >= INSN_X86_MAX) {
		reader->is_bad = true;
		return 0;
	}
	return reader->code[reader->at++];
}

static void skip(struct reader *reader, size_t bytes)
{
	reader->at += bytes;
	if (reader->at > reader->size || reader->at > INSN_X86_MAX)
		reader->is_bad = true;
}

/* ModRM, SIB and displacement; returns ModRM. */
static uint8_t skip_modrm(struct reader *reader)
{
	uint8_t modrm = next(reader), mod = modrm >> 6, rm = modrm & 7;

	if (mod == 3)
		return modrm;
	if (rm == 4) {
		uint8_t base = next(reader) & 7;

		if (mod == 0 && base == 5)
			skip(reader, 4);
	} else if (mod == 0 && rm == 5) {
		skip(reader, 4);
	}
	if (mod)
		skip(reader, mod == 1 ? 1 : 4);
	return modrm;
}

/* An immediate of the operand's size, of which 8 bytes are written as 4. */
static void skip_immediate(struct reader *reader)
{
	skip(reader, reader->has_66 && !reader->has_rex_w ? 2 : 4);
}

/* What follows an opcode of the kind that a table has for it. */
static void skip_operands(struct reader *reader, char kind, bool is_wide)
{
	uint8_t modrm;

	switch (kind) {
	case '-':
		return;
	case 'b':
		skip(reader, 1);
		return;
	case 'w':
		skip(reader, 2);
		return;
	case 'E':
		skip(reader, 3);
		return;
	case 'z':
		skip_immediate(reader);
		return;
	case 'v':
		skip(reader, reader->has_rex_w ? 8 : reader->has_66 ? 2 : 4);
		return;
	case 'j':
		/* with a prefix 66 it has 2 bytes on processors of AMD, and 4 on those of Intel: no compiler writes that */
		reader->is_bad |= reader->has_66 && !reader->has_rex_w;
		skip(reader, 4);
		return;
	case 'o':
		skip(reader, reader->has_67 ? 4 : 8);
		return;
	case 'C':
		next(reader);
		return;
	case 'M':
		skip_modrm(reader);
		return;
	case 'B':
		skip_modrm(reader);
		skip(reader, 1);
		return;
	case 'Z':
		skip_modrm(reader);
		skip_immediate(reader);
		return;
	case 'G':
		modrm = skip_modrm(reader);
		if ((modrm >> 3 & 7) > 1)
			return;
		if (is_wide)
			skip_immediate(reader);
		else
			skip(reader, 1);
		return;
	default:
		reader->is_bad = true;
	}
}

/* After 0f.  Whether the kernel refuses it. */
static bool read_two_byte(struct reader *reader)
{
	uint8_t opcode = next(reader);
	char kind = two_byte[opcode];

	if (kind == 'T') {
		next(reader);
		skip_operands(reader, opcode == 0x38 ? 'M' : 'B', false);
		return false;
	}
	skip_operands(reader, kind, false);
	/* extrq, insertq */
	if (opcode == 0x78 && (reader->has_66 || reader->has_f2))
		skip(reader, 2);
	/* syscall, sysret, sysenter, sysexit, ud2, and what only the kernel may execute */
	return (opcode >= 0x05 && opcode <= 0x0b) || (opcode >= 0x30 && opcode <= 0x37 && opcode != 0x31) ||
	       (opcode >= 0x20 && opcode <= 0x23) || opcode == 0xaa;
}

/* The opcode of a map behind a VEX, EVEX or XOP prefix, and its operands. */
static void read_mapped(struct reader *reader, unsigned map)
{
	uint8_t opcode = next(reader);

	switch (map) {
	case 1:
		skip_operands(reader, two_byte[opcode] == '-' || two_byte[opcode] == 'B' ? two_byte[opcode] : 'M', false);
		return;
	case 2:
	case 5:
	case 6:
	case 9:
		skip_operands(reader, 'M', false);
		return;
	case 3:
	case 8:
		skip_operands(reader, 'B', false);
		return;
	case 10:
		skip_modrm(reader);
		skip(reader, 4);
		return;
	default:
		reader->is_bad = true;
	}
}

/* 62, c4, c5; and 8f where it is no pop.  Whether the kernel refuses it. */
static bool read_prefixed(struct reader *reader, uint8_t opcode)
{
	unsigned map = 1;

	if (opcode == 0xc5) {
		next(reader);
	} else {
		map = next(reader) & (opcode == 0x62 ? 7 : 0x1f);
		skip(reader, opcode == 0x62 ? 2 : 1);
		if (opcode != 0x8f && map > (opcode == 0x62 ? 6u : 3u))
			reader->is_bad = true;
	}
	if (!reader->is_bad)
		read_mapped(reader, map);
	return opcode == 0x62 || opcode == 0x8f;
}

static enum insn_kind kind_of(uint8_t opcode, uint8_t modrm)
{
	switch (opcode) {
	case 0xc2:
	case 0xc3:
		return INSN_RET;
	case 0xe9:
	case 0xeb:
		return INSN_JUMP;
	case 0xff:
		return (modrm >> 3 & 7) == 4 ? INSN_JUMP : INSN_PLAIN;
	default:
		return INSN_PLAIN;
	}
}

static bool is_refused(uint8_t opcode, uint8_t modrm)
{
	switch (opcode) {
	case 0xff:
		/* 3 and 5 are far, 7 is none */
		modrm = modrm >> 3 & 7;
		return modrm == 3 || modrm == 5 || modrm == 7;
	/* ins, outs, far returns, int3, int, iret, in, out, int1, hlt, cli, sti */
	case 0x6c: case 0x6d: case 0x6e: case 0x6f:
	case 0xca: case 0xcb: case 0xcc: case 0xcd: case 0xcf:
	case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xec: case 0xed: case 0xee: case 0xef:
	case 0xf1: case 0xf4: case 0xfa: case 0xfb:
		return true;
	default:
		return false;
	}
}

/* Prefixes in front of an opcode, which is returned.  A REX prefix counts where it is the last one. */
static uint8_t skip_prefixes(struct reader *reader)
{
	for (;;) {
		uint8_t byte = next(reader);
		char kind = one_byte[byte];

		if (reader->is_bad || (kind != 'P' && kind != 'R'))
			return byte;
		reader->has_rex_w = kind == 'R' && byte & 8;
		reader->has_66 |= byte == 0x66;
		reader->has_67 |= byte == 0x67;
		reader->has_f2 |= byte == 0xf2;
		/* segments but fs and gs, lock */
		reader->has_bad_prefix |= byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0xf0;
	}
}

/* Where a jump leads to. */
static void find_target(struct insn *insn, const uint8_t *code)
{
	const uint8_t *end = code + insn->length;
	size_t length = insn->length;
	int32_t wide;

	/* a prefix tells the processor which way a jump goes */
	while (length > 2 && (*code == 0x2e || *code == 0x3e || *code == 0xf2)) {
		code++;
		length--;
	}
	if (length == 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70 || (code[0] & 0xfc) == 0xe0)) {
		insn->has_target = true;
		insn->target = (int64_t)insn->length + (int8_t)code[1];
	} else if ((length == 5 && code[0] == 0xe9) || (length == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)) {
		memcpy(&wide, end - sizeof(wide), sizeof(wide));
		insn->has_target = true;
		insn->target = (int64_t)insn->length + wide;
	}
}

/*
 * branch_setup_xol_ops() and push_setup_xol_ops() of arch/x86/kernel/uprobes.c, of 5.10 to 7.3: what is here is emulated by all of
 * them.  No prefixes but endbr64's own, and one REX.
 */
static void find_cost(struct insn *insn, const uint8_t *code)
{
	size_t rex = (code[0] & 0xf0) == 0x40;

	insn->is_neutral = (insn->length == 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4)) ||
		/* of registers: test, cmp */
		(insn->length == 2 + rex && code[rex + 1] >= 0xc0 &&
		 ((code[rex] & 0xfe) == 0x84 || (code[rex] & 0xfc) == 0x38));
	insn->is_emulated = (insn->length == 1 && (code[0] & 0xf8) == 0x50) ||
		(insn->length == 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50) ||
		(insn->has_target && insn->length == 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70)) ||
		(insn->has_target && insn->length == 6 && code[0] == 0x0f);
}

struct insn insn_x86__at(const uint8_t *code, size_t size)
{
	struct reader reader = { .code = code, .size = size };
	struct insn insn = { .kind = INSN_PLAIN };
	uint8_t opcode = skip_prefixes(&reader), following;

	if (reader.is_bad)
		return insn;
	following = reader.at < size ? code[reader.at] : 0;
	if (opcode == 0x0f) {
		insn.is_refused = read_two_byte(&reader);
	} else if (one_byte[opcode] == 'T' || (opcode == 0x8f && (following & 0x1f) >= 8)) {
		insn.is_refused = read_prefixed(&reader, opcode);
	} else {
		skip_operands(&reader, one_byte[opcode], opcode & 1);
		insn.kind = kind_of(opcode, following);
		insn.is_refused = is_refused(opcode, following);
		insn.is_call = opcode == 0xe8 || (opcode == 0xff && (following >> 3 & 7) == 2);
	}
	if (reader.is_bad)
		return (struct insn){ .length = 0 };
	insn.length = reader.at;
	find_target(&insn, code);
	find_cost(&insn, code);
	insn.is_refused |= reader.has_bad_prefix;
	/* a jump through a register with notrack (3e) is a switch's, which stays in the function: others are checked (IBT) */
	if (reader.has_bad_prefix && insn.kind == INSN_JUMP && !insn.has_target)
		insn.kind = INSN_PLAIN;
	return insn;
}
