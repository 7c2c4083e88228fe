/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctx.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const prefixes[] = {
	[FORMAT_PLAIN] = "", [FORMAT_DATA_LOC] = "__data_loc_", [FORMAT_REL_LOC] = "__rel_loc_", [FORMAT_POINTER] = "",
};

bool ctx__is_syscall(const struct format *format)
{
	return !strcmp(format->system, "syscalls");
}

int ctx__offset(const struct format *format, const struct format_field *field)
{
	if (format->is_arguments)
		return (int)field->offset;
	if (!ctx__is_syscall(format))
		return field->offset < 8 ? -EACCES : (int)field->offset;
	if (field->is_common)
		return field->offset < 8 ? -EACCES : -ENOENT;
	/* 7.2's records also have copies of the strings that the arguments point to; the context has the arguments */
	if (field->loc != FORMAT_PLAIN)
		return -ENOENT;
	/* __syscall_nr, and behind it the arguments or "ret" */
	return 8 + 8 * (int)(field - format->fields - format->common_count);
}

bool ctx__is_scalar(const struct format_field *field)
{
	if (field->loc != FORMAT_PLAIN)
		return true;
	if (field->is_array || (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		return false;
	return (strncmp(field->type, "struct ", 7) && strncmp(field->type, "union ", 6)) || strchr(field->type, '*');
}

int ctx__number(const struct format *format, const struct format_field *field, struct ctx_number *number)
{
	bool is_signed = field->is_signed;
	unsigned size = 0;
	int offset;

	if (field->loc != FORMAT_PLAIN || !ctx__is_scalar(field))
		return -EINVAL;
	offset = ctx__offset(format, field);
	if (offset < 0)
		return offset;
	*number = (struct ctx_number){ .offset = offset, .size = field->size, .is_signed = field->is_signed };
	if (!ctx__is_syscall(format))
		return 0;
	number->size = 8;
	size = format__type_size(field->type, &is_signed);
	if (size == 1 || size == 2 || size == 4) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		number->offset += 8 - (int)size;
#endif
		number->size = size;
		number->is_signed = is_signed;
	}
	return 0;
}

char *ctx__member_name(const struct format_field *field, char *name)
{
	snprintf(name, CTX_MEMBER_NAME_SIZE, "%s%s", prefixes[field->loc], field->name);
	return name;
}

const struct format_field *ctx__field(const struct format *format, const char *member_name)
{
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];
		size_t length = strlen(prefixes[field->loc]);

		if (!strncmp(member_name, prefixes[field->loc], length) && !strcmp(member_name + length, field->name))
			return field;
	}
	return NULL;
}
