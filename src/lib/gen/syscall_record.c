/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscall_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/events.h"
#include "lib/format/syscall_format.h"

static bool is_return(const struct format *format)
{
	return !strcmp(format->system, SYSCALL_RETURN);
}

bool syscall_record__is_for(const struct format *format)
{
	return format->is_arguments && (is_return(format) || !strcmp(format->system, SYSCALL_ENTER));
}

bool syscall_record__has(const struct format *format, const struct format_field *field)
{
	return is_return(format) ? !strcmp(field->name, "ret") : field->loc == FORMAT_PLAIN;
}

bool syscall_record__is_comparable(const struct format *format, const struct ctx_number *number)
{
	return number->size == 8 && number->is_signed == is_return(format);
}

int syscall_record__find(const struct record *record, struct format **raw, struct fault *fault)
{
	const struct format *format = record->format;
	char name[FORMAT_NAME_MAX + 1];

	for (size_t i = 0; i < record->count; i++) {
		const struct format_field *field = record->fields[i].field;

		if (syscall_record__has(format, field))
			continue;
		return fault__set(fault, -EOPNOTSUPP, "%s:%s: records have %s, and not %s (name the fields: '%s:%s(%s)')",
				  format->system, format->name, is_return(format) ? "the result" :
				  "addresses in place of texts", field->name, format->system, format->name,
				  is_return(format) ? "ret" : "FIELD,...");
	}
	snprintf(name, sizeof(name), "sys_%s_%.200s", is_return(format) ? "exit" : "enter", syscall_format__event(format->name));
	return events__format("syscalls", name, raw, fault);
}

int syscall_record__take(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size)
{
	memset((char *)copy + 8, 0, record->size - 8);
	for (size_t i = 0; i < record->count; i++) {
		const struct format_field *from = format__field(raw, record->fields[i].field->name);

		/* 8 bytes, of which the value's type takes the lower ones */
		if (!from || from->offset + 8 > size)
			return -EINVAL;
		memcpy((char *)copy + record->fields[i].room, (const char *)data + from->offset, 8);
	}
	return 0;
}
