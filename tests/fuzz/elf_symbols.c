/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/symbol/elf_symbols on a file of any bytes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "lib/symbol/elf_symbols.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC), err;
	struct elf_symbols *symbols = NULL;

	REQUIRE(fd >= 0);
	err = elf_symbols__read(fd, &symbols);
	REQUIRE(!err == !!symbols);
	REQUIRE(!err || err == -ENOEXEC || err == -EFBIG || err == -EINVAL);
	if (symbols) {
		const char *link = elf_symbols__debug_link(symbols);

		REQUIRE(strlen(link) <= NAME_MAX && !strchr(link, '/') && strcmp(link, "..") != 0);
		/* what it lacks cannot be in itself, nor is anything looked for that it has */
		REQUIRE(elf_symbols__read_debug(symbols, fd, ELF_BY_LINK));
		err = elf_symbols__read_debug(symbols, fd, ELF_BY_BUILD_ID);
		REQUIRE(!err || err == -ESTALE);
	}
	close(fd);
	/* every byte of the file, and some that it has not */
	for (uint64_t offset = 0; symbols && offset < size + 64; offset++) {
		uint64_t into = UINT64_MAX;
		const char *name = elf_symbols__at(symbols, offset, &into);

		REQUIRE(!name || (*name && strlen(name) <= ELF_SYMBOLS_NAME_MAX && elf_symbols__count(symbols)));
	}
	if (symbols)
		elf_symbols__at(symbols, UINT64_MAX, &(uint64_t){ 0 });
	elf_symbols__free(symbols);
	return 0;
}
