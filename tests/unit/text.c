/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/text: names that were cut say so. */
#include "lib/print/text.h"

#include "check.h"

int main(void)
{
	char to[8 + sizeof(TEXT_MORE)];

	CHECK_INT(text__name(to, "", 8), 0);
	CHECK_STR(to, "");
	CHECK_INT(text__name(to, "ttyS0\0\0", 8), 5);
	CHECK_STR(to, "ttyS0");
	/* whole, with its 0 byte in the last place */
	CHECK_INT(text__name(to, "1234567", 8), 7);
	CHECK_STR(to, "1234567");
	CHECK_INT(text__name(to, "12345678", 8), 7 + sizeof(TEXT_MORE) - 1);
	CHECK_STR(to, "1234567[+more]");
	return check_done();
}
