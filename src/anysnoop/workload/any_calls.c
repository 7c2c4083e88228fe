/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * any_calls DIR: calls unlinkat(2) in each ABI, and calls with its numbers of other ABIs, and prints what a tracer must show
 * of each, "begin DIRFD PATH FLAG" and "end DIRFD PATH FLAG RESULT". any_calls DIR flags: makes calls with flags of all
 * kinds, and prints nothing. any_calls DIR unreadable: makes two 32-bit calls whose arguments are in a struct that cannot be
 * read; prints as 32 does. any_calls DIR 32: makes 32-bit calls that have their arguments elsewhere than the 64-bit calls;
 * prints nothing if there are none, else "32".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "call32.h"

#ifdef __x86_64__
#define CALL_X32 0x40000000
#endif
#define NR32_UNLINKAT 301	/* arch/x86/entry/syscalls/syscall_32.tbl */

static void expect(const char *dfd, const char *begin, const char *end, const char *flag, long result)
{
	printf("begin %s %s %s\n", dfd, begin, flag);
	if (!result)
		printf("end %s %s %s 0\n", dfd, end, flag);
	else
		printf("end %s %s %s %s\n", dfd, end, flag, strerrorname_np((int)-result));
}

static long result_of(long result)
{
	return result < 0 ? -errno : result;
}

/* Calls with flags of all kinds; most fail. */
static int call_with_flags(void)
{
	close(open("flags", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
	mmap(NULL, 4711, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect((void *)1, 4096, PROT_NONE);
	syscall(SYS_clone, CLONE_THREAD | CLONE_FS | SIGCHLD, NULL, NULL, NULL, 0);
	socket(200, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socket(AF_UNIX, SOCK_RAW | 0x100, 77);
	mount("any", "/nosuch", "tmpfs", MS_RDONLY | MS_NOSUID, NULL);
	prctl(PR_SET_DUMPABLE, 4711);
	return 0;
}

/* The numbers are those of arch/x86/entry/syscalls/syscall_32.tbl. All fail. */
static int make_32bit_calls(void)
{
	const unsigned int mapping[] = { 0, 4711, PROT_READ, 0, 77, 4096 }, sets[] = { 200, 0x1001, 0x1002, 0x1003, 0x1004 };
	long at_mapping, at_sets;

	if (!call32__works())
		return 0;
	at_mapping = low32(mapping, sizeof(mapping));
	at_sets = low32(sets, sizeof(sets));
	call32(180, 77, 0x1000, 11, 0x89abcdef, 0x01234567);		/* pread64 */
	call32(181, 77, 0x1000, 12, 0x89abcdef, 0x01234567);		/* pwrite64 */
	call32(193, low32("nosuch", 7), 0x89abcdef, 0x01234567, 0, 0);	/* truncate64 */
	call32(194, 77, 0x89abcdef, 0x01234567, 0, 0);			/* ftruncate64 */
	call32(225, 77, 0x89abcdef, 0x01234567, 13, 0);			/* readahead */
	call32(250, 77, 0x89abcdef, 0x01234567, 14, 3);			/* fadvise64 */
	call32(324, 77, 0, 0x89abcdef, 0x01234567, 15);			/* fallocate */
	call32(120, CLONE_THREAD | SIGCHLD, 0x1001, 0x1002, 0x1003, 0x1004);	/* clone */
	call32(90, at_mapping, 0, 0, 0, 0);				/* mmap */
	call32(82, at_sets, 0, 0, 0, 0);				/* select */
	call32(102, 5, 0x1000, 0, 0, 0);				/* socketcall */
	call32(117, 24, 4711, 2, 3, 4);					/* ipc */
	puts("32");
	return 0;
}

/* What the kernel answers with EFAULT: the arguments are at address 16. */
static int make_unreadable_calls(void)
{
	if (!call32__works())
		return 0;
	call32(90, 16, 0, 0, 0, 0);	/* mmap */
	call32(82, 16, 0, 0, 0, 0);	/* select */
	puts("32");
	return 0;
}

int main(int argc, char **argv)
{
	/* a page that nobody has touched is not in memory before the call reads it: it has zeros then */
	const char *untouched = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int dir;

	if (argc == 3 && !chdir(argv[1]))
		return !strcmp(argv[2], "32") ? make_32bit_calls() : !strcmp(argv[2], "flags") ? call_with_flags() :
		       make_unreadable_calls();
	if (argc != 2 || chdir(argv[1]) || untouched == MAP_FAILED)
		return 1;
	/* printed at the end, all together */
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	dir = open(".", O_PATH | O_CLOEXEC);
	if (dir != 3 || mkdir("directory", 0700) || close(open("file", O_CREAT | O_WRONLY, 0600)))
		return 1;
	expect("AT_FDCWD", "file", "file", "0", result_of(syscall(SYS_unlinkat, AT_FDCWD, "file", 0)));
	expect("3", "directory", "directory", "AT_REMOVEDIR", result_of(syscall(SYS_unlinkat, dir, "directory", AT_REMOVEDIR)));
	expect("3", "missing", "missing", "AT_REMOVEDIR|0x1", result_of(syscall(SYS_unlinkat, dir, "missing", AT_REMOVEDIR | 1)));
	expect("-1", "<fault>", "<fault>", "0", result_of(syscall(SYS_unlinkat, -1, 16, 0)));
	expect("AT_FDCWD", "<fault>", "''", "0", result_of(syscall(SYS_unlinkat, AT_FDCWD, untouched, 0)));
#ifdef CALL_X32
	expect("AT_FDCWD", "x32", "x32", "0", result_of(syscall(SYS_unlinkat | CALL_X32, AT_FDCWD, "x32", 0)));
#endif
	/* other calls: fanotify_mark, and the number of this ABI in the other one (timer_delete) */
	syscall(NR32_UNLINKAT, -1, 0, 0, 0, 0);
	fflush(stdout);
	if (call32__works()) {
		call32(SYS_unlinkat, -1, 0, 0, 0, 0);
		expect("AT_FDCWD", "compat", "compat", "0", call32(NR32_UNLINKAT, AT_FDCWD, low32("compat", 7), 0, 0, 0));
		expect("3", "compat", "compat", "AT_REMOVEDIR", call32(NR32_UNLINKAT, dir, low32("compat", 7), AT_REMOVEDIR, 0, 0));
	}
	return 0;
}
