/* SPDX-License-Identifier: BSD-2-Clause */
#include "prototype.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"
#include "rawbtf.h"

struct prototypes {
	struct rawbtf *raw;
	const char *const *functions;
	size_t count;
	__u32 *ids;		/* of each function's prototype; 0: not found, AMBIGUOUS: several */
	struct prototype list[];
};

#define AMBIGUOUS UINT32_MAX

static int note_function(void *context, __u32 id, const struct btf_type *type)
{
	struct prototypes *prototypes = context;
	const char *name = rawbtf__string(prototypes->raw, type->name_off);

	(void)id;
	for (size_t i = 0; i < prototypes->count; i++)
		if (!strcmp(prototypes->functions[i], name))
			prototypes->ids[i] = !prototypes->ids[i] || prototypes->ids[i] == type->type ? type->type : AMBIGUOUS;
	return 0;
}

static struct prototype_value describe(const struct prototypes *prototypes, __u32 id, const char *name)
{
	struct prototype_value value = { .name = name && *name ? name : NULL };
	const struct btf_type *type = id ? rawbtf__resolve(prototypes->raw, &id) : NULL;
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

static void fill(const struct prototypes *prototypes, struct prototype *prototype, __u32 id)
{
	const struct btf_type *type = rawbtf__type(prototypes->raw, id);
	const struct btf_param *params;
	size_t count;

	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return;
	params = (const struct btf_param *)(type + 1);
	count = BTF_INFO_VLEN(type->info);
	prototype->known = true;
	prototype->result = describe(prototypes, type->type, NULL);
	for (size_t i = 0; i < count; i++) {
		struct prototype_value value = describe(prototypes, params[i].type, rawbtf__string(prototypes->raw, params[i].name_off));

		/* what is behind a struct is in registers that depend on its size; of variadic functions the last one has no type */
		if (i == PROTOTYPE_PARAMS || !value.bytes) {
			prototype->more = true;
			break;
		}
		prototype->params[prototype->count++] = value;
	}
}

struct prototypes *prototypes__load(const char *btf, const char *const *functions, size_t count)
{
	struct prototypes *prototypes = calloc(1, sizeof(*prototypes) + count * sizeof(*prototypes->list));
	int err = prototypes ? 0 : -ENOMEM;

	if (!err) {
		prototypes->functions = functions;
		prototypes->count = count;
		prototypes->ids = calloc(count + 1, sizeof(*prototypes->ids));
		err = prototypes->ids ? rawbtf__open(&prototypes->raw, btf) : -ENOMEM;
	}
	if (!err) {
		rawbtf__remember(prototypes->raw);
		err = rawbtf__scan(prototypes->raw, functions, count, 1ull << BTF_KIND_FUNC, note_function, prototypes);
	}
	if (err) {
		prototypes__free(prototypes);
		errno = -err;
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		if (prototypes->ids[i] && prototypes->ids[i] != AMBIGUOUS)
			fill(prototypes, &prototypes->list[i], prototypes->ids[i]);
	rawbtf__keep_answers(prototypes->raw);
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
	rawbtf__free(prototypes->raw);
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
