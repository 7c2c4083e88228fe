/* SPDX-License-Identifier: BSD-2-Clause */
#include "elements.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes "NAME[INDEX]" apart; the array, or NULL: it is none of the format's. */
static const struct format_field *find_array(const struct format *format, const char *name, unsigned long *index)
{
	const char *bracket = strchr(name, '[');
	char base[FORMAT_NAME_MAX];
	char *end;

	if (!bracket || bracket == name || (size_t)(bracket - name) >= sizeof(base))
		return NULL;
	snprintf(base, sizeof(base), "%.*s", (int)(bracket - name), name);
	*index = strtoul(bracket + 1, &end, 10);
	return end > bracket + 1 && !strcmp(end, "]") ? format__field(format, base) : NULL;
}

static int check(const struct format_field *array, const char *name, unsigned long index, struct fault *fault)
{
	unsigned bytes = array->elem_size;

	if (array->loc != FORMAT_PLAIN || !array->is_array || !array->array_len || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
		return fault__set(fault, -EINVAL, "%s: %s is no array of numbers of a fixed size: %s", name, array->name,
				  array->decl);
	if (index >= array->array_len)
		return fault__set(fault, -EINVAL, "%s: %s has %u elements", name, array->name, array->array_len);
	return 0;
}

/* As the array's elements are, and the array is not. */
static struct format_field element_of(const struct format_field *array, unsigned long index, const char *name)
{
	struct format_field field = *array;

	field.name = field.decl = name;
	field.offset += (unsigned)index * array->elem_size;
	field.size = array->elem_size;
	field.array_len = 0;
	field.is_array = false;
	field.is_extra = true;
	return field;
}

int elements__add(struct format **format, const char *const *names, size_t count, struct fault *fault)
{
	struct format *old = *format, *new;
	struct format_field *fields;
	size_t room = 0, added = 0;
	unsigned long index;
	char *strings;

	for (size_t i = 0; i < count; i++) {
		const struct format_field *array = find_array(old, names[i], &index);
		int err = array ? check(array, names[i], index, fault) : 0;

		if (err)
			return err;
		added += array != NULL;
		room += array ? strlen(names[i]) + 1 : 0;
	}
	if (!added)
		return 0;
	new = calloc(1, sizeof(*new) + (old->fields_count + added) * sizeof(*fields) + room);
	if (!new)
		return -ENOMEM;
	*new = *old;
	new->base = old;
	fields = (struct format_field *)(new + 1);
	strings = (char *)(fields + old->fields_count + added);
	new->fields = fields;
	memcpy(fields, old->fields, old->fields_count * sizeof(*fields));
	for (size_t i = 0; i < count; i++) {
		const struct format_field *array = find_array(old, names[i], &index);

		if (!array || format__field(new, names[i]))
			continue;
		strcpy(strings, names[i]);
		fields[new->fields_count++] = element_of(array, index, strings);
		strings += strlen(strings) + 1;
	}
	*format = new;
	return 0;
}
