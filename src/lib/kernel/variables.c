/* SPDX-License-Identifier: BSD-2-Clause */
#include "variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ksyms.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"
#include "names.h"

/* Below this there is nothing of the kernel's: such "addresses" of x86-64 are places in the part of each CPU (up to Linux 6.14). */
#define LOWEST (64 * 1024 * 1024)

bool variables__may_ask = true;

enum { WANTED, FIRST, LAST, OFFSETS, SYMBOLS };

struct search {
	const char *names[SYMBOLS];
	uint64_t addresses[SYMBOLS];
	bool is_there[SYMBOLS];
	bool has_variables;		/* the kernel has names of any: CONFIG_KALLSYMS_ALL */
	struct near near;
};

/* Which symbols are asked for; also the names that are near the first one. */
static int note(void *context, const struct ksym *sym)
{
	struct search *search = context;

	search->has_variables |= !sym->module && strchr("dDbB", sym->type);
	for (int i = 0; i < SYMBOLS; i++)
		if (!search->is_there[i] && !strcmp(sym->name, search->names[i])) {
			search->addresses[i] = sym->address;
			search->is_there[i] = true;
		}
	if (!search->is_there[WANTED])
		near__add(&search->near, sym->name, near__edits(sym->name, search->names[WANTED], near__limit(&search->near)));
	return 0;
}

/* Asks the kernel for what is not there yet. */
static void ask(struct search *search)
{
	struct names names = {};

	names__open(&names, false);
	for (int i = 0; i < SYMBOLS; i++) {
		/* the rest is for variables of each CPU only, which are few */
		search->addresses[i] = names__ask_address(&names, search->names[i]);
		search->is_there[i] = search->addresses[i];
		if (i == WANTED && !search->is_there[i])
			break;
	}
	names__close(&names);
}

static int explain(const struct search *search, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);

	text_buffer__add(&text, "the kernel has no symbol \"%s\"", search->names[WANTED]);
	if (search->has_variables)
		near__put(&search->near, &text);
	else
		text_buffer__add(&text, " (it was built without names of variables, CONFIG_KALLSYMS_ALL)");
	return -ENOENT;
}

int variable__find(struct variable *variable, const char *name, struct fault *fault)
{
	struct search search = { .names = { name, "__per_cpu_start", "__per_cpu_end", "__per_cpu_offset" } };
	uint64_t address;
	int err;

	*variable = (struct variable){};
	near__init(&search.near, near__typed_limit(name), 3);
	if (variables__may_ask)
		ask(&search);
	/* a place in the part of each CPU may be 0, which the answer cannot tell from none */
	if (!search.is_there[WANTED] || (search.addresses[WANTED] < LOWEST && !search.is_there[OFFSETS])) {
		memset(search.is_there, 0, sizeof(search.is_there));
		err = ksyms__each(note, &search);
		if (err)
			return fault__set(fault, err, "the kernel's symbols cannot be read: %s", strerror(-err));
		if (!search.is_there[WANTED])
			return explain(&search, fault);
		if (ksyms__are_hidden())
			return fault__set(fault, -EPERM, "this user is shown no addresses of the kernel");
	}
	address = search.addresses[WANTED];
	variable->address = address;
	variable->is_per_cpu = address < LOWEST || (search.is_there[FIRST] && search.is_there[LAST] && search.addresses[FIRST] >= LOWEST &&
						    address >= search.addresses[FIRST] && address < search.addresses[LAST]);
	variable->offsets = search.addresses[OFFSETS];
	if (variable->is_per_cpu && !variable->offsets)
		return fault__set(fault, -ENOENT, "each CPU has a variable %s, and the kernel does not tell where (__per_cpu_offset)", name);
	return 0;
}
