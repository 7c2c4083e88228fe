/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header and the sections of an ELF file that may be hostile: each number in it is checked, and it is read, not mapped
 * (a mapped file that is truncated kills its reader).  Of a 32-bit file the structs are widened.  Errors are -errno: of
 * read(2), -ENOEXEC where the file ends before what it claims to have, or contradicts itself, -EFBIG beyond the limits.
 */
#ifndef PROBELIGHT_ELF_FILE_H
#define PROBELIGHT_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SECTIONS_MAX 65536
#define ELF_FILE_NAME_SIZE 32	/* bytes of a section's name that are looked at, with the 0 byte */

struct elf_file {
	int fd;				/* the caller's */
	bool is_64;
	Elf64_Ehdr header;
	size_t sections;		/* their number, which may be in the first section */
	Elf64_Shdr names;		/* the section with their names; size 0: there is none */
};

#define ELF_WIDEN(to, from, member) ((to)->member = (from)->member)

/* Reads the header of a file of this machine's byte order, and counts the sections.  0 or -errno. */
int elf_file__start(struct elf_file *file, int fd);

/* Exactly size bytes from an offset.  0 or -errno. */
int elf_file__read(const struct elf_file *file, void *to, size_t size, uint64_t offset);

/* The section of a number, which is checked by the caller: type, name, offset, size, link and size of entries.  0 or -errno. */
int elf_file__section(const struct elf_file *file, size_t number, Elf64_Shdr *section);

/* A section's name, or the beginning of a longer one; false where it has none, or it cannot be read. */
bool elf_file__name(const struct elf_file *file, const Elf64_Shdr *section, char name[ELF_FILE_NAME_SIZE]);

/* Whether a section has that name; false also where names cannot be read. */
bool elf_file__is_named(const struct elf_file *file, const Elf64_Shdr *section, const char *name);

#endif
