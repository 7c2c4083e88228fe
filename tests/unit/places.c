/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/places.h"

int main(void)
{
	char buffer[PLACE_NAME_SIZE], name[64], path[] = "/tmp/places.XXXXXX", full[PLACE_NAME_SIZE];
	struct places *places = places__new(0);
	unsigned int known = 0;
	FILE *file = fdopen(mkstemp(path), "w");

	fputs("ffffffff81000000 T _text\nffffffff81000100 t a_function\nffffffff81000200 t another\n"
	      "ffffffffc0000000 t of_module\t[mod]\nffffffffc0000100 t last\t[mod]\n", file);
	fclose(file);
	ksyms__use(path);

	/* where an interrupt begins, and what only sounds like it */
	CHECK_INT(place__is_interrupt("asm_sysvec_apic_timer_interrupt"), true);
	CHECK_INT(place__is_interrupt("asm_common_interrupt"), true);
	CHECK_INT(place__is_interrupt("el1h_64_irq"), true);
	CHECK_INT(place__is_interrupt("el1h_64_irq_handler"), false);
	CHECK_INT(place__is_interrupt("sysvec_apic_timer_interrupt"), false);

	/* what the kernel told, without the function's length */
	CHECK_INT(places__tell(places, 0xffffffff81000142, "told+0x42/0x100", sizeof("told+0x42/0x100")), 0);
	CHECK_STR(places__text(places, 0xffffffff81000142, buffer), "told+0x42");
	CHECK_INT(places__tell(places, 0xffffffffc0000010, "told+0x10/0x100 [mod]", sizeof(name)), 0);
	CHECK_STR(places__text(places, 0xffffffffc0000010, buffer), "told+0x10 [mod]");
	/* once */
	CHECK_INT(places__tell(places, 0xffffffffc0000010, "another+0x10/0x100", sizeof(name)), 0);
	CHECK_STR(places__text(places, 0xffffffffc0000010, buffer), "told+0x10 [mod]");
	/* what nobody told is looked up, and a number where that fails, too */
	CHECK_STR(places__text(places, 0xffffffff81000110, buffer), "a_function+0x10");
	CHECK_STR(places__text(places, 0xffffffffc0000020, buffer), "of_module+0x20 [mod]");
	CHECK_STR(places__text(places, 0x1234, buffer), "0x1234");
	CHECK_STR(places__text(places, 0, buffer), "0x0");

	/* one that was cut fills its room, and says so */
	memset(full, 'x', sizeof(full));
	CHECK_INT(places__tell(places, 0xffffffff81000143, full, sizeof(full)), 0);
	CHECK_STR(places__text(places, 0xffffffff81000143, buffer) + sizeof(full) - 6, "xx...");
	full[sizeof(full) - 1] = 0;
	CHECK_INT(places__tell(places, 0xffffffff81000144, full, sizeof(full)), 0);
	CHECK_STR(places__text(places, 0xffffffff81000144, buffer) + sizeof(full) - 6, "xx...");
	full[sizeof(full) - 2] = 0;
	CHECK_INT(places__tell(places, 0xffffffff81000145, full, sizeof(full)), 0);
	CHECK_STR(places__text(places, 0xffffffff81000145, buffer), full);

	/* more than there is room for at first */
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u+0x0/0x10", i);
		CHECK_INT(places__tell(places, 0xffffffff82000000 + i * 16, name, sizeof(name)), 0);
	}
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u+0x0", i);
		CHECK_STR(places__text(places, 0xffffffff82000000 + i * 16, buffer), name);
	}
	CHECK_STR(places__text(places, 0xffffffff81000142, buffer), "told+0x42");
	places__free(places);

	/* no more than the bound; what is asked for stays, and what has lost its place can be told again */
	places = places__new(100);
	for (unsigned int i = 0; i < 1000; i++) {
		CHECK_INT(places__tell(places, 0xffffffff82000000 + i * 16, "f+0x0/0x10", sizeof(name)), 0);
		CHECK(places__has(places, 0xffffffff82000000));
	}
	for (unsigned int i = 0; i < 1000; i++)
		known += places__has(places, 0xffffffff82000000 + i * 16);
	CHECK_INT(known, 100);
	CHECK_INT(places__tell(places, 0xffffffff82000010, "again+0x0/0x10", sizeof(name)), 0);
	CHECK_STR(places__text(places, 0xffffffff82000010, buffer), "again+0x0");
	places__free(places);
	places__free(NULL);
	ksyms__use(NULL);
	remove(path);
	return check_done();
}
