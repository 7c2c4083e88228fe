/* SPDX-License-Identifier: BSD-2-Clause */
#include "callees.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_sites.h"
#include "lib/kernel/ktext.h"

#define CODE_MAX 16384		/* bytes of a function that are looked at */
#define ROOTS_ASKED 64		/* addresses that are asked for by name; for more roots the kernel's list is read */
#define HOOK_AT 4		/* bytes before the hook: x86's endbr64 of kernels with IBT, arm64's mov */

struct search {
	struct call_sites sites;
	const struct functions *roots;
	uint64_t *found;		/* the roots' addresses */
	size_t found_count;
	uint8_t *code;
	struct callee *list;
	size_t count, most, left_out;
	uint32_t level;			/* of what is found now */
	bool follows;			/* a jump of a static call's trampoline is being followed */
};

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
static int add_root(struct search *search, uint64_t address)
{
	uint64_t *larger = realloc(search->found, (search->found_count + 1) * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	search->found = larger;
	larger[search->found_count++] = address;
	return 0;
}

/* 0 or -ENOMEM. */
static int take_root(void *ctx, uint64_t address, const char *name, const char *module)
{
	struct search *search = ctx;

	return is_root(search, name, module) ? add_root(search, address) : 0;
}

/* Whether one before it has the same name, as functions that share one have. */
static bool shares_name(const struct functions *roots, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(roots->list[i].name, roots->list[index].name))
			return true;
	return false;
}

/*
 * Asks for the addresses of the roots.  0 or -errno; -ENOENT: the kernel's list is needed, as there are too many roots, several have the
 * same name, or one has no hook among those that were kept.
 */
static int ask_roots(struct search *search, struct names *names)
{
	const struct call_sites *sites = &search->sites;
	int err = search->roots->count > ROOTS_ASKED ? -ENOENT : 0;

	for (size_t i = 0; i < search->roots->count && !err; i++) {
		const struct function *root = &search->roots->list[i];
		uint64_t address = shares_name(search->roots, i) ? 0 : names__address(names, root->module, root->name);
		size_t at = call_sites__from(sites, address);

		if (!address || at >= sites->list.count || call_sites__address(sites, at) - address > HOOK_AT)
			err = -ENOENT;
		else
			err = add_root(search, call_sites__address(sites, at));
	}
	return err;
}

/* Reads the hooks as they were kept, or else from the kernel, and finds the roots among them.  0 or -errno. */
static int read_hooks(struct search *search, int kcore, struct names *names)
{
	int err = call_sites__read_kept(&search->sites, kcore);

	if (!err)
		err = ask_roots(search, names);
	if (err != -ENOENT)
		return err;
	search->found_count = 0;
	return call_sites__read(&search->sites, take_root, search);
}

static void add(struct search *search, size_t hook)
{
	if (!call_sites__mark(&search->sites, hook))
		return;
	if (search->count == search->most) {
		search->left_out++;
		return;
	}
	search->list[search->count++] = (struct callee){
		.address = call_sites__address(&search->sites, hook), .number = call_sites__number(&search->sites, hook),
		.level = search->level,
	};
}

static void take_target(void *ctx, uint64_t target)
{
	struct search *search = ctx;
	const struct call_sites *sites = &search->sites;
	size_t at = call_sites__from(sites, target), count = sites->list.count;
	uint8_t bytes[KTEXT_BEGIN];

	/* a call goes to the function's start, or past its endbr64 */
	if (at < count && call_sites__address(sites, at) - target <= HOOK_AT) {
		add(search, at);
		return;
	}
	/* the trampoline of a static call is a jump */
	if (search->follows || !count || target < call_sites__address(sites, 0) || target > call_sites__address(sites, count - 1) ||
	    ktext__read(sites->kcore, target, bytes, sizeof(bytes)))
		return;
	/* a function that begins with a mark has its hook behind that (arm64 with BTI) */
	if (at < count && ktext__find_hook(bytes) >= 0 && target + (uint64_t)ktext__find_hook(bytes) == call_sites__address(sites, at)) {
		add(search, at);
		return;
	}
	if (ktext__decode(bytes, sizeof(bytes), target).kind != KTEXT_JUMP)
		return;
	search->follows = true;
	take_target(search, ktext__decode(bytes, sizeof(bytes), target).target);
	search->follows = false;
}

/* What one function calls. */
static void scan_function(struct search *search, uint64_t address)
{
	const struct call_sites *sites = &search->sites;
	size_t at = call_sites__from(sites, address + 1), size = CODE_MAX;

	if (at < sites->list.count && call_sites__address(sites, at) - address < size)
		size = call_sites__address(sites, at) - address;
	/* the end of a module or of the kernel: less than that */
	while (size > 64 && ktext__read(sites->kcore, address, search->code, size))
		size /= 2;
	if (size > 64 || !ktext__read(sites->kcore, address, search->code, size))
		ktext__scan(search->code, size, address, take_target, search);
}

static void search_all(struct search *search, uint32_t levels)
{
	size_t begin = 0, end;

	for (size_t i = 0; i < search->found_count; i++)
		add(search, call_sites__from(&search->sites, search->found[i]));
	for (search->level = 1; search->level <= levels && !search->left_out; search->level++, begin = end) {
		end = search->count;
		for (size_t i = begin; i < end; i++)
			scan_function(search, search->list[i].address);
	}
}

int callees__find(const struct functions *roots, struct names *names, uint32_t levels, size_t most, struct callee **list, size_t *count,
		size_t *left_out, struct fault *fault)
{
	struct search search = { .roots = roots, .most = most };
	int kcore, err = 0;

	kcore = ktext__open();
	if (kcore < 0)
		return fault__set(fault, kcore, "the kernel's code cannot be read: /proc/kcore: %s", strerror(-kcore));
	search.code = malloc(CODE_MAX);
	search.list = calloc(most, sizeof(*search.list));
	if (!search.code || !search.list)
		err = -ENOMEM;
	if (!err)
		err = read_hooks(&search, kcore, names);
	if (!err)
		search_all(&search, levels);
	if (err)
		fault__set(fault, err,
			   "the functions that are called cannot be found: available_filter_functions in tracefs: %s",
			   strerror(-err));
	free(search.found);
	call_sites__free(&search.sites);
	free(search.code);
	close(kcore);
	if (err) {
		free(search.list);
		return err;
	}
	*list = search.list;
	*count = search.count;
	*left_out = search.left_out;
	return 0;
}
