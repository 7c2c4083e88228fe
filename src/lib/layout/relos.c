/* SPDX-License-Identifier: BSD-2-Clause */
#include "relos.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"

/* The header of .BTF.ext; the offsets count from the header's end. */
struct ext_header {
	__u16 magic;
	__u8 version;
	__u8 flags;
	__u32 hdr_len;
	__u32 func_info_off;
	__u32 func_info_len;
	__u32 line_info_off;
	__u32 line_info_len;
	__u32 core_relo_off;
	__u32 core_relo_len;
};

/* The records of one ELF section, num of them. */
struct ext_section {
	__u32 name_off;
	__u32 num;
};

/* Whether the instruction at offset of the section is a load or a store at a register and an offset. */
static bool is_access(const struct elf *elf, size_t section, __u32 offset)
{
	const char *code = elf__section_bytes(elf, &elf->sections[section], _Alignof(struct bpf_insn));
	const struct bpf_insn *insn;

	if (!code || offset % sizeof(*insn) || elf->sections[section].sh_size < sizeof(*insn) ||
	    offset > elf->sections[section].sh_size - sizeof(*insn))
		return false;
	insn = (const struct bpf_insn *)(code + offset);
	return BPF_MODE(insn->code) == BPF_MEM && (BPF_CLASS(insn->code) == BPF_LDX ||
						   BPF_CLASS(insn->code) == BPF_ST || BPF_CLASS(insn->code) == BPF_STX);
}

static int add_records(struct relos *relos, const struct elf *elf, const struct btf *btf,
		       const struct ext_section *part, const char *records, __u32 record_size)
{
	const char *name = btf__str_by_offset(btf, part->name_off);
	size_t section = name ? elf__find_section(elf, name) : 0;
	struct relo *list;

	if (!section)
		return -EINVAL;
	list = realloc(relos->list, (relos->count + part->num + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	relos->list = list;
	for (__u32 i = 0; i < part->num; i++, records += record_size) {
		const struct bpf_core_relo *record = (const struct bpf_core_relo *)records;
		struct relo *relo = &relos->list[relos->count];
		const Elf64_Sym *function;

		relo->kind = record->kind;
		relo->root_id = record->type_id;
		relo->access = btf__str_by_offset(btf, record->access_str_off);
		function = elf__find_function(elf, section, record->insn_off);
		relo->function = function ? elf__symbol_name(elf, function) : "";
		relo->in_program = strcmp(name, ".text");
		relo->is_access = is_access(elf, section, record->insn_off);
		if (!relo->access || !btf__type_by_id(btf, record->type_id))
			return -EINVAL;
		relos->count++;
	}
	return 0;
}

static int read_records(struct relos *relos, const struct elf *elf, const struct btf *btf, const char *bytes,
			size_t size)
{
	const struct ext_header *header = (const struct ext_header *)bytes;
	const char *pos, *end;
	__u32 record_size;

	if (size < sizeof(*header) || header->magic != BTF_MAGIC)
		return -EINVAL;
	/* an older header ends before the relocations */
	if (header->hdr_len < sizeof(*header) || !header->core_relo_len)
		return 0;
	if (header->hdr_len > size || header->core_relo_off > size - header->hdr_len ||
	    header->core_relo_len > size - header->hdr_len - header->core_relo_off ||
	    header->core_relo_len < sizeof(record_size) || (header->hdr_len + header->core_relo_off) % 4)
		return -EINVAL;
	pos = bytes + header->hdr_len + header->core_relo_off;
	end = pos + header->core_relo_len;
	record_size = *(const __u32 *)pos;
	pos += sizeof(record_size);
	if (record_size < sizeof(struct bpf_core_relo) || record_size % 4 || record_size > 1024)
		return -EINVAL;
	while (pos < end) {
		const struct ext_section *part = (const struct ext_section *)pos;
		int err;

		if ((size_t)(end - pos) < sizeof(*part))
			return -EINVAL;
		pos += sizeof(*part);
		if (part->num > (size_t)(end - pos) / record_size)
			return -EINVAL;
		err = add_records(relos, elf, btf, part, pos, record_size);
		if (err)
			return err;
		pos += (size_t)part->num * record_size;
	}
	return 0;
}

int relos__read(struct relos *relos, const struct btf *btf, const void *elf, size_t size)
{
	struct elf file;
	const char *bytes;
	size_t section;
	int err;

	*relos = (struct relos){};
	err = elf__read(&file, elf, size);
	if (err)
		return err;
	section = elf__find_section(&file, ".BTF.ext");
	if (!section)
		return 0;
	bytes = elf__section_bytes(&file, &file.sections[section], _Alignof(struct ext_header));
	if (!bytes)
		return -EINVAL;
	err = read_records(relos, &file, btf, bytes, file.sections[section].sh_size);
	if (err)
		relos__free(relos);
	return err;
}

void relos__free(struct relos *relos)
{
	free(relos->list);
	*relos = (struct relos){};
}
