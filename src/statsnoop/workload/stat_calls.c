/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_calls FOLDER: asks for attributes in every way that there is a system call for, and prints what a tracer must show: lines
 * of "PID UID COMM CALL ERR FD FILE PATH" as `statsnoop -U` has them.  Its working directory is FOLDER.  The calls go past libc.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"
#include "stat_calls.h"

#define SYS_FILE_GETATTR 468	/* since 6.17 */

static char buffer[4096];

/* "././…/name", length characters long in all. */
static char *long_path(const char *name, size_t length)
{
	char *path = malloc(length + 1);
	size_t used = 0, rest = length - strlen(name);

	if (rest % 2) {
		memcpy(path, ".//", 3);
		used = 3;
		rest -= 3;
	}
	for (; rest; rest -= 2, used += 2)
		memcpy(path + used, "./", 2);
	strcpy(path + used, name);
	return path;
}

/* A path in a page that was there, and was taken away: a tracer that may not fault sees nothing before the kernel has read it. */
static const char *dropped_path(const char *path)
{
	int fd = memfd_create("path", 0);
	char *page;

	if (fd < 0 || ftruncate(fd, 4096))
		die("memfd_create");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		die("mmap");
	strcpy(page, path);
	if (madvise(page, 4096, MADV_DONTNEED))
		die("madvise");
	return page;
}

static void by_path(const char *path, const char *shown)
{
	expect(syscall(SYS_stat, path, buffer), MACHINE_STAT, -1, NULL, shown);
	expect(syscall(SYS_lstat, path, buffer), MACHINE_LSTAT, -1, NULL, shown);
	expect(syscall(SYS_statfs, path, buffer), "statfs", -1, NULL, shown);
	expect(syscall(SYS_newfstatat, AT_FDCWD, path, buffer, 0), "newfstatat", -1, NULL, shown);
	expect(syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, buffer), "statx", -1, NULL, shown);
}

/* No path: since 6.11 that is as good as an empty one, before it cannot be read. */
static void by_null(int fd, const char *file)
{
	long result = syscall(SYS_newfstatat, fd, NULL, buffer, AT_EMPTY_PATH);

	expect(result, "newfstatat", fd, file, result < 0 && errno == EFAULT ? "<fault>" : "''");
	result = syscall(SYS_statx, fd, NULL, AT_EMPTY_PATH, STATX_BASIC_STATS, buffer);
	expect(result, "statx", fd, file, result < 0 && errno == EFAULT ? "<fault>" : "''");
}

static void by_fd(int fd, const char *file)
{
	expect(syscall(SYS_fstat, fd, buffer), "fstat", fd, file, NULL);
	expect(syscall(SYS_fstatfs, fd, buffer), "fstatfs", fd, file, NULL);
	expect(syscall(SYS_newfstatat, fd, "", buffer, AT_EMPTY_PATH), "newfstatat", fd, file, "''");
	expect(syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, buffer), "statx", fd, file, "''");
}

int main(int argc, char **argv)
{
	/* the sizes of record: PATH_ROOM_SHORT and PATH_SIZE in src/lib/shared/path.h */
	static const size_t lengths[] = { 94, 95, 96, 97, 1000, 4095 };
	char name[256], cut[4096 + sizeof(" [+more]")], *too_long;
	int dir, file, pipes[2], major, minor;
	struct utsname system;
	long result;

	start_calls(argc, argv);
	dir = open(".", O_PATH | O_DIRECTORY);
	file = open("plain", O_RDWR | O_CREAT, 0600);
	if (dir < 0 || file < 0 || symlink("plain", "link") || symlink("nowhere", "dangling") || pipe(pipes))
		die(argv[1]);

	by_path("plain", "plain");
	by_path("/dev/null", "/dev/null");
	by_path("none", "none");
	by_path("link", "link");
	by_path("dangling", "dangling");
	by_path("plain/below", "plain/below");
	by_path("", "''");
	by_path((const char *)16, "<fault>");
	by_path(NULL, "<fault>");
	by_path(dropped_path("dropped"), "dropped");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *path = long_path("plain", lengths[i]);

		by_path(path, path);
		free(path);
	}
	too_long = long_path("long", 4096);
	snprintf(cut, sizeof(cut), "%.4095s [+more]", too_long);
	by_path(too_long, cut);

	by_fd(file, "plain");
	by_null(file, "plain");
	by_fd(dir, strrchr(argv[1], '/') + 1);
	by_fd(pipes[0], "''");
	by_fd(1000, NULL);
	memset(name, 'n', 255);
	name[255] = 0;
	file = open(name, O_RDWR | O_CREAT, 0600);
	by_fd(file, name);

	expect(syscall(SYS_newfstatat, dir, "plain", buffer, 0), "newfstatat", dir, strrchr(argv[1], '/') + 1, "plain");
	expect(syscall(SYS_newfstatat, dir, "none", buffer, 0), "newfstatat", dir, strrchr(argv[1], '/') + 1, "none");
	expect(syscall(SYS_newfstatat, 1000, "plain", buffer, 0), "newfstatat", 1000, NULL, "plain");
	expect(syscall(SYS_statx, dir, "plain", 0, STATX_BASIC_STATS, buffer), "statx", dir, strrchr(argv[1], '/') + 1, "plain");
	expect(syscall(SYS_statx, dir, "", 0, STATX_BASIC_STATS, buffer), "statx", dir, strrchr(argv[1], '/') + 1, "''");
	/* where a hook sees the calls that the kernel does not have, too, depends on the hook */
	if (uname(&system) || sscanf(system.release, "%d.%d", &major, &minor) != 2)
		die("uname");
	if (major > 6 || (major == 6 && minor >= 17)) {
		expect(syscall(SYS_FILE_GETATTR, AT_FDCWD, "none", buffer, 24, 0), "file_getattr", -1, NULL, "none");
		expect(syscall(SYS_FILE_GETATTR, dir, "none", buffer, 24, 0), "file_getattr", dir, strrchr(argv[1], '/') + 1, "none");
		result = syscall(SYS_FILE_GETATTR, file, NULL, buffer, 24, AT_EMPTY_PATH);
		expect(result, "file_getattr", file, name, result < 0 && errno == EFAULT ? "<fault>" : "''");
	}
	return 0;
}
