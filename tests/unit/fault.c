/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong: the number, the words, and those that are too long. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "lib/print/fault.h"

int main(void)
{
	struct fault fault;
	struct text_buffer text;

	CHECK_INT(fault__set(&fault, -ENOENT, "%s: %d", "a file", 7), -ENOENT);
	CHECK_INT(fault.err, -ENOENT);
	CHECK_STR(fault.text, "a file: 7");
	CHECK_INT(fault__set(NULL, -EBUSY, "nobody wants to know"), -EBUSY);

	CHECK_INT(fault__set(&fault, -EINVAL, "%2000d", 1), -EINVAL);
	CHECK_INT(strlen(fault.text), FAULT_TEXT_MAX - 1);

	text = fault__begin(&fault, -EPERM);
	CHECK_INT(fault.err, -EPERM);
	CHECK_STR(fault.text, "");
	text_buffer__add(&text, "a piece");
	text_buffer__add(&text, ", and another");
	CHECK_STR(fault.text, "a piece, and another");
	return check_done();
}
