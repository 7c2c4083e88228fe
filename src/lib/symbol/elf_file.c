/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_file.h"

#include <errno.h>
#include <string.h>

#include "lib/kernel/file.h"

int elf_file__read(const struct elf_file *file, void *to, size_t size, uint64_t offset)
{
	ssize_t got;

	if (offset > INT64_MAX - size)
		return -ENOEXEC;
	got = file__read_at(file->fd, to, size, (off_t)offset);
	if (got < 0)
		return (int)got;
	return (size_t)got == size ? 0 : -ENOEXEC;
}

static int read_header(struct elf_file *file)
{
	const uint16_t one = 1;
	const unsigned char own = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr *header = &file->header;
	Elf32_Ehdr narrow;
	int err = elf_file__read(file, &narrow, sizeof(narrow), 0);

	if (err)
		return err;
	if (memcmp(narrow.e_ident, ELFMAG, SELFMAG) || narrow.e_ident[EI_DATA] != own)
		return -ENOEXEC;
	file->is_64 = narrow.e_ident[EI_CLASS] == ELFCLASS64;
	if (file->is_64)
		return elf_file__read(file, header, sizeof(*header), 0);
	if (narrow.e_ident[EI_CLASS] != ELFCLASS32)
		return -ENOEXEC;
	ELF_WIDEN(header, &narrow, e_type);
	ELF_WIDEN(header, &narrow, e_phoff);
	ELF_WIDEN(header, &narrow, e_shoff);
	ELF_WIDEN(header, &narrow, e_phentsize);
	ELF_WIDEN(header, &narrow, e_phnum);
	ELF_WIDEN(header, &narrow, e_shentsize);
	ELF_WIDEN(header, &narrow, e_shnum);
	ELF_WIDEN(header, &narrow, e_shstrndx);
	return 0;
}

int elf_file__section(const struct elf_file *file, size_t number, Elf64_Shdr *section)
{
	Elf32_Shdr narrow;
	int err;

	if (file->header.e_shoff > INT64_MAX)
		return -ENOEXEC;
	if (file->is_64)
		return elf_file__read(file, section, sizeof(*section), file->header.e_shoff + number * sizeof(*section));
	err = elf_file__read(file, &narrow, sizeof(narrow), file->header.e_shoff + number * sizeof(narrow));
	if (err)
		return err;
	ELF_WIDEN(section, &narrow, sh_name);
	ELF_WIDEN(section, &narrow, sh_type);
	ELF_WIDEN(section, &narrow, sh_offset);
	ELF_WIDEN(section, &narrow, sh_size);
	ELF_WIDEN(section, &narrow, sh_link);
	ELF_WIDEN(section, &narrow, sh_entsize);
	return 0;
}

bool elf_file__name(const struct elf_file *file, const Elf64_Shdr *section, char name[ELF_FILE_NAME_SIZE])
{
	uint64_t left = section->sh_name < file->names.sh_size ? file->names.sh_size - section->sh_name : 0;
	size_t size = left < ELF_FILE_NAME_SIZE - 1 ? (size_t)left : ELF_FILE_NAME_SIZE - 1;

	if (!size || elf_file__read(file, name, size, file->names.sh_offset + section->sh_name))
		return false;
	name[size] = 0;
	return true;
}

bool elf_file__is_named(const struct elf_file *file, const Elf64_Shdr *section, const char *name)
{
	char here[ELF_FILE_NAME_SIZE];

	return elf_file__name(file, section, here) && !strcmp(here, name);
}

/* The section with their names; none where it cannot be one. */
static void find_names(struct elf_file *file)
{
	Elf64_Shdr names;

	if (file->header.e_shstrndx < file->sections && !elf_file__section(file, file->header.e_shstrndx, &names) &&
	    names.sh_type == SHT_STRTAB && names.sh_offset <= INT64_MAX)
		file->names = names;
}

int elf_file__start(struct elf_file *file, int fd)
{
	Elf64_Shdr first = { 0 };
	int err;

	*file = (struct elf_file){ .fd = fd };
	err = read_header(file);
	if (err || !file->header.e_shoff)
		return err;
	if (file->header.e_shentsize != (file->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return -ENOEXEC;
	file->sections = file->header.e_shnum;
	/* more than fit into 16 bits: elf(5), e_shnum */
	if (!file->sections) {
		err = elf_file__section(file, 0, &first);
		if (err)
			return err;
		if (first.sh_size > ELF_SECTIONS_MAX)
			return -EFBIG;
		file->sections = first.sh_size;
	}
	find_names(file);
	return 0;
}
