/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "lib/kernel/sorted.h"
#include "lib/symbol/elf_file.h"
#include "lib/symbol/elf_functions.h"
#include "lib/symbol/elf_segments.h"
#include "lib/symbol/elf_symbols.h"

#define MENTIONS_MAX (64 << 20)	/* bytes of names; node has 12 MB */
#define SEARCHES_MAX 4	/* that look at each function: a table of those of libc by name takes as long as some of them */
#define WINDOW 4096		/* bytes of code that are read at once: functions of a pattern come in the order of their addresses */
#define AROUND_MAX 16	/* functions that are looked at for one that has an address inside it */

/* Tables of functions. */
enum { OWN, DYNAMIC, IMPORTS, TABLES };

/* All functions, in lists of those whose names without a version have the same hash. */
struct names {
	struct user_function *list;
	size_t count;
	uint32_t *first, *next;		/* number + 1 of a function, 0: no more; for each hash, and for each function */
	uint32_t mask;
};

/* What is kept of a file from one question to the next: the bytes that were read last, and its signs. */
struct window {
	unsigned int signs;
	bool has_signs;
	uint64_t first;
	size_t size;
	uint8_t bytes[WINDOW];
};

struct user_file {
	const struct user_machine *machine;
	struct elf_file elf;
	struct elf_segments segments;
	struct elf_functions tables[TABLES];
	bool is_go;
	struct names by_name;		/* made when there have been some searches */
	size_t searches;
	struct window *window;
};

/* ---- reading */

static int read_table(struct user_file *file, int table, const Elf64_Shdr *section)
{
	/* a second one of a kind is no file of a linker's */
	if (file->tables[table].count)
		return 0;
	file->tables[table].are_imports = table == IMPORTS;
	return elf_functions__read(&file->tables[table], &file->elf, section);
}

static int read_section(struct user_file *file, const Elf64_Shdr *section)
{
	static const char *const go[] = { ".go.buildinfo", ".note.go.buildid", ".gopclntab" };
	char name[ELF_FILE_NAME_SIZE];
	int err;

	if (section->sh_type == SHT_SYMTAB)
		return read_table(file, OWN, section);
	if (section->sh_type == SHT_DYNSYM) {
		err = read_table(file, DYNAMIC, section);
		return err ? err : read_table(file, IMPORTS, section);
	}
	if (!elf_file__name(&file->elf, section, name))
		return 0;
	for (size_t i = 0; i < sizeof(go) / sizeof(*go); i++)
		file->is_go |= !strcmp(name, go[i]);
	return 0;
}

static int read_all(struct user_file *file, int fd)
{
	int err = elf_file__start(&file->elf, fd);

	if (!err && (!file->elf.is_64 || file->elf.header.e_machine != file->machine->elf))
		return -ENOTSUP;
	if (!err)
		err = elf_segments__read(&file->segments, &file->elf);
	for (size_t i = 0; i < file->elf.sections && !err; i++) {
		Elf64_Shdr section;

		err = elf_file__section(&file->elf, i, &section);
		if (!err)
			err = read_section(file, &section);
	}
	return err;
}

int user_file__read(int fd, const struct user_machine *machine, struct user_file **result, struct fault *fault)
{
	struct user_file *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	if (file)
		file->window = calloc(1, sizeof(*file->window));
	if (file && file->window) {
		file->machine = machine;
		err = read_all(file, fd);
	}
	*result = file;
	if (!err)
		return 0;
	user_file__free(file);
	*result = NULL;
	switch (err) {
	case -ENOEXEC:
		return fault__set(fault, err, "it is no ELF file, or a damaged one");
	case -ENOTSUP:
		return fault__set(fault, err, "only 64-bit programs of %s can be probed", machine->name);
	case -EFBIG:
		return fault__set(fault, err, "it has more symbols than there is room for");
	default:
		return fault__set(fault, err, "it cannot be read: %s", strerror(-err));
	}
}

