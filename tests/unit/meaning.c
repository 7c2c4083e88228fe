/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"
#include "lib/print/meaning.h"

static const struct flag_name modes[] = { { 0, "READ" }, { 1, "WRITE" }, {} }, bits[] = { { 4, "CREATE" }, { 8, "APPEND" }, {} };
static const struct flag_name places[] = { { (uint64_t)-100, "HERE" }, {} };

static void check_text(const struct meaning *meaning, uint64_t number, const char *expected)
{
	char text[64];

	CHECK_STR(meaning__text(meaning, number, text, sizeof(text)), expected);
}

int main(void)
{
	const struct meaning both = { .mask = 3, .values = modes, .flags = bits }, only_flags = { .flags = bits };
	const struct meaning value = { .values = places }, error = { .is_error = true }, octal = { .is_octal = true };
	char little[10];
	uint64_t number;

	check_text(&both, 0, "READ");
	check_text(&both, 1 | 4 | 8, "WRITE|CREATE|APPEND");
	check_text(&both, 8 | 0x100, "READ|APPEND|0x100");
	/* a value without a name stands with the bits that have none */
	check_text(&both, 3, "0x3");
	check_text(&both, 2 | 4, "CREATE|0x2");
	check_text(&only_flags, 0, "0");
	check_text(&only_flags, 4 | 1, "CREATE|0x1");
	check_text(&value, (uint64_t)-100, "HERE");
	check_text(&value, 3, NULL);
	check_text(&error, (uint64_t)-2, "ENOENT");
	check_text(&error, (uint64_t)-512, "ERESTARTSYS");
	check_text(&error, 2, NULL);
	check_text(&error, 0, NULL);
	/* no error has that number, and an address is none */
	check_text(&error, (uint64_t)-4000, NULL);
	check_text(&error, 0xffffffff00000000, NULL);
	check_text(&octal, 0644, NULL);
	CHECK_STR(meaning__text(&both, 1 | 4 | 8, little, sizeof(little)), "WRITE|CRE");

	CHECK(meaning__number(&both, "APPEND", &number) && number == 8);
	CHECK(meaning__number(&both, "READ", &number) && number == 0);
	CHECK(meaning__number(&error, "ENOENT", &number) && number == (uint64_t)-2);
	CHECK(!meaning__number(&both, "ENOENT", &number));
	CHECK(!meaning__number(&error, "4000", &number));
	CHECK(!meaning__number(&octal, "READ", &number));
	return check_done();
}
