/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_relative FOLDER: opens files by paths relative to its working directory and to folders, with mount points and a
 * changed root in between, and prints the rows that `opensnoop -F` must show: "PID COMM FD ERR PATH".
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "open_calls.h"

static void open_and_expect(int dfd, const char *path, const char *shown)
{
	int fd = openat(dfd, path, O_RDONLY);

	printf("%d %s %d %d %s\n", getpid(), calls_comm, fd, fd < 0 ? errno : 0, shown);
	if (fd >= 0)
		close(fd);
}

static const char *in(const char *folder, const char *path)
{
	char *all = malloc(strlen(folder) + strlen(path) + 2);

	sprintf(all, "%s/%s", folder, path);
	return all;
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0755))
		die(path);
}

int main(int argc, char **argv)
{
	const char *top = argc == 2 ? argv[1] : "";
	int folder, fd;

	start_calls(argc, argv);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		die("unshare");
	make_folder("a");
	make_folder("a/mount");
	if (mount("tmpfs", "a/mount", "tmpfs", 0, NULL))
		die("mount");
	make_folder("a/mount/b");
	make_folder("a/mount/b/bind");
	if (mount("a", "a/mount/b/bind", NULL, MS_BIND, NULL))
		die("mount --bind");

	folder = open("a", O_PATH | O_DIRECTORY);
	printf("%d %s %d 0 %s\n", getpid(), calls_comm, folder, in(top, "a"));
	open_and_expect(AT_FDCWD, "none", in(top, "none"));
	open_and_expect(AT_FDCWD, ".", in(top, "."));
	open_and_expect(AT_FDCWD, top, top);
	open_and_expect(folder, "mount", in(top, "a/mount"));
	open_and_expect(folder, top, top);
	/* not open: one that is free, and two beyond the table */
	open_and_expect(60, "none", "none");
	open_and_expect(9999, "none", "none");
	open_and_expect(-1, "none", "none");
	/* no path, so nothing that is relative */
	open_and_expect(AT_FDCWD, "", "''");
	if (chdir("a/mount/b"))
		die("chdir");
	open_and_expect(AT_FDCWD, "none", in(top, "a/mount/b/none"));
	open_and_expect(AT_FDCWD, "../../mount", in(top, "a/mount/b/../../mount"));
	if (chdir("bind"))
		die("chdir");
	open_and_expect(AT_FDCWD, "none", in(top, "a/mount/b/bind/none"));
	/* a folder of its own in another place than the working directory */
	fd = openat(folder, "mount", O_PATH | O_DIRECTORY);
	printf("%d %s %d 0 %s\n", getpid(), calls_comm, fd, in(top, "a/mount"));
	open_and_expect(fd, "b", in(top, "a/mount/b"));

	/* With a root of its own the process sees paths from there, absolute and relative ones. */
	if (fchdir(fd) || chroot(".") || chdir("b"))
		die("chroot");
	open_and_expect(AT_FDCWD, "none", "/b/none");
	open_and_expect(AT_FDCWD, "/b", "/b");
	open_and_expect(fd, "b", "/b");
	return 0;
}