void user_file__free(struct user_file *file)
{
	if (!file)
		return;
	elf_segments__free(&file->segments);
	for (int i = 0; i < TABLES; i++)
		elf_functions__free(&file->tables[i]);
	free(file->by_name.list);
	free(file->by_name.first);
	free(file->window);
	free(file);
}

const struct user_machine *user_file__machine(const struct user_file *file)
{
	return file->machine;
}

/* Whether bytes of a file have the name between two 0 bytes. */
static bool has_string(const struct elf_file *elf, const Elf64_Shdr *strings, const char *name)
{
	size_t size = strlen(name) + 2;
	char wanted[ELF_SYMBOLS_NAME_MAX + 2] = "", *bytes;
	bool found = false;

	if (size > sizeof(wanted) || strings->sh_size < size || strings->sh_size > MENTIONS_MAX)
		return false;
	memcpy(wanted + 1, name, size - 2);
	bytes = malloc(strings->sh_size);
	if (bytes && !elf_file__read(elf, bytes, strings->sh_size, strings->sh_offset))
		found = memmem(bytes, strings->sh_size, wanted, size);
	free(bytes);
	return found;
}

bool user_file__mentions(int fd, const char *name)
{
	struct elf_file elf = { 0 };
	Elf64_Shdr section, strings;

	if (elf_file__start(&elf, fd))
		return false;
	for (size_t i = 0; i < elf.sections && !elf_file__section(&elf, i, &section); i++)
		if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) && section.sh_link < elf.sections &&
		    !elf_file__section(&elf, section.sh_link, &strings) && has_string(&elf, &strings, name))
			return true;
	return false;
}

/* ---- functions */

size_t user_function__name_length(const char *name)
{
	return (size_t)(strchrnul(name, '@') - name);
}

static struct user_function function_of(const struct user_file *file, const struct elf_functions *table, const struct elf_function *from)
{
	return (struct user_function){ .name = table->names + from->name, .address = from->address, .size = from->size,
				       .offset = elf_segments__offset(&file->segments, from->address), .is_indirect = from->is_indirect };
}

static bool is_same_name(const char *a, const char *b)
{
	size_t length = user_function__name_length(a);

	return length == user_function__name_length(b) && !memcmp(a, b, length);
}

/* Whether a table has it, under that name. */
static bool has(const struct elf_functions *table, const struct elf_function *function, const char *name)
{
	size_t i = sorted__up_to(table->list, table->count, sizeof(*table->list), function->address);

	for (; i && table->list[i - 1].address == function->address; i--)
		if (is_same_name(table->names + table->list[i - 1].name, name))
			return true;
	return false;
}

/* Calls visit() for each function that is in a segment: those of .symtab, and of .dynsym those that .symtab does not have. */
static int each(const struct user_file *file, int (*visit)(void *context, const struct user_function *function), void *context)
{
	int result = 0;

	for (int i = OWN; i <= DYNAMIC; i++) {
		const struct elf_functions *table = &file->tables[i];

		for (size_t j = 0; j < table->count && !result; j++) {
			struct user_function function = function_of(file, table, &table->list[j]);

			if (function.offset == UINT64_MAX || (i == DYNAMIC && has(&file->tables[OWN], &table->list[j], function.name)))
				continue;
			/* a name with several versions of one address */
			if (j && table->list[j - 1].address == function.address &&
			    is_same_name(table->names + table->list[j - 1].name, function.name))
				continue;
			result = visit(context, &function);
		}
	}
	return result;
}

struct match {
	const char *pattern;
	int (*found)(void *context, const struct user_function *function);
	void *context;
};

static int visit_match(void *context, const struct user_function *function)
{
	const struct match *match = context;
	char name[ELF_SYMBOLS_NAME_MAX + 1];
	size_t length = user_function__name_length(function->name);

	if (length >= sizeof(name))
		return 0;
	memcpy(name, function->name, length);
	name[length] = 0;
	return fnmatch(match->pattern, name, 0) ? 0 : match->found(match->context, function);
}

