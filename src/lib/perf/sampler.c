/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/arming.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/cpus.h"
#include "lib/print/count.h"
#include "lib/probe/attached.h"
#include "lib/probe/cleaner.h"

#define BUFFER_KB 512
#define TASKS_KB 64
/* A record has its time before it is in the buffer: an interrupt may delay it so long. */
#define LATE_NS 1000000

/* A descriptor or -errno. All events of a CPU have the same clock, which those that share a buffer must. */
static int open_event(struct perf_event_attr *attr, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	/* nobody is woken before half of the buffer is full: the reader looks by itself */
	attr->watermark = 1;
	attr->wakeup_watermark = BUFFER_KB * 1024 / 2;
	fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* What records tasks, or nothing at all: each buffer is that of such an event. */
static int open_buffer(int cpu, bool is_samples)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .comm = !is_samples, .task = !is_samples,
	};

	return open_event(&attr, cpu);
}

static int open_tracepoint(uint64_t id, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1, .disabled = 1 };

	return open_event(&attr, cpu);
}

/* Adds a buffer of a CPU: fd is its event, and the sampler's from now on.  0 or -errno. */
static int add_buffer(struct sampler *sampler, int fd, int cpu, bool is_samples)
{
	struct sampler_buffer *buffer = &sampler->buffers[sampler->buffers_count];
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), size = 1024ul * (is_samples ? sampler->buffer_kb : TASKS_KB);
	void *mapped;

	if (sampler->buffers_count == sampler->buffers_room) {
		close(fd);
		return -ENOSPC;
	}
	*buffer = (struct sampler_buffer){ .fd = fd, .cpu = cpu, .is_samples = is_samples };
	sampler->buffers_count++;
	if (size < page_size)
		size = page_size;
	mapped = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* without CAP_IPC_LOCK, which the tool has given up, less memory may be locked */
	while (mapped == MAP_FAILED && errno == EPERM && sampler->job && size > page_size) {
		size /= 2;
		mapped = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (mapped == MAP_FAILED)
		return -errno;
	buffer->page = mapped;
	buffer->mapped = page_size + size;
	buffer->ring = (struct perf_ring){ .data = (const uint8_t *)mapped + page_size, .size = size, .copy = malloc(PERF_RECORD_MAX) };
	return buffer->ring.copy ? 0 : -ENOMEM;
}

static int add_own_buffer(struct sampler *sampler, int cpu, bool is_samples)
{
	int fd = open_buffer(cpu, is_samples);

	return fd < 0 ? fd : add_buffer(sampler, fd, cpu, is_samples);
}

int sampler__open(struct sampler *sampler, unsigned int buffer_kb, struct fault *fault)
{
	int err;

	*sampler = (struct sampler){ .buffer_kb = buffer_kb ? buffer_kb : BUFFER_KB, .buffers_room = 2 * CPUS_MAX, .new_cpu = -1 };
	err = cpu_changes__open(&sampler->changes);
	if (!err) {
		sampler->buffers = calloc(sampler->buffers_room, sizeof(*sampler->buffers));
		err = sampler->buffers ? 0 : -ENOMEM;
	}
	for (int cpu = 0; cpu < CPUS_MAX && !err; cpu++) {
		if (!cpu_set__has(&sampler->changes.online, cpu))
			continue;
		err = add_own_buffer(sampler, cpu, false);
		if (!err)
			err = add_own_buffer(sampler, cpu, true);
	}
	/* once new names are recorded: whoever is renamed meanwhile is renamed to the same name once more by its record */
	if (!err)
		err = tasks__scan(&sampler->tasks);
	return err ? fault__set(fault, err, "perf's buffers cannot be made: %s%s", strerror(-err),
				err == -EPERM || err == -ENOMEM ? " (try a smaller --buffer, or run it with sudo)" : "") : 0;
}

/* Room for one more event on each buffer.  0 or -ENOMEM. */
static int make_room(struct sampler *sampler)
{
	int *before = sampler->events, *more = malloc((sampler->events_count + sampler->buffers_count) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	if (before)
		memcpy(more, before, sampler->events_count * sizeof(*more));
	/* a handler with sampler__cut() finds a whole list before and after */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sampler->events = more;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	free(before);
	return 0;
}

/* Adds an event on a CPU, which is the sampler's from now on, for make_room() was called.  0 or -errno; *step: of what. */
static int add_event(struct sampler *sampler, int fd, const struct sampler_buffer *buffer, const char *filter, const char **step)
{
	sampler->events[sampler->events_count] = fd;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sampler->events_count++;
	*step = "output";
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, buffer->fd))
		return -errno;
	*step = "filter";
	return filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

