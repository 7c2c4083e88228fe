/* SPDX-License-Identifier: BSD-2-Clause */
#include "uncalled.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

#define R_BPF_64_32 10			/* the relocation of a call (Documentation/bpf/llvm_reloc.rst) */
#define NO_SUCH_HELPER 0xbad2311	/* as libbpf poisons what cannot be relocated */

/* The instructions of one program; those of the next call are mostly the same program's. */
struct edit {
	struct bpf_program *program;
	struct bpf_insn *insns;		/* a copy; NULL: none is changed */
};

/* Gives the changed instructions back to libbpf. */
static int finish(struct edit *edit)
{
	int err = edit->insns ? bpf_program__set_insns(edit->program, edit->insns, bpf_program__insn_cnt(edit->program)) : 0;

	free(edit->insns);
	*edit = (struct edit){};
	return err;
}

static int change_call(struct edit *edit, struct bpf_program *program, size_t index, bool gives_0)
{
	size_t size = bpf_program__insn_cnt(program) * sizeof(struct bpf_insn);
	int err;

	if (index >= bpf_program__insn_cnt(program))
		return -EINVAL;
	if (program != edit->program) {
		err = finish(edit);
		if (err)
			return err;
		edit->insns = malloc(size);
		if (!edit->insns)
			return -ENOMEM;
		memcpy(edit->insns, bpf_program__insns(program), size);
		edit->program = program;
	}
	if (gives_0)
		edit->insns[index] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 };
	else
		edit->insns[index] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = NO_SUCH_HELPER };
	return 0;
}

static const struct uncalled *find_listed(const struct uncalled *functions, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(functions[i].function, name))
			return &functions[i];
	return NULL;
}

/* Which of the functions the relocated instruction calls; NULL: none. */
static const struct uncalled *called(const struct elf *elf, const Elf64_Rel *rel, const struct bpf_insn *insn,
				     const struct uncalled *functions,
			 size_t count)
{
	const Elf64_Sym *function = ELF64_R_TYPE(rel->r_info) == R_BPF_64_32 ? elf__called(elf, rel, insn) : NULL;

	return function ? find_listed(functions, count, elf__symbol_name(elf, function)) : NULL;
}

/* The calls of one section of programs. */
static int apply_to_section(struct edit *edit, const struct bpf_object *object, const struct elf *elf, const Elf64_Shdr *rels,
			    const struct uncalled *functions, size_t count)
{
	const Elf64_Rel *rel = elf__section_bytes(elf, rels, _Alignof(Elf64_Rel));
	const Elf64_Shdr *section = rels->sh_info < elf->sections_count ? &elf->sections[rels->sh_info] : NULL;
	const char *code = section ? elf__section_bytes(elf, section, _Alignof(struct bpf_insn)) : NULL;
	int err = 0;

	if (!rel || !code)
		return -EINVAL;
	for (size_t i = 0; i < rels->sh_size / sizeof(*rel) && !err; i++) {
		const struct uncalled *listed;
		const Elf64_Sym *caller;
		struct bpf_program *program;

		if (rel[i].r_offset % sizeof(struct bpf_insn) || section->sh_size < sizeof(struct bpf_insn) ||
		    rel[i].r_offset > section->sh_size - sizeof(struct bpf_insn))
			return -EINVAL;
		listed = called(elf, &rel[i], (const struct bpf_insn *)(code + rel[i].r_offset), functions, count);
		if (!listed)
			continue;
		caller = elf__find_function(elf, rels->sh_info, rel[i].r_offset);
		program = caller ? bpf_object__find_program_by_name(object, elf__symbol_name(elf, caller)) : NULL;
		if (program && bpf_program__autoload(program))
			err = change_call(edit, program, (rel[i].r_offset - caller->st_value) / sizeof(struct bpf_insn),
					  listed->gives_0);
	}
	return err;
}

int uncalled__apply(const struct bpf_object *object, const void *elf, size_t size, const struct uncalled *functions, size_t count)
{
	struct edit edit = {};
	struct elf file;
	int err, finish_err;

	if (!count)
		return 0;
	err = elf__read(&file, elf, size);
	for (size_t i = 1; !err && i < file.sections_count; i++) {
		const Elf64_Shdr *rels = &file.sections[i];

		if (rels->sh_type == SHT_REL && rels->sh_info < file.sections_count &&
		    file.sections[rels->sh_info].sh_flags & SHF_EXECINSTR)
			err = apply_to_section(&edit, object, &file, rels, functions, count);
	}
	finish_err = finish(&edit);
	return err ? err : finish_err;
}
