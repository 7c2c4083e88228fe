/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

int fault__set(struct fault *fault, int err, const char *format, ...)
{
	va_list args;

	if (!fault)
		return err;
	fault->err = err;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return err;
}

struct text_buffer fault__begin(struct fault *fault, int err)
{
	fault->err = err;
	return text_buffer__fixed(fault->text, sizeof(fault->text));
}
