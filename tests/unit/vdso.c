/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of this process' own vDSO. */
#include "lib/symbol/vdso.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "check.h"
#include "lib/symbol/elf_symbols.h"

/* Whether some place has that name. */
static bool has_name(const struct elf_symbols *symbols, const char *name)
{
	uint64_t into;

	for (uint64_t at = 0; at < 0x4000; at++) {
		const char *found = elf_symbols__at(symbols, at, &into);

		if (found && !strcmp(found, name))
			return true;
	}
	return false;
}

int main(void)
{
	struct map map = { .start = getauxval(AT_SYSINFO_EHDR), .path = (char *)"[vdso]" };
	struct elf_symbols *symbols;
	int fd = vdso__copy();

	/* an emulator of other kernels may have none */
	if (fd < 0)
		return check_done();
	CHECK_INT(elf_symbols__read(fd, &symbols), 0);
	CHECK(has_name(symbols, "__vdso_clock_gettime"));
	CHECK(has_name(symbols, "__vdso_gettimeofday"));
	CHECK(has_name(symbols, "__vdso_getcpu"));
	CHECK(vdso__is_in(&map));
	map.start = 0xf7fc0000;
	CHECK(!vdso__is_in(&map));
	elf_symbols__free(symbols);
	close(fd);
	return check_done();
}
