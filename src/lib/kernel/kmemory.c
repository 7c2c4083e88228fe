/* SPDX-License-Identifier: BSD-2-Clause */
#include "kmemory.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ktext.h"

int kmemory__open(struct kmemory *memory)
{
	Elf64_Phdr segment;
	Elf64_Ehdr elf;

	*memory = (struct kmemory){ .fd = ktext__open() };
	if (memory->fd < 0)
		return memory->fd;
	if (pread(memory->fd, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_phentsize != sizeof(segment))
		return -EIO;
	for (unsigned int i = 0; i < elf.e_phnum && memory->count < KMEMORY_SEGMENTS; i++) {
		if (pread(memory->fd, &segment, sizeof(segment), (off_t)(elf.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return -EIO;
		if (segment.p_type != PT_LOAD)
			continue;
		memory->segments[memory->count].address = segment.p_vaddr;
		memory->segments[memory->count].size = segment.p_filesz;
		memory->segments[memory->count++].offset = segment.p_offset;
	}
	return 0;
}

void kmemory__close(struct kmemory *memory)
{
	if (memory->fd >= 0)
		close(memory->fd);
	memory->fd = -1;
}

int kmemory__read(const struct kmemory *memory, uint64_t address, void *bytes, size_t size)
{
	for (size_t i = 0; i < memory->count; i++) {
		uint64_t at = address - memory->segments[i].address;
		ssize_t got;

		if (address < memory->segments[i].address || at >= memory->segments[i].size || size > memory->segments[i].size - at)
			continue;
		got = pread(memory->fd, bytes, size, (off_t)(memory->segments[i].offset + at));
		if (got < 0)
			return -errno;
		return (size_t)got == size ? 0 : -EIO;
	}
	return -ENOENT;
}

uint64_t kmemory__pointer(const struct kmemory *memory, uint64_t address)
{
	uint64_t value;

	return kmemory__read(memory, address, &value, sizeof(value)) ? 0 : value;
}

void kmemory__text(const struct kmemory *memory, uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	/* the page behind the text may not be there */
	while (length < size - 1 && !kmemory__read(memory, address + length, text + length, 1) && text[length])
		length++;
	text[length] = '\0';
}
