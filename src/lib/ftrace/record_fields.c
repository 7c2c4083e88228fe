/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/format/format.h"
#include "lib/kernel/tracefs.h"

int record_fields__read(const char *name, struct format **format)
{
	struct format_error error;
	char path[128], *text;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "events/ftrace/%s/format", name);
	err = tracefs__read(path, FORMAT_SIZE_MAX, &text, &size);
	if (err)
		return err;
	err = format__parse(format, "ftrace", text, size, &error);
	free(text);
	if (!err && (!(*format)->id || (*format)->id > UINT16_MAX)) {
		format__free(*format);
		err = -EINVAL;
	}
	return err;
}

int record_fields__find(const char *name, const struct record_field *fields, uint16_t *type, uint32_t *size_min)
{
	struct format *format;
	int err = record_fields__read(name, &format);

	if (err)
		return err;
	*type = (uint16_t)format->id;
	*size_min = 0;
	for (; fields->name; fields++) {
		const struct format_field *field = format__field(format, fields->name);

		if (!field || (fields->size ? field->size != fields->size : !field->is_array)) {
			err = -EINVAL;
			break;
		}
		*fields->offset = field->offset;
		if (*size_min < field->offset + fields->size)
			*size_min = field->offset + fields->size;
	}
	format__free(format);
	return err;
}
