/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "lib/print/address.h"

/* What stands for the address is text again. */
static void check_address(const char *from, const char *expected)
{
	char text[ADDRESS_TEXT_MAX];
	uint8_t address[16];

	CHECK_INT(inet_pton(AF_INET6, from, address), 1);
	CHECK_INT(address__text(address, text), strlen(expected));
	CHECK_STR(text, expected);
}

int main(void)
{
	check_address("::ffff:0.0.0.0", "0.0.0.0");
	check_address("::ffff:255.255.255.255", "255.255.255.255");
	check_address("::ffff:1.20.100.9", "1.20.100.9");
	check_address("::", "::");
	check_address("::1", "::1");
	check_address("::1.2.3.4", "::1.2.3.4");
	check_address("fe80:0:0:0:1:0:0:1", "fe80::1:0:0:1");
	check_address("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
	return check_done();
}
