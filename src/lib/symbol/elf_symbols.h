/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of an ELF file: .symtab, or .dynsym of a stripped one.  Root reads files of hostile users here, so every number in
 * them is checked, they are read and not mapped (a mapped file that is truncated kills its reader), and their sizes have limits.
 */
#ifndef PROBELIGHT_ELF_SYMBOLS_H
#define PROBELIGHT_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#define ELF_SYMBOLS_NAME_MAX 1023	/* bytes; the rest of a longer name is left out */

struct elf_symbols;

/*
 * Reads the functions from an open file, from its beginning wherever it stands; the caller closes it.  *symbols is freed by
 * elf_symbols__free().  0 (also without any function), or -errno: of read(2), -ENOMEM, -ENOEXEC where it is no ELF file of this
 * machine's byte order or contradicts itself, -EFBIG where it has more symbols or longer names than the limits.
 */
int elf_symbols__read(int fd, struct elf_symbols **symbols);

/* Takes NULL. */
void elf_symbols__free(struct elf_symbols *symbols);

/*
 * The function at an offset of the file, ended by a 0 byte and valid until elf_symbols__free(), and how far into it; NULL: none is
 * known there.  The name is the file's: bytes of any kind, never empty.
 */
const char *elf_symbols__at(const struct elf_symbols *symbols, uint64_t file_offset, uint64_t *into);

/* How many functions it has. */
size_t elf_symbols__count(const struct elf_symbols *symbols);

#endif
