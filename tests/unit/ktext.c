/* SPDX-License-Identifier: BSD-2-Clause */
/* ktext: the beginnings of functions as they were read from real kernels, and a made-up kcore. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/ktext_arch.h"

static void check_decode(const char *bytes, size_t size, uint64_t address, enum ktext_kind kind, unsigned int length,
			 uint64_t target)
{
	struct ktext_insn insn = ktext_x86__decode((const uint8_t *)bytes, size, address);

	CHECK_INT(insn.kind, kind);
	CHECK_INT(insn.size, length);
	CHECK_INT((long long)insn.target, (long long)target);
}

static void test_decode(void)
{
	check_decode("\x0f\x1f\x44\x00\x00\x41\x57", 7, 0xffffffff8137a830, KTEXT_NOP, 5, 0);
	check_decode("\xf3\x0f\x1e\xfa\x0f", 5, 0xffffffff8145be40, KTEXT_ENDBR, 4, 0);
	check_decode("\x66\x0f\x1f\x00\x0f", 5, 0, KTEXT_SEALED, 4, 0);
	check_decode("\x0f\x1f\x40\xd6\x0f", 5, 0, KTEXT_SEALED, 4, 0);
	check_decode("\x66\x66\x66\x66\x90\x41", 6, 0, KTEXT_NOP, 5, 0);
	/* forwards to a trampoline, backwards to the kernel's text */
	check_decode("\xe8\xcb\x67\xe8\x3e", 5, 0xffffffff8137a830, KTEXT_CALL, 5, 0xffffffffc0201000);
	check_decode("\xe8\xfb\xff\xff\xff", 5, 0xffffffff81000100, KTEXT_CALL, 5, 0xffffffff81000100);
	check_decode("\xe9\x00\x00\x00\x00", 5, 0xffffffff81000100, KTEXT_JUMP, 5, 0xffffffff81000105);
	check_decode("\xcc\x1f\x44\x00\x00", 5, 0xffffffff81000100, KTEXT_INT3, 1, 0);
	check_decode("\x41\x57\x41\x56\x41", 5, 0, KTEXT_OTHER, 0, 0);
	/* cut short */
	check_decode("\xe8\xcb\x67\xe8\x3e", 4, 0, KTEXT_OTHER, 0, 0);
	check_decode("\x0f\x1f\x44\x00\x00", 4, 0, KTEXT_OTHER, 0, 0);
	check_decode("\xf3\x0f\x1e", 3, 0, KTEXT_OTHER, 0, 0);
	check_decode("", 0, 0, KTEXT_OTHER, 0, 0);
	for (int kind = KTEXT_OTHER; kind <= KTEXT_INT3; kind++)
		CHECK(ktext_x86__names[kind] && ktext_arm64__names[kind] && ktext_kind__name(kind));
}

static void check_arm64(const char *bytes, size_t size, uint64_t address, enum ktext_kind kind, unsigned int length, uint64_t target)
{
	struct ktext_insn insn = ktext_arm64__decode((const uint8_t *)bytes, size, address);

	CHECK_INT(insn.kind, kind);
	CHECK_INT(insn.size, length);
	CHECK_INT((long long)insn.target, (long long)target);
}

/* vfs_open() of 7.3, untouched, with a kprobe, and with the function tracer */
static void test_arm64(void)
{
	check_arm64("\xe9\x03\x1e\xaa", 4, 0xffff800080400000, KTEXT_SEALED, 4, 0);
	check_arm64("\x1f\x20\x03\xd5", 4, 0xffff800080400004, KTEXT_NOP, 4, 0);
	check_arm64("\x3f\x23\x03\xd5", 4, 0, KTEXT_OTHER, 4, 0);
	check_arm64("\x80\x00\x20\xd4", 4, 0, KTEXT_INT3, 4, 0);
	check_arm64("\x5f\x24\x03\xd5", 4, 0, KTEXT_ENDBR, 4, 0);
	/* backwards, forwards, a jump */
	check_arm64("\xeb\xa9\xea\x97", 4, 0xffff800080400004, KTEXT_CALL, 4, 0xffff80007feaa7b0);
	check_arm64("\x02\x00\x00\x94", 4, 0xffff800080400004, KTEXT_CALL, 4, 0xffff80008040000c);
	check_arm64("\xff\xff\xff\x17", 4, 0xffff800080400004, KTEXT_JUMP, 4, 0xffff800080400000);
	/* cut short */
	check_arm64("\x1f\x20\x03", 3, 0, KTEXT_OTHER, 0, 0);

	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\xe9\x03\x1e\xaa\x1f\x20\x03\xd5\x3f\x23\x03\xd5"), 4);
	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\x80\x00\x20\xd4\x1f\x20\x03\xd5\x3f\x23\x03\xd5"), 4);
	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\xe9\x03\x1e\xaa\xeb\xa9\xea\x97\x3f\x23\x03\xd5"), 4);
	/* a kernel with BTI for itself */
	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\x5f\x24\x03\xd5\xe9\x03\x1e\xaa\x1f\x20\x03\xd5"), 8);
	/* notrace */
	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\x3f\x23\x03\xd5\xfd\x7b\xbe\xa9\xfd\x03\x00\x91"), -ENOENT);
	CHECK_INT(ktext_arm64__find_hook((const uint8_t *)"\x5f\x24\x03\xd5\x3f\x23\x03\xd5\xfd\x7b\xbe\xa9"), -ENOENT);
}

