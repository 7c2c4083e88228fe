/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions in a table of symbols of an ELF file, with their names.  Their memory comes out of the budget of all
 * files (budget.h), and is taken for what there is, whatever the file claims to have.
 */
#ifndef PROBELIGHT_ELF_FUNCTIONS_H
#define PROBELIGHT_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"

struct elf_function {
	uint64_t address;
	uint64_t size;			/* 0: up to the next one */
	uint32_t name;			/* offset in names */
	bool is_indirect;		/* IFUNC: what is called at the address returns the address of the function */
};

struct elf_functions {
	struct elf_function *list;	/* by rising address */
	size_t count, room;
	char *names;			/* each ended by a 0 byte */
	size_t names_size, names_room;
	bool are_imports;		/* set before reading: those of other files that this one calls, instead of its own */
};

/*
 * Reads them into a zeroed struct, which elf_functions__free() empties, also after an error. 0 or -errno: of read(2),
 * -ENOMEM, -ENOEXEC where the file contradicts itself, -EFBIG beyond the limits or the budget.
 */
int elf_functions__read(struct elf_functions *functions, const struct elf_file *file, const Elf64_Shdr *table);

void elf_functions__free(struct elf_functions *functions);

/*
 * The name of the function at an address, valid until elf_functions__free(), and how far into it; NULL: none is known
 * there.  Bytes of any kind, never empty.
 */
const char *elf_functions__at(const struct elf_functions *functions, uint64_t address, uint64_t *into);

#endif
