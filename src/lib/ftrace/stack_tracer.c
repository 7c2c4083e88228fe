/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/arming.h"
#include "lib/kernel/run_folder.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/attached.h"

#define SWITCH LEASE_STACK_TRACER
#define MAX LEASE_STACK_MAX
#define FILTER "stack_trace_filter"
#define NO_FILTER "#### all functions enabled ####"
#define TEXT_MAX (1 << 20)

/* stack_tracer__check() tells more than that they are in use. */
static const struct lease_file files[] = {
	{ SWITCH, NULL, "0", NULL }, { MAX, NULL, "0", NULL }, { FILTER, NULL, "", NULL }, { NULL, NULL, NULL, NULL },
};
static const struct lease_file filter[] = { { FILTER, NO_FILTER, NULL, NULL }, { NULL, NULL, NULL, NULL } };

static int read_number(const char *file, uint64_t *number)
{
	char *text, *end;
	size_t size;
	int err = lease__read(file, &text, &size);

	if (err)
		return err;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (end == text || errno)
		err = -EINVAL;
	free(text);
	return err;
}

uint64_t stack_tracer__functions(void)
{
	uint64_t number;

	/* "47012 pages:184 groups: 67" */
	return read_number("dyn_ftrace_total_info", &number) ? 0 : number;
}

int stack_tracer__check(struct fault *fault)
{
	uint64_t is_on, max;
	int err = read_number(SWITCH, &is_on);

	if (err == -ENOENT)
		return fault__set(fault, -EOPNOTSUPP, "this kernel has no stack tracer (it was built without CONFIG_STACK_TRACER)");
	if (err)
		return fault__set(fault, err, SWITCH " cannot be read: %s", strerror(-err));
	if (!tracefs__mount_point())
		return fault__set(fault, -errno, "%s", tracefs__why(-errno));
	err = read_number(MAX, &max);
	if (err)
		return fault__set(fault, err, MAX " in tracefs cannot be read: %s", strerror(-err));
	if (is_on)
		return fault__set(fault, -EBUSY, "somebody has the kernel's stack tracer on, and there is one for the whole system (off: sudo "
				  "sysctl kernel.stack_tracer_enabled=0)");
	if (max)
		return fault__set(fault, -EBUSY, "the kernel's stack tracer has somebody's maximum of %llu bytes, which would be lost (" MAX
				  " in tracefs; echo 0 to it forgets it)", (unsigned long long)max);
	return lease__check(filter, fault);
}

/* Numbers in /proc/sys are taken at a file's begin alone.  0 or -errno. */
static int switch_off(const struct stack_tracer *tracer)
{
	return lseek(tracer->switch_fd, 0, SEEK_SET) < 0 || write(tracer->switch_fd, "0\n", 2) < 0 ? -errno : 0;
}

/* Between arming__begin() and arming__end(): what to do where hooks were switched off meanwhile. */
static void undo_switch(void *context)
{
	switch_off(context);
}

static int switch_on(struct stack_tracer *tracer, struct fault *fault)
{
	int err = arming__begin(fault), ended;

	if (err)
		return err;
	err = lease__write(&tracer->lease, SWITCH, "1\n");
	ended = arming__end(err, undo_switch, tracer, fault);
	if (ended == err && err)
		fault__set(fault, err, "the kernel's stack tracer cannot be started: " SWITCH ": %s", strerror(-err));
	return ended;
}

