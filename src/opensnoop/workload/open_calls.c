/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_calls FOLDER: opens files in every way that there is a system call for, each with another name, and prints what a
 * tracer must show: lines of "PID UID COMM FD ERR FLAGS MODE PATH" as `opensnoop -Ue` has them, single spaces between.
 * Its working directory is FOLDER.  The calls go past libc, which makes openat(2) of them all.
 */
#include "machine.h"
#include "open_calls.h"

#ifndef OPENAT2_REGULAR	/* since 7.3 */
#define OPENAT2_REGULAR (1ull << 32)
#endif
#ifndef O_EMPTYPATH
#define O_EMPTYPATH (1 << 26)
#endif

static long call_open(const char *path, int flags, mode_t mode)
{
	return syscall(SYS_open, path, flags, mode);
}

static long call_openat(int dfd, const char *path, int flags, mode_t mode)
{
	return syscall(SYS_openat, dfd, path, flags, mode);
}

static long call_openat2(int dfd, const char *path, const struct open_how *how, size_t size)
{
	return syscall(SYS_openat2, dfd, path, how, size);
}

/* FOLDER/././…/name, length characters long in all. */
static char *long_path(const char *folder, const char *name, size_t length)
{
	char *path = malloc(length + 1);
	size_t used = (size_t)sprintf(path, "%s/", folder), rest = length - used - strlen(name);

	if (rest % 2)
		path[used++] = '/';
	for (; rest >= 2; rest -= 2) {
		path[used++] = '.';
		path[used++] = '/';
	}
	strcpy(path + used, name);
	return path;
}

/*
 * A path whose page this process has never touched: in a file's mapping, to be faulted in by the kernel during the
 * call.  A tracer that reads it when the call begins, where it may not fault, sees nothing.
 */
static const char *untouched_path(const char *folder, const char *path)
{
	char name[4096];
	void *page;
	int fd;

	snprintf(name, sizeof(name), "%s/page", folder);
	fd = (int)call_open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	opened(fd, O_RDWR | O_CREAT | O_TRUNC, 0600, name);
	if (ftruncate(fd, 4096) || pwrite(fd, path, strlen(path) + 1, 0) < 0)
		die(name);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		die("mmap");
	close(fd);
	return page;
}

/* A path in a page that was there, and was taken away: its content is kept by the memfd, as a swap device would. */
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

int main(int argc, char **argv)
{
	static const size_t lengths[] = { 94, 95, 96, 97, 200, 254, 255, 256, 257, 1000, 4094, 4095 };
	char plain[4096], made[4096], cut[4096 + sizeof(" [+more]")];
	struct open_how how = { .flags = O_RDWR | O_CREAT | O_CLOEXEC, .mode = 0604 };
	int dir, fd;

	start_calls(argc, argv);
	dir = (int)call_openat(AT_FDCWD, argv[1], O_PATH | O_DIRECTORY, 0);
	opened(dir, O_PATH | O_DIRECTORY, 0, argv[1]);
	snprintf(plain, sizeof(plain), "%s/plain", argv[1]);
	snprintf(made, sizeof(made), "%s/made", argv[1]);

	fd = (int)call_open(plain, O_RDWR | O_CREAT | O_EXCL, 0640);
	opened_and_close(fd, O_RDWR | O_CREAT | O_EXCL, 0640, plain);
	fd = (int)call_open(plain, O_RDWR | O_CREAT | O_EXCL, 0640);
	opened(fd, O_RDWR | O_CREAT | O_EXCL, 0640, plain);
	/* a mode is passed, and means nothing */
	fd = (int)call_open(plain, O_RDONLY, 0777);
	opened_and_close(fd, O_RDONLY, 0, plain);
	fd = (int)call_openat(AT_FDCWD, "plain", O_WRONLY | O_APPEND, 0777);
	opened_and_close(fd, O_WRONLY | O_APPEND, 0, "plain");
	fd = (int)call_openat(dir, "plain", O_RDONLY | O_NONBLOCK, 0);
	opened_and_close(fd, O_RDONLY | O_NONBLOCK, 0, "plain");
	fd = (int)call_openat(dir, "missing", O_RDONLY, 0);
	opened(fd, O_RDONLY, 0, "missing");
	fd = (int)call_openat(dir, ".", O_TMPFILE | O_RDWR, 0600);
	opened_and_close(fd, O_TMPFILE | O_RDWR, 0600, ".");
	fd = (int)call_openat(1000, "of-a-bad-folder", O_RDONLY, 0);
	opened(fd, O_RDONLY, 0, "of-a-bad-folder");
	fd = (int)call_openat2(dir, "second", &how, sizeof(how));
	opened_and_close(fd, how.flags, 0604, "second");
	how = (struct open_how){ .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };
	fd = (int)call_openat2(dir, "../beyond", &how, sizeof(how));
	calls_how = "|RESOLVE_BENEATH";
	opened(fd, O_RDONLY, 0, "../beyond");
	how = (struct open_how){ .flags = OPENAT2_REGULAR, .resolve = RESOLVE_NO_XDEV | RESOLVE_CACHED };
	fd = (int)call_openat2(dir, "second", &how, sizeof(how));
	calls_how = "|OPENAT2_REGULAR|RESOLVE_NO_XDEV|RESOLVE_CACHED";
	opened(fd, O_RDONLY, 0, "second");
	if (fd >= 0)
		close(fd);
	calls_how = "|O_EMPTYPATH";
	fd = (int)call_openat(dir, "", O_RDONLY | O_EMPTYPATH, 0);
	opened(fd, O_RDONLY, 0, "''");
	if (fd >= 0)
		close(fd);
	fd = (int)call_openat(dir, NULL, O_RDONLY | O_EMPTYPATH, 0);
	opened(fd, O_RDONLY, 0, "<fault>");
	calls_how = "";
	/* the path can be read where the flags cannot */
	fd = (int)call_openat2(dir, "no-flags", NULL, sizeof(how));
	opened(fd, 0, 0, "no-flags");
	fd = (int)syscall(SYS_creat, made, 0620);
	opened_and_close(fd, O_CREAT | O_WRONLY | O_TRUNC, 0620, made);

	fd = (int)call_open(NULL, O_RDONLY, 0);
	opened(fd, O_RDONLY, 0, "<fault>");
	fd = (int)call_open((const char *)0xffff888000000000, O_RDONLY, 0);
	opened(fd, O_RDONLY, 0, "<fault>");
	fd = (int)call_open(untouched_path(argv[1], plain), O_RDONLY, 0);
	opened_and_close(fd, O_RDONLY, 0, plain);
	fd = (int)call_open(dropped_path(plain), O_RDONLY, 0);
	opened_and_close(fd, O_RDONLY, 0, plain);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *path = long_path(argv[1], "plain", lengths[i]);

		fd = (int)call_open(path, O_RDONLY, 0);
		opened_and_close(fd, O_RDONLY, 0, path);
	}
	/* one character too long for the kernel; the last one is not shown, and that is said */
	fd = (int)call_open(long_path(argv[1], "plain", 4096), O_RDONLY, 0);
	snprintf(cut, sizeof(cut), "%s [+more]", long_path(argv[1], "plai", 4095));
	opened(fd, O_RDONLY, 0, cut);
	return 0;
}
