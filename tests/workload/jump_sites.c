/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jump_sites TRACEPOINT…: the places in the kernel's own code where a tracepoint is left out while nobody wants it: for each one the
 * bytes that are there now, read from /proc/kcore, "NAME 0f 1f 44 00 00" or "NAME 66 90". Where the table of places is:
 * __start___jump_table in /proc/kallsyms; struct jump_entry of include/linux/jump_label.h, with relative addresses.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct jump_entry {
	int32_t code, target;	/* relative to their own places */
	int64_t key;		/* the same; the lowest two bits are flags */
};

/* Of struct tracepoint: the key comes after the name. */
#define KEY_OFFSET 8

static int kcore;
static Elf64_Phdr segments[256];
static size_t segments_count;

static bool open_kcore(void)
{
	Elf64_Ehdr header;

	kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (kcore < 0 || pread(kcore, &header, sizeof(header), 0) != sizeof(header))
		return false;
	segments_count = header.e_phnum < 256 ? header.e_phnum : 256;
	return pread(kcore, segments, segments_count * sizeof(*segments), (off_t)header.e_phoff) > 0;
}

static bool read_kernel(uint64_t address, void *bytes, size_t size)
{
	for (size_t i = 0; i < segments_count; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address + size <= segment->p_vaddr + segment->p_memsz)
			return pread(kcore, bytes, size, (off_t)(segment->p_offset + address - segment->p_vaddr)) == (ssize_t)size;
	}
	return false;
}

static uint64_t address_of(const char *name)
{
	char line[1024], symbol[512];
	unsigned long long address;
	uint64_t found = 0;
	FILE *file = fopen("/proc/kallsyms", "re");

	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %511s", &address, symbol) == 2 && !strcmp(symbol, name))
			found = address;
	if (file)
		fclose(file);
	return found;
}

static void print(const char *name, uint64_t code)
{
	uint8_t bytes[5];
	size_t size = 5;

	if (!read_kernel(code, bytes, sizeof(bytes)))
		return;
	/* a short nop or jump */
	if ((bytes[0] == 0x66 && bytes[1] == 0x90) || bytes[0] == 0xeb)
		size = 2;
	printf("%s", name);
	for (size_t i = 0; i < size; i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	uint64_t start = address_of("__start___jump_table"), stop = address_of("__stop___jump_table"), keys[16];
	size_t size = stop - start;
	struct jump_entry *table = malloc(size);

	if (!open_kcore() || !start || stop <= start || !table || argc > 17 || !read_kernel(start, table, size)) {
		fputs("jump_sites: the table cannot be read\n", stderr);
		return 1;
	}
	for (int j = 1; j < argc; j++) {
		char symbol[256];

		snprintf(symbol, sizeof(symbol), "__tracepoint_%s", argv[j]);
		keys[j - 1] = address_of(symbol) + KEY_OFFSET;
	}
	for (size_t i = 0; i < size / sizeof(*table); i++) {
		uint64_t place = start + i * sizeof(*table);
		uint64_t key = (place + offsetof(struct jump_entry, key) + (uint64_t)table[i].key) & ~3ull;

		for (int j = 1; j < argc; j++)
			if (key == keys[j - 1])
				print(argv[j], place + (uint64_t)(int64_t)table[i].code);
	}
	free(table);
	return 0;
}
