/* SPDX-License-Identifier: BSD-2-Clause */
#include "key_pair.h"

#include <errno.h>
#include <string.h>

/* Whose value a word means: 0 or 1 by its prefix, which is taken off; -1 without one. */
static int side_of(char **word)
{
	int side = !strncmp(*word, "a.", 2) ? 0 : !strncmp(*word, "b.", 2) ? 1 : -1;

	if (side >= 0)
		*word += 2;
	return side;
}

static int add(struct key_names *names, char *first, char *second, struct fault *fault)
{
	int first_side = side_of(&first), second_side = side_of(&second);

	if (!*first || !*second)
		return fault__set(fault, -EINVAL, "--key: the name of a field is missing");
	if (first_side == 1 || second_side == 0)
		return fault__set(fault, -EINVAL, "--key \"%s=%s\": the first event's field stands first", first, second);
	if (names->count == KEY_PARTS_MAX)
		return fault__set(fault, -EINVAL, "--key: more than %d fields", KEY_PARTS_MAX);
	names->names[0][names->count] = first;
	names->names[1][names->count++] = second;
	return 0;
}

int key_names__parse(struct key_names *names, char *text, struct fault *fault)
{
	char *word, *other;
	int err = 0;

	names->count = 0;
	while (!err && (word = strsep(&text, ","))) {
		other = strchr(word, '=');
		if (other) {
			*other++ = 0;
		} else if (!strncmp(word, "a.", 2)) {
			other = strsep(&text, ",");
			if (!other || strncmp(other, "b.", 2) || strchr(other, '='))
				return fault__set(fault, -EINVAL, "--key \"%s\": no field \"b.NAME\" stands behind it", word);
		} else if (!strncmp(word, "b.", 2)) {
			return fault__set(fault, -EINVAL, "--key \"%s\": no field \"a.NAME\" stands before it", word);
		}
		err = add(names, word, other ? other : word, fault);
	}
	return err;
}

/* What texts are compared as; numbers are all one kind. */
static const char *kind_of(const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_ARRAY:
	case OPERAND_COMM:
		return "a text in the event";
	case OPERAND_DYNAMIC:
		return "a text of any length";
	case OPERAND_POINTER:
		return "a text behind a pointer";
	default:
		return "a number";
	}
}

static int check(const struct key keys[2], const struct key_names *names, size_t part, struct fault *fault)
{
	const char *first = kind_of(&keys[0].parts[part].operand), *second = kind_of(&keys[1].parts[part].operand);

	if (!strcmp(first, second))
		return 0;
	return fault__set(fault, -EINVAL, "--key: %s of the first event is %s and %s of the second %s: they are never equal",
			  names->names[0][part], first, names->names[1][part], second);
}

int key_pair__plan(struct key keys[2], const struct format *const formats[2], const struct key_names *names, struct fault *fault)
{
	int err = key__plan(&keys[0], formats[0], names->names[0], names->count, fault);

	if (err)
		return err;
	err = key__plan(&keys[1], formats[1], names->names[1], names->count, fault);
	for (size_t i = 0; i < names->count && !err; i++)
		err = check(keys, names, i, fault);
	if (!err) {
		keys[0].size = keys[1].size = KEY_VALUES;
		for (size_t i = 0; i < names->count; i++) {
			struct key_part *first = &keys[0].parts[i], *second = &keys[1].parts[i];

			first->size = second->size = first->size > second->size ? first->size : second->size;
			first->offset = second->offset = keys[0].size;
			keys[0].size = keys[1].size += first->size;
		}
		if (keys[0].size > KEY_SIZE_MAX)
			err = fault__set(fault, -EINVAL, "--key: the fields take more than %d bytes (name fewer)", KEY_SIZE_MAX - KEY_VALUES);
	}
	if (err)
		for (int side = 0; side < 2; side++)
			key__free(&keys[side]);
	return err;
}
