/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "elf_file.h"
#include "elf_functions.h"
#include "elf_segments.h"
#include "lib/kernel/file.h"

struct elf_symbols {
	struct elf_functions functions;
	struct elf_segments segments;
	bool has_all;			/* of .symtab */
	char build_id[2 * ELF_BUILD_ID_MAX + 1];
	char debug_link[NAME_MAX + 1];	/* "": it has none */
	uint32_t debug_checksum;	/* of the file of that name */
};

/* .symtab has all functions; a stripped file has .dynsym, those that others may call. */
static int read_symbols(const struct elf_file *file, struct elf_symbols *symbols)
{
	Elf64_Shdr section = { 0 }, best = { 0 };

	for (size_t i = 0; i < file->sections && best.sh_type != SHT_SYMTAB; i++) {
		int err = elf_file__section(file, i, &section);

		if (err)
			return err;
		if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
			best = section;
	}
	symbols->has_all = best.sh_type == SHT_SYMTAB;
	return best.sh_type ? elf_functions__read(&symbols->functions, file, &best) : 0;
}

/* A note of the linker's: three numbers, "GNU", the id.  What is none is left out. */
static void read_note(const struct elf_file *file, struct elf_symbols *symbols, const Elf64_Shdr *section)
{
	struct {
		Elf64_Nhdr header;
		char name[4];
		unsigned char id[ELF_BUILD_ID_MAX];
	} note = { .header = { 0 } };
	size_t size = section->sh_size < sizeof(note) ? section->sh_size : sizeof(note);

	if (size <= offsetof(typeof(note), id) || section->sh_offset > INT64_MAX || elf_file__read(file, &note, size, section->sh_offset) ||
	    note.header.n_type != NT_GNU_BUILD_ID || note.header.n_namesz != sizeof(note.name) || memcmp(note.name, "GNU", 4) ||
	    !note.header.n_descsz || note.header.n_descsz > size - offsetof(typeof(note), id))
		return;
	for (size_t i = 0; i < note.header.n_descsz; i++)
		snprintf(symbols->build_id + 2 * i, 3, "%02x", note.id[i]);
}

/*
 * The name of a file of debugging information, ended by a 0 byte, zeros up to the next fourth byte, and the file's
 * checksum.  A name that is not one of a file in a directory is left out.
 */
static void read_debug_link(const struct elf_file *file, struct elf_symbols *symbols, const Elf64_Shdr *section)
{
	char link[NAME_MAX + 1 + 3 + sizeof(uint32_t)];
	size_t length, at;

	if (section->sh_size > sizeof(link) || section->sh_offset > INT64_MAX || !elf_file__is_named(file, section, ".gnu_debuglink") ||
	    elf_file__read(file, link, section->sh_size, section->sh_offset))
		return;
	length = strnlen(link, section->sh_size);
	at = (length + 1 + 3) & ~(size_t)3;
	if (!length || length > NAME_MAX || at + sizeof(uint32_t) > section->sh_size || strchr(link, '/') || !strcmp(link, ".") ||
	    !strcmp(link, ".."))
		return;
	memcpy(symbols->debug_link, link, length + 1);
	memcpy(&symbols->debug_checksum, link + at, sizeof(uint32_t));
}

/* What a file with more of the functions is found by. */
static int read_debug_hints(const struct elf_file *file, struct elf_symbols *symbols)
{
	Elf64_Shdr section = { 0 };

	for (size_t i = 0; i < file->sections; i++) {
		int err = elf_file__section(file, i, &section);

		if (err)
			return err;
		if (section.sh_type == SHT_NOTE && !*symbols->build_id)
			read_note(file, symbols, &section);
		else if (section.sh_type == SHT_PROGBITS && !symbols->has_all && !*symbols->debug_link)
			read_debug_link(file, symbols, &section);
	}
	return 0;
}

int elf_symbols__read(int fd, struct elf_symbols **result)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	struct elf_file file;
	int err;

	if (!symbols)
		return -ENOMEM;
	err = elf_file__start(&file, fd);
	if (!err)
		err = elf_segments__read(&symbols->segments, &file);
	if (!err)
		err = read_symbols(&file, symbols);
	if (!err)
		err = read_debug_hints(&file, symbols);
	if (err) {
		elf_symbols__free(symbols);
		return err;
	}
	*result = symbols;
	return 0;
}

void elf_symbols__free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	elf_functions__free(&symbols->functions);
	elf_segments__free(&symbols->segments);
	free(symbols);
}

const char *elf_symbols__build_id(const struct elf_symbols *symbols)
{
	return symbols->has_all ? "" : symbols->build_id;
}

const char *elf_symbols__debug_link(const struct elf_symbols *symbols)
{
	return symbols->has_all ? "" : symbols->debug_link;
}

/* debug is freed. */
static void take_functions(struct elf_symbols *symbols, struct elf_symbols *debug)
{
	/* its segments have nothing in the file; addresses are the same */
	elf_segments__free(&debug->segments);
	debug->segments = symbols->segments;
	elf_functions__free(&symbols->functions);
	*symbols = *debug;
	free(debug);
}

/* The same as the linker's and objcopy's: CRC-32 of all bytes.  0, -ESTALE where it is another one, or -errno. */
static int compare_checksum(int fd, uint32_t checksum)
{
	unsigned char bytes[16384];
	uLong sum = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	/* it may grow while it is read */
	while ((got = file__read_at(fd, bytes, sizeof(bytes), at)) > 0 && at <= ELF_DEBUG_SIZE_MAX) {
		sum = crc32(sum, bytes, (uInt)got);
		at += got;
	}
	if (got)
		return got < 0 ? (int)got : -EFBIG;
	return sum == checksum ? 0 : -ESTALE;
}

int elf_symbols__read_debug(struct elf_symbols *symbols, int fd, enum elf_found found)
{
	struct elf_symbols *debug;
	int err = elf_symbols__read(fd, &debug);

	if (err)
		return err;
	if (!debug->has_all)
		err = -ESTALE;
	/* one that has no id may still be the one that a link means; one that has another is not */
	else if (found == ELF_BY_BUILD_ID || (*symbols->build_id && *debug->build_id))
		err = *symbols->build_id && !strcmp(debug->build_id, symbols->build_id) ? 0 : -ESTALE;
	if (!err && found == ELF_BY_LINK)
		err = *symbols->debug_link ? compare_checksum(fd, symbols->debug_checksum) : -ESTALE;
	if (err)
		elf_symbols__free(debug);
	else
		take_functions(symbols, debug);
	return err;
}

size_t elf_symbols__count(const struct elf_symbols *symbols)
{
	return symbols->functions.count;
}

const char *elf_symbols__at(const struct elf_symbols *symbols, uint64_t file_offset, uint64_t *into)
{
	uint64_t address = elf_segments__address(&symbols->segments, file_offset);

	return address == UINT64_MAX ? NULL : elf_functions__at(&symbols->functions, address, into);
}
