/* SPDX-License-Identifier: BSD-2-Clause */
/* The segments of an ELF file that are executed: where its addresses are in the file.  The file may be hostile (elf_file.h). */
#ifndef PROBELIGHT_ELF_SEGMENTS_H
#define PROBELIGHT_ELF_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"

struct elf_segment {
	uint64_t offset, size;	/* in the file */
	uint64_t address;
};

struct elf_segments {
	struct elf_segment *list;
	size_t count;
};

/*
 * Reads them into a zeroed struct, which elf_segments__free() empties, also after an error.  0 or -errno: of read(2), -ENOMEM, -ENOEXEC
 * where the file contradicts itself, -EFBIG where there are more than 1,024.
 */
int elf_segments__read(struct elf_segments *segments, const struct elf_file *file);
void elf_segments__free(struct elf_segments *segments);

/* The address of the byte at an offset of the file, and the offset of the byte at an address; UINT64_MAX: no segment has it. */
uint64_t elf_segments__address(const struct elf_segments *segments, uint64_t offset);
uint64_t elf_segments__offset(const struct elf_segments *segments, uint64_t address);

#endif
