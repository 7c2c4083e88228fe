/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left after privileges were dropped, in a child for each way. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/run/privileges.h"

/* Whether a file can be opened with these flags: its errno, or 0. */
static int try_open(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int look(unsigned int kept, const char *name, int fd)
{
	char byte;
	int writes = kept & PRIVILEGES_PROCESSES ? EPERM : 0;

	CHECK_INT(privileges__drop(kept), 0);
	CHECK_INT(try_open(name, O_RDONLY | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_WRONLY), writes);
	CHECK_INT(try_open(name, O_RDWR), writes);
	CHECK_INT(try_open(name, O_RDONLY | O_TRUNC), writes);
	CHECK_INT(try_open(name, O_RDONLY | O_CREAT), writes);
	errno = 0;
	CHECK_INT(pread(fd, &byte, 1, 0), writes ? 0 : -1);
	CHECK_INT(read(fd, &byte, 1), 0);
	/* not among the calls of a loop */
	errno = 0;
	CHECK(unlink(name) && errno == EPERM);
	return check_done();
}

int main(void)
{
	static const unsigned int ways[] = { PRIVILEGES_NONE, PRIVILEGES_BPF, PRIVILEGES_PROCESSES,
					     PRIVILEGES_BPF | PRIVILEGES_PROCESSES };
	char name[] = "/tmp/privileges.XXXXXX";

	int fd = mkstemp(name);

	CHECK(fd >= 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		pid_t child = fork();
		int status;

		/* the sanitizer's look for leaks at the end is not among the allowed calls */
		if (!child)
			_exit(look(ways[i], name, fd));
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	close(fd);
	unlink(name);
	return check_done();
}
