/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/names.h"
#include "lib/kernel/tracefs.h"

#define LIST "available_filter_functions_addrs"
#define LIST_OF_NAMES "available_filter_functions"

#define PART_BITS 12

/* Where the list begins in what is kept: after the base. */
#define KEPT_LIST (CODE_ID_SIZE + sizeof(uint64_t))

/*
 * What reads one of the lists.  Of a list of names the entries have a hash as their key first, and stand in parts by its upper bits; where
 * the function is found, its address becomes the key, and a mark tells.
 */
struct reading {
	struct call_sites *sites;
	int (*each)(void *ctx, uint64_t address, const char *name, const char *module);
	void *ctx;
	uint32_t *parts;	/* where each begins, and the end; NULL: addresses are read */
};

/* "name" or "name [module]": cuts it, and returns the module, or "". */
static const char *cut_module(char *name)
{
	return names__split(name) ?: "";
}

/*
 * The key of an address.  The first one decides where keys begin: the code of the kernel and its modules is not further apart than calls
 * reach, 2 GB, but on arm64 it may be anywhere (KASLR).  0 or -ERANGE.
 */
static int find_key(struct call_sites *sites, uint64_t address, uint64_t *key)
{
	if (!sites->base)
		sites->base = address - (1ull << (PACKED_LIST_KEY_BITS - 1));
	*key = address - sites->base;
	return *key >> PACKED_LIST_KEY_BITS ? -ERANGE : 0;
}

/* "ffffffff81002014 name", "ffffffffc0201000 name [module]" */
static int take_address(struct reading *reading, char *line, uint32_t number)
{
	uint64_t address = strtoull(line, &line, 16);
	const char *module;
	uint64_t key;
	int err;

	if (*line++ != ' ' || !address)
		return 0;
	err = find_key(reading->sites, address, &key);
	if (!err)
		err = packed_list__add(&reading->sites->list, key, number);
	module = cut_module(line);
	return err ? err : reading->each(reading->ctx, address, line, module);
}

/*
 * Two of 100,000 names have the same hash in one kernel of a hundred.  They stand in both lists in the order of their addresses, as
 * other functions of that name do.
 */
static uint64_t hash(const char *name, const char *module)
{
	uint64_t all = cache__hash(cache__hash(CACHE_HASH_START, name, strlen(name) + 1), module, strlen(module));

	return all >> (64 - PACKED_LIST_KEY_BITS);
}

static int take_name(struct reading *reading, char *line, uint32_t number)
{
	const char *module = cut_module(line);

	return packed_list__add(&reading->sites->list, hash(line, module), number);
}

/* Calls take() with every line of a file of tracefs, and its number.  0, -errno, or what it returned first that was not 0. */
static int read_lines(const char *list, int (*take)(struct reading *reading, char *line, uint32_t number), struct reading *reading)
{
	char path[512], line[1024];
	uint32_t number = 0;
	FILE *file;
	int err = tracefs__path(path, sizeof(path), list);

	if (err)
		return err;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!err && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		err = take(reading, line, ++number);
	}
	fclose(file);
	return err;
}

/* Where ftrace's hook is in a function.  0: there is none; of several functions with one name some cannot be traced. */
static uint64_t find_hook(int kcore, uint64_t address)
{
	uint8_t bytes[KTEXT_BEGIN];
	int hook = ktext__read(kcore, address, bytes, sizeof(bytes)) ? -ENOENT : ktext__find_hook(bytes);

	return hook < 0 ? 0 : address + (uint64_t)hook;
}

static size_t part_of(uint64_t key)
{
	return key >> (PACKED_LIST_KEY_BITS - PART_BITS);
}

/* The symbol's function in the list of names, the first of that name without an address. */
static int take_symbol(void *ctx, const struct ksym *sym)
{
	struct reading *reading = ctx;
	struct packed_list *list = &reading->sites->list;
	const char *module = sym->module ? sym->module : "";
	uint64_t key, address;
	size_t at, end;
	int err;

	if (!ksym__is_function(sym) || !sym->address)
		return 0;
	key = hash(sym->name, module);
	at = reading->parts[part_of(key)];
	end = reading->parts[part_of(key) + 1];
	while (at < end && (packed_list__key(list->entries[at]) != key || packed_list__is_marked(list->entries[at])))
		at++;
	address = at < end ? find_hook(reading->sites->kcore, sym->address) : 0;
	if (!address)
		return 0;
	err = find_key(reading->sites, address, &key);
	if (err)
		return err;
	packed_list__change_key(list, at, key);
	return reading->each(reading->ctx, address, sym->name, module);
}

/* Notes where the parts of the sorted list begin. */
static void find_parts(struct reading *reading)
{
	const struct packed_list *list = &reading->sites->list;
	size_t part = 0;

	for (size_t i = 0; i < list->count; i++)
		while (part <= part_of(packed_list__key(list->entries[i])))
			reading->parts[part++] = (uint32_t)i;
	while (part <= 1 << PART_BITS)
		reading->parts[part++] = (uint32_t)list->count;
}

/* Before Linux 6.5 the list has no addresses: they are looked up in /proc/kallsyms.  All of it takes 8 bytes a function, too. */
static int read_names(struct reading *reading)
{
	struct packed_list *list = &reading->sites->list;
	int err = read_lines(LIST_OF_NAMES, take_name, reading);

	if (err)
		return err;
	reading->parts = calloc((1 << PART_BITS) + 1, sizeof(*reading->parts));
	if (!reading->parts)
		return -ENOMEM;
	packed_list__sort(list);
	find_parts(reading);
	err = ksyms__each(take_symbol, reading);
	packed_list__keep_marked(list);
	free(reading->parts);
	return err;
}

int call_sites__read_kept(struct call_sites *sites, int kcore)
{
	static const char question[] = "hooks 2";
	char *bytes;
	size_t size;
	int err;

	*sites = (struct call_sites){ .kcore = kcore };
	code_id__read(&sites->id, cache__hash(CACHE_HASH_START, question, sizeof(question)));
	if (code_id__read_kept(&sites->id, &bytes, &size))
		return -ENOENT;
	err = size < KEPT_LIST ? -EINVAL : packed_list__unpack(&sites->list, bytes + KEPT_LIST, size - KEPT_LIST);
	if (!err)
		memcpy(&sites->base, bytes + CODE_ID_SIZE, sizeof(sites->base));
	free(bytes);
	return err ? -ENOENT : 0;
}

static void keep(const struct call_sites *sites)
{
	char *bytes;
	size_t size;

	if (!sites->list.count || packed_list__pack(&sites->list, KEPT_LIST, &bytes, &size))
		return;
	memcpy(bytes + CODE_ID_SIZE, &sites->base, sizeof(sites->base));
	code_id__keep(&sites->id, bytes, size);
	free(bytes);
}

int call_sites__read(struct call_sites *sites, int (*each)(void *ctx, uint64_t address, const char *name, const char *module), void *ctx)
{
	struct reading reading = { .sites = sites, .each = each, .ctx = ctx };
	int err;

	call_sites__free(sites);
	err = read_lines(LIST, take_address, &reading);
	if (err == -ENOENT)
		err = read_names(&reading);
	if (err)
		return err;
	packed_list__sort(&sites->list);
	keep(sites);
	return 0;
}

void call_sites__free(struct call_sites *sites)
{
	packed_list__free(&sites->list);
}

size_t call_sites__from(const struct call_sites *sites, uint64_t address)
{
	return address < sites->base ? 0 : packed_list__from(&sites->list, address - sites->base);
}
