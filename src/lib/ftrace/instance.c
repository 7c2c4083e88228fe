/* SPDX-License-Identifier: BSD-2-Clause */
#include "instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/kernel/arming.h"
#include "lib/kernel/file.h"
#include "lib/kernel/owner.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/cleaner.h"

#define PREFIX "probelight."

static unsigned int made;	/* by this process, for names that differ */

static int open_file(const char *directory, const char *file, int flags)
{
	char relative[256], path[512];
	int fd, err;

	snprintf(relative, sizeof(relative), "%s/%s", directory, file);
	err = tracefs__path(path, sizeof(path), relative);
	if (err)
		return err;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int instance__write_to(int fd, const char *text)
{
	size_t length = strlen(text);
	ssize_t written = write(fd, text, length);
	int err = written == (ssize_t)length ? 0 : written < 0 ? -errno : -EIO;

	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int write_file(const char *directory, const char *file, const char *text, int flags)
{
	int fd = open_file(directory, file, O_WRONLY | flags);

	return fd < 0 ? fd : instance__write_to(fd, text);
}

/*
 * Somebody has a file of the instance open, and while that is a pipe nobody can change the tracer.  So it traces one
 * function, which a machine calls once, into buffers that are off; the next start removes it.
 */
static void leave_harmless(const char *relative)
{
	if (!write_file(relative, "current_tracer", "nop\n", O_TRUNC))
		return;
	write_file(relative, "tracing_on", "0\n", O_TRUNC);
	write_file(relative, "set_ftrace_filter", INSTANCE_IDLE_FILTER, O_TRUNC);
}

/*
 * Removes one directory; is_own: nobody else may use it, so that its tracer can be stopped where it stays.  rmdir(2) stops
 * the tracer, which moves function hooks: not while kernel.ftrace_enabled is 0 (lib/kernel/switches.h).
 */
static int remove_directory(const char *relative, bool is_own)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), relative), held;

	if (err)
		return err;
	held = disarming__begin();
	if (held < 0)
		return held;
	if (rmdir(path)) {
		err = -errno;
		if (err == -EBUSY && is_own)
			leave_harmless(relative);
	}
	disarming__end();
	return err == -ENOENT ? 0 : err;
}

/*
 * For the cleaner, which no SIGKILL to the tool or its process group reaches: a kernel that allocates ring buffers for a process that is
 * being killed gives up with a WARNING in its log ("failed to allocate ring buffer on CPU": trace_rb_cpu_prepare() in
 * kernel/trace/ring_buffer.c), and a machine with panic_on_warn would stop.
 */
static int make(void *context)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), context);

	/* an earlier cleaner, which somebody has killed, may have made it */
	return err ? err : mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int set_clock(void *context)
{
	return write_file(context, "trace_clock", "mono\n", O_TRUNC);
}

static int undo(void *context)
{
	return remove_directory(context, true);
}

int instances__check(void)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), "instances");

	return err ? err : file__may(path, R_OK | X_OK);
}

int instance__sweep(void)
{
	char path[512], relative[300];
	struct dirent *entry;
	struct owner owner;
	int removed = 0, err;
	const char *end;
	DIR *dir;

	err = tracefs__path(path, sizeof(path), "instances");
	if (err)
		return err;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		end = owner__parse(entry->d_name + strlen(PREFIX), &owner);
		if (!end || *end != '.' || !owner__is_known_dead(&owner))
			continue;
		snprintf(relative, sizeof(relative), "instances/%s", entry->d_name);
		removed += !remove_directory(relative, false);
	}
	closedir(dir);
	return removed;
}

static int set_clock_in_cleaner(void *context, int argument)
{
	(void)argument;
	return set_clock(context);
}

int instance__make(struct instance *instance, unsigned int buffer_kb)
{
	static const struct cleaner_work work = { .make = make, .work = set_clock_in_cleaner, .undo = undo };
	struct owner self = owner__self();
	char owner[OWNER_TEXT_MAX], number[16];
	int err;

	*instance = (struct instance){ .tracer_fd = -1, .events_fd = -1 };
	owner__text(&self, owner);
	snprintf(instance->path, sizeof(instance->path), "instances/" PREFIX "%s.%u", owner, made++);
	err = cleaner__add(&work, instance->path, sizeof(instance->path));
	if (err < 0) {
		/* somebody has killed the cleaner, perhaps after it was made */
		if (err == -ESRCH)
			remove_directory(instance->path, true);
		instance->path[0] = '\0';
		return err;
	}
	instance->job = err;
	instance__hold(instance);
	err = 0;
	snprintf(number, sizeof(number), "%u\n", buffer_kb);
	if (buffer_kb)
		err = instance__write(instance, "buffer_size_kb", number);
	if (err)
		instance__remove(instance);
	return err;
}

