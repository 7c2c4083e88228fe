/* SPDX-License-Identifier: BSD-2-Clause */
#include "vdso.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE_MAX_BYTES (1 << 20)	/* it is 8 KB, and this process' own: only not to trust a number */

int vdso__copy(void)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -1;
	/* its sections' headers are the last of it (arch/x86/entry/vdso, scripts of the linker) */
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	if (!header->e_shoff || size > SIZE_MAX_BYTES)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, header, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool vdso__is_in(const struct map *map)
{
	/* addresses of 32-bit processes are below */
	return !map->inode && !strcmp(map->path, "[vdso]") && map->start > UINT32_MAX;
}
