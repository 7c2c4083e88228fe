/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "budget.h"
#include "elf_symbols.h"
#include "lib/kernel/sorted.h"

/* More than the largest programs have: Chromium with all symbols has 1.5 million functions, names of 200 MB. */
#define SYMBOLS_MAX (4u << 20)
#define NAMES_SIZE_MAX (256u << 20)
#define CHUNK 512		/* symbols read at once */
#define DIGIT_BITS 11
#define DIGIT_MASK ((1 << DIGIT_BITS) - 1)
#define WINDOW 16384		/* bytes of names read at once */

/*
 * Makes room for more, out of the budget of all files: doubled, as long as it must grow. *room is in entries. 0,
 * -ENOMEM, or -EFBIG where the budget has no more.
 */
static int grow(void **array, size_t *room, size_t entry, size_t first)
{
	size_t larger = *room ? *room * 2 : first;
	void *moved;

	if (!budget__take((larger - *room) * entry))
		return -EFBIG;
	moved = realloc(*array, larger * entry);
	if (!moved) {
		budget__give((larger - *room) * entry);
		return -ENOMEM;
	}
	*array = moved;
	*room = larger;
	return 0;
}

/* Gives back what was not needed. */
static void trim(void **array, size_t *room, size_t entry, size_t count)
{
	void *moved = count && count < *room ? realloc(*array, count * entry) : NULL;

	if (!moved)
		return;
	budget__give((*room - count) * entry);
	*array = moved;
	*room = count;
}

/* Its name is the offset in the file's strings until read_names(). */
static int add(struct elf_functions *functions, const Elf64_Sym *symbol, uint64_t strings_size)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info);
	int err;

	/* in section 0 are those of other files, some linkers write them without a type */
	if (functions->are_imports ? symbol->st_shndx != SHN_UNDEF || type > STT_FUNC :
	    (type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF)
		return 0;
	if (symbol->st_name >= strings_size)
		return 0;
	if (functions->count == functions->room) {
		err = grow((void **)&functions->list, &functions->room, sizeof(*functions->list), 256);
		if (err)
			return err;
	}
	functions->list[functions->count++] = (struct elf_function){ symbol->st_value, symbol->st_size, symbol->st_name,
									  type == STT_GNU_IFUNC };
	return 0;
}

/* What functions are sorted by. */
static uint64_t name_of(const struct elf_function *function)
{
	return function->name;
}

static uint64_t address_of(const struct elf_function *function)
{
	return function->address;
}

/*
 * Sorts by 11 bits of the numbers after the other, of which most have two or three that differ; equal ones keep their order.  To compare
 * the functions of libc takes ten times as long.  0 or -ENOMEM.
 */
static int sort(struct elf_functions *functions, uint64_t (*number)(const struct elf_function *function))
{
	struct elf_function *from = functions->list, *to = NULL, *moved;
	size_t count = functions->count;
	uint64_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= number(&from[i]) ^ number(&from[0]);
	for (unsigned int shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		size_t ends[1 << DIGIT_BITS] = { 0 }, before = 0;

		if (!(differ >> shift & DIGIT_MASK))
			continue;
		if (!to && !(to = malloc(count * sizeof(*to))))
			return -ENOMEM;
		for (size_t i = 0; i < count; i++)
			ends[number(&from[i]) >> shift & DIGIT_MASK]++;
		for (size_t i = 0; i <= DIGIT_MASK; i++) {
			size_t here = ends[i];

			ends[i] = before;
			before += here;
		}
		for (size_t i = 0; i < count; i++)
			to[ends[number(&from[i]) >> shift & DIGIT_MASK]++] = from[i];
		moved = to;
		to = from;
		from = moved;
	}
	if (from != functions->list) {
		memcpy(functions->list, from, count * sizeof(*from));
		to = from;
	}
	free(to);
	return 0;
}

