/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove_uring FOLDER: removes files and directories through io_uring (IORING_OP_UNLINKAT and IORING_OP_RENAMEAT, since 5.11), and
 * prints what a tracer must show: lines of "PID UID COMM ERR CALL PATH" as `unlinksnoop -FrUe` has them, with "*" for COMM: a worker
 * does it, which has a name of its own.  FOLDER is an absolute path.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "uring.h"

static const char *folder;

/* A row: the path has the directory in front where it is relative. */
static void expect(int result, const char *call, const char *path)
{
	printf("%d %u * %d %s %s%s%s\n", getpid(), getuid(), -result, call, *path == '/' ? "" : folder, *path == '/' ? "" : "/", path);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0)
		uring_die(path);
	close(fd);
}

static void remove_at(int dfd, const char *path, unsigned int flags)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_UNLINKAT,
		.fd = dfd,
		.addr = (unsigned long)path,
		.unlink_flags = flags,
	};

	expect(uring_submit(&sqe), flags & AT_REMOVEDIR ? "rmdir" : "unlink", path);
}

static int rename_at(const char *from, int dfd, const char *to, unsigned int flags)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_RENAMEAT,
		.fd = AT_FDCWD,
		.addr = (unsigned long)from,
		.len = dfd,
		.addr2 = (unsigned long)to,
		.rename_flags = flags,
	};

	return uring_submit(&sqe);
}

/* Rows for what replaces a file or tries to, and none for the rest. */
static void rename_all(int dir)
{
	make_file("from");
	make_file("to");
	expect(rename_at("from", dir, "to", 0), "rename", "to");
	if (rename_at("to", AT_FDCWD, "new", 0) || rename_at("to", AT_FDCWD, "new", 0) != -ENOENT)
		uring_die("a rename that replaces nothing");
	make_file("other");
	if (rename_at("new", dir, "other", RENAME_EXCHANGE) || rename_at("new", dir, "other", RENAME_NOREPLACE) != -EEXIST)
		uring_die("a rename that replaces nothing");
	if (mkdir("in-the-way", 0700))
		uring_die("in-the-way");
	expect(rename_at("new", dir, "in-the-way", 0), "rename", "in-the-way");
}

int main(int argc, char **argv)
{
	char path[4096];
	int dir;

	if (argc != 2 || chdir(argv[1]) || (dir = open(argv[1], O_PATH)) < 0)
		uring_die("usage: remove_uring FOLDER");
	folder = argv[1];
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	uring_make(0);
	snprintf(path, sizeof(path), "%s/uring-file", folder);
	make_file(path);
	if (mkdir("uring-dir", 0700))
		uring_die("mkdir");
	remove_at(AT_FDCWD, path, 0);
	remove_at(AT_FDCWD, path, 0);
	remove_at(dir, "uring-dir", 0);
	remove_at(dir, "uring-dir", AT_REMOVEDIR);
	remove_at(dir, "uring-dir", AT_REMOVEDIR);
	rename_all(dir);
	return 0;
}
