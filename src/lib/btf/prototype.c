/* SPDX-License-Identifier: BSD-2-Clause */
#include "prototype.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"
#include "rawbtf.h"

/* Where functions are: the kernel's BTF, or a module's. */
struct place {
	struct rawbtf *raw;	/* NULL: it cannot be read */
	const char *module;	/* NULL: the kernel's */
	struct place *next;
};

struct prototypes {
	struct place *places;	/* the kernel's is the last one */
	const char *const *functions;
	const char *const *modules;	/* or NULL */
	size_t count;
	__u32 *ids;		/* of each function's prototype; 0: not found, AMBIGUOUS: several */
	struct prototype list[];
};

/* What is scanned. */
struct scan {
	struct prototypes *prototypes;
	const struct place *place;
};

#define AMBIGUOUS UINT32_MAX

static bool is_at(const struct prototypes *prototypes, size_t number, const struct place *place)
{
	const char *module = prototypes->modules ? prototypes->modules[number] : NULL;

	return module && place->module ? !strcmp(module, place->module) : module == place->module;
}

static int note_function(void *context, __u32 id, const struct btf_type *type)
{
	const struct scan *scan = context;
	struct prototypes *prototypes = scan->prototypes;
	const char *name = rawbtf__string(scan->place->raw, type->name_off);

	(void)id;
	for (size_t i = 0; i < prototypes->count; i++)
		if (!strcmp(prototypes->functions[i], name) && is_at(prototypes, i, scan->place))
			prototypes->ids[i] = !prototypes->ids[i] || prototypes->ids[i] == type->type ? type->type : AMBIGUOUS;
	return 0;
}

static struct prototype_value describe(struct rawbtf *raw, __u32 id, const char *name)
{
	struct prototype_value value = { .name = name && *name ? name : NULL };
	const struct btf_type *type = id ? rawbtf__resolve(raw, &id) : NULL;
	__u32 encoding;

	switch (type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		value.bytes = sizeof(void *);
		value.is_pointer = true;
		break;
	case BTF_KIND_INT:
		encoding = *(const __u32 *)(type + 1);
		value.is_signed = BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED;
		value.is_bool = BTF_INT_ENCODING(encoding) & BTF_INT_BOOL;
		value.bytes = type->size <= 8 ? (uint8_t)type->size : 0;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		value.bytes = type->size <= 8 ? (uint8_t)type->size : 0;
		value.is_signed = BTF_INFO_KFLAG(type->info);
		break;
	default:
		break;
	}
	return value;
}

static void fill(struct rawbtf *raw, struct prototype *prototype, __u32 id)
{
	const struct btf_type *type = rawbtf__type(raw, id);
	const struct btf_param *params;
	size_t count;

	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return;
	params = (const struct btf_param *)(type + 1);
	count = BTF_INFO_VLEN(type->info);
	prototype->known = true;
	prototype->result = describe(raw, type->type, NULL);
	for (size_t i = 0; i < count; i++) {
		struct prototype_value value = describe(raw, params[i].type, rawbtf__string(raw, params[i].name_off));

		/* what is behind a struct is in registers that depend on its size; of variadic functions the last one has no type */
		if (i == PROTOTYPE_PARAMS || !value.bytes) {
			prototype->more = true;
			break;
		}
		prototype->params[prototype->count++] = value;
	}
}

/* Finds the functions of a place.  names has room for all of them.  0 or -errno. */
static int look_up(struct prototypes *prototypes, const struct place *place, const char **names)
{
	struct scan scan = { prototypes, place };
	size_t count = 0;
	int err;

	for (size_t i = 0; i < prototypes->count; i++)
		if (is_at(prototypes, i, place))
			names[count++] = prototypes->functions[i];
	err = rawbtf__scan(place->raw, names, count, 1ull << BTF_KIND_FUNC, note_function, &scan);
	for (size_t i = 0; i < prototypes->count && !err; i++)
		if (is_at(prototypes, i, place) && prototypes->ids[i] && prototypes->ids[i] != AMBIGUOUS)
			fill(place->raw, &prototypes->list[i], prototypes->ids[i]);
	return err;
}

