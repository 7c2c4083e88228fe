/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/file.h"

/* More than the largest programs have: Chromium with all symbols has 1.5 million functions, names of 200 MB. */
#define SYMBOLS_MAX (4u << 20)
#define NAMES_SIZE_MAX (256u << 20)
#define SECTIONS_MAX 65536
#define SEGMENTS_MAX 1024
#define CHUNK 512		/* symbols read at once */

struct function {
	uint64_t address;
	uint64_t size;		/* 0: up to the next one */
	uint32_t name;		/* offset in names */
};

struct segment {
	uint64_t offset, size;	/* in the file */
	uint64_t address;
};

struct elf_symbols {
	struct function *functions;	/* by rising address */
	size_t count, room;
	struct segment *segments;	/* those that are executed */
	size_t segments_count;
	char *names;			/* ended by a 0 byte */
	size_t names_size;
};

/* A file that is being read.  Of a 32-bit file the structs are widened. */
struct elf_file {
	int fd;
	bool is_64;
	Elf64_Ehdr header;
	size_t sections;		/* their number, which may be in the first section */
};

/* Exactly size bytes, or an error: -ENOEXEC where the file ends before. */
static int read_exactly(const struct elf_file *file, void *to, size_t size, uint64_t offset)
{
	ssize_t got;

	if (offset > INT64_MAX - size)
		return -ENOEXEC;
	got = file__read_at(file->fd, to, size, (off_t)offset);
	if (got < 0)
		return (int)got;
	return (size_t)got == size ? 0 : -ENOEXEC;
}

#define WIDEN(to, from, member) ((to)->member = (from)->member)

static int read_header(struct elf_file *file)
{
	const uint16_t one = 1;
	const unsigned char own = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr *header = &file->header;
	Elf32_Ehdr narrow;
	int err = read_exactly(file, &narrow, sizeof(narrow), 0);

	if (err)
		return err;
	if (memcmp(narrow.e_ident, ELFMAG, SELFMAG) || narrow.e_ident[EI_DATA] != own)
		return -ENOEXEC;
	file->is_64 = narrow.e_ident[EI_CLASS] == ELFCLASS64;
	if (file->is_64)
		return read_exactly(file, header, sizeof(*header), 0);
	if (narrow.e_ident[EI_CLASS] != ELFCLASS32)
		return -ENOEXEC;
	WIDEN(header, &narrow, e_type);
	WIDEN(header, &narrow, e_phoff);
	WIDEN(header, &narrow, e_shoff);
	WIDEN(header, &narrow, e_phentsize);
	WIDEN(header, &narrow, e_phnum);
	WIDEN(header, &narrow, e_shentsize);
	WIDEN(header, &narrow, e_shnum);
	return 0;
}

static int read_section(const struct elf_file *file, size_t number, Elf64_Shdr *section)
{
	Elf32_Shdr narrow;
	int err;

	if (file->header.e_shoff > INT64_MAX)
		return -ENOEXEC;
	if (file->is_64)
		return read_exactly(file, section, sizeof(*section), file->header.e_shoff + number * sizeof(*section));
	err = read_exactly(file, &narrow, sizeof(narrow), file->header.e_shoff + number * sizeof(narrow));
	WIDEN(section, &narrow, sh_type);
	WIDEN(section, &narrow, sh_offset);
	WIDEN(section, &narrow, sh_size);
	WIDEN(section, &narrow, sh_link);
	WIDEN(section, &narrow, sh_entsize);
	return err;
}

static int count_sections(struct elf_file *file)
{
	Elf64_Shdr first = { 0 };
	int err;

	if (!file->header.e_shoff)
		return 0;
	if (file->header.e_shentsize != (file->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return -ENOEXEC;
	file->sections = file->header.e_shnum;
	if (file->sections)
		return 0;
	/* more than fit into 16 bits: elf(5), e_shnum */
	err = read_section(file, 0, &first);
	if (err)
		return err;
	if (first.sh_size > SECTIONS_MAX)
		return -EFBIG;
	file->sections = first.sh_size;
	return 0;
}

static int read_segments(const struct elf_file *file, struct elf_symbols *symbols)
{
	size_t size = file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), count = file->header.e_phnum;

	if (!count)
		return 0;
	if (file->header.e_phentsize != size || file->header.e_phoff > INT64_MAX)
		return -ENOEXEC;
	if (count > SEGMENTS_MAX)
		return -EFBIG;
	symbols->segments = calloc(count, sizeof(*symbols->segments));
	if (!symbols->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr segment;
		Elf32_Phdr narrow;
		int err = read_exactly(file, file->is_64 ? (void *)&segment : (void *)&narrow, size,
				       file->header.e_phoff + i * size);

		if (err)
			return err;
		if (!file->is_64) {
			WIDEN(&segment, &narrow, p_type);
			WIDEN(&segment, &narrow, p_flags);
			WIDEN(&segment, &narrow, p_offset);
			WIDEN(&segment, &narrow, p_vaddr);
			WIDEN(&segment, &narrow, p_filesz);
		}
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			symbols->segments[symbols->segments_count++] = (struct segment){
				segment.p_offset, segment.p_filesz, segment.p_vaddr,
			};
	}
	return 0;
}

static int add(struct elf_symbols *symbols, const Elf64_Sym *symbol)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info);
	struct function *functions;

	/* its own functions only: in section 0 are those of other files */
	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || symbol->st_name >= symbols->names_size ||
	    !symbols->names[symbol->st_name])
		return 0;
	if (symbols->count == symbols->room) {
		symbols->room = symbols->room ? symbols->room * 2 : 256;
		functions = realloc(symbols->functions, symbols->room * sizeof(*functions));
		if (!functions)
			return -ENOMEM;
		symbols->functions = functions;
	}
	symbols->functions[symbols->count++] = (struct function){ symbol->st_value, symbol->st_size, symbol->st_name };
	return 0;
}

