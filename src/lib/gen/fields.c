/* SPDX-License-Identifier: BSD-2-Clause */
#include "fields.h"

#include <errno.h>
#include <string.h>

#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

int fields__explain_missing(const struct format *format, const char *name, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -EINVAL);
	struct near near;

	near__init(&near, 2 + (unsigned)strlen(name) / 4, 3);
	for (unsigned i = 0; i < format->fields_count; i++)
		if (!format->fields[i].is_common)
			near__add(&near, format->fields[i].name, near__edits(format->fields[i].name, name, near__limit(&near)));
	text_buffer__add(&text, "%s:%s has no field \"%s\"", format->system, format->name, name);
	if (near.count) {
		near__put(&near, &text);
		return -EINVAL;
	}
	if (format->note) {
		text_buffer__add(&text, "; %s", format->note);
		return -EINVAL;
	}
	text_buffer__add(&text, "; it has ");
	for (unsigned i = format->common_count; i < format->fields_count; i++)
		text_buffer__add(&text, "%s%s", i > format->common_count ? ", " : "", format->fields[i].name);
	if (format->common_count == format->fields_count)
		text_buffer__add(&text, "none");
	return -EINVAL;
}
