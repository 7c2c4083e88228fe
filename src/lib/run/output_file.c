/* SPDX-License-Identifier: BSD-2-Clause */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "exit.h"
#include "lib/print/say.h"

static int refuse(const struct sink *sink, int error)
{
	say("-o \"%s\": cannot be written: %s", sink->path, strerror(error));
	return -error;
}

int output_file__open(const char *path, struct sink *sink)
{
	sink->path = path;
	sink->fd = path ? open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0644) : STDOUT_FILENO;
	return sink->fd < 0 ? refuse(sink, errno) : 0;
}

int output_file__begin(const struct sink *sink)
{
	struct stat file;

	if (!sink->path || fstat(sink->fd, &file) || !S_ISREG(file.st_mode))
		return 0;
	return ftruncate(sink->fd, 0) ? refuse(sink, errno) : 0;
}

const char *output_file__host(void)
{
	static struct utsname machine;

	if (uname(&machine))
		usage_error("--host: the name is not known: %s", strerror(errno));
	return machine.nodename;
}

int output_file__close(struct sink *sink)
{
	int fd = sink->fd;

	if (!sink->path || fd < 0)
		return 0;
	sink->fd = -1;
	return close(fd) ? refuse(sink, errno) : 0;
}
