/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections and symbols of a compiled BPF object, from its ELF bytes (elf(5)).  Nothing is copied: the bytes must live on. */
#ifndef PROBELIGHT_LAYOUT_ELF_H
#define PROBELIGHT_LAYOUT_ELF_H

#include <elf.h>
#include <stddef.h>

struct elf {
	const char *bytes;
	size_t size;
	const Elf64_Shdr *sections;
	size_t sections_count;
	const char *section_names;
	size_t section_names_size;
	const Elf64_Sym *symbols;
	size_t symbols_count;
	const char *symbol_names;
	size_t symbol_names_size;
};

/* 0, or -EINVAL: no BPF object. */
int elf__read(struct elf *elf, const void *bytes, size_t size);

/* A section's bytes; NULL if they are not all there, or do not lie at a multiple of alignment. */
const void *elf__section_bytes(const struct elf *elf, const Elf64_Shdr *section, size_t alignment);

/* The index of the section of that name, 0: none. */
size_t elf__find_section(const struct elf *elf, const char *name);

/* The symbol's name; "" where it has none. */
const char *elf__symbol_name(const struct elf *elf, const Elf64_Sym *symbol);

/* The function that a relocated instruction calls, or takes the address of; NULL: it does neither. */
struct bpf_insn;
const Elf64_Sym *elf__called(const struct elf *elf, const Elf64_Rel *rel, const struct bpf_insn *insn);

/*
 * Calls visit(ctx, caller, called) for each call of a subprogram, and for each place where a program takes the address of one (as for
 * bpf_loop()).
 */
void elf__each_call(const struct elf *elf, void (*visit)(void *ctx, const Elf64_Sym *caller, const Elf64_Sym *called), void *ctx);

/* The function that has the instruction at offset (bytes) of the section; NULL where none has. */
const Elf64_Sym *elf__find_function(const struct elf *elf, size_t section, unsigned long offset);

#endif
