/* SPDX-License-Identifier: BSD-2-Clause */
#include "side_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/loop/loop.h"
#include "lib/print/sink.h"
#include "tool.h"

int side_file__open(struct side_file *file, struct tool *tool)
{
	if (!file->path || tool->err)
		return tool->err;
	file->fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file->fd < 0)
		return tool__fail(tool, -errno, "%s \"%s\": cannot be written: %s", file->option, file->path, strerror(errno));
	return 0;
}

bool side_file__is_open(const struct side_file *file)
{
	return file->path && file->fd >= 0;
}

void side_file__fail(struct side_file *file, struct tool *tool, int err)
{
	tool__fail(tool, err, "%s \"%s\": cannot be written: %s", file->option, file->path, strerror(-err));
	side_file__close(file);
}

void side_file__write(struct side_file *file, struct tool *tool, const char *bytes, size_t size)
{
	/* it may be a pipe whose reader has stopped reading */
	const struct sink sink = { .fd = file->fd, .should_stop = loop__is_stopping };
	int err = side_file__is_open(file) ? sink__write(&sink, bytes, size) : 0;

	if (err)
		side_file__fail(file, tool, err);
}

void side_file__close(struct side_file *file)
{
	if (side_file__is_open(file))
		close(file->fd);
	file->fd = -1;
}