static int read_names(const struct elf_file *file, struct elf_symbols *symbols, size_t number)
{
	Elf64_Shdr strings = { 0 };
	char last;
	int err = number < file->sections ? read_section(file, number, &strings) : -ENOEXEC;

	if (err)
		return err;
	if (strings.sh_type != SHT_STRTAB)
		return -ENOEXEC;
	if (strings.sh_size > NAMES_SIZE_MAX)
		return -EFBIG;
	if (!strings.sh_size || strings.sh_offset > INT64_MAX)
		return -ENOEXEC;
	/* no memory for what is not there */
	err = read_exactly(file, &last, 1, strings.sh_offset + strings.sh_size - 1);
	if (err)
		return err;
	symbols->names = malloc(strings.sh_size + 1);
	if (!symbols->names)
		return -ENOMEM;
	symbols->names_size = strings.sh_size;
	symbols->names[strings.sh_size] = 0;
	return read_exactly(file, symbols->names, strings.sh_size, strings.sh_offset);
}

static int read_table(const struct elf_file *file, struct elf_symbols *symbols, const Elf64_Shdr *table)
{
	size_t size = file->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t count = table->sh_size / size;
	union {
		Elf64_Sym wide[CHUNK];
		Elf32_Sym narrow[CHUNK];
	} chunk;
	int err;

	if (table->sh_entsize != size || table->sh_offset > INT64_MAX)
		return -ENOEXEC;
	if (count > SYMBOLS_MAX)
		return -EFBIG;
	err = read_names(file, symbols, table->sh_link);
	for (uint64_t at = 0; at < count && !err; at += CHUNK) {
		size_t here = count - at < CHUNK ? count - at : CHUNK;

		err = read_exactly(file, &chunk, here * size, table->sh_offset + at * size);
		for (size_t i = 0; i < here && !err; i++) {
			Elf64_Sym symbol;

			if (file->is_64) {
				symbol = chunk.wide[i];
			} else {
				WIDEN(&symbol, &chunk.narrow[i], st_name);
				WIDEN(&symbol, &chunk.narrow[i], st_value);
				WIDEN(&symbol, &chunk.narrow[i], st_size);
				WIDEN(&symbol, &chunk.narrow[i], st_info);
				WIDEN(&symbol, &chunk.narrow[i], st_shndx);
			}
			err = add(symbols, &symbol);
		}
	}
	return err;
}

/* .symtab has all functions; a stripped file has .dynsym, those that others may call. */
static int read_symbols(const struct elf_file *file, struct elf_symbols *symbols)
{
	Elf64_Shdr section = { 0 }, best = { 0 };

	for (size_t i = 0; i < file->sections && best.sh_type != SHT_SYMTAB; i++) {
		int err = read_section(file, i, &section);

		if (err)
			return err;
		if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
			best = section;
	}
	return best.sh_type ? read_table(file, symbols, &best) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* of several at one address the longest is found first; else the first in the file's order of names */
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

int elf_symbols__read(int fd, struct elf_symbols **result)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	struct elf_file file = { .fd = fd };
	int err;

	if (!symbols)
		return -ENOMEM;
	err = read_header(&file);
	if (!err)
		err = count_sections(&file);
	if (!err)
		err = read_segments(&file, symbols);
	if (!err)
		err = read_symbols(&file, symbols);
	if (err) {
		elf_symbols__free(symbols);
		return err;
	}
	if (symbols->count)
		qsort(symbols->functions, symbols->count, sizeof(*symbols->functions), by_address);
	/* a name that never ends */
	for (size_t i = 0; i < symbols->count; i++) {
		char *name = symbols->names + symbols->functions[i].name;

		if (strnlen(name, ELF_SYMBOLS_NAME_MAX + 1) > ELF_SYMBOLS_NAME_MAX)
			name[ELF_SYMBOLS_NAME_MAX] = 0;
	}
	*result = symbols;
	return 0;
}

void elf_symbols__free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->functions);
	free(symbols->segments);
	free(symbols->names);
	free(symbols);
}

size_t elf_symbols__count(const struct elf_symbols *symbols)
{
	return symbols->count;
}

/* Where the file's own addresses have the byte at that offset; UINT64_MAX: no segment has it. */
static uint64_t address_of(const struct elf_symbols *symbols, uint64_t file_offset)
{
	for (size_t i = 0; i < symbols->segments_count; i++) {
		const struct segment *segment = &symbols->segments[i];

		if (file_offset >= segment->offset && file_offset - segment->offset < segment->size)
			return segment->address + (file_offset - segment->offset);
	}
	return UINT64_MAX;
}

const char *elf_symbols__at(const struct elf_symbols *symbols, uint64_t file_offset, uint64_t *into)
{
	uint64_t address = address_of(symbols, file_offset);
	size_t low = 0, high = symbols->count;
	const struct function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address == UINT64_MAX)
		return NULL;
	/* of several that begin there, the first */
	while (low > 1 && symbols->functions[low - 2].address == symbols->functions[low - 1].address)
		low--;
	function = &symbols->functions[low - 1];
	*into = address - function->address;
	/* 0: assembly without a size */
	if (function->size && *into >= function->size)
		return NULL;
	return symbols->names[function->name] ? symbols->names + function->name : NULL;
}
