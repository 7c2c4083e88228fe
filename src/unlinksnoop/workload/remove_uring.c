/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove_uring FOLDER: removes files and folders through io_uring (IORING_OP_UNLINKAT, since 5.11), and prints what a tracer must
 * show: lines of "PID UID COMM ERR CALL PATH" as `unlinksnoop -Ue` has them, with "*" for COMM: a worker does it, which has a
 * name of its own.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "uring.h"

static void remove_at(int dfd, const char *path, unsigned int flags)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_UNLINKAT,
		.fd = dfd,
		.addr = (unsigned long)path,
		.unlink_flags = flags,
	};
	int result = uring_submit(&sqe);

	printf("%d %u * %d %s %s\n", getpid(), getuid(), -result, flags & AT_REMOVEDIR ? "rmdir" : "unlink", path);
}

int main(int argc, char **argv)
{
	char path[4096];
	int dir;

	if (argc != 2 || chdir(argv[1]) || (dir = open(argv[1], O_PATH)) < 0)
		uring_die("usage: remove_uring FOLDER");
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	uring_make(0);
	snprintf(path, sizeof(path), "%s/uring-file", argv[1]);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	if (mkdir("uring-dir", 0700))
		uring_die("mkdir");
	remove_at(AT_FDCWD, path, 0);
	remove_at(AT_FDCWD, path, 0);
	remove_at(dir, "uring-dir", 0);
	remove_at(dir, "uring-dir", AT_REMOVEDIR);
	remove_at(dir, "uring-dir", AT_REMOVEDIR);
	return 0;
}