/* A part of a section of strings; in pieces, so that the section needs no memory. */
struct strings {
	const struct elf_file *file;
	uint64_t offset, size;		/* of the section */
	uint64_t at;			/* the piece's, in the section */
	size_t length;
	char piece[WINDOW];
};

/* The bytes from an offset on, up to ELF_SYMBOLS_NAME_MAX + 1 of them: *length.  NULL: *err says why. */
static const char *string_at(struct strings *strings, uint64_t at, size_t *length, int *err)
{
	uint64_t left = strings->size - at;
	size_t wanted = left < ELF_SYMBOLS_NAME_MAX + 1 ? (size_t)left : ELF_SYMBOLS_NAME_MAX + 1;

	if (at < strings->at || at + wanted > strings->at + strings->length) {
		strings->at = at;
		strings->length = left < sizeof(strings->piece) ? (size_t)left : sizeof(strings->piece);
		*err = elf_file__read(strings->file, strings->piece, strings->length, strings->offset + at);
		if (*err) {
			strings->length = 0;
			return NULL;
		}
	}
	*length = wanted;
	return strings->piece + (at - strings->at);
}

/* Appends a name, which it ends; its offset, or -errno. */
static int64_t add_name(struct elf_functions *functions, const char *name, size_t length)
{
	size_t at = functions->names_size;

	while (functions->names_room - at < length + 1) {
		int err = grow((void **)&functions->names, &functions->names_room, 1, 4096);

		if (err)
			return err;
	}
	memcpy(functions->names + at, name, length);
	functions->names[at + length] = 0;
	functions->names_size += length + 1;
	return (int64_t)at;
}

/*
 * Reads the names of the functions that were found, by their order in the section, and drops functions without any.  A
 * name that is the end of another one shares its bytes, as in the file.
 */
static int read_names(const struct elf_file *file, struct elf_functions *functions, const Elf64_Shdr *section)
{
	struct strings strings = { .file = file, .offset = section->sh_offset, .size = section->sh_size };
	uint64_t whole_at = UINT64_MAX;		/* the last name in the section */
	size_t whole_length = 0, kept = 0;
	int64_t whole = 0;			/* and in ours */
	int err = 0;

	for (size_t i = 1; i < functions->count; i++) {
		if (functions->list[i].name >= functions->list[i - 1].name)
			continue;
		err = sort(functions, name_of);
		if (err)
			return err;
		break;
	}
	for (size_t i = 0; i < functions->count; i++) {
		struct elf_function function = functions->list[i];
		uint64_t at = function.name;

		if (whole_at > at || at - whole_at > whole_length) {
			size_t length;
			const char *text = string_at(&strings, at, &length, &err);

			if (!text)
				return err;
			whole_length = strnlen(text, length < ELF_SYMBOLS_NAME_MAX ? length : ELF_SYMBOLS_NAME_MAX);
			whole = add_name(functions, text, whole_length);
			if (whole < 0)
				return (int)whole;
			whole_at = at;
		}
		function.name = (uint32_t)(whole + (int64_t)(at - whole_at));
		if (functions->names[function.name])
			functions->list[kept++] = function;
	}
	functions->count = kept;
	trim((void **)&functions->names, &functions->names_room, 1, functions->names_size);
	trim((void **)&functions->list, &functions->room, sizeof(*functions->list), functions->count);
	return 0;
}

/* The section with the names of a table.  0 or -errno. */
static int find_strings(const struct elf_file *file, size_t number, Elf64_Shdr *strings)
{
	char last;
	int err = number < file->sections ? elf_file__section(file, number, strings) : -ENOEXEC;

	if (err)
		return err;
	if (strings->sh_type != SHT_STRTAB || !strings->sh_size || strings->sh_offset > INT64_MAX)
		return -ENOEXEC;
	if (strings->sh_size > NAMES_SIZE_MAX)
		return -EFBIG;
	/* it must be there */
	return elf_file__read(file, &last, 1, strings->sh_offset + strings->sh_size - 1);
}

/*
 * After a piece of a table that was all zeros: the first entry that may not be.  A hole in a sparse file is stepped
 * over, however large it is.  Where the file system does not tell of holes, that is the next one.
 */
