/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (1 << 20)

static bool comes_and_goes(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", strlen("__builtin__"));
}

int function_list__add(struct function_list *list, const struct ksym *sym)
{
	const char *module = sym->module ?: "";
	size_t name_size = strlen(sym->name) + 1, module_size = strlen(module) + 1;
	size_t size = sizeof(sym->address) + 1 + name_size + module_size;
	char *to;

	if (comes_and_goes(module))
		return 0;
	while (list->size + CODE_ID_SIZE + size > list->room) {
		char *bytes = realloc(list->bytes, list->room + ROOM);

		if (!bytes)
			return -ENOMEM;
		list->bytes = bytes;
		list->room += ROOM;
	}
	if (!list->size)
		list->size = CODE_ID_SIZE;
	to = list->bytes + list->size;
	to = mempcpy(to, &sym->address, sizeof(sym->address));
	*to++ = sym->type;
	to = mempcpy(to, sym->name, name_size);
	memcpy(to, module, module_size);
	list->size += size;
	return 0;
}

int function_list__each(const struct function_list *list, int (*each)(void *context, const struct ksym *sym), void *context)
{
	const char *at = list->bytes + CODE_ID_SIZE, *end = list->bytes + list->size;
	int err = 0;

	while (!err && list->size && end - at > (ptrdiff_t)sizeof(uint64_t) + 1) {
		struct ksym sym = { 0 };

		memcpy(&sym.address, at, sizeof(sym.address));
		at += sizeof(sym.address);
		sym.type = *at++;
		sym.name = at;
		at += strnlen(at, (size_t)(end - at)) + 1;
		if (at >= end)
			return -EINVAL;
		sym.module = *at ? at : NULL;
		at += strnlen(at, (size_t)(end - at)) + 1;
		if (at > end)
			return -EINVAL;
		err = each(context, &sym);
	}
	return err;
}

/* Where the addresses of modules are hidden (kptr_restrict=2, or after capabilities were dropped) a list has no addresses of theirs. */
static void read_id(struct code_id *id)
{
	code_id__read(id, code_id__question("all functions 1", NULL, ""));
	id->known = id->known && !id->hides;
}

bool function_list__is_wanted(struct function_list *list)
{
	read_id(&list->id);
	return code_id__wants_kept(&list->id);
}

int function_list__read(struct function_list *list)
{
	struct code_id *id = &list->id;

	read_id(id);
	if (!code_id__read_kept(id, &list->bytes, &list->size))
		return 0;
	list->bytes = NULL;
	list->size = 0;
	return -ENOENT;
}

void function_list__keep(struct function_list *list)
{
	if (list->size)
		code_id__keep(&list->id, list->bytes, list->size);
}

void function_list__free(struct function_list *list)
{
	free(list->bytes);
	*list = (struct function_list){ 0 };
}