/* Adds the BTF of a module, or of the kernel: NULL.  0 or -errno: it cannot be read. */
static int add_place(struct prototypes *prototypes, const char *module, const char *path)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return -ENOMEM;
	place->module = module;
	place->next = prototypes->places;
	prototypes->places = place;
	return rawbtf__open(&place->raw, path);
}

static bool is_placed(const struct prototypes *prototypes, size_t number)
{
	const struct place *place = prototypes->places;

	while (place && !is_at(prototypes, number, place))
		place = place->next;
	return place;
}

/* Those of modules, whose BTF goes on where the kernel's ends.  What cannot be read of one is not known, as if it had no BTF. */
static int look_up_modules(struct prototypes *prototypes, struct rawbtf *kernel, const char *btf, const char **names)
{
	const int directory = (int)(strrchr(btf, '/') - btf);
	char path[PATH_MAX];
	int err = 0;

	for (size_t i = 0; i < prototypes->count && err != -ENOMEM; i++) {
		if (is_placed(prototypes, i))
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", directory, btf, prototypes->modules[i]);
		err = add_place(prototypes, prototypes->modules[i], path);
		if (!err) {
			rawbtf__put_on(prototypes->places->raw, kernel);
			err = look_up(prototypes, prototypes->places, names);
		}
	}
	return err == -ENOMEM ? err : 0;
}

struct prototypes *prototypes__load(const char *btf, const char *const *functions, const char *const *modules, size_t count)
{
	struct prototypes *prototypes = calloc(1, sizeof(*prototypes) + count * sizeof(*prototypes->list));
	const char **names = calloc(count + 1, sizeof(*names));
	struct rawbtf *kernel = NULL;
	int err = prototypes && names ? 0 : -ENOMEM;

	if (!err) {
		prototypes->functions = functions;
		prototypes->modules = modules;
		prototypes->count = count;
		prototypes->ids = calloc(count + 1, sizeof(*prototypes->ids));
		err = prototypes->ids ? add_place(prototypes, NULL, btf) : -ENOMEM;
	}
	if (!err) {
		kernel = prototypes->places->raw;
		rawbtf__remember(kernel);
		err = look_up(prototypes, prototypes->places, names);
	}
	if (!err) {
		err = look_up_modules(prototypes, kernel, btf, names);
		rawbtf__keep_answers(kernel);
	}
	free(names);
	if (err) {
		prototypes__free(prototypes);
		errno = -err;
		return NULL;
	}
	return prototypes;
}

const struct prototype *prototypes__at(const struct prototypes *prototypes, size_t number)
{
	return &prototypes->list[number];
}

void prototypes__free(struct prototypes *prototypes)
{
	if (!prototypes)
		return;
	for (struct place *place = prototypes->places, *next; place; place = next) {
		next = place->next;
		rawbtf__free(place->raw);
		free(place);
	}
	free(prototypes->ids);
	free(prototypes);
}

void prototype_value__add(struct text_buffer *text, const struct prototype_value *value, uint64_t bits)
{
	unsigned int unused = 64 - 8 * (value->bytes ? value->bytes : 8);

	if (value->is_pointer || !value->bytes)
		text_buffer__add(text, "0x%llx", (unsigned long long)bits);
	else if (value->is_bool)
		text_buffer__add(text, bits & 0xff ? "true" : "false");
	else if (value->is_signed)
		text_buffer__add(text, "%lld", (long long)(bits << unused) >> unused);
	else
		text_buffer__add(text, "%llu", (unsigned long long)(bits << unused >> unused));
}

size_t prototype__list(const struct prototype *prototype, const uint64_t *values, size_t values_count, char *list, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < prototype->count && i < values_count && used < size; i++) {
		struct text_buffer text = text_buffer__fixed(list + used, size - used);

		text_buffer__add(&text, "%.128s=", prototype->params[i].name ?: "?");
		prototype_value__add(&text, &prototype->params[i], values[i]);
		used += strlen(list + used) + 1;
	}
	if ((prototype->more || prototype->count > values_count) && used + 4 < size) {
		memcpy(list + used, "...", 4);
		used += 4;
	}
	return used;
}
