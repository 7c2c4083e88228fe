/* SPDX-License-Identifier: BSD-2-Clause */
#include "relos.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

struct object {
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

/* A section's bytes; NULL if they are not all there, or do not lie as what is read from them must. */
static const void *bytes_of(const struct object *object, const Elf64_Shdr *section, size_t alignment)
{
	if (section->sh_offset > object->size || section->sh_size > object->size - section->sh_offset ||
	    (uintptr_t)(object->bytes + section->sh_offset) % alignment)
		return NULL;
	return object->bytes + section->sh_offset;
}

/* A table of strings, which ends with a 0 byte. */
static const char *strings_of(const struct object *object, const Elf64_Shdr *section, size_t *size)
{
	const char *strings = bytes_of(object, section, 1);

	*size = section->sh_size;
	return strings && *size && !strings[*size - 1] ? strings : NULL;
}

static int read_sections(struct object *object)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->bytes;

	if (object->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_BPF ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > object->size || header->e_shoff % 8 ||
	    header->e_shnum > (object->size - header->e_shoff) / sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum)
		return -EINVAL;
	object->sections = (const Elf64_Shdr *)(object->bytes + header->e_shoff);
	object->sections_count = header->e_shnum;
	object->section_names = strings_of(object, &object->sections[header->e_shstrndx], &object->section_names_size);
	if (!object->section_names)
		return -EINVAL;
	for (size_t i = 0; i < object->sections_count; i++) {
		const Elf64_Shdr *section = &object->sections[i];

		if (section->sh_type != SHT_SYMTAB)
			continue;
		object->symbols = bytes_of(object, section, _Alignof(Elf64_Sym));
		object->symbols_count = section->sh_size / sizeof(Elf64_Sym);
		if (!object->symbols || section->sh_link >= object->sections_count)
			return -EINVAL;
		object->symbol_names = strings_of(object, &object->sections[section->sh_link],
						  &object->symbol_names_size);
		return object->symbol_names ? 0 : -EINVAL;
	}
	return -EINVAL;
}

/* The index of the section of that name, 0: none. */
static size_t find_section(const struct object *object, const char *name)
{
	for (size_t i = 1; i < object->sections_count; i++) {
		__u32 at = object->sections[i].sh_name;

		if (at < object->section_names_size && !strcmp(object->section_names + at, name))
			return i;
	}
	return 0;
}

/* The function that has the instruction at offset of the section; "" where none has. */
static const char *find_function(const struct object *object, size_t section, __u32 offset)
{
	for (size_t i = 0; i < object->symbols_count; i++) {
		const Elf64_Sym *symbol = &object->symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx == section &&
		    offset >= symbol->st_value && offset - symbol->st_value < symbol->st_size &&
		    symbol->st_name < object->symbol_names_size)
			return object->symbol_names + symbol->st_name;
	}
	return "";
}

/* Whether the instruction at offset of the section is a load or a store at a register and an offset. */
static bool is_access(const struct object *object, size_t section, __u32 offset)
{
	const char *code = bytes_of(object, &object->sections[section], _Alignof(struct bpf_insn));
	const struct bpf_insn *insn;

	if (!code || offset % sizeof(*insn) || object->sections[section].sh_size < sizeof(*insn) ||
	    offset > object->sections[section].sh_size - sizeof(*insn))
		return false;
	insn = (const struct bpf_insn *)(code + offset);
	return BPF_MODE(insn->code) == BPF_MEM && (BPF_CLASS(insn->code) == BPF_LDX ||
						   BPF_CLASS(insn->code) == BPF_ST || BPF_CLASS(insn->code) == BPF_STX);
}

static int add_records(struct relos *relos, const struct object *object, const struct btf *btf,
		       const struct ext_section *part, const char *records, __u32 record_size)
{
	const char *name = btf__str_by_offset(btf, part->name_off);
	size_t section = name ? find_section(object, name) : 0;
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

		relo->kind = record->kind;
		relo->root_id = record->type_id;
		relo->access = btf__str_by_offset(btf, record->access_str_off);
		relo->function = find_function(object, section, record->insn_off);
		relo->in_program = strcmp(name, ".text");
		relo->is_access = is_access(object, section, record->insn_off);
		if (!relo->access || !btf__type_by_id(btf, record->type_id))
			return -EINVAL;
		relos->count++;
	}
	return 0;
}

static int read_records(struct relos *relos, const struct object *object, const struct btf *btf, const char *bytes,
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
		err = add_records(relos, object, btf, part, pos, record_size);
		if (err)
			return err;
		pos += (size_t)part->num * record_size;
	}
	return 0;
}

int relos__read(struct relos *relos, const struct btf *btf, const void *elf, size_t size)
{
	struct object object = { .bytes = elf, .size = size };
	const char *bytes;
	size_t section;
	int err;

	*relos = (struct relos){};
	err = read_sections(&object);
	if (err)
		return err;
	section = find_section(&object, ".BTF.ext");
	if (!section)
		return 0;
	bytes = bytes_of(&object, &object.sections[section], _Alignof(struct ext_header));
	if (!bytes)
		return -EINVAL;
	err = read_records(relos, &object, btf, bytes, object.sections[section].sh_size);
	if (err)
		relos__free(relos);
	return err;
}

void relos__free(struct relos *relos)
{
	free(relos->list);
	*relos = (struct relos){};
}
