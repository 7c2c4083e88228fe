/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/print/text: names that were cut say so; hexadecimal digits. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/print/text.h"

int main(void)
{
	char to[8 + sizeof(TEXT_MORE)], *bytes;

	CHECK_INT(text__name(to, "", 8), 0);
	CHECK_STR(to, "");
	CHECK_INT(text__name(to, "ttyS0\0\0", 8), 5);
	CHECK_STR(to, "ttyS0");
	/* whole, with its 0 byte in the last place */
	CHECK_INT(text__name(to, "1234567", 8), 7);
	CHECK_STR(to, "1234567");
	CHECK_INT(text__name(to, "12345678", 8), 7 + sizeof(TEXT_MORE) - 1);
	CHECK_STR(to, "1234567[+more]");
	/* two bytes and no more, of what has two: the sanitizer sees a byte too far */
	bytes = strdup("\x0f");
	memset(to, '-', sizeof(to));
	CHECK_INT(text__hex(to, bytes, 2) - to, 4);
	CHECK(!memcmp(to, "0f00-", 5));
	free(bytes);
	return check_done();
}
