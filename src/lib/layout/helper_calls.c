/* SPDX-License-Identifier: BSD-2-Clause */
#include "helper_calls.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

static const Elf64_Sym *find_function(const struct elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->symbols_count; i++)
		if (ELF64_ST_TYPE(elf->symbols[i].st_info) == STT_FUNC && !strcmp(elf__symbol_name(elf, &elf->symbols[i]), name))
			return &elf->symbols[i];
	return NULL;
}

static const struct helper_call *find_call(const struct bpf_insn *insn, const struct helper_call *calls, size_t count)
{
	if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (calls[i].helper == insn->imm)
			return &calls[i];
	return NULL;
}

/*
 * A call as the compiler makes it for a function of the caller's section, which needs no relocation: libbpf adds the distance to the
 * caller's place in its section, and looks for a subprogram there in .text (bpf_object__reloc_code() in libbpf.c).
 */
static struct bpf_insn call_of(const Elf64_Sym *function, const Elf64_Sym *caller, size_t index)
{
	int64_t to = (int64_t)(function->st_value / sizeof(struct bpf_insn));
	int64_t from = (int64_t)(caller->st_value / sizeof(struct bpf_insn) + index);

	return (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (int32_t)(to - from - 1) };
}

static int replace_in(struct bpf_program *program, const struct elf *elf, const struct helper_call *calls, size_t count)
{
	const Elf64_Sym *caller = find_function(elf, bpf_program__name(program));
	size_t insns_count = bpf_program__insn_cnt(program), text = elf__find_section(elf, ".text");
	struct bpf_insn *insns = malloc(insns_count * sizeof(*insns));
	int err = caller ? 0 : -ENOENT;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), insns_count * sizeof(*insns));
	for (size_t i = 0; i < insns_count && !err; i++) {
		const struct helper_call *call = find_call(&insns[i], calls, count);
		const Elf64_Sym *function = call ? find_function(elf, call->function) : NULL;

		/* the second half of a constant of 64 bits is no instruction, and has no code */
		if (!call)
			continue;
		if (function && text && function->st_shndx == text)
			insns[i] = call_of(function, caller, i);
		else
			err = -ENOENT;
	}
	if (!err)
		err = bpf_program__set_insns(program, insns, insns_count);
	free(insns);
	return err;
}

int helper_calls__replace(const struct bpf_object *object, const void *elf, size_t size, const struct helper_call *calls, size_t count)
{
	struct bpf_program *program;
	struct elf file;
	int err;

	if (!count)
		return 0;
	err = elf__read(&file, elf, size);
	bpf_object__for_each_program(program, object)
		if (!err && bpf_program__autoload(program))
			err = replace_in(program, &file, calls, count);
	return err;
}
