/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_segments.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#define SEGMENTS_MAX 1024

int elf_segments__read(struct elf_segments *segments, const struct elf_file *file)
{
	size_t size = file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), count = file->header.e_phnum;

	if (!count)
		return 0;
	if (file->header.e_phentsize != size || file->header.e_phoff > INT64_MAX)
		return -ENOEXEC;
	if (count > SEGMENTS_MAX)
		return -EFBIG;
	segments->list = calloc(count, sizeof(*segments->list));
	if (!segments->list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr segment;
		Elf32_Phdr narrow;
		int err = elf_file__read(file, file->is_64 ? (void *)&segment : (void *)&narrow, size,
					 file->header.e_phoff + i * size);

		if (err)
			return err;
		if (!file->is_64) {
			ELF_WIDEN(&segment, &narrow, p_type);
			ELF_WIDEN(&segment, &narrow, p_flags);
			ELF_WIDEN(&segment, &narrow, p_offset);
			ELF_WIDEN(&segment, &narrow, p_vaddr);
			ELF_WIDEN(&segment, &narrow, p_filesz);
		}
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			segments->list[segments->count++] = (struct elf_segment){ segment.p_offset, segment.p_filesz, segment.p_vaddr };
	}
	return 0;
}

void elf_segments__free(struct elf_segments *segments)
{
	free(segments->list);
	*segments = (struct elf_segments){ 0 };
}

uint64_t elf_segments__address(const struct elf_segments *segments, uint64_t offset)
{
	for (size_t i = 0; i < segments->count; i++) {
		const struct elf_segment *segment = &segments->list[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return segment->address + (offset - segment->offset);
	}
	return UINT64_MAX;
}

uint64_t elf_segments__offset(const struct elf_segments *segments, uint64_t address)
{
	for (size_t i = 0; i < segments->count; i++) {
		const struct elf_segment *segment = &segments->list[i];

		if (address >= segment->address && address - segment->address < segment->size)
			return segment->offset + (address - segment->address);
	}
	return UINT64_MAX;
}
