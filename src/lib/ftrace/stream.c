/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/clock.h"
#include "lib/kernel/tracefs.h"

#define ROOM_LEFT_MAX 256	/* bytes at the end of a page that is full */

/* "PATH/FILE" in the instance, of a CPU (-1: of none), as a path to open.  0 or -errno. */
static int path_of(const struct stream *stream, int cpu, const char *file, char path[512])
{
	const char *slash = *stream->path ? "/" : "";
	char relative[256];

	if (cpu < 0)
		snprintf(relative, sizeof(relative), "%s%s%s", stream->path, slash, file);
	else
		snprintf(relative, sizeof(relative), "%s%sper_cpu/cpu%d/%s", stream->path, slash, cpu, file);
	return tracefs__path(path, 512, relative);
}

static int read_layout(struct stream *stream)
{
	char relative[256], *text;
	size_t size;
	int err;

	snprintf(relative, sizeof(relative), "%s%sevents/header_page", stream->path, *stream->path ? "/" : "");
	err = tracefs__read(relative, 4096, &text, &size);
	if (err)
		return err;
	err = page_layout__parse(&stream->layout, text, size);
	free(text);
	return err;
}

static int compare_cpus(const void *a, const void *b)
{
	return ((const struct stream_cpu *)a)->number - ((const struct stream_cpu *)b)->number;
}

/* Fills cpus with a zeroed one for each directory per_cpu/cpuN. */
static int list_cpus(struct stream *stream)
{
	struct dirent *entry;
	char path[512], end;
	int err, number;
	DIR *dir;

	err = path_of(stream, -1, "per_cpu", path);
	if (err)
		return err;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && !err) {
		struct stream_cpu *more;

		if (sscanf(entry->d_name, "cpu%d%c", &number, &end) != 1 || number < 0)
			continue;
		more = realloc(stream->cpus, (stream->cpus_count + 1) * sizeof(*more));
		if (!more) {
			err = -ENOMEM;
			break;
		}
		stream->cpus = more;
		more[stream->cpus_count++] = (struct stream_cpu){ .number = number, .fd = -1 };
	}
	closedir(dir);
	if (stream->cpus_count)
		qsort(stream->cpus, stream->cpus_count, sizeof(*stream->cpus), compare_cpus);
	return err ? err : stream->cpus_count ? 0 : -ENOENT;
}

int stream__open(struct stream *stream, const char *instance)
{
	char path[512];
	int err;

	*stream = (struct stream){ .limit_ns = UINT64_MAX };
	if (strlen(instance) >= sizeof(stream->path))
		return -ENAMETOOLONG;
	strcpy(stream->path, instance);
	err = read_layout(stream);
	if (!err)
		err = list_cpus(stream);
	for (size_t i = 0; i < stream->cpus_count && !err; i++) {
		struct stream_cpu *cpu = &stream->cpus[i];

		cpu->bytes = malloc(stream->layout.size);
		if (!cpu->bytes)
			return -ENOMEM;
		err = path_of(stream, cpu->number, "trace_pipe_raw", path);
		if (err)
			return err;
		cpu->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (cpu->fd < 0)
			err = -errno;
	}
	return err;
}

void stream__close(struct stream *stream)
{
	for (size_t i = 0; i < stream->cpus_count; i++) {
		free(stream->cpus[i].bytes);
		free(stream->cpus[i].rest);
		if (stream->cpus[i].fd >= 0)
			close(stream->cpus[i].fd);
	}
	free(stream->cpus);
	stream->cpus = NULL;
	stream->cpus_count = 0;
}

/* Reads the next page, of those that were kept first: its bytes, 0 where there is none, or -1 with errno. */
static ssize_t read_page(const struct stream *stream, struct stream_cpu *cpu)
{
	uint32_t size;

	if (cpu->rest_at == cpu->rest_size)
		return cpu->fd < 0 ? 0 : read(cpu->fd, cpu->bytes, stream->layout.size);
	memcpy(&size, cpu->rest + cpu->rest_at, sizeof(size));
	memcpy(cpu->bytes, cpu->rest + cpu->rest_at + sizeof(size), size);
	cpu->rest_at += sizeof(size) + size;
	return size;
}

/*
 * Whether read(2) failed because there is nothing: also for a CPU that was offline when the instance was made, which has no buffer until it
 * comes online (ENODEV: ring_buffer_alloc_read_page()).
 */
static bool is_nothing(int err)
{
	return err == EAGAIN || err == ENODEV;
}

/* Whether the writer had left a page when it was read: it goes on to the next one where a record finds no room. */
static bool is_full(const struct stream *stream, const struct page *page)
{
	return page->at && (size_t)(page->end - page->at) + ROOM_LEFT_MAX > stream->layout.size - stream->layout.data;
}