void instance__begin_clock(struct instance *instance)
{
	if (instance->job && !instance->has_clock && !instance->sets_clock)
		instance->sets_clock = !cleaner__begin(instance->job);
}

int instance__set_clock(struct instance *instance)
{
	int err;

	/* the top of tracefs has it from whoever took it */
	if (!instance->job || instance->has_clock)
		return 0;
	instance__begin_clock(instance);
	err = instance->sets_clock ? cleaner__finish(instance->job) : -ESRCH;
	instance->sets_clock = false;
	/* somebody has killed the cleaner: this process may still be permitted */
	if (err == -ESRCH)
		err = set_clock(instance->path);
	instance->has_clock = !err;
	return err;
}

int instance__remove(struct instance *instance)
{
	int err;

	if (!*instance->path)
		return 0;
	instance__let_go(instance);
	err = cleaner__undo(instance->job);
	/* somebody has killed the cleaner: this process may still be permitted */
	if (err == -ESRCH)
		err = remove_directory(instance->path, true);
	instance->path[0] = '\0';
	instance->job = 0;
	instance->sets_clock = false;
	return err;
}

void instance__hold(struct instance *instance)
{
	instance->tracer_fd = open_file(instance->path, "current_tracer", O_WRONLY);
	/* at the top it would switch off everybody's */
	instance->events_fd = instance->job ? open_file(instance->path, "events/enable", O_WRONLY) : -1;
}

/* Writes into one of the held files, and closes it. */
static void put_and_close(int fd, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	/* what it cannot stop the next start does */
	if (fd >= 0 && length && write(fd, text, length) != (ssize_t)length)
		length = 0;
	if (fd >= 0)
		close(fd);
}

void instance__let_go(struct instance *instance)
{
	/*
	 * An instance is nobody else's, so it is stopped in any case: a cleaner that is stopped, or killed and not gone yet, looks alive.
	 * At the top somebody may have another tracer by now, and the cleaner's job looks at that.
	 */
	bool stops = instance->job || !cleaner__is_alive();
	int held = stops ? disarming__begin() : -1;

	put_and_close(instance->tracer_fd, stops ? "nop\n" : NULL);
	put_and_close(instance->events_fd, stops ? "0\n" : NULL);
	instance->tracer_fd = instance->events_fd = -1;
	if (held >= 0)
		disarming__end();
}

const char *instance__file(const struct instance *instance, const char *file)
{
	static char buffers[4][256];
	static unsigned int next;
	char *buffer = buffers[next++ % 4];

	snprintf(buffer, sizeof(buffers[0]), "%s/%s", instance->path, file);
	return buffer;
}

int instance__write(const struct instance *instance, const char *file, const char *text)
{
	return write_file(instance->path, file, text, O_TRUNC);
}

int instance__start_tracer(const struct instance *instance, const char *tracer, const char *what, struct fault *fault)
{
	char line[64];
	int err = arming__begin(fault), ended;

	if (err)
		return err;
	snprintf(line, sizeof(line), "%s\n", tracer);
	err = instance__write(instance, "current_tracer", line);
	/* who removes the instance, or gives the top of tracefs back, stops the tracer */
	ended = arming__end(err, NULL, NULL, fault);
	return ended && ended == err ? switches__explain(fault, err, what) : ended;
}

int instance__stop_tracer(const struct instance *instance)
{
	int err = disarming__begin();

	if (err < 0)
		return err;
	err = instance->tracer_fd < 0 ? instance__write(instance, "current_tracer", "nop\n") :
		write(instance->tracer_fd, "nop\n", 4) == 4 ? 0 : -errno;
	disarming__end();
	return err;
}

int instance__append(const struct instance *instance, const char *file, const char *text)
{
	return write_file(instance->path, file, text, O_APPEND);
}

int instance__read(const struct instance *instance, const char *file, size_t size_max, char **text, size_t *size)
{
	return tracefs__read(instance__file(instance, file), size_max, text, size);
}

int instance__open(const struct instance *instance, const char *file, int flags)
{
	return open_file(instance->path, file, flags);
}

int instance__only_tids(const struct instance *instance, const uint32_t *tids, size_t count)
{
	char number[16];
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		snprintf(number, sizeof(number), "%u\n", tids[i]);
		err = instance__append(instance, "set_ftrace_pid", number);
	}
	return err;
}

pid_t instance__leave_out_self(const struct instance *instance)
{
	char text[32];
	ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	/* PROC_PID_INIT_INO in include/linux/proc_ns.h */
	if (length <= 0)
		return 0;
	text[length] = '\0';
	if (strcmp(text, "pid:[4026531836]"))
		return 0;
	snprintf(text, sizeof(text), "%d\n", getpid());
	instance__write(instance, "set_ftrace_notrace_pid", text);
	return getpid();
}
