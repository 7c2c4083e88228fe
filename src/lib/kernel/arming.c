/* SPDX-License-Identifier: BSD-2-Clause */
#include "arming.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "lock.h"
#include "run_folder.h"
#include "switches.h"

#define LOCK_FILE "ftrace_enabled.lock"
#define LOCK_LIMIT_MS 5000
#define AWAIT_NS 100000000

/* The machine has one switch, so the state of this process stands here once. */
static int holders;			/* begins without their ends */
static int arming;			/* those of arming__begin() */
static bool was_on_by_us;		/* when the outermost arming__begin() looked */
static bool has_armed;
static atomic_bool turned_on;		/* by one of the holders */
static bool is_open;
static int lock_fd = -1, switch_fd = -1;
static int watch_fd = -1;		/* tells of writes to the switch since this process has set it */
static pthread_mutex_t set_lock = PTHREAD_MUTEX_INITIALIZER;

static void open_switch(void)
{
	if (is_open)
		return;
	is_open = true;
	lock_fd = lock__open(run_folder__path(), LOCK_FILE);
	switch_fd = open(SWITCHES_FTRACE, O_WRONLY | O_CLOEXEC);
}

void arming__forget(void)
{
	holders = arming = 0;
	turned_on = was_on_by_us = has_armed = is_open = false;
	lock_fd = switch_fd = watch_fd = -1;
}

/* 0 or -errno. */
static int write_switch(const char *value)
{
	if (switch_fd < 0)
		switch_fd = open(SWITCHES_FTRACE, O_WRONLY | O_CLOEXEC);
	if (switch_fd < 0)
		return -errno;
	/* sysctl files take a write at their beginning alone */
	if (lseek(switch_fd, 0, SEEK_SET) || write(switch_fd, value, 1) != 1)
		return -errno;
	return 0;
}

/* Whether anybody has written to the switch since the last call, this process included. */
static bool was_written(void)
{
	char events[16 * sizeof(struct inotify_event)];
	bool any = false;

	while (watch_fd >= 0 && read(watch_fd, events, sizeof(events)) > 0)
		any = true;
	return any;
}

/*
 * Sets the switch, for as long as this process holds it.  0 or -errno.  An inotify instance is made here and not at the start, as a tool
 * that ends with one waits for the kernel's readers of marks.
 */
static int set_switch(void)
{
	int err;

	pthread_mutex_lock(&set_lock);
	if (watch_fd < 0) {
		watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		if (watch_fd >= 0)
			inotify_add_watch(watch_fd, SWITCHES_FTRACE, IN_MODIFY);
	}
	err = write_switch("1");
	if (!err) {
		was_written();
		turned_on = true;
	}
	pthread_mutex_unlock(&set_lock);
	return err;
}

static void hold(void)
{
	if (holders++)
		return;
	open_switch();
	/* without the lock nothing is different but that another process may clear the switch */
	if (lock_fd >= 0)
		lock__take(lock_fd, LOCK_SHARED, LOCK_LIMIT_MS);
}

static void release(void)
{
	if (!holders || --holders)
		return;
	if (turned_on) {
		if (lock_fd >= 0)
			lock__take(lock_fd, LOCK_EXCLUSIVE, LOCK_LIMIT_MS);
		/* who has written since, an administrator or another tool, has decided what it is */
		if (!was_written())
			write_switch("0");
		turned_on = false;
	}
	if (lock_fd >= 0)
		lock__release(lock_fd);
}

int arming__begin(struct fault *fault)
{
	hold();
	if (switches__ftrace_is_off()) {
		release();
		return switches__explain_off(fault);
	}
	if (!arming++)
		was_on_by_us = turned_on;
	return 0;
}

int arming__end(int err, void (*undo)(void *context), void *context, struct fault *fault)
{
	arming -= arming > 0;
	/* what was nested may have set it */
	if (switches__ftrace_is_off() || (turned_on && !was_on_by_us)) {
		disarming__await();
		if (undo)
			undo(context);
		disarming__end();
		release();
		return switches__explain_off(fault);
	}
	release();
	has_armed |= !err;
	return err;
}

bool arming__has_begun(void)
{
	return arming;
}

bool arming__has_armed(void)
{
	return has_armed;
}

int disarming__begin(void)
{
	int err;

	hold();
	err = switches__ftrace_is_off() ? set_switch() : 0;
	if (err) {
		release();
		return err;
	}
	return turned_on;
}

int disarming__await(void)
{
	const struct timespec pause = { .tv_nsec = AWAIT_NS };
	int held;

	while ((held = disarming__begin()) < 0)
		nanosleep(&pause, NULL);
	return held;
}

void disarming__end(void)
{
	release();
}

void disarming__keep(void)
{
	if (holders && switches__ftrace_is_off())
		set_switch();
}
