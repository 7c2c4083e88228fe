/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "lib/kernel/tracefs.h"
#include "tracer.h"

#define TEXT_MAX (32 << 20)
/* For each CPU, and twice: the kernel exchanges the buffer when it keeps a section. */
#define BUFFER_KB 64
#define BUFFER_FUNCTIONS_KB 1024

/* The three share what there is once. */
static const char *const tracers[] = { "irqsoff", "preemptoff", "preemptirqsoff", NULL };

/* The clock at the top of tracefs, the one in brackets, with a newline behind it.  0 or -errno. */
static int read_clock(char clock[32])
{
	char *text, *open, *close;
	size_t size;
	int err = tracefs__read("trace_clock", 4096, &text, &size);

	if (err)
		return err;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close && close - open < 30)
		snprintf(clock, 32, "%.*s\n", (int)(close - open - 1), open + 1);
	else
		err = -EINVAL;
	free(text);
	return err;
}

/* What the kernel's tracers take from the top of tracefs: whether they run at all, and their clock. */
static int check_top(char clock[32], struct fault *fault)
{
	static const char *const nanoseconds[] = { "local\n", "global\n", "perf\n", "mono\n", "mono_raw\n", "boot\n", "tai\n", NULL };
	char *text;
	size_t length;
	bool is_off;
	int err = tracefs__read("tracing_on", 16, &text, &length);

	if (err)
		return fault__set(fault, err, "tracing_on in tracefs cannot be read: %s", strerror(-err));
	is_off = *text == '0';
	free(text);
	if (is_off)
		return fault__set(fault, -EAGAIN, "the kernel's latency tracers see nothing while tracing_on at the top of tracefs is 0 "
				  "(write 1 into it)");
	err = read_clock(clock);
	if (err)
		return fault__set(fault, err, "trace_clock in tracefs cannot be read: %s", strerror(-err));
	for (size_t i = 0; nanoseconds[i]; i++)
		if (!strcmp(clock, nanoseconds[i]))
			return 0;
	return fault__set(fault, -EINVAL,
			  "the kernel's latency tracers measure with trace_clock at the top of tracefs, which is %.*s: no nanoseconds "
			  "(write local into it)", (int)strcspn(clock, "\n"), clock);
}

static int write_number(const struct latency *latency, uint64_t us)
{
	char number[32];
	int length = snprintf(number, sizeof(number), "%llu\n", (unsigned long long)us);

	if (lseek(latency->max_fd, 0, SEEK_SET))
		return -errno;
	return write(latency->max_fd, number, (size_t)length) == length ? 0 : -errno;
}

