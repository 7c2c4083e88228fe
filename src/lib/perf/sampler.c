/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler.h"

#include <errno.h>
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

/* Adds a buffer to a CPU, with an event of its own that records tasks, or nothing at all. 0 or -errno. */
static int add_buffer(struct sampler *sampler, int cpu, bool is_samples)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .comm = !is_samples, .task = !is_samples,
	};
	struct sampler_buffer *buffer = &sampler->buffers[sampler->buffers_count];
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), size = 1024ul * (is_samples ? sampler->buffer_kb : TASKS_KB);
	void *mapped;
	int fd = open_event(&attr, cpu);

	if (fd < 0)
		return fd;
	*buffer = (struct sampler_buffer){ .fd = fd, .cpu = cpu, .is_samples = is_samples };
	sampler->buffers_count++;
	if (size < page_size)
		size = page_size;
	mapped = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	buffer->page = mapped;
	buffer->mapped = page_size + size;
	buffer->ring = (struct perf_ring){ .data = (const uint8_t *)mapped + page_size, .size = size, .copy = malloc(PERF_RECORD_MAX) };
	return buffer->ring.copy ? 0 : -ENOMEM;
}

int sampler__open(struct sampler *sampler, unsigned int buffer_kb, char *why, size_t size)
{
	struct cpu_set online;
	int err = cpus__read(CPUS_ONLINE, &online);

	*sampler = (struct sampler){ .buffer_kb = buffer_kb ? buffer_kb : BUFFER_KB };
	if (!err) {
		sampler->buffers = calloc(2 * CPUS_MAX, sizeof(*sampler->buffers));
		err = sampler->buffers ? 0 : -ENOMEM;
	}
	for (int cpu = 0; cpu < CPUS_MAX && !err; cpu++) {
		if (!cpu_set__has(&online, cpu))
			continue;
		err = add_buffer(sampler, cpu, false);
		if (!err)
			err = add_buffer(sampler, cpu, true);
		sampler->cpus.words[cpu / 64] |= 1ull << cpu % 64;
	}
	/* once new names are recorded: whoever is renamed meanwhile is renamed to the same name once more by its record */
	if (!err)
		err = tasks__scan(&sampler->tasks);
	if (err)
		snprintf(why, size, "perf's buffers cannot be made: %s%s", strerror(-err),
			 err == -EPERM || err == -ENOMEM ? " (try a smaller --buffer, or run it with sudo)" : "");
	return err;
}

static int open_on_cpus(struct sampler *sampler, const struct format *format, const char *filter, char *why, size_t size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = format->id, .sample_period = 1, .disabled = 1,
	};
	int *more = realloc(sampler->events, (sampler->events_count + CPUS_MAX) * sizeof(*more));

	if (!more) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	sampler->events = more;
	for (size_t i = 0; i < sampler->buffers_count; i++) {
		const struct sampler_buffer *buffer = &sampler->buffers[i];
		int fd, err = 0;

		if (!buffer->is_samples)
			continue;
		fd = open_event(&attr, buffer->cpu);
		if (fd < 0)
			err = fd;
		else
			sampler->events[sampler->events_count++] = fd;
		if (!err && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, buffer->fd))
			err = -errno;
		if (err) {
			snprintf(why, size, "%s:%s cannot be recorded by perf on CPU %d: %s", format->system, format->name, buffer->cpu,
				 strerror(-err));
			return err;
		}
		if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
			err = -errno;
			snprintf(why, size, "%s:%s: the kernel does not take the filter %s: %s", format->system, format->name, filter,
				 strerror(-err));
			return err;
		}
	}
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

int sampler__add(struct sampler *sampler, const struct format *format, const char *filter, bool hooks, char *why, size_t size)
{
	struct added added = { sampler, sampler->events_count };
	int err;

	if (!hooks)
		return open_on_cpus(sampler, format, filter, why, size);
	/* perf_event_open(2) itself attaches the probe, and not what enables the event */
	err = arming__begin(why, size);
	if (err)
		return err;
	sampler->has_hooks = true;
	err = open_on_cpus(sampler, format, filter, why, size);
	return arming__end(err, take_back, &added, why, size);
}

int sampler__start(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->events_count; i++)
		if (ioctl(sampler->events[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

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

int sampler__new_cpu(struct sampler *sampler)
{
	struct cpu_set online;

	if (cpus__read(CPUS_ONLINE, &online))
		return -1;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		uint64_t bit = 1ull << cpu % 64;

		if (!cpu_set__has(&online, cpu)) {
			sampler->cpus.words[cpu / 64] &= ~bit;
		} else if (!cpu_set__has(&sampler->cpus, cpu) && !cpu_set__has(&sampler->told, cpu)) {
			sampler->told.words[cpu / 64] |= bit;
			return cpu;
		}
	}
	return -1;
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
	tasks__free(&sampler->tasks);
	free(sampler->events);
	free(sampler->buffers);
	*sampler = (struct sampler){ .events = NULL };
}
