/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_compat FOLDER: opens files with 32-bit system calls, made by int 0x80 from a 64-bit program, and prints what a
 * tracer must show, as open_calls does.  Exit status 77 where the kernel has no 32-bit calls (CONFIG_IA32_EMULATION).
 */
#include "call32.h"
#include "open_calls.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define NR32_OPEN 5
#define NR32_CREAT 8
#define NR32_OPENAT 295
#define NR32_OPENAT2 437

static long low_string(const char *string)
{
	return low32(string, strlen(string) + 1);
}

static void done(long result, unsigned int flags, unsigned int mode, const char *path)
{
	expect_row(result, flags, mode, path);
	if (result >= 0)
		close((int)result);
}

int main(int argc, char **argv)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0604 };
	char path[4096];
	int dir;

	start_calls(argc, argv);
	call32__need();
	dir = open(argv[1], O_PATH);
	opened(dir, O_PATH, 0, argv[1]);

	snprintf(path, sizeof(path), "%s/open32", argv[1]);
	done(call32(NR32_OPEN, low_string(path), O_RDWR | O_CREAT, 0640, 0, 0), O_RDWR | O_CREAT, 0640, path);
	done(call32(NR32_OPEN, low_string("missing32"), O_RDONLY, 0777, 0, 0), O_RDONLY, 0, "missing32");
	snprintf(path, sizeof(path), "%s/creat32", argv[1]);
	done(call32(NR32_CREAT, low_string(path), 0620, 0, 0, 0), O_CREAT | O_WRONLY | O_TRUNC, 0620, path);
	done(call32(NR32_OPENAT, AT_FDCWD, low_string("open32"), O_RDONLY, 0, 0), O_RDONLY, 0, "open32");
	done(call32(NR32_OPENAT, dir, low_string("openat32"), O_WRONLY | O_CREAT, 0606, 0), O_WRONLY | O_CREAT, 0606, "openat32");
	done(call32(NR32_OPENAT2, dir, low_string("openat2_32"), low32(&how, sizeof(how)), sizeof(how), 0), O_RDWR | O_CREAT, 0604,
	     "openat2_32");
	done(call32(NR32_OPEN, 16, O_RDONLY, 0, 0, 0), O_RDONLY, 0, "<fault>");
	return 0;
}
