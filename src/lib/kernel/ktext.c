/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ktext.h"

const char *ktext_kind__name(enum ktext_kind kind)
{
	static const char *const names[] = {
		[KTEXT_OTHER] = "",
		[KTEXT_ENDBR] = "endbr64",
		[KTEXT_SEALED] = "nop (was endbr64)",
		[KTEXT_NOP] = "nop",
		[KTEXT_CALL] = "call",
		[KTEXT_JUMP] = "jmp",
		[KTEXT_INT3] = "int3",
	};

	return names[kind];
}

struct ktext_insn ktext__decode(const uint8_t *bytes, size_t size, uint64_t address)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	/* gen_endbr_poison() in arch/x86/include/asm/ibt.h, of 6.12 and of 7.2 */
	static const uint8_t sealed[][4] = { { 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	/* x86_nops[5] in arch/x86/kernel/alternative.c; up to 5.12 ideal_nops[] had three kinds, by the CPU's maker */
	static const uint8_t nops[][5] = {
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 }, { 0x66, 0x66, 0x66, 0x66, 0x90 }, { 0x3e, 0x8d, 0x74, 0x26, 0x00 },
	};
	struct ktext_insn insn = { .kind = KTEXT_OTHER };
	int32_t relative;

	if (size >= sizeof(endbr) && !memcmp(bytes, endbr, sizeof(endbr)))
		return (struct ktext_insn){ .kind = KTEXT_ENDBR, .size = sizeof(endbr) };
	for (size_t i = 0; i < sizeof(sealed) / sizeof(*sealed); i++)
		if (size >= sizeof(*sealed) && !memcmp(bytes, sealed[i], sizeof(*sealed)))
			return (struct ktext_insn){ .kind = KTEXT_SEALED, .size = sizeof(*sealed) };
	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (size >= sizeof(*nops) && !memcmp(bytes, nops[i], sizeof(*nops)))
			return (struct ktext_insn){ .kind = KTEXT_NOP, .size = sizeof(*nops) };
	if (size >= 5 && (bytes[0] == 0xe8 || bytes[0] == 0xe9)) {
		memcpy(&relative, bytes + 1, sizeof(relative));
		insn.kind = bytes[0] == 0xe8 ? KTEXT_CALL : KTEXT_JUMP;
		insn.size = 5;
		insn.target = address + 5 + (uint64_t)(int64_t)relative;
	} else if (size && bytes[0] == 0xcc) {
		insn.kind = KTEXT_INT3;
		insn.size = 1;
	}
	return insn;
}

int ktext__find_hook(const uint8_t bytes[KTEXT_BEGIN])
{
	struct ktext_insn first = ktext__decode(bytes, KTEXT_BEGIN, 0);
	unsigned int before = first.kind == KTEXT_ENDBR || first.kind == KTEXT_SEALED ? first.size : 0;

	return ktext__decode(bytes + before, KTEXT_BEGIN - before, 0).kind >= KTEXT_NOP ? (int)before : -ENOENT;
}

int ktext__open(void)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ktext__read(int kcore, uint64_t address, void *bytes, size_t size)
{
	Elf64_Ehdr elf;

	if (pread(kcore, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_phentsize != sizeof(Elf64_Phdr))
		return -EIO;
	for (unsigned int i = 0; i < elf.e_phnum; i++) {
		Elf64_Phdr segment;
		ssize_t got;

		if (pread(kcore, &segment, sizeof(segment), (off_t)(elf.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return -EIO;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr + size > segment.p_filesz)
			continue;
		got = pread(kcore, bytes, size, (off_t)(segment.p_offset + (address - segment.p_vaddr)));
		if (got < 0)
			return -errno;
		return (size_t)got == size ? 0 : -EIO;
	}
	return -ENOENT;
}
