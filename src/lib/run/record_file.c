/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (256 * 1024)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they are");

/* ---- reading */

/* Makes so many bytes of the file be in the buffer.  1; 0: it ends before; -errno. */
static int fill(struct record_reader *reader, size_t bytes)
{
	if (reader->used - reader->at >= bytes)
		return 1;
	/* the data of a chunk begins at a multiple of 8 */
	if (reader->used)
		memmove(reader->buffer, reader->buffer + reader->at, reader->used - reader->at);
	reader->used -= reader->at;
	reader->at = 0;
	if (reader->room < bytes) {
		size_t room = bytes > BUFFER_SIZE ? bytes : BUFFER_SIZE;
		char *larger = realloc(reader->buffer, room);

		if (!larger)
			return -ENOMEM;
		reader->buffer = larger;
		reader->room = room;
	}
	while (reader->used < bytes && !reader->at_end) {
		ssize_t got = read(reader->fd, reader->buffer + reader->used, reader->room - reader->used);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			reader->used += (size_t)got;
		reader->at_end = !got;
	}
	return reader->used >= bytes;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static int cut_off(const struct record_reader *reader, struct fault *fault)
{
	fault__set(fault, -ENODATA, "cut off after %llu bytes", (unsigned long long)reader->offset);
	return -ENODATA;
}

static int read_head(struct record_reader *reader, struct fault *fault)
{
	const struct record_head *head;
	int got = fill(reader, sizeof(*head));

	if (got < 0)
		return got;
	head = (const void *)reader->buffer;
	if (!got || memcmp(head->magic, RECORD_FILE_MAGIC, sizeof(head->magic))) {
		fault__set(fault, -EPROTO, "not a file that --record wrote");
		return -EPROTO;
	}
	if (head->format != RECORD_FILE_FORMAT) {
		fault__set(fault, -EPROTO, "a file of format %u; this probelight reads format %d", head->format, RECORD_FILE_FORMAT);
		return -EPROTO;
	}
	reader->at += sizeof(*head);
	reader->offset += sizeof(*head);
	reader->has_head = true;
	return 1;
}

int record_reader__next(struct record_reader *reader, struct record_chunk *chunk, const void **data, struct fault *fault)
{
	int got = reader->has_head ? 1 : read_head(reader, fault);
	size_t size;

	if (got > 0)
		got = fill(reader, sizeof(*chunk));
	if (!got && reader->has_head)
		return reader->used == reader->at ? 0 : cut_off(reader, fault);
	if (got > 0) {
		memcpy(chunk, reader->buffer + reader->at, sizeof(*chunk));
		if (chunk->size > RECORD_SIZE_MAX || chunk->kind >= RECORD_KINDS) {
			fault__set(fault, -EBADMSG, "damaged after %llu bytes", (unsigned long long)reader->offset);
			return -EBADMSG;
		}
		got = fill(reader, sizeof(*chunk) + padded(chunk->size));
		if (!got)
			return cut_off(reader, fault);
	}
	if (got < 0) {
		if (got != -EPROTO)
			fault__set(fault, got, "cannot be read: %s", strerror(-got));
		return got;
	}
	size = sizeof(*chunk) + padded(chunk->size);
	*data = reader->buffer + reader->at + sizeof(*chunk);
	reader->at += size;
	reader->offset += size;
	return 1;
}

void record_reader__free(struct record_reader *reader)
{
	free(reader->buffer);
	reader->buffer = NULL;
}

/* ---- what is in chunks */

bool record__is_text(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

bool record__is_printable(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

#define NAMES_COUNT 8
static void list_names(const struct cgroup_names *names, const char *list[NAMES_COUNT])
{
	list[0] = names->path;
	list[1] = names->name;
	list[2] = names->container;
	list[3] = names->pod;
	list[4] = names->unit;
	list[5] = names->slice;
	list[6] = names->container_id;
	list[7] = names->pod_uid;
}

size_t record__put_cgroup(char *to, uint64_t id, const struct cgroup_names *names)
{
	const size_t name_max = (RECORD_CGROUP_MAX - sizeof(id)) / NAMES_COUNT - 2;
	const char *list[NAMES_COUNT];
	char *at = to + sizeof(id);

	memcpy(to, &id, sizeof(id));
	list_names(names, list);
	for (size_t i = 0; i < NAMES_COUNT; i++) {
		size_t size = list[i] ? strnlen(list[i], name_max) : 0;

		if (list[i])
			*at++ = 1;
		memcpy(at, list[i] ? list[i] : "", size);
		at[size] = 0;
		at += size + 1;
	}
	return (size_t)(at - to);
}

bool record__get_cgroup(const char *data, size_t size, uint64_t *id, struct cgroup_names *names)
{
	const char *list[NAMES_COUNT], *at = data + sizeof(*id), *end = data + size;

	if (size < sizeof(*id))
		return false;
	memcpy(id, data, sizeof(*id));
	for (size_t i = 0; i < NAMES_COUNT; i++) {
		const char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;

		if (!zero || (*at && *at != 1))
			return false;
		list[i] = *at ? at + 1 : NULL;
		at = zero + 1;
	}
	*names = (struct cgroup_names){
		.path = list[0], .name = list[1], .container = list[2], .pod = list[3], .unit = list[4], .slice = list[5],
		.container_id = list[6], .pod_uid = list[7],
	};
	return true;
}

bool record__is_layout(const struct record_about_run *run, uint32_t layout)
{
	return run->layout == layout;
}

static struct record_count count_to(const struct count *count)
{
	struct record_count to = { .value = count->value, .kind = count->kind };

	snprintf(to.why, sizeof(to.why), "%s", count->why ? count->why : "");
	return to;
}

static bool count_from(const struct record_count *from, struct count *count)
{
	if (from->kind > COUNT_UNKNOWN || !record__is_text(from->why, sizeof(from->why)) ||
	    !record__is_printable(from->why, strlen(from->why)))
		return false;
	*count = (struct count){ .value = from->value, .kind = from->kind, .why = *from->why ? from->why : NULL };
	return true;
}

struct record_end record__end_of(const struct tally *tally)
{
	return (struct record_end){
		.lost = count_to(&tally->lost), .filtered = count_to(&tally->filtered), .missed = count_to(&tally->missed),
		.no_room = tally->no_room, .unread = tally->unread,
	};
}

bool record__tally_of(const struct record_end *end, struct tally *tally)
{
	if (!count_from(&end->lost, &tally->lost) || !count_from(&end->filtered, &tally->filtered) ||
	    !count_from(&end->missed, &tally->missed))
		return false;
	tally->no_room = end->no_room;
	tally->unread = end->unread;
	return true;
}

bool record__is_start(const char *text, size_t size)
{
	static const char begin[] = "{\"type\":\"start\",\"start\":{";

	return size > sizeof(begin) && !memcmp(text, begin, sizeof(begin) - 1) && text[size - 1] == '}' &&
	       record__is_printable(text, size);
}
