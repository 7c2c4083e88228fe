/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_compat FOLDER: asks for attributes by 32-bit system calls, made by int 0x80 from a 64-bit program, and prints what a tracer
 * must show, as stat_calls does.  Exit status 77 where the kernel has no 32-bit calls (CONFIG_IA32_EMULATION).
 */
#include <fcntl.h>
#include <string.h>

#include "call32.h"
#include "stat_calls.h"

/* The numbers are those of arch/x86/entry/syscalls/syscall_32.tbl. */
static const struct {
	const char *name;
	long number;
} by_path[] = {
	{ "stat", 106 }, { "lstat", 107 }, { "stat64", 195 }, { "lstat64", 196 }, { "oldstat", 18 }, { "oldlstat", 84 },
	{ "statfs", 99 },
}, by_fd[] = {
	{ "fstat", 108 }, { "fstat64", 197 }, { "oldfstat", 28 }, { "fstatfs", 100 },
};

static long done(long result)
{
	errno = (int)-result;
	return result;
}

int main(int argc, char **argv)
{
	static const char *const paths[] = { "plain", "none" };
	static char zeros[512];
	long buffer, none;
	int fd, dir;

	start_calls(argc, argv);
	call32__need();
	fd = open("plain", O_RDWR | O_CREAT, 0600);
	dir = open(".", O_PATH | O_DIRECTORY);
	buffer = low32(zeros, sizeof(zeros));
	for (size_t i = 0; i < sizeof(by_path) / sizeof(*by_path); i++) {
		for (int p = 0; p < 2; p++)
			expect(done(call32(by_path[i].number, low32(paths[p], 6), buffer, 0, 0, 0)), by_path[i].name, -1, NULL,
			       paths[p]);
		expect(done(call32(by_path[i].number, 16, buffer, 0, 0, 0)), by_path[i].name, -1, NULL, "<fault>");
	}
	for (size_t i = 0; i < sizeof(by_fd) / sizeof(*by_fd); i++)
		expect(done(call32(by_fd[i].number, fd, buffer, 0, 0, 0)), by_fd[i].name, fd, "plain", NULL);
	none = low32("none", 5);
	/* statfs64 and fstatfs64 take the size of their answer */
	expect(done(call32(268, low32("plain", 6), 84, buffer, 0, 0)), "statfs64", -1, NULL, "plain");
	expect(done(call32(269, fd, 84, buffer, 0, 0)), "fstatfs64", fd, "plain", NULL);
	expect(done(call32(300, dir, low32("plain", 6), buffer, 0, 0)), "fstatat64", dir, strrchr(argv[1], '/') + 1, "plain");
	expect(done(call32(300, AT_FDCWD, none, buffer, 0, 0)), "fstatat64", -1, NULL, "none");
	expect(done(call32(383, AT_FDCWD, none, 0, 0x7ff, buffer)), "statx", -1, NULL, "none");
	expect(done(call32(383, dir, none, 0, 0x7ff, buffer)), "statx", dir, strrchr(argv[1], '/') + 1, "none");
	return 0;
}