/* Makes cpu->record the next one, from another page if need be.  1, 0 where there is none now, or -errno. */
static int advance(struct stream *stream, struct stream_cpu *cpu)
{
	uint64_t before_ns;
	ssize_t got;
	int more;

	cpu->has_record = false;
	for (;;) {
		more = page__next(&cpu->page, &cpu->record);
		if (more > 0) {
			cpu->has_record = true;
			return 1;
		}
		stream->broken += more < 0;
		if (stream->in_round && cpu->round_pages == STREAM_ROUND_PAGES)
			return 0;
		before_ns = now_ns();
		got = read_page(stream, cpu);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !is_nothing(errno))
			return -errno;
		if (got <= 0) {
			cpu->page = (struct page){ .at = NULL };
			cpu->empty_ns = stream->ended ? UINT64_MAX : before_ns - STREAM_LATE_NS;
			return 0;
		}
		if (page__open(&cpu->page, &stream->layout, cpu->bytes, (size_t)got))
			stream->broken++;
		cpu->round_pages = is_full(stream, &cpu->page) ? cpu->round_pages + 1 : STREAM_ROUND_PAGES;
		/* a page without a record may tell a loss, too */
		cpu->lost_some |= cpu->page.lost_some;
		cpu->lost += cpu->page.lost;
	}
}

static void give(struct stream *stream, struct stream_cpu *cpu, struct stream_record *record)
{
	*record = (struct stream_record){
		.record = cpu->record, .cpu = cpu->number, .lost_some = cpu->lost_some, .lost = cpu->lost,
	};
	cpu->has_record = cpu->lost_some = false;
	cpu->lost = 0;
	stream->records++;
}

/*
 * Chooses the CPU whose record is the oldest, and until when its records are: up to the next one of another CPU, or to when that was
 * last found empty, or to the limit.  1, 0 where the oldest record is younger than that, or there is none, or -errno.
 */
static int choose(struct stream *stream)
{
	uint64_t oldest = UINT64_MAX, others = stream->limit_ns;
	size_t count = stream->cpus_count, found = count;

	for (size_t i = 0; i < count; i++) {
		struct stream_cpu *cpu = &stream->cpus[i];
		int err = cpu->has_record ? 1 : advance(stream, cpu);
		uint64_t time;

		if (err < 0)
			return err;
		time = cpu->has_record ? cpu->record.time : cpu->empty_ns;
		if (cpu->has_record && time < oldest) {
			if (oldest < others)
				others = oldest;
			oldest = time;
			found = i;
		} else if (time < others) {
			others = time;
		}
	}
	if (found == count || oldest > others)
		return 0;
	stream->turn = found;
	stream->until_ns = others;
	return 1;
}

int stream__next_turn(struct stream *stream, struct stream_record *record)
{
	struct stream_cpu *cpu = &stream->cpus[stream->turn];
	int more;

	if (!cpu->has_record && stream->until_ns) {
		more = advance(stream, cpu);
		if (more < 0)
			return more;
	}
	if (!cpu->has_record || !stream->until_ns || cpu->record.time > stream->until_ns) {
		stream->until_ns = 0;
		more = choose(stream);
		if (more <= 0)
			return more;
		cpu = &stream->cpus[stream->turn];
	}
	give(stream, cpu, record);
	return 1;
}

int stream__next_on_cpu(struct stream *stream, uint16_t type, struct stream_record *record)
{
	struct stream_cpu *cpu = &stream->cpus[stream->turn];
	int more = cpu->has_record ? 1 : advance(stream, cpu);

	if (more <= 0)
		return more ? more : -EAGAIN;
	if (cpu->lost_some || cpu->record.type != type)
		return 0;
	give(stream, cpu, record);
	return 1;
}

void stream__set_limit(struct stream *stream, uint64_t limit_ns)
{
	stream->limit_ns = limit_ns;
	/* chosen anew by the next one */
	stream->until_ns = 0;
}

uint64_t stream__known_until(const struct stream *stream)
{
	uint64_t known_ns = UINT64_MAX;

	for (size_t i = 0; i < stream->cpus_count; i++) {
		const struct stream_cpu *cpu = &stream->cpus[i];
		uint64_t next_ns = cpu->has_record ? cpu->record.time : cpu->empty_ns;

		/* one of that very time may still come, except behind the end */
		if (next_ns != UINT64_MAX && next_ns)
			next_ns--;
		known_ns = next_ns < known_ns ? next_ns : known_ns;
	}
	return known_ns;
}