static int open_on_cpus(struct sampler *sampler, const struct format *format, const char *filter, struct fault *fault)
{
	if (make_room(sampler))
		return fault__set(fault, -ENOMEM, "no memory");
	for (size_t i = 0; i < sampler->buffers_count; i++) {
		const struct sampler_buffer *buffer = &sampler->buffers[i];
		const char *step = "open";
		int fd, err;

		if (!buffer->is_samples)
			continue;
		fd = open_tracepoint(format->id, buffer->cpu);
		err = fd < 0 ? fd : add_event(sampler, fd, buffer, filter, &step);
		if (err && !strcmp(step, "filter"))
			fault__set(fault, err, "%s:%s: the kernel does not take the filter %s: %s", format->system,
				   format->name, filter, strerror(-err));
		else if (err)
			fault__set(fault, err, "%s:%s cannot be recorded by perf on CPU %d: %s", format->system,
				   format->name, buffer->cpu, strerror(-err));
		if (err)
			return err;
	}
	return 0;
}

/* For CPUs that come.  0 or -ENOMEM. */
static int add_kind(struct sampler *sampler, const struct format *format, const char *filter)
{
	struct sampler_event *more = realloc(sampler->kinds, (sampler->kinds_count + 1) * sizeof(*more));
	char *copy = more && filter ? strdup(filter) : NULL;

	if (more)
		sampler->kinds = more;
	if (!more || (filter && !copy))
		return -ENOMEM;
	more[sampler->kinds_count++] = (struct sampler_event){ .id = format->id, .filter = copy };
	return 0;
}

/* Closes the events from the first one on. */
static void close_events(struct sampler *sampler, size_t first)
{
	while (sampler->events_count > first) {
		if (sampler->has_hooks)
			disarming__keep();
		close(sampler->events[--sampler->events_count]);
	}
}

struct added {
	struct sampler *sampler;
	size_t first;
};

static void take_back(void *context)
{
	const struct added *added = context;

	close_events(added->sampler, added->first);
}

static int add_opened(struct sampler *sampler, const struct format *format, const char *filter, bool hooks, struct fault *fault)
{
	struct added added = { sampler, sampler->events_count };
	int err = add_kind(sampler, format, filter);

	if (err)
		return fault__set(fault, err, "no memory");
	if (!hooks)
		return open_on_cpus(sampler, format, filter, fault);
	/* perf_event_open(2) itself attaches the probe, and not what enables the event */
	err = arming__begin(fault);
	if (err)
		return err;
	sampler->has_hooks = true;
	err = open_on_cpus(sampler, format, filter, fault);
	return arming__end(err, take_back, &added, fault);
}

int sampler__add(struct sampler *sampler, const struct format *format, const char *filter, bool hooks, struct fault *fault)
{
	char name[2 * FORMAT_NAME_MAX];
	int err = add_opened(sampler, format, filter, hooks, fault);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%s/%s", format->system, format->name);
	attached__note(NULL, "perf_event", name);
	return 0;
}

/* ---- CPUs that come online */

#define KINDS_MAX (CLEANER_FDS_MAX - 2)

/* The cleaner's job. */
struct opener {
	size_t count;
	uint64_t ids[KINDS_MAX];
};
_Static_assert(sizeof(struct opener) <= CLEANER_CONTEXT_MAX, "it is sent to the cleaner");

static int give(int fd)
{
	int err = fd < 0 ? fd : cleaner__give(fd);

	if (err && fd >= 0)
		close(fd);
	return err;
}

/*
 * In the cleaner: opens both buffers' events on a CPU, and then all others.  A probe among them is not hooked by that: it is, as the
 * sampler has its event on another CPU.
 */
static int open_on(void *context, int cpu)
{
	const struct opener *opener = context;
	int err = give(open_buffer(cpu, false));

	if (!err)
		err = give(open_buffer(cpu, true));
	for (size_t i = 0; i < opener->count && !err; i++)
		err = give(open_tracepoint(opener->ids[i], cpu));
	return err;
}

static int nothing_to_undo(void *context)
{
	(void)context;
	return 0;
}