static void test_hook(void)
{
	/* only after an endbr64 of x86 does a kprobe of the function lie behind its first instruction */
	CHECK(ktext_x86__is_skipped((const uint8_t *)"\xf3\x0f\x1e\xfa") && ktext_x86__is_skipped((const uint8_t *)"\x66\x0f\x1f\x00"));
	CHECK(!ktext_x86__is_skipped((const uint8_t *)"\x0f\x1f\x44\x00") && !ktext_x86__is_skipped((const uint8_t *)"\xcc\x0f\x1e\xfa"));
	CHECK(!ktext_arm64__is_skipped((const uint8_t *)"\x5f\x24\x03\xd5") && !ktext_arm64__is_skipped((const uint8_t *)"\xe9\x03\x1e\xaa"));
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\x0f\x1f\x44\x00\x00\x41\x57\x41\x56\x90\x90\x90"), 0);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\xe8\xcb\x67\xe8\x3e\x41\x57\x41\x56\x90\x90\x90"), 0);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\x90\x90\x90"), 4);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\x0f\x1f\x40\xd6\xe8\xcb\x67\xe8\x3e\x90\x90\x90"), 4);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\xcc\x1f\x44\x00\x00\x41\x57\x41\x56\x90\x90\x90"), 0);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\x41\x57\x41\x56\x41\x55\x41\x54\x55\x90\x90\x90"), -ENOENT);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\xf3\x0f\x1e\xfa\x41\x57\x41\x56\x41\x90\x90\x90"), -ENOENT);
	CHECK_INT(ktext_x86__find_hook((const uint8_t *)"\xf3\x0f\x1e\xfa\xf3\x0f\x1e\xfa\x41\x90\x90\x90"), -ENOENT);
}

static void test_read(void)
{
	struct {
		Elf64_Ehdr elf;
		Elf64_Phdr segments[3];
		uint8_t text[16];
	} kcore = {
		.elf = { .e_ident = ELFMAG, .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 },
		.segments = {
			{ .p_type = PT_NOTE, .p_vaddr = 0xffffffff81000000, .p_filesz = 4096 },
			{ .p_type = PT_LOAD, .p_vaddr = 0xffff888000000000, .p_offset = 1 << 20, .p_filesz = 4096 },
			{ .p_type = PT_LOAD, .p_vaddr = 0xffffffff81000000, .p_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr),
			  .p_filesz = 16 },
		},
		.text = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f' },
	};
	char path[] = "/tmp/probelight-ktext.XXXXXX", bytes[17] = "";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, &kcore, sizeof(kcore)) == sizeof(kcore));
	CHECK_INT(ktext__read(fd, 0xffffffff81000004, bytes, 4), 0);
	CHECK_STR(bytes, "4567");
	CHECK_INT(ktext__read(fd, 0xffffffff81000000, bytes, 16), 0);
	CHECK_STR(bytes, "0123456789abcdef");
	/* beyond the end, in no segment, a segment that the file has no bytes of, no kcore at all */
	CHECK_INT(ktext__read(fd, 0xffffffff81000008, bytes, 9), -ENOENT);
	CHECK_INT(ktext__read(fd, 0x1000, bytes, 1), -ENOENT);
	CHECK_INT(ktext__read(fd, 0xffff888000000000, bytes, 1), -EIO);
	CHECK(!ftruncate(fd, 10));
	CHECK_INT(ktext__read(fd, 0xffffffff81000000, bytes, 1), -EIO);
	unlink(path);
	close(fd);
}

int main(void)
{
	test_decode();
	test_arm64();
	test_hook();
	test_read();
	return check_done();
}