int stack_tracer__start(struct stack_tracer *tracer, const char *pattern, struct fault *fault)
{
	static char folder[64];
	int err;

	*tracer = (struct stack_tracer){ .switch_fd = -1 };
	/* another lease than that of funcgraph and others: neither is in the other's way */
	snprintf(folder, sizeof(folder), "%s/" STACK_TRACER_FOLDER, run_folder__path());
	err = lease__take(&tracer->lease, folder, files, fault);
	if (!err)
		err = stack_tracer__check(fault);
	if (err)
		return err;
	tracer->switch_fd = open(SWITCH, O_WRONLY | O_CLOEXEC);
	if (tracer->switch_fd < 0) {
		err = -errno;
		return fault__set(fault, err, SWITCH " cannot be written: %s", strerror(-err));
	}
	/* nothing is in it; so that what is written there is noted, and given back */
	err = lease__write(&tracer->lease, MAX, "0\n");
	if (err)
		return fault__set(fault, err, MAX " in tracefs cannot be written: %s", err == -EROFS ? tracefs__why(err) : strerror(-err));
	if (pattern) {
		char line[512];

		if (snprintf(line, sizeof(line), "%s\n", pattern) >= (int)sizeof(line))
			err = -ENAMETOOLONG;
		else
			err = lease__write(&tracer->lease, FILTER, line);
		if (err)
			return fault__set(fault, err, "\"%s\": %s", pattern,
					  err == -EINVAL ? "no function of the kernel that ftrace can hook has such a name" : strerror(-err));
	}
	err = switch_on(tracer, fault);
	tracer->runs = !err;
	if (!err)
		attached__note(NULL, "tracer", "stack");
	return err;
}

int stack_tracer__look(struct stack_tracer *tracer, struct fault *fault)
{
	uint64_t is_on, max;
	int err = tracer->runs ? read_number(SWITCH, &is_on) : 0;

	if (!tracer->runs)
		return 0;
	if (!err)
		err = read_number(MAX, &max);
	if (err)
		return fault__set(fault, err, MAX " in tracefs cannot be read: %s", strerror(-err));
	if (!is_on)
		return fault__set(fault, -EBUSY, "somebody has switched the kernel's stack tracer off (kernel.stack_tracer_enabled)");
	if (max < tracer->max)
		return fault__set(fault, -EBUSY, "somebody has the kernel's stack tracer forget its maximum (" MAX " in tracefs)");
	tracer->max = max;
	return 0;
}

/*
 * The maximum and its stack, which must be of one moment: the kernel may find a deeper one between two reads.  It never finds a smaller
 * one, so this ends.  0 or -errno.
 */
static int read_deepest(struct stack_tracer *tracer)
{
	uint64_t before;
	int err = read_number(MAX, &tracer->max);

	do {
		size_t size;

		free(tracer->text);
		tracer->text = NULL;
		before = tracer->max;
		if (!err && before)
			err = tracefs__read("stack_trace", TEXT_MAX, &tracer->text, &size);
		if (!err)
			err = read_number(MAX, &tracer->max);
	} while (!err && tracer->max != before);
	return err;
}

/*
 * What it kept is read before it is switched off.  Until the last function is without its hook again, the kernel still measures, but its
 * unwinder does not know the trampoline any more (__unregister_ftrace_function() takes it from the list first): a deeper stack then
 * replaces what was kept by a maximum without functions.
 */
int stack_tracer__end(struct stack_tracer *tracer)
{
	int err, off;

	if (!tracer->runs)
		return 0;
	tracer->runs = false;
	err = read_deepest(tracer);
	disarming__await();
	off = switch_off(tracer);
	disarming__end();
	tracer->at = tracer->text;
	return err ? err : off;
}

/*
 *	        Depth    Size   Location    (36 entries)
 *	        -----    ----   --------
 *	  0)     4288     176   update_sg_lb_stats+0x5/0x6d0
 */
int stack_tracer__next(struct stack_tracer *tracer, struct stack_frame *frame)
{
	while (tracer->at && *tracer->at) {
		char *line = tracer->at, *end = strchrnul(line, '\n');
		unsigned long long depth, size;
		int name = 0;

		tracer->at = *end ? end + 1 : end;
		*end = '\0';
		line += strspn(line, " ");
		if (!strncmp(line, "Depth", 5) || *line == '-' || !*line)
			continue;
		if (sscanf(line, "%*u) %llu %llu %n", &depth, &size, &name) != 2 || !name || !line[name])
			return -EINVAL;
		*frame = (struct stack_frame){ .depth = depth, .size = size, .function = line + name };
		return 1;
	}
	return 0;
}

int stack_tracer__close(struct stack_tracer *tracer)
{
	int err = lease__give_back(&tracer->lease);

	if (tracer->switch_fd >= 0)
		close(tracer->switch_fd);
	tracer->switch_fd = -1;
	free(tracer->text);
	tracer->text = tracer->at = NULL;
	return err;
}
