/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ktext_arch.h"

#if defined(__x86_64__)
#define OWN(function) ktext_x86__##function
#elif defined(__aarch64__)
#define OWN(function) ktext_arm64__##function
#else
#error "lib/kernel/ktext does not know this architecture"
#endif

const char *ktext_kind__name(enum ktext_kind kind)
{
	return OWN(names)[kind];
}

struct ktext_insn ktext__decode(const uint8_t *bytes, size_t size, uint64_t address)
{
	return OWN(decode)(bytes, size, address);
}

int ktext__find_hook(const uint8_t bytes[KTEXT_BEGIN])
{
	return OWN(find_hook)(bytes);
}

bool ktext__is_skipped(const uint8_t bytes[KTEXT_MARK])
{
	return OWN(is_skipped)(bytes);
}

void ktext__scan(const uint8_t *code, size_t size, uint64_t address, void (*found)(void *ctx, uint64_t target), void *ctx)
{
	OWN(scan)(code, size, address, found, ctx);
}

int ktext__open(void)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ktext__read(int kcore, uint64_t address, void *bytes, size_t size)
{
	Elf64_Ehdr elf;

	if (pread(kcore, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_phentsize != sizeof(Elf64_Phdr))
		return -EIO;
	for (unsigned int i = 0; i < elf.e_phnum; i++) {
		Elf64_Phdr segment;
		ssize_t got;

		if (pread(kcore, &segment, sizeof(segment), (off_t)(elf.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return -EIO;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr + size > segment.p_filesz)
			continue;
		got = pread(kcore, bytes, size, (off_t)(segment.p_offset + (address - segment.p_vaddr)));
		if (got < 0)
			return -errno;
		return (size_t)got == size ? 0 : -EIO;
	}
	return -ENOENT;
}