/* A machine with one CPU needs no cleaner.  Without one, CPUs that come are reported as not recorded. */
static void start_opener(struct sampler *sampler)
{
	static const struct cleaner_work work = { .work = open_on, .undo = nothing_to_undo };
	struct opener opener = { .count = sampler->kinds_count };
	int job;

	if (!cpus__can_come() || sampler->kinds_count > KINDS_MAX)
		return;
	for (size_t i = 0; i < opener.count; i++)
		opener.ids[i] = sampler->kinds[i].id;
	job = cleaner__add(&work, &opener, sizeof(opener));
	sampler->job = job > 0 ? job : 0;
}

/* Records the events of a CPU that has come.  0 or -errno. */
static int add_cpu(struct sampler *sampler, int cpu)
{
	int fds[CLEANER_FDS_MAX], taken = 0;
	int count = sampler->job ? cleaner__ask(sampler->job, cpu, fds, CLEANER_FDS_MAX) : -EOPNOTSUPP, err = count;
	const char *step;

	if (count >= 0 && (size_t)count != 2 + sampler->kinds_count)
		err = -EIO;
	if (err > 0)
		err = make_room(sampler);
	for (; taken < 2 && !err; taken++)
		err = add_buffer(sampler, fds[taken], cpu, taken == 1);
	for (; taken < count && !err; taken++)
		err = add_event(sampler, fds[taken], &sampler->buffers[sampler->buffers_count - 1],
				sampler->kinds[taken - 2].filter, &step);
	for (int i = 2; i < count && !err; i++)
		err = ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
	while (taken < count)
		close(fds[taken++]);
	return err;
}

/* One CPU at a time: it is told. */
static void follow_cpus(struct sampler *sampler)
{
	bool has_come;
	int cpu;

	while (sampler->new_cpu < 0 && cpu_changes__next(&sampler->changes, &cpu, &has_come)) {
		if (!has_come)
			continue;
		sampler->new_err = add_cpu(sampler, cpu);
		/* it went again meanwhile */
		if (sampler->new_err != -ENODEV)
			sampler->new_cpu = cpu;
	}
}

int sampler__new_cpu(struct sampler *sampler, int *err)
{
	int cpu = sampler->new_cpu;

	*err = sampler->new_err;
	sampler->new_cpu = -1;
	return cpu;
}

