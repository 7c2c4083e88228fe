/* SPDX-License-Identifier: BSD-2-Clause */
#include "static_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kmemory.h"
#include "lib/kernel/ksyms.h"

/* struct jump_entry with CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE: x86-64 since 4.19, arm64 since 5.0; distances from each member itself. */
struct entry {
	int32_t code, target;
	int64_t key;			/* the lowest two bits are flags */
};

#define SITES_MAX (1 << 18)

struct table {
	uint64_t start, stop;
	bool is_there;
};

static int take_bounds(void *context, const struct ksym *sym)
{
	struct table *table = context;

	if (!strcmp(sym->name, "__start___jump_table")) {
		table->start = sym->address;
		table->is_there = true;
	}
	if (!strcmp(sym->name, "__stop___jump_table"))
		table->stop = sym->address;
	return table->start && table->stop;
}

static int read_sites(struct static_keys *keys, const struct table *table)
{
	size_t count = (table->stop - table->start) / sizeof(struct entry);
	struct entry *entries = malloc(count * sizeof(*entries));
	struct kmemory memory;
	int err = kmemory__open(&memory);

	keys->sites = malloc(count * sizeof(*keys->sites));
	if (!err && (!entries || !keys->sites))
		err = -ENOMEM;
	if (!err)
		err = kmemory__read(&memory, table->start, entries, count * sizeof(*entries));
	for (size_t i = 0; i < count && !err; i++) {
		uint64_t at = table->start + i * sizeof(*entries);

		keys->sites[i] = (struct static_key_site){
			.code = at + offsetof(struct entry, code) + (uint64_t)(int64_t)entries[i].code,
			.key = at + offsetof(struct entry, key) + (uint64_t)(entries[i].key & ~3ll),
		};
	}
	keys->count = err ? 0 : count;
	kmemory__close(&memory);
	free(entries);
	return err;
}

static int compare(const void *a, const void *b)
{
	uint64_t first = ((const struct static_key_site *)a)->key, second = ((const struct static_key_site *)b)->key;

	return first < second ? -1 : first > second;
}

struct naming {
	struct static_keys *keys;
	size_t next;			/* the first that has no name yet */
	uint64_t address;
	char *name;			/* of the symbol before */
};

/* Keys between the symbol before and this one are in the symbol before; several share its name. */
static int take_name(void *context, const struct ksym *sym)
{
	struct naming *naming = context;
	struct static_keys *keys = naming->keys;
	char *name = naming->name;

	if (sym->module || sym->address < naming->address)
		return 1;
	/* the first symbol of an address is its name */
	if (sym->address == naming->address && name)
		return 0;
	naming->name = NULL;
	for (; naming->next < keys->count && keys->sites[naming->next].key < sym->address; naming->next++)
		keys->sites[naming->next].name = name;
	/* kept where a site has it: the sites are sorted, and the last of them says so */
	if (!naming->next || keys->sites[naming->next - 1].name != name)
		free(name);
	naming->address = sym->address;
	if (naming->next == keys->count)
		return 1;
	naming->name = strdup(sym->name);
	return naming->name ? 0 : -ENOMEM;
}

int static_keys__load(struct static_keys *keys)
{
	struct table table = { 0 };
	struct naming naming = { .keys = keys };
	int err = ksyms__each(take_bounds, &table);

	if (err < 0)
		return err;
	/* the kernel tells where functions are, and not its data */
	if (table.is_there && !table.start)
		return -EPERM;
	if (!table.start || table.stop <= table.start || (table.stop - table.start) / sizeof(struct entry) > SITES_MAX)
		return 0;
	err = read_sites(keys, &table);
	if (err)
		return err;
	qsort(keys->sites, keys->count, sizeof(*keys->sites), compare);
	err = ksyms__each(take_name, &naming);
	free(naming.name);
	return err < 0 ? err : 0;
}

void static_keys__free(struct static_keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		if (!i || keys->sites[i].name != keys->sites[i - 1].name)
			free((char *)keys->sites[i].name);
	free(keys->sites);
	*keys = (struct static_keys){ 0 };
}