int user_file__match(const struct user_file *file, const char *pattern, int (*found)(void *context, const struct user_function *function),
		     void *context)
{
	struct match match = { pattern, found, context };

	return each(file, visit_match, &match);
}

/* Of a name without its version.  Whoever makes a file does not know the factor, and so no names that all have the same hash. */
static uint32_t hash_name(const char *name)
{
	static uint64_t factor;
	uint64_t hash = 0;

	if (!factor) {
		memcpy(&factor, (const void *)getauxval(AT_RANDOM), sizeof(factor));
		factor |= 1;
	}
	for (; *name && *name != '@'; name++) {
		hash = (hash ^ (unsigned char)*name) * factor;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

static int visit_count(void *context, const struct user_function *function)
{
	(void)function;
	++*(size_t *)context;
	return 0;
}

static int visit_add(void *context, const struct user_function *function)
{
	struct names *names = context;
	uint32_t *first = &names->first[hash_name(function->name) & names->mask];

	names->next[names->count] = *first;
	names->list[names->count++] = *function;
	*first = (uint32_t)names->count;
	return 0;
}

/* Patterns of thousands of functions search each.  0 or -ENOMEM. */
static int list_by_name(struct user_file *file)
{
	struct names *names = &file->by_name;
	size_t count = 0, lists = 1;

	if (names->list)
		return 0;
	each(file, visit_count, &count);
	while (lists < count)
		lists *= 2;
	names->list = malloc((count + 1) * sizeof(*names->list));
	names->first = calloc(lists + count, sizeof(*names->first));
	if (!names->list || !names->first) {
		free(names->list);
		free(names->first);
		*names = (struct names){ 0 };
		return -ENOMEM;
	}
	names->next = names->first + lists;
	names->mask = (uint32_t)lists - 1;
	return each(file, visit_add, names);
}

struct finding {
	const char *name;
	size_t length;
	struct user_function *list;
	size_t max, count;
};

/* Keeps the list in the order of addresses, each once. */
static int visit_find(void *context, const struct user_function *function)
{
	struct finding *finding = context;
	size_t at = finding->count < finding->max ? finding->count : finding->max, kept = at;

	if (strncmp(function->name, finding->name, finding->length) ||
	    (function->name[finding->length] && function->name[finding->length] != '@'))
		return 0;
	while (at && finding->list[at - 1].address > function->address)
		at--;
	if (at && finding->list[at - 1].address == function->address)
		return 0;
	finding->count++;
	if (at == finding->max)
		return 0;
	memmove(&finding->list[at + 1], &finding->list[at], ((kept < finding->max ? kept : kept - 1) - at) * sizeof(*function));
	finding->list[at] = *function;
	return 0;
}

size_t user_file__find(struct user_file *file, const char *name, struct user_function *list, size_t max)
{
	struct finding finding = { .name = name, .length = user_function__name_length(name), .list = list, .max = max };
	const struct names *names = &file->by_name;

	if (!names->list && file->searches++ < SEARCHES_MAX) {
		each(file, visit_find, &finding);
		return finding.count;
	}
	if (list_by_name(file))
		return 0;
	for (uint32_t i = names->first[hash_name(name) & names->mask]; i; i = names->next[i - 1])
		visit_find(&finding, &names->list[i - 1]);
	return finding.count;
}

struct nearness {
	const char *name;
	struct near *near;
};

static int visit_near(void *context, const struct user_function *function)
{
	const struct nearness *nearness = context;
	char name[NEAR_NAME_MAX];
	size_t length = user_function__name_length(function->name);

	if (length >= sizeof(name))
		return 0;
	memcpy(name, function->name, length);
	name[length] = 0;
	near__add(nearness->near, name, near__typed(name, nearness->name, near__limit(nearness->near)));
	return 0;
}

void user_file__near(const struct user_file *file, const char *name, struct near *near)
{
	struct nearness nearness = { name, near };

	each(file, visit_near, &nearness);
}

bool user_file__around(const struct user_file *file, uint64_t address, struct user_function *function)
{
	for (int i = OWN; i <= DYNAMIC; i++) {
		const struct elf_functions *table = &file->tables[i];
		size_t j = sorted__up_to(table->list, table->count, sizeof(*table->list), address);

		/* those that begin there too, and then a few: functions hardly ever overlap */
		for (size_t left = AROUND_MAX; j && left; j--) {
			const struct elf_function *before = &table->list[j - 1];

			if (before->address == address)
				continue;
			left--;
			if (address - before->address >= before->size)
				continue;
			*function = function_of(file, table, before);
			return true;
		}
	}
	return false;
}

static bool has_name(const struct elf_functions *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (is_same_name(table->names + table->list[i].name, name))
			return true;
	return false;
}

bool user_file__imports(const struct user_file *file, const char *name)
{
	return has_name(&file->tables[IMPORTS], name);
}

size_t user_file__count(const struct user_file *file)
{
	return file->tables[OWN].count + file->tables[DYNAMIC].count;
}

/* Whether it calls a function of the C library's: an import; in a static program one of its own. */
static bool calls(const struct user_file *file, const char *name)
{
	bool is_static = !file->tables[IMPORTS].count && !file->tables[DYNAMIC].count;

	return user_file__imports(file, name) || (is_static && has_name(&file->tables[OWN], name));
}

/* Coroutines that switch stacks by code of their own: Boost.Context, QEMU and others, bRPC. */
static bool has_coroutines(const struct elf_functions *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *name = table->names + table->list[i].name;
		size_t length = user_function__name_length(name);

		if (!strncmp(name, "coroutine_", 10) || !strncmp(name, "bthread_", 8) ||
		    (length > 9 && !memcmp(name + length - 9, "_fcontext", 9)))
			return true;
	}
	return false;
}

static unsigned int find_signs(const struct user_file *file)
{
	unsigned int signs = file->is_go ? USER_SIGN_GO : 0;

	if (calls(file, "swapcontext") || calls(file, "makecontext"))
		signs |= USER_SIGN_CONTEXTS;
	for (int i = 0; i < TABLES; i++)
		if (has_coroutines(&file->tables[i]))
			signs |= USER_SIGN_CONTEXTS;
	if (calls(file, "sigaltstack"))
		signs |= USER_SIGN_ALTSTACK;
	return signs;
}

unsigned int user_file__signs(const struct user_file *file)
{
	struct window *found = file->window;

	/* all names are looked at, and each function of a pattern may ask */
	if (!found->has_signs)
		found->signs = find_signs(file);
	found->has_signs = true;
	return found->signs;
}

/* As elf_file__read(); small pieces by way of the window, where it can be filled. */
static int read_code(const struct user_file *file, void *to, size_t size, uint64_t first)
{
	struct window *window = file->window;

	if (size > WINDOW)
		return elf_file__read(&file->elf, to, size, first);
	if (first < window->first || first - window->first > window->size || size > window->size - (first - window->first)) {
		window->size = 0;
		window->first = first;
		if (elf_file__read(&file->elf, window->bytes, WINDOW, first))
			return elf_file__read(&file->elf, to, size, first);
		window->size = WINDOW;
	}
	memcpy(to, window->bytes + (first - window->first), size);
	return 0;
}

int user_file__code(const struct user_file *file, uint64_t address, void *to, size_t size)
{
	uint64_t first = elf_segments__offset(&file->segments, address);

	if (!size || size > USER_FUNCTION_MAX || first == UINT64_MAX ||
	    elf_segments__offset(&file->segments, address + size - 1) != first + size - 1)
		return -ENOEXEC;
	return read_code(file, to, size, first);
}