static uint64_t after_hole(const struct elf_file *file, const Elf64_Shdr *table, uint64_t at, uint64_t count)
{
	off_t next = (off_t)(table->sh_offset + at * table->sh_entsize), data = lseek(file->fd, next, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? count : at;
	return data > next ? at + (uint64_t)(data - next) / table->sh_entsize : at;
}

/* Whether a function comes after another one of its address: the longest is found first, else the first in the file's order of names. */
static bool is_after(const struct elf_function *a, const struct elf_function *b)
{
	return a->address == b->address && (a->size != b->size ? a->size < b->size : a->name > b->name);
}

static int compare(const void *a, const void *b)
{
	return is_after(a, b) ? 1 : is_after(b, a) ? -1 : 0;
}

/* 0 or -ENOMEM. */
static int sort_by_address(struct elf_functions *functions)
{
	struct elf_function *list = functions->list;
	int err = sort(functions, address_of);

	/* those of an address are few */
	for (size_t first = 0, end; !err && first < functions->count; first = end) {
		for (end = first + 1; end < functions->count && list[end].address == list[first].address;)
			end++;
		if (end - first > 1)
			qsort(&list[first], end - first, sizeof(*list), compare);
	}
	return err;
}

int elf_functions__read(struct elf_functions *functions, const struct elf_file *file, const Elf64_Shdr *table)
{
	static const char zeros[CHUNK * sizeof(Elf64_Sym)];
	size_t size = file->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t count = table->sh_size / size;
	Elf64_Shdr strings = { 0 };
	union {
		Elf64_Sym wide[CHUNK];
		Elf32_Sym narrow[CHUNK];
	} chunk;
	int err;

	if (table->sh_entsize != size || table->sh_offset > INT64_MAX)
		return -ENOEXEC;
	if (count > SYMBOLS_MAX)
		return -EFBIG;
	err = find_strings(file, table->sh_link, &strings);
	for (uint64_t at = 0; at < count && !err;) {
		size_t here = count - at < CHUNK ? (size_t)(count - at) : CHUNK;

		err = elf_file__read(file, &chunk, here * size, table->sh_offset + at * size);
		at += here;
		if (!err && !memcmp(&chunk, zeros, here * size)) {
			at = after_hole(file, table, at, count);
			continue;
		}
		for (size_t i = 0; i < here && !err; i++) {
			Elf64_Sym symbol;

			if (file->is_64) {
				symbol = chunk.wide[i];
			} else {
				ELF_WIDEN(&symbol, &chunk.narrow[i], st_name);
				ELF_WIDEN(&symbol, &chunk.narrow[i], st_value);
				ELF_WIDEN(&symbol, &chunk.narrow[i], st_size);
				ELF_WIDEN(&symbol, &chunk.narrow[i], st_info);
				ELF_WIDEN(&symbol, &chunk.narrow[i], st_shndx);
			}
			err = add(functions, &symbol, strings.sh_size);
		}
	}
	if (!err)
		err = read_names(file, functions, &strings);
	return err ? err : sort_by_address(functions);
}

void elf_functions__free(struct elf_functions *functions)
{
	budget__give(functions->room * sizeof(*functions->list) + functions->names_room);
	free(functions->list);
	free(functions->names);
	*functions = (struct elf_functions){ 0 };
}

const char *elf_functions__at(const struct elf_functions *functions, uint64_t address, uint64_t *into)
{
	size_t low = sorted__up_to(functions->list, functions->count, sizeof(*functions->list), address);
	const struct elf_function *function;

	if (!low)
		return NULL;
	/* of several that begin there, the first */
	while (low > 1 && functions->list[low - 2].address == functions->list[low - 1].address)
		low--;
	function = &functions->list[low - 1];
	*into = address - function->address;
	/* 0: assembly without a size */
	if (function->size && *into >= function->size)
		return NULL;
	return functions->names + function->name;
}
