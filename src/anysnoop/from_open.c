/* SPDX-License-Identifier: BSD-2-Clause */
#include "from.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/kernel/tracefs.h"
#include "lib/loop/loop.h"
#include "lib/print/say.h"
#include "lib/run/output_file.h"
#include "lib/run/preflight.h"

#define NAMES_TEXT_MAX (16 << 20)

/* How the two kinds of recordings are opened: files, and instances of tracefs. */

static int64_t read_at(void *ctx, uint64_t offset, void *to, size_t size)
{
	const struct from *from = ctx;

	/* pread(2) is none of the calls that a tool may make while it runs (lib/run/privileges.c) */
	if (lseek(from->fd, (off_t)offset, SEEK_SET) < 0)
		return errno == EINVAL || errno == EOVERFLOW ? 0 : -errno;
	return file__read_on(from->fd, to, size);
}

static int read_of_file(void *ctx, const char *relative, size_t size_max, char **text, size_t *size)
{
	return trace_dat__read(&((const struct from *)ctx)->dat, relative, size_max, text, size);
}

/* tool->err. */
static int open_file(struct from *from, struct tool *tool)
{
	struct trace_dat_bytes bytes = { .read_at = read_at, .ctx = from };
	struct stat stat_of;
	struct fault fault;

	/* to open a FIFO would be to wait for who writes into it */
	from->fd = open(from->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (from->fd < 0)
		return tool__fail(tool, -errno, "--from %s: %s", from->name, strerror(errno));
	if (fstat(from->fd, &stat_of) || !S_ISREG(stat_of.st_mode))
		return tool__fail(tool, -EINVAL, "--from %s: no regular file", from->name);
	if (trace_dat__open(&from->dat, &bytes, &fault))
		return tool__fail(tool, fault.err, "--from %s: %s", from->name, fault.text);
	from->copy = (struct events_copy){ .read = read_of_file, .ctx = from, .what = "the recording" };
	events__use(&from->copy);
	/* nobody knows when that was on the clocks of this boot */
	tool->out.other_clock = true;
	return 0;
}

/* Whether what is in the buffer was recorded by an earlier boot (last_boot_info, since 6.13): its tasks are none of ours. */
static bool is_of_last_boot(const char *path)
{
	char relative[192], *text;
	size_t size;
	bool is_last;

	snprintf(relative, sizeof(relative), "%s/last_boot_info", path);
	if (tracefs__read(relative, 1 << 20, &text, &size))
		return false;
	is_last = strncmp(text, "# Current", 9);
	free(text);
	return is_last;
}

/* Whether records have CLOCK_MONOTONIC's time of this boot. */
static bool has_mono(const char *path)
{
	char relative[192], *text;
	size_t size;
	bool is_mono;

	snprintf(relative, sizeof(relative), "%s%strace_clock", path, *path ? "/" : "");
	if (tracefs__read(relative, 4096, &text, &size))
		return false;
	is_mono = strstr(text, "[mono]");
	free(text);
	return is_mono;
}

/* tool->err. */
static int open_instance(struct from *from, struct tool *tool)
{
	struct stream_stats stats;
	char path[160] = "", *text;
	size_t size;
	int err;

	if (strcmp(from->name, "/") && snprintf(path, sizeof(path), "instances/%s", from->name) >= (int)sizeof(path))
		return tool__fail(tool, -ENAMETOOLONG, "--from %s: no name of an instance", from->name);
	from->is_open = true;
	err = stream__open(&from->stream, path);
	if (err == -ENOENT)
		return tool__fail(tool, err, "--from %s: there is no such instance in tracefs, and no such file", from->name);
	if (!err)
		err = stream__stats(&from->stream, &stats);
	if (err)
		return tool__fail(tool, err, "--from %s: the ring buffers cannot be read: %s", from->name, strerror(-err));
	from->left = stats.entries;
	from->overrun = stats.overrun;
	stream__end(&from->stream);
	tool->out.other_clock = !has_mono(path);
	if (is_of_last_boot(path))
		tool->out.other_clock = true;
	else if (!tracefs__read("saved_cmdlines", NAMES_TEXT_MAX, &text, &size))
		err = saved_names__take(&from->names, text, size);
	return err ? tool__fail(tool, err, "no memory for the names of tasks") : 0;
}

bool from__open(struct from *from, struct tool *tool)
{
	bool opened = true;

	from->fd = -1;
	from->by_type = calloc(FROM_TYPES, sizeof(*from->by_type));
	if (!from->by_type)
		return tool__fail(tool, -ENOMEM, "no memory"), false;
	if (from->is_file) {
		loop__catch_signals();
		tool->err = preflight__files(!tool->options.output);
		if (!tool->err)
			tool->err = output_file__open(tool->options.output, &tool->out.sink);
	} else {
		opened = tool__open_opts(tool);
	}
	if (!opened || tool->err)
		return false;
	/* no task of the recording is this one */
	tool->options.filter.self = UINT32_MAX;
	return !(from->is_file ? open_file : open_instance)(from, tool);
}
