/* SPDX-License-Identifier: BSD-2-Clause */
#include "answers.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rawbtf.h"

/* The bytes: this, the matches, where each type and where each string is, and then these, the last byte being 0. */
struct header {
	__u32 ids, matches, types, strings;
};

struct place {
	__u32 number;		/* the type's id, or the string's offset */
	__u32 at;		/* in what comes behind the places */
};

static int grow(void **list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return 0;
	grown = realloc(*list, more * size);
	if (!grown)
		return -ENOMEM;
	*list = grown;
	*room = more;
	return 0;
}

#define GROW(answers, what) \
	grow((void **)&(answers)->what, (answers)->what##_count, &(answers)->what##_room, sizeof(*(answers)->what))

int answers__add_match(struct answers *answers, __u32 id, const struct btf_type *head)
{
	int err = GROW(answers, matches);

	if (!err)
		answers->matches[answers->matches_count++] = (struct answers_match){ id, *head };
	return err;
}

int answers__add_type(struct answers *answers, __u32 id, const struct btf_type *type)
{
	int err = GROW(answers, types);

	if (!err)
		answers->types[answers->types_count++] = (struct answers_type){ id, type };
	return err;
}

int answers__add_string(struct answers *answers, __u32 offset, const char *text)
{
	int err = GROW(answers, strings);

	if (!err)
		answers->strings[answers->strings_count++] = (struct answers_string){ offset, text };
	return err;
}

void answers__free(struct answers *answers)
{
	free(answers->matches);
	free(answers->types);
	free(answers->strings);
	free(answers->bytes);
	*answers = (struct answers){};
}

static int compare_numbers(__u32 a, __u32 b)
{
	return (a > b) - (a < b);
}

static int compare_types(const void *a, const void *b)
{
	return compare_numbers(((const struct answers_type *)a)->id, ((const struct answers_type *)b)->id);
}

static int compare_strings(const void *a, const void *b)
{
	return compare_numbers(((const struct answers_string *)a)->offset, ((const struct answers_string *)b)->offset);
}

const struct btf_type *answers__type(const struct answers *answers, __u32 id)
{
	const struct answers_type key = { .id = id };
	const struct answers_type *found = answers->types_sorted ?
		bsearch(&key, answers->types, answers->types_sorted, sizeof(key), compare_types) : NULL;

	return found ? found->type : NULL;
}

const char *answers__string(const struct answers *answers, __u32 offset)
{
	const struct answers_string key = { .offset = offset };
	const struct answers_string *found = answers->strings_sorted ?
		bsearch(&key, answers->strings, answers->strings_sorted, sizeof(key), compare_strings) : NULL;

	return found ? found->text : NULL;
}

/* ---- bytes */

static int parse_types(struct answers *answers, const struct place *places, __u32 count, const char *rest, size_t size)
{
	for (__u32 i = 0; i < count; i++) {
		const __u32 id = places[i].number, at = places[i].at;
		const struct btf_type *type = (const struct btf_type *)(rest + at);

		if (id <= (i ? places[i - 1].number : 0) || id > answers->ids || at % 4 || at > size || size - at < sizeof(*type) ||
		    !rawbtf__type_size(type) || rawbtf__type_size(type) > size - at)
			return -EINVAL;
		if (answers__add_type(answers, id, type))
			return -ENOMEM;
	}
	answers->types_sorted = count;
	return 0;
}

static int parse_strings(struct answers *answers, const struct place *places, __u32 count, const char *rest, size_t size)
{
	for (__u32 i = 0; i < count; i++) {
		if ((i && places[i].number <= places[i - 1].number) || places[i].at >= size)
			return -EINVAL;
		if (answers__add_string(answers, places[i].number, rest + places[i].at))
			return -ENOMEM;
	}
	answers->strings_sorted = count;
	return 0;
}

static int parse(struct answers *answers, const char *bytes, size_t size)
{
	const struct header *header = (const struct header *)bytes;
	const struct answers_match *matches = (const struct answers_match *)(header + 1);
	const struct place *types, *strings;
	const char *rest;
	uint64_t taken;
	int err = 0;

	if (size < sizeof(*header) || bytes[size - 1])
		return -EINVAL;
	taken = sizeof(*header) + (uint64_t)header->matches * sizeof(*matches) +
		((uint64_t)header->types + header->strings) * sizeof(*types);
	if (taken > size)
		return -EINVAL;
	types = (const struct place *)(matches + header->matches);
	strings = types + header->types;
	rest = (const char *)(strings + header->strings);
	answers->ids = header->ids;
	for (__u32 i = 0; i < header->matches && !err; i++)
		err = matches[i].id && matches[i].id <= header->ids ?
		      answers__add_match(answers, matches[i].id, &matches[i].head) : -EINVAL;
	if (!err)
		err = parse_types(answers, types, header->types, rest, size - taken);
	return err ? err : parse_strings(answers, strings, header->strings, rest, size - taken);
}

int answers__parse(struct answers *answers, void *bytes, size_t size)
{
	int err;

	*answers = (struct answers){ .bytes = bytes };
	err = parse(answers, bytes, size);
	if (err)
		answers__free(answers);
	return err;
}

static void sort(struct answers *answers)
{
	size_t kept = 0;

	if (answers->types_count)
		qsort(answers->types, answers->types_count, sizeof(*answers->types), compare_types);
	for (size_t i = 0; i < answers->types_count; i++)
		if (!kept || answers->types[kept - 1].id != answers->types[i].id)
			answers->types[kept++] = answers->types[i];
	answers->types_count = answers->types_sorted = kept;
	kept = 0;
	if (answers->strings_count)
		qsort(answers->strings, answers->strings_count, sizeof(*answers->strings), compare_strings);
	for (size_t i = 0; i < answers->strings_count; i++)
		if (!kept || answers->strings[kept - 1].offset != answers->strings[i].offset)
			answers->strings[kept++] = answers->strings[i];
	answers->strings_count = answers->strings_sorted = kept;
}

int answers__make(struct answers *answers, void **bytes, size_t *size)
{
	const struct header *header;
	struct place *places;
	size_t rest = 0;
	char *made, *at;

	sort(answers);
	for (size_t i = 0; i < answers->types_count; i++)
		rest += rawbtf__type_size(answers->types[i].type);
	for (size_t i = 0; i < answers->strings_count; i++)
		rest += strlen(answers->strings[i].text) + 1;
	*size = sizeof(*header) + answers->matches_count * sizeof(*answers->matches) +
		(answers->types_count + answers->strings_count) * sizeof(*places) + rest + 1;
	if (*size > UINT32_MAX)
		return -EFBIG;
	*bytes = made = calloc(1, *size);
	if (!made)
		return -ENOMEM;
	*(struct header *)made = (struct header){ answers->ids, (__u32)answers->matches_count, (__u32)answers->types_count,
						  (__u32)answers->strings_count };
	at = made + sizeof(*header);
	if (answers->matches_count)
		memcpy(at, answers->matches, answers->matches_count * sizeof(*answers->matches));
	places = (struct place *)(at + answers->matches_count * sizeof(*answers->matches));
	at = (char *)(places + answers->types_count + answers->strings_count);
	rest = 0;
	for (size_t i = 0; i < answers->types_count; i++) {
		const size_t length = rawbtf__type_size(answers->types[i].type);

		*places++ = (struct place){ answers->types[i].id, (__u32)rest };
		memcpy(at + rest, answers->types[i].type, length);
		rest += length;
	}
	for (size_t i = 0; i < answers->strings_count; i++) {
		const size_t length = strlen(answers->strings[i].text) + 1;

		*places++ = (struct place){ answers->strings[i].offset, (__u32)rest };
		memcpy(at + rest, answers->strings[i].text, length);
		rest += length;
	}
	return 0;
}
