/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of an ELF file: .symtab, or .dynsym of a stripped one.  Root reads files of hostile users here, so every
 * number in them is checked, they are read and not mapped (a mapped file that is truncated kills its reader), and their
 * sizes have limits.
 */
#ifndef PROBELIGHT_ELF_SYMBOLS_H
#define PROBELIGHT_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#define ELF_SYMBOLS_NAME_MAX 1023	/* bytes; the rest of a longer name is left out */

struct elf_symbols;

/*
 * Reads the functions from an open file, from its beginning wherever it stands; the caller closes it. *symbols is freed
 * by elf_symbols__free(). 0 (also without any function), or -errno: of read(2), -ENOMEM, -ENOEXEC where it is no ELF
 * file of this machine's byte order or contradicts itself, -EFBIG where it has more symbols or longer names than the
 * limits, or the budget of all files (budget.h) has no room for its functions.  Memory is taken for functions and their
 * names alone, whatever else the file claims to have.
 */
int elf_symbols__read(int fd, struct elf_symbols **symbols);

/*
 * The id that the linker gave the file (.note.gnu.build-id), as 2 * size hexadecimal digits; "" where it has none, or
 * has all its functions itself: what could be found by it is a separate file with more of them.
 */
#define ELF_BUILD_ID_MAX 64	/* bytes; 20 are usual */
const char *elf_symbols__build_id(const struct elf_symbols *symbols);

/*
 * The name of a file of debugging information that the file asks for (.gnu_debuglink), never with a slash; "" as above.
 */
const char *elf_symbols__debug_link(const struct elf_symbols *symbols);

/* How a separate file was found, and what shows that it is the one. */
enum elf_found {
	ELF_BY_BUILD_ID,	/* the same build id */
	ELF_BY_LINK,		/* the checksum of all its bytes; and no other build id */
};

/*
 * Takes the functions from a separate file of debugging information instead of those that there are. 0, or -errno as
 * above, -ESTALE where it is another file or has no .symtab, and -EFBIG where it is found by a link and larger than
 * ELF_DEBUG_SIZE_MAX; then nothing has changed.
 */
#define ELF_DEBUG_SIZE_MAX (256 << 20)
int elf_symbols__read_debug(struct elf_symbols *symbols, int fd, enum elf_found found);

/* Takes NULL. */
void elf_symbols__free(struct elf_symbols *symbols);

/*
 * The function at an offset of the file, ended by a 0 byte and valid until elf_symbols__free(), and how far into it;
 * NULL: none is known there.  The name is the file's: bytes of any kind, never empty.
 */
const char *elf_symbols__at(const struct elf_symbols *symbols, uint64_t file_offset, uint64_t *into);

/* How many functions it has. */
size_t elf_symbols__count(const struct elf_symbols *symbols);

#endif