/* Since 5.6 the kernel tells it (91edde2e6ae1). */
static int watch(const struct latency *latency)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[512];

	if (fd >= 0 && (tracefs__path(path, sizeof(path), instance__file(&latency->instance, "tracing_max_latency")) ||
			inotify_add_watch(fd, path, IN_MODIFY) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* From now on nobody may change what it obeys: also at the top, which the tracer runs by. */
static int watch_state(struct latency *latency, bool functions, struct fault *fault)
{
	static const struct instance top = { .path = "." };
	int err;

	intact__begin(&latency->intact, &latency->instance, NULL);
	intact__begin(&latency->top_intact, &top, NULL);
	latency->intact.has_hooks = functions;
	err = intact__add(&latency->intact, "current_tracer") ?: intact__add_text(&latency->intact, "tracing_on", "1\n") ?:
	      intact__add_text(&latency->top_intact, "tracing_on", "1\n") ?: intact__add(&latency->top_intact, "trace_clock");
	return err ? fault__set(fault, err, "the instance in tracefs cannot be used: %s", strerror(-err)) : 0;
}

/* The instance is there: sets it up, and starts the tracer. */
static int start(struct latency *latency, const char *tracer, bool functions, const char *clock, struct fault *fault)
{
	const struct instance *instance = &latency->instance;
	int err = instance__write(instance, "trace_clock", clock);

	if (!err)
		err = instance__write(instance, "options/function-trace", functions ? "1\n" : "0\n");
	if (!err)
		err = instance__write(instance, "options/sym-offset", "1\n");
	if (err)
		return fault__set(fault, err, "the instance in tracefs cannot be used: %s", strerror(-err));
	err = tracer__start(instance, tracer, functions, tracers, fault);
	if (err)
		return err;
	latency->notify_fd = watch(latency);
	latency->max_fd = instance__open(instance, "tracing_max_latency", O_RDWR);
	err = latency->max_fd < 0 ? latency->max_fd : write_number(latency, latency->last_us);
	return err ? fault__set(fault, err, "tracing_max_latency of the instance in tracefs cannot be used: %s",
				strerror(-err)) : 0;
}

void latency__end(struct latency *latency)
{
	intact__finish(&latency->intact);
	intact__finish(&latency->top_intact);
	instance__write(&latency->instance, "tracing_on", "0\n");
}

int latency__is_intact(struct latency *latency, struct fault *fault)
{
	return intact__check(&latency->intact, fault) ?: intact__check(&latency->top_intact, fault);
}

int latency__open(struct latency *latency, const char *tracer, bool functions, uint64_t floor_us, bool again,
		  struct fault *fault)
{
	char clock[32];
	int err;

	*latency = (struct latency){ .max_fd = -1, .notify_fd = -1, .floor_us = floor_us, .again = again };
	latency->last_us = floor_us ? floor_us - 1 : 0;
	err = check_top(clock, fault);
	if (err)
		return err;
	err = instance__make(&latency->instance, functions ? BUFFER_FUNCTIONS_KB : BUFFER_KB);
	if (!err)
		err = instance__set_clock(&latency->instance);
	if (err)
		return fault__set(fault, err, "an instance in tracefs cannot be made: %s", strerror(-err));
	err = start(latency, tracer, functions, clock, fault);
	return err ? err : watch_state(latency, functions, fault);
}

int latency__close(struct latency *latency)
{
	if (latency->max_fd >= 0)
		close(latency->max_fd);
	if (latency->notify_fd >= 0)
		close(latency->notify_fd);
	latency->max_fd = latency->notify_fd = -1;
	intact__end(&latency->intact);
	intact__end(&latency->top_intact);
	return instance__remove(&latency->instance);
}

/* The kernel's maximum, in us. */
static int read_max(const struct latency *latency, uint64_t *us)
{
	char number[32];
	ssize_t got;

	if (lseek(latency->max_fd, 0, SEEK_SET))
		return -errno;
	got = read(latency->max_fd, number, sizeof(number) - 1);
	if (got < 0)
		return -errno;
	number[got] = 0;
	*us = strtoull(number, NULL, 10);
	return 0;
}

int latency__next(struct latency *latency, struct latency_text *text)
{
	char events[4096], *all;
	uint64_t max_us = 0;
	size_t size;
	int err;

	/* what the events say is in the file */
	while (latency->notify_fd >= 0 && read(latency->notify_fd, events, sizeof(events)) > 0)
		;
	err = read_max(latency, &max_us);
	if (err || max_us <= latency->last_us)
		return err;
	err = instance__read(&latency->instance, "trace", TEXT_MAX, &all, &size);
	if (!err) {
		err = latency_text__parse(text, all, size);
		free(all);
	}
	/* a longer one came while the file was open, which the kernel measured and did not keep; or its text is none that is known */
	if (err || text->us < max_us)
		*text = (struct latency_text){ .us = max_us };
	latency->last_us = text->us;
	if (!latency->again)
		return 1;
	/*
	 * The next one may be shorter: what was kept of this one must not be taken for it.  In this order: the first takes its time, and
	 * nothing is kept meanwhile.
	 */
	latency->last_us = latency->floor_us ? latency->floor_us - 1 : 0;
	err = instance__write(&latency->instance, "trace", "");
	if (!err)
		err = write_number(latency, latency->last_us);
	return err ? err : 1;
}
