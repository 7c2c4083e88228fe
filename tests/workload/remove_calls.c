/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove_calls FOLDER: removes files and folders in every way that there is a system call for, and prints what a tracer
 * must show: lines of "PID UID COMM ERR CALL PATH" as `unlinksnoop -Ue` has them.  Its working directory is FOLDER.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"

static char comm[16];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void expect(long result, const char *call, const char *path)
{
	printf("%d %u %s %d %s %s\n", getpid(), getuid(), comm, result ? errno : 0, call, path);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		die(path);
	close(fd);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0700))
		die(path);
}

/* "./././name", length characters long in all. */
static char *long_path(const char *name, size_t length)
{
	char *path = malloc(length + 1);
	size_t used = 0, rest = length - strlen(name);

	if (!path)
		die("malloc");
	for (; rest >= 2; rest -= 2, used += 2)
		memcpy(path + used, "./", 2);
	if (rest)
		path[used++] = '/';
	if (used == 1)
		path[0] = '.';
	strcpy(path + used, name);
	return path;
}

int main(int argc, char **argv)
{
	/* the two sizes of record: PATH_SIZE_SHORT and PATH_SIZE in src/unlinksnoop/unlinksnoop.h */
	static const size_t lengths[] = { 126, 127, 128, 129, 1000, 4095 };
	const char *const bad = (const char *)16;
	char path[4096], *too_long;
	int dir;

	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, comm))
		die("usage: remove_calls FOLDER");
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	dir = open(argv[1], O_PATH);
	if (dir < 0)
		die(argv[1]);

	snprintf(path, sizeof(path), "%s/file", argv[1]);
	make_file(path);
	expect(syscall(SYS_unlink, path), "unlink", path);
	expect(syscall(SYS_unlink, path), "unlink", path);
	make_file("file-at");
	expect(syscall(SYS_unlinkat, dir, "file-at", 0), "unlink", "file-at");
	expect(syscall(SYS_unlinkat, AT_FDCWD, "no-file-at", 0), "unlink", "no-file-at");
	make_dir("dir");
	expect(syscall(SYS_unlink, "dir"), "unlink", "dir");
	expect(syscall(SYS_rmdir, "dir"), "rmdir", "dir");
	make_dir("dir-at");
	make_file("dir-at/inside");
	expect(syscall(SYS_unlinkat, dir, "dir-at", AT_REMOVEDIR), "rmdir", "dir-at");
	expect(syscall(SYS_unlinkat, dir, "dir-at/inside", 0), "unlink", "dir-at/inside");
	expect(syscall(SYS_unlinkat, dir, "dir-at", AT_REMOVEDIR), "rmdir", "dir-at");
	expect(syscall(SYS_rmdir, "no-dir"), "rmdir", "no-dir");
	/* known not to be possible before any name is looked at */
	expect(syscall(SYS_unlink, bad), "unlink", "<fault>");
	expect(syscall(SYS_rmdir, bad), "rmdir", "<fault>");
	expect(syscall(SYS_unlinkat, AT_FDCWD, NULL, 0), "unlink", "<fault>");
	expect(syscall(SYS_unlink, ""), "unlink", "''");
	expect(syscall(SYS_rmdir, ""), "rmdir", "''");
	too_long = long_path("long", 4096);
	expect(syscall(SYS_unlink, too_long), "unlink", "<too long>");
	expect(syscall(SYS_unlinkat, AT_FDCWD, too_long, AT_REMOVEDIR), "rmdir", "<too long>");
	free(too_long);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *name = long_path("long", lengths[i]);

		make_file("long");
		expect(syscall(SYS_unlink, name), "unlink", name);
		make_dir("long");
		expect(syscall(SYS_rmdir, name), "rmdir", name);
		free(name);
	}
	return 0;
}
