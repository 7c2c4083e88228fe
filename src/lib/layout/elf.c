/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

const void *elf__section_bytes(const struct elf *elf, const Elf64_Shdr *section, size_t alignment)
{
	if (section->sh_offset > elf->size || section->sh_size > elf->size - section->sh_offset ||
	    (uintptr_t)(elf->bytes + section->sh_offset) % alignment)
		return NULL;
	return elf->bytes + section->sh_offset;
}

/* A table of strings, which ends with a 0 byte. */
static const char *strings_of(const struct elf *elf, const Elf64_Shdr *section, size_t *size)
{
	const char *strings = elf__section_bytes(elf, section, 1);

	*size = section->sh_size;
	return strings && *size && !strings[*size - 1] ? strings : NULL;
}

int elf__read(struct elf *elf, const void *bytes, size_t size)
{
	const Elf64_Ehdr *header = bytes;

	*elf = (struct elf){ .bytes = bytes, .size = size };
	if (elf->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_BPF ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > elf->size || header->e_shoff % 8 ||
	    header->e_shnum > (elf->size - header->e_shoff) / sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum)
		return -EINVAL;
	elf->sections = (const Elf64_Shdr *)(elf->bytes + header->e_shoff);
	elf->sections_count = header->e_shnum;
	elf->section_names = strings_of(elf, &elf->sections[header->e_shstrndx], &elf->section_names_size);
	if (!elf->section_names)
		return -EINVAL;
	for (size_t i = 0; i < elf->sections_count; i++) {
		const Elf64_Shdr *section = &elf->sections[i];

		if (section->sh_type != SHT_SYMTAB)
			continue;
		elf->symbols = elf__section_bytes(elf, section, _Alignof(Elf64_Sym));
		elf->symbols_count = section->sh_size / sizeof(Elf64_Sym);
		if (!elf->symbols || section->sh_link >= elf->sections_count)
			return -EINVAL;
		elf->symbol_names = strings_of(elf, &elf->sections[section->sh_link],
						  &elf->symbol_names_size);
		return elf->symbol_names ? 0 : -EINVAL;
	}
	return -EINVAL;
}

size_t elf__find_section(const struct elf *elf, const char *name)
{
	for (size_t i = 1; i < elf->sections_count; i++) {
		__u32 at = elf->sections[i].sh_name;

		if (at < elf->section_names_size && !strcmp(elf->section_names + at, name))
			return i;
	}
	return 0;
}

const char *elf__symbol_name(const struct elf *elf, const Elf64_Sym *symbol)
{
	return symbol->st_name < elf->symbol_names_size ? elf->symbol_names + symbol->st_name : "";
}

const Elf64_Sym *elf__find_function(const struct elf *elf, size_t section, unsigned long offset)
{
	for (size_t i = 0; i < elf->symbols_count; i++) {
		const Elf64_Sym *symbol = &elf->symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx == section &&
		    offset >= symbol->st_value && offset - symbol->st_value < symbol->st_size)
			return symbol;
	}
	return NULL;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

const Elf64_Sym *elf__called(const struct elf *elf, const Elf64_Rel *rel, const struct bpf_insn *insn)
{
	const Elf64_Sym *symbol;

	if (ELF64_R_SYM(rel->r_info) >= elf->symbols_count || (!is_call(insn) && insn->code != (BPF_LD | BPF_IMM | BPF_DW)))
		return NULL;
	symbol = &elf->symbols[ELF64_R_SYM(rel->r_info)];
	/* of a static function the symbol is the section's, and the instruction has the place in it */
	return elf__find_function(elf, symbol->st_shndx,
				  symbol->st_value + (is_call(insn) ? (insn->imm + 1L) * sizeof(*insn) : (unsigned long)insn->imm));
}

/* The relocation of the instruction at offset of the section; NULL: none. */
static const Elf64_Rel *relocation_of(const struct elf *elf, size_t section, unsigned long offset)
{
	for (size_t i = 1; i < elf->sections_count; i++) {
		const Elf64_Shdr *rels = &elf->sections[i];
		const Elf64_Rel *rel = rels->sh_type == SHT_REL && rels->sh_info == section ?
			elf__section_bytes(elf, rels, _Alignof(Elf64_Rel)) : NULL;

		for (size_t j = 0; rel && j < rels->sh_size / sizeof(*rel); j++)
			if (rel[j].r_offset == offset)
				return &rel[j];
	}
	return NULL;
}

/* The function that the instruction at offset of the section calls, or takes the address of; NULL: none. */
static const Elf64_Sym *called_by(const struct elf *elf, size_t section, unsigned long offset, const struct bpf_insn *insn)
{
	const Elf64_Rel *rel;

	if (!is_call(insn) && insn->code != (BPF_LD | BPF_IMM | BPF_DW))
		return NULL;
	rel = relocation_of(elf, section, offset);
	if (rel)
		return elf__called(elf, rel, insn);
	/* within a section calls need no relocation */
	return is_call(insn) ? elf__find_function(elf, section, offset + (insn->imm + 1L) * sizeof(*insn)) : NULL;
}

void elf__each_call(const struct elf *elf, void (*visit)(void *ctx, const Elf64_Sym *caller, const Elf64_Sym *called), void *ctx)
{
	for (size_t section = 1; section < elf->sections_count; section++) {
		const Elf64_Shdr *header = &elf->sections[section];
		const struct bpf_insn *code = header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR ?
			elf__section_bytes(elf, header, _Alignof(struct bpf_insn)) : NULL;

		for (size_t i = 0; code && i < header->sh_size / sizeof(*code); i++) {
			const Elf64_Sym *called = called_by(elf, section, i * sizeof(*code), &code[i]);
			const Elf64_Sym *caller = called ? elf__find_function(elf, section, i * sizeof(*code)) : NULL;

			if (caller)
				visit(ctx, caller, called);
		}
	}
}