int sampler__start(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->events_count; i++)
		if (ioctl(sampler->events[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	start_opener(sampler);
	return 0;
}

/* ---- records */

/* Makes next the record that follows in the buffer. */
static void advance(struct sampler *sampler, struct sampler_buffer *buffer)
{
	const struct perf_event_header *header;
	int broken;

	buffer->has_next = false;
	/* what was read before: the kernel may have its room now */
	if (buffer->page->data_tail != buffer->ring.at)
		__atomic_store_n(&buffer->page->data_tail, buffer->ring.at, __ATOMIC_RELEASE);
	while (!buffer->has_next && (header = perf_ring__next(&buffer->ring, &broken)))
		buffer->has_next = !perf_ring__parse(header, &buffer->next) || (sampler->broken++, false);
	sampler->broken += broken;
}

/* Looks once more at how far the kernel has written. Whether there is more than before. */
static bool look(struct sampler *sampler)
{
	uint64_t before_ns = now_ns();
	bool more = false;

	if (!sampler->ended)
		follow_cpus(sampler);
	for (size_t i = 0; i < sampler->buffers_count; i++) {
		struct sampler_buffer *buffer = &sampler->buffers[i];

		buffer->ring.head = __atomic_load_n(&buffer->page->data_head, __ATOMIC_ACQUIRE);
		if (!buffer->has_next)
			advance(sampler, buffer);
		more |= buffer->has_next;
	}
	sampler->horizon_ns = sampler->ended ? UINT64_MAX : before_ns - LATE_NS;
	return more;
}

/* The buffer with the oldest record, of those up to the horizon; NULL: there is none. */
static struct sampler_buffer *choose(struct sampler *sampler)
{
	struct sampler_buffer *oldest = NULL;

	for (size_t i = 0; i < sampler->buffers_count; i++) {
		struct sampler_buffer *buffer = &sampler->buffers[i];

		if (!buffer->has_next)
			advance(sampler, buffer);
		if (buffer->has_next && buffer->next.time_ns <= sampler->horizon_ns &&
		    (!oldest || buffer->next.time_ns < oldest->next.time_ns))
			oldest = buffer;
	}
	return oldest;
}

static void apply(struct sampler *sampler, const struct perf_ring_record *record)
{
	const struct task *parent;

	switch (record->type) {
	case PERF_RECORD_COMM:
		tasks__set(&sampler->tasks, record->tid, record->pid, record->comm);
		break;
	case PERF_RECORD_FORK:	/* the name is that of the thread that made it */
		parent = tasks__look_up(&sampler->tasks, record->ptid);
		if (parent) {
			char comm[TASK_COMM_LEN];

			memcpy(comm, parent->comm, sizeof(comm));
			tasks__set(&sampler->tasks, record->tid, record->pid, comm);
		}
		break;
	case PERF_RECORD_EXIT:
		tasks__end(&sampler->tasks, record->tid);
		break;
	case PERF_RECORD_LOST:	/* what is not known any more is looked up anew */
		tasks__free(&sampler->tasks);
		tasks__scan(&sampler->tasks);
	}
}

static bool take_sample(struct sampler *sampler, const struct perf_ring_record *sample, struct raw_record *record)
{
	const struct task *task;

	if (sample->raw_size < RAW_RECORD_MIN) {
		sampler->broken++;
		return false;
	}
	sampler->samples++;
	*record = (struct raw_record){ .time_ns = sample->time_ns, .cpu = sample->cpu, .data = sample->raw, .size = sample->raw_size };
	memcpy(&record->type, (const char *)sample->raw + RAW_RECORD_TYPE, sizeof(record->type));
	memcpy(&record->tid, (const char *)sample->raw + RAW_RECORD_TID, sizeof(record->tid));
	task = tasks__look_up(&sampler->tasks, record->tid);
	record->pid = task ? task->pid : record->tid;
	record->comm = task ? task->comm : NULL;
	return true;
}

int sampler__next(struct sampler *sampler, struct raw_record *record)
{
	for (;;) {
		struct sampler_buffer *buffer = choose(sampler);

		if (!buffer && look(sampler))
			buffer = choose(sampler);
		if (!buffer)
			return 0;
		buffer->has_next = false;
		if (!buffer->is_samples)
			apply(sampler, &buffer->next);
		else if (buffer->next.type == PERF_RECORD_LOST)
			sampler->lost += buffer->next.lost;
		else if (buffer->next.type == PERF_RECORD_SAMPLE && take_sample(sampler, &buffer->next, record))
			return 1;
	}
}

void sampler__cut(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->events_count; i++)
		dup3(sampler->buffers[0].fd, sampler->events[i], O_CLOEXEC);
}

void sampler__end(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->events_count; i++)
		ioctl(sampler->events[i], PERF_EVENT_IOC_DISABLE, 0);
	sampler->ended = true;
}

int sampler__lost(const struct sampler *sampler, uint64_t *lost)
{
	uint64_t counted = 0, count;

	if (!sampler->ended) {
		*lost = sampler->lost;
		return 0;
	}
	for (size_t i = 0; i < sampler->events_count; i++) {
		ssize_t got = read(sampler->events[i], &count, sizeof(count));

		if (got != sizeof(count))
			return got < 0 ? -errno : -EIO;
		counted += count;
	}
	*lost = count__minus(counted, sampler->samples);
	return 0;
}

void sampler__close(struct sampler *sampler)
{
	bool has_hooks = sampler->has_hooks;

	if (has_hooks)
		disarming__await();
	close_events(sampler, 0);
	if (has_hooks)
		disarming__end();
	for (size_t i = 0; i < sampler->buffers_count; i++) {
		struct sampler_buffer *buffer = &sampler->buffers[i];

		if (buffer->page)
			munmap(buffer->page, buffer->mapped);
		free(buffer->ring.copy);
		close(buffer->fd);
	}
	for (size_t i = 0; i < sampler->kinds_count; i++)
		free(sampler->kinds[i].filter);
	if (sampler->job)
		cleaner__undo(sampler->job);
	/* in a zeroed one 0 would be a file to close */
	if (sampler->buffers_room)
		cpu_changes__close(&sampler->changes);
	tasks__free(&sampler->tasks);
	free(sampler->kinds);
	free(sampler->events);
	free(sampler->buffers);
	*sampler = (struct sampler){ .events = NULL };
}
