/* SPDX-License-Identifier: BSD-2-Clause */
#include "reach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/ktext.h"
#include "lib/kernel/tracefs.h"

#define LIST "available_filter_functions_addrs"
#define LIST_OF_NAMES "available_filter_functions"
#define CODE_MAX 16384		/* bytes of a function that are looked at */
#define ENDBR 4			/* bytes before the hook, of kernels with IBT */

/* A function that can be traced. */
struct hook {
	uint64_t address;
	uint32_t number;
	bool seen;
};

struct search {
	struct hook *hooks;		/* by address */
	size_t hooks_count;
	const struct functions *roots;
	int kcore;
	uint8_t *code;
	struct reached *list;
	size_t count, most, left_out;
	uint32_t level;			/* of what is found now */
	bool follows;			/* a jump of a static call's trampoline is being followed */
};

static int compare(const void *a, const void *b)
{
	const struct hook *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static bool is_root(const struct search *search, const char *name, const char *module)
{
	for (size_t i = 0; i < search->roots->count; i++) {
		const struct function *root = &search->roots->list[i];

		if (!strcmp(root->name, name) && !strcmp(root->module ? root->module : "", module))
			return true;
	}
	return false;
}

/* 0 or -ENOMEM. */
static int add_hook(struct search *search, uint64_t address, uint32_t number)
{
	/* grown by powers of two */
	if (!(search->hooks_count & (search->hooks_count - 1))) {
		struct hook *larger = realloc(search->hooks, (search->hooks_count ? 2 * search->hooks_count : 1) * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		search->hooks = larger;
	}
	search->hooks[search->hooks_count++] = (struct hook){ .address = address, .number = number };
	return 0;
}

static int add_root(uint64_t address, uint64_t **roots, size_t *roots_count)
{
	uint64_t *larger = realloc(*roots, (*roots_count + 1) * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	*roots = larger;
	larger[(*roots_count)++] = address;
	return 0;
}

/* "name" or "name [module]": cuts it, and returns the module, or "". */
static char *cut_module(char *name)
{
	char *module = strchr(name, ' ');

	if (!module)
		return name + strlen(name);
	*module++ = '\0';
	module += *module == '[';
	module[strcspn(module, "]")] = '\0';
	return module;
}

/* "ffffffff81002014 name", "ffffffffc0201000 name [module]" */
static int add_line(struct search *search, char *line, uint32_t number, uint64_t **roots, size_t *roots_count)
{
	uint64_t address = strtoull(line, &line, 16);
	const char *module;
	int err;

	if (*line++ != ' ' || !address)
		return 0;
	err = add_hook(search, address, number);
	module = cut_module(line);
	return err || !is_root(search, line, module) ? err : add_root(address, roots, roots_count);
}

/* Calls each with every line of a file of tracefs, and its number.  0, -errno, or what each returned first that was not 0. */
static int read_lines(const char *list, int (*each)(void *ctx, char *line, uint32_t number), void *ctx)
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
		err = each(ctx, line, ++number);
	}
	fclose(file);
	return err;
}

/* What read_lines() fills. */
struct listing {
	struct search *search;
	uint64_t **roots;
	size_t *roots_count;
	struct named {
		char *name, *module;
		uint32_t number;
		bool found;
	} *named;			/* the list of names, by name */
	size_t named_count;
};

static int take_address(void *ctx, char *line, uint32_t number)
{
	struct listing *listing = ctx;

	return add_line(listing->search, line, number, listing->roots, listing->roots_count);
}

static int take_name(void *ctx, char *line, uint32_t number)
{
	struct listing *listing = ctx;
	struct named *named;

	if (!(listing->named_count & (listing->named_count - 1))) {
		named = realloc(listing->named, (listing->named_count ? 2 * listing->named_count : 1) * sizeof(*named));
		if (!named)
			return -ENOMEM;
		listing->named = named;
	}
	named = &listing->named[listing->named_count];
	*named = (struct named){ .name = strdup(line), .number = number };
	if (!named->name)
		return -ENOMEM;
	listing->named_count++;
	named->module = cut_module(named->name);
	return 0;
}

static int compare_named(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : left->number < right->number ? -1 : left->number > right->number;
}

/* Where ftrace's hook is in a function.  0: there is none; of several functions with one name some cannot be traced. */
static uint64_t find_hook(const struct search *search, uint64_t address)
{
	uint8_t bytes[KTEXT_BEGIN];
	int hook = ktext__read(search->kcore, address, bytes, sizeof(bytes)) ? -ENOENT : ktext__find_hook(bytes);

	return hook < 0 ? 0 : address + (uint64_t)hook;
}

/* The symbol's function in the list of names, the first of that name without an address. */
static int take_symbol(void *ctx, const struct ksym *sym)
{
	struct listing *listing = ctx;
	size_t low = 0, high = listing->named_count;
	const char *module = sym->module ? sym->module : "";
	struct named *named, *end = listing->named + listing->named_count;
	uint64_t hook;
	int err;

	if (!ksym__is_function(sym) || !sym->address)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(listing->named[middle].name, sym->name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	named = listing->named + low;
	while (named < end && !strcmp(named->name, sym->name) && (named->found || strcmp(named->module, module)))
		named++;
	if (named >= end || strcmp(named->name, sym->name))
		return 0;
	hook = find_hook(listing->search, sym->address);
	if (!hook)
		return 0;
	named->found = true;
	err = add_hook(listing->search, hook, named->number);
	if (!err && is_root(listing->search, sym->name, module))
		err = add_root(hook, listing->roots, listing->roots_count);
	return err;
}

/* Before Linux 6.5 the list has no addresses: they are looked up in /proc/kallsyms. */
static int read_names(struct listing *listing)
{
	int err = read_lines(LIST_OF_NAMES, take_name, listing);

	if (!err && listing->named_count) {
		qsort(listing->named, listing->named_count, sizeof(*listing->named), compare_named);
		err = ksyms__each(take_symbol, listing);
	}
	for (size_t i = 0; i < listing->named_count; i++)
		free(listing->named[i].name);
	free(listing->named);
	return err;
}

static int read_list(struct search *search, uint64_t **roots, size_t *roots_count)
{
	struct listing listing = { .search = search, .roots = roots, .roots_count = roots_count };
	int err = read_lines(LIST, take_address, &listing);

	if (err == -ENOENT)
		err = read_names(&listing);
	if (!err && search->hooks_count)
		qsort(search->hooks, search->hooks_count, sizeof(*search->hooks), compare);
	return err;
}

/* The first hook at an address or behind it; hooks_count where there is none. */
static size_t first_from(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->hooks_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->hooks[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add(struct search *search, struct hook *hook)
{
	if (hook->seen)
		return;
	hook->seen = true;
	if (search->count == search->most) {
		search->left_out++;
		return;
	}
	search->list[search->count++] = (struct reached){ hook->address, hook->number, search->level };
}

static void take_target(void *ctx, uint64_t target)
{
	struct search *search = ctx;
	size_t at = first_from(search, target);
	uint8_t bytes[5];

	/* a call goes to the function's start, or past its endbr64 */
	if (at < search->hooks_count && search->hooks[at].address - target <= ENDBR) {
		add(search, &search->hooks[at]);
		return;
	}
	/* the trampoline of a static call is a jump */
	if (search->follows || !search->hooks_count || target < search->hooks[0].address ||
	    target > search->hooks[search->hooks_count - 1].address || ktext__read(search->kcore, target, bytes, sizeof(bytes)) ||
	    bytes[0] != 0xe9)
		return;
	search->follows = true;
	reach__scan(bytes, sizeof(bytes), target, take_target, search);
	search->follows = false;
}

void reach__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx)
{
	for (size_t at = 0; at + 5 <= size; at++) {
		/* call, jmp; and after 0f a conditional jmp */
		bool is_call = code[at] == 0xe8 || code[at] == 0xe9 || ((code[at] & 0xf0) == 0x80 && at && code[at - 1] == 0x0f);
		int32_t relative;

		if (!is_call)
			continue;
		memcpy(&relative, code + at + 1, sizeof(relative));
		found(ctx, address + at + 5 + (uint64_t)(int64_t)relative);
	}
}

/* What one function calls. */
static void scan_function(struct search *search, uint64_t address)
{
	size_t at = first_from(search, address + 1), size = CODE_MAX;

	if (at < search->hooks_count && search->hooks[at].address - address < size)
		size = search->hooks[at].address - address;
	/* the end of a module or of the kernel: less than that */
	while (size > 64 && ktext__read(search->kcore, address, search->code, size))
		size /= 2;
	if (size > 64 || !ktext__read(search->kcore, address, search->code, size))
		reach__scan(search->code, size, address, take_target, search);
}

static void search_all(struct search *search, const uint64_t *roots, size_t roots_count, uint32_t levels)
{
	size_t begin = 0, end;

	for (size_t i = 0; i < roots_count; i++)
		add(search, &search->hooks[first_from(search, roots[i])]);
	for (search->level = 1; search->level <= levels && !search->left_out; search->level++, begin = end) {
		end = search->count;
		for (size_t i = begin; i < end; i++)
			scan_function(search, search->list[i].address);
	}
}

int reach__find(const struct functions *roots, uint32_t levels, size_t most, struct reached **list, size_t *count, size_t *left_out,
		char *why, size_t size)
{
	struct search search = { .roots = roots, .most = most, .kcore = -1 };
	uint64_t *found = NULL;
	size_t found_count = 0;
	int err = 0;

#ifndef __x86_64__
	snprintf(why, size, "calls are found in the code of x86-64 only");
	return -EOPNOTSUPP;
#endif
	search.kcore = ktext__open();
	if (search.kcore < 0) {
		snprintf(why, size, "the kernel's code cannot be read: /proc/kcore: %s", strerror(-search.kcore));
		return search.kcore;
	}
	search.code = malloc(CODE_MAX);
	search.list = calloc(most, sizeof(*search.list));
	if (!search.code || !search.list)
		err = -ENOMEM;
	if (!err)
		err = read_list(&search, &found, &found_count);
	if (!err)
		search_all(&search, found, found_count, levels);
	if (err)
		snprintf(why, size, "the functions that are called cannot be found: " LIST_OF_NAMES " in tracefs: %s", strerror(-err));
	free(found);
	free(search.hooks);
	free(search.code);
	close(search.kcore);
	if (err) {
		free(search.list);
		return err;
	}
	*list = search.list;
	*count = search.count;
	*left_out = search.left_out;
	return 0;
}
