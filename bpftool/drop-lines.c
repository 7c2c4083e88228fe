/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drop-lines FILE: takes the source lines out of a .BTF.ext section (Documentation/bpf/btf.rst, section 4.2), which llvm-objcopy has
 * written to FILE.  Only the verifier's log and bpftool's dumps show them. They are most of the section, up to 40 KB of a tool, and
 * libbpf and the kernel read each of them at every start (opensnoop's: 0.9 M instructions of 28 M on 6.1).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header; the offsets count from its end. */
struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t size;
	uint32_t functions_offset;
	uint32_t functions_size;
	uint32_t lines_offset;
	uint32_t lines_size;
	uint32_t relocations_offset;
	uint32_t relocations_size;
};

static void die(const char *what)
{
	fprintf(stderr, "drop-lines: %s\n", what);
	exit(1);
}

static void put(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		die("the section cannot be written");
}

int main(int argc, char **argv)
{
	static char section[1 << 24];
	struct header header, shorter;
	uint64_t body;
	size_t size;
	FILE *file = argc == 2 ? fopen(argv[1], "r+b") : NULL;

	if (!file)
		die("usage: drop-lines FILE");
	size = fread(section, 1, sizeof(section), file);
	if (size < sizeof(header))
		die("no .BTF.ext section");
	memcpy(&header, section, sizeof(header));
	body = size - header.size;
	if (header.magic != 0xeb9f || header.size < sizeof(header) || header.size > size ||
	    (uint64_t)header.functions_offset + header.functions_size > body ||
	    (uint64_t)header.relocations_offset + header.relocations_size > body)
		die("no .BTF.ext section with relocations");
	shorter = header;
	shorter.size = sizeof(shorter);
	shorter.functions_offset = 0;
	shorter.lines_offset = header.functions_size;
	shorter.lines_size = 0;
	shorter.relocations_offset = header.functions_size;
	file = freopen(argv[1], "wb", file);
	if (!file)
		die("the section cannot be written");
	put(file, &shorter, sizeof(shorter));
	put(file, section + header.size + header.functions_offset, header.functions_size);
	put(file, section + header.size + header.relocations_offset, header.relocations_size);
	if (fclose(file))
		die("the section cannot be written");
	return 0;
}
