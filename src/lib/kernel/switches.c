/* SPDX-License-Identifier: BSD-2-Clause */
#include "switches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "file.h"

/* The machine has one switch, so the state of this process stands here once. */
static int holders;		/* calls of hold without their release */
static atomic_bool turned_on;	/* by one of them */
static int lock_fd = -1;

bool switches__ftrace_is_off(void)
{
	char text[8];

	return file__read_small(SWITCHES_FTRACE, text, sizeof(text)) > 0 && *text == '0';
}

int switches__explain(int err, char *why, size_t size, const char *what)
{
	if (err == -EBUSY && switches__ftrace_is_off())
		snprintf(why, size, "function hooks are switched off: %s is 0 (sysctl kernel.ftrace_enabled=1)", SWITCHES_FTRACE);
	else
		snprintf(why, size, "%s: %s", what, strerror(-err));
	return err;
}

int switches__kprobes_are_off(void)
{
	char text[8];
	int got = file__read_small(SWITCHES_KPROBES, text, sizeof(text));

	return got < 0 ? got : *text == '0';
}

static int write_ftrace(const char *value)
{
	int fd = open(SWITCHES_FTRACE, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

static void close_lock(void)
{
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
}

int switches__hold_ftrace(void)
{
	int err;

	if (holders) {
		holders++;
		return turned_on;
	}
	/*
	 * Shared by all that detach, so that none switches it off while another one still does.  Without the lock (no
	 * /proc) nothing is different but that.
	 */
	lock_fd = open(SWITCHES_FTRACE, O_RDONLY | O_CLOEXEC);
	if (lock_fd >= 0)
		flock(lock_fd, LOCK_SH);
	if (switches__ftrace_is_off()) {
		err = write_ftrace("1");
		if (err) {
			close_lock();
			return err;
		}
		turned_on = true;
	}
	holders = 1;
	return turned_on;
}

void switches__keep_ftrace(void)
{
	if (holders && switches__ftrace_is_off() && !write_ftrace("1"))
		turned_on = true;
}

void switches__release_ftrace(void)
{
	if (!holders || --holders)
		return;
	if (turned_on) {
		flock(lock_fd, LOCK_EX);
		write_ftrace("0");
		turned_on = false;
	}
	close_lock();
}
