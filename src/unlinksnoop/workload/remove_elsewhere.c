/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove_elsewhere FOLDER: removes files by relative names, in directories that are not what they seem: that of a descriptor, one
 * that is nested deep, one that is removed, one out of the root directory.  And renames, onto names that exist and others.  Prints
 * what a tracer must show: lines of "ERR CALL PATH" as `unlinksnoop -r -e` has them behind the name.  FOLDER is an absolute path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVELS 60		/* more than are shown (DIR_DEPTH in src/lib/shared/dir.h) */
#define LEVELS_SHOWN 48

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void expect(long result, const char *call, const char *directory, const char *path)
{
	printf("%d %s %s%s%s\n", result ? errno : 0, call, directory, *directory ? "/" : "", path);
}

/* No event: nothing is removed.  Whether the call did as wanted. */
static void expect_none(long result, int err)
{
	if (result ? errno != err : err)
		die("a rename that replaces nothing");
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		die(path);
	close(fd);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0700))
		die(path);
}

static void remove_deep(const char *folder)
{
	char shown[4096] = "...";

	for (int i = 0; i < LEVELS; i++) {
		make_dir("d");
		if (chdir("d"))
			die("d");
	}
	for (int i = 0; i < LEVELS_SHOWN; i++)
		strcat(shown, "/d");
	expect(unlink("in-deep"), "unlink", shown, "in-deep");
	if (chdir(folder))
		die(folder);
}

static void rename_all(const char *folder, int fd)
{
	char path[512], name[256];

	make_file("from");
	make_file("to");
	expect(rename("from", "to"), "rename", folder, "to");
	expect_none(rename("from", "to"), ENOENT);
	make_file("from");
	expect_none(renameat2(AT_FDCWD, "from", AT_FDCWD, "to", RENAME_NOREPLACE), EEXIST);
	expect_none(renameat2(AT_FDCWD, "from", AT_FDCWD, "to", RENAME_EXCHANGE), 0);
	expect_none(rename("from", "new"), 0);
	/* two names of one file: both stay */
	expect_none(link("new", "same") || rename("new", "same"), 0);
	expect_none(rename("new", (const char *)16), EFAULT);
	/* to another directory, by its descriptor */
	snprintf(path, sizeof(path), "%s/sub", folder);
	make_file("sub/to");
	expect(renameat(AT_FDCWD, "new", fd, "to"), "rename", path, "to");
	make_dir("empty");
	make_dir("full");
	make_dir("full/inside");
	expect(rename("to", "empty"), "rename", folder, "empty");
	expect(rename("empty", "full"), "rename", folder, "full");
	expect(rename("empty", "full/inside"), "rename", folder, "full/inside");
	/* a long name is kept in another table */
	memset(name, 'n', 200);
	name[200] = '\0';
	make_file(name);
	expect(rename("to", name), "rename", folder, name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	expect(rename("same", path), "rename", "", path);
}

int main(int argc, char **argv)
{
	char gone[512], sub[512];
	int fd;

	if (argc != 2 || chdir(argv[1]))
		die("usage: remove_elsewhere FOLDER");
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	snprintf(gone, sizeof(gone), "%s/gone", argv[1]);
	snprintf(sub, sizeof(sub), "%s/sub", argv[1]);
	make_dir("gone");
	make_dir("sub");
	make_file("sub/in-sub");
	make_file("sub/outside");
	make_file("sub/inside");
	fd = open(sub, O_PATH);
	if (fd < 0)
		die(sub);
	expect(unlinkat(fd, "in-sub", 0), "unlink", sub, "in-sub");
	expect(unlinkat(fd, "../sub/./in-sub", 0), "unlink", sub, "../sub/./in-sub");
	/* a descriptor that is not open: there is no directory */
	expect(unlinkat(1000000, "nowhere", 0), "unlink", "", "nowhere");
	remove_deep(argv[1]);
	rename_all(argv[1], fd);
	if (chdir(gone))
		die(gone);
	expect(rmdir(gone), "rmdir", "", gone);
	expect(unlink("in-gone"), "unlink", gone, "in-gone");
	/* in a root of its own, and out of it */
	if (chroot(sub))
		die("chroot");
	expect(unlinkat(fd, "outside", 0), "unlink", "", "/outside");
	expect(unlink("in-gone"), "unlink", gone, "in-gone");
	if (chdir("/"))
		die("/");
	expect(unlink("inside"), "unlink", "", "/inside");
	return 0;
}