int stream__next_of_any(struct stream *stream, uint64_t until_ns, struct stream_record *record)
{
	for (size_t tried = 0; tried < stream->cpus_count; tried++) {
		struct stream_cpu *cpu = &stream->cpus[stream->turn];
		int more = cpu->has_record ? 1 : advance(stream, cpu);

		if (more < 0)
			return more;
		more = more && cpu->record.time <= until_ns;
		/* after each page the next CPU: one that writes faster than this reads would keep the others waiting */
		if (!more || cpu->page.at == cpu->page.end)
			stream->turn = (stream->turn + 1) % stream->cpus_count;
		if (more) {
			give(stream, cpu, record);
			return 1;
		}
	}
	return 0;
}

void stream__begin_round(struct stream *stream)
{
	stream->in_round = true;
	for (size_t i = 0; i < stream->cpus_count; i++)
		stream->cpus[i].round_pages = 0;
}

void stream__end_round(struct stream *stream)
{
	stream->in_round = false;
}

void stream__end(struct stream *stream)
{
	stream->ended = true;
}

/* 0 or -errno. */
static int keep_rest_of(const struct stream *stream, struct stream_cpu *cpu)
{
	size_t room = 0;

	for (;;) {
		uint32_t size;
		ssize_t got;

		if (room - cpu->rest_size < sizeof(size) + stream->layout.size) {
			uint8_t *larger;

			room = 2 * room + 4 * (sizeof(size) + stream->layout.size);
			larger = realloc(cpu->rest, room);
			if (!larger)
				return -ENOMEM;
			cpu->rest = larger;
		}
		got = read(cpu->fd, cpu->rest + cpu->rest_size + sizeof(size), stream->layout.size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !is_nothing(errno))
			return -errno;
		if (got <= 0)
			break;
		size = (uint32_t)got;
		memcpy(cpu->rest + cpu->rest_size, &size, sizeof(size));
		cpu->rest_size += sizeof(size) + size;
	}
	close(cpu->fd);
	cpu->fd = -1;
	return 0;
}

int stream__keep_rest(struct stream *stream)
{
	int err = 0;

	for (size_t i = 0; i < stream->cpus_count && !err; i++)
		if (stream->cpus[i].fd >= 0)
			err = keep_rest_of(stream, &stream->cpus[i]);
	return err;
}

int stream__complete_from(struct stream *stream, uint64_t *from_ns)
{
	*from_ns = 0;
	for (size_t i = 0; i < stream->cpus_count; i++) {
		struct stream_cpu *cpu = &stream->cpus[i];
		int more = cpu->has_record ? 1 : advance(stream, cpu);
		uint64_t begin_ns = cpu->has_record ? cpu->record.time : UINT64_MAX;

		if (more < 0)
			return more;
		if (cpu->lost_some && begin_ns > *from_ns)
			*from_ns = begin_ns;
	}
	return 0;
}

/* The number behind "NAME: " in a stats file; 0 where there is none. */
static uint64_t number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at && (at == text || at[-1] == '\n') ? strtoull(at + strlen(name), NULL, 10) : 0;
}

int stream__stats_of(const struct stream *stream, size_t index, struct stream_stats *stats)
{
	char relative[256], *text;
	size_t size;
	int err;

	snprintf(relative, sizeof(relative), "%s%sper_cpu/cpu%d/stats", stream->path, *stream->path ? "/" : "", stream->cpus[index].number);
	err = tracefs__read(relative, 4096, &text, &size);
	if (err)
		return err;
	*stats = (struct stream_stats){
		.entries = number_of(text, "entries: "),
		.overrun = number_of(text, "overrun: "),
		.refused = number_of(text, "commit overrun: ") + number_of(text, "dropped events: "),
		.read = number_of(text, "read events: "),
	};
	free(text);
	return 0;
}

int stream__stats(const struct stream *stream, struct stream_stats *stats)
{
	*stats = (struct stream_stats){ .entries = 0 };
	for (size_t i = 0; i < stream->cpus_count; i++) {
		struct stream_stats one;
		int err = stream__stats_of(stream, i, &one);

		if (err)
			return err;
		stats->entries += one.entries;
		stats->overrun += one.overrun;
		stats->refused += one.refused;
		stats->read += one.read;
	}
	return 0;
}

int stream__waiting(const char *instance, uint64_t *entries)
{
	struct stream stream = { .until_ns = 0 };
	struct stream_stats stats;
	int err;

	if (strlen(instance) >= sizeof(stream.path))
		return -ENAMETOOLONG;
	strcpy(stream.path, instance);
	err = list_cpus(&stream);
	if (!err)
		err = stream__stats(&stream, &stats);
	if (!err)
		*entries = stats.entries;
	stream__close(&stream);
	return err;
}
