/* SPDX-License-Identifier: BSD-2-Clause */
#include "timeline.h"

#include <string.h>

#include "text.h"

#define NS_PER_US 1000

/* A name as a JSON string with its quotes. */
struct quoted {
	char text[TEXT_QUOTED_MAX(TIMELINE_NAME_MAX) + 1];
};

static struct quoted quote(const char *name, size_t size)
{
	size_t length = strnlen(name, size < TIMELINE_NAME_MAX ? size : TIMELINE_NAME_MAX);
	struct quoted quoted;
	bool valid;

	*text__quote(quoted.text, name, length, &valid) = 0;
	return quoted;
}

static void add_name(struct text_buffer *to, const char *what, uint32_t pid, uint32_t tid, const char *name, size_t size)
{
	struct quoted quoted = quote(name, size);

	text_buffer__add(to, "{\"ph\":\"M\",\"ts\":0,\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":%s}}", pid, tid, what,
			 quoted.text);
}

/* Every object but the first one begins with the comma that parts it from the one before: the file has no comma too many at any time. */
void timeline__begin(struct text_buffer *to, uint32_t pid, const char *name)
{
	text_buffer__add(to, "[\n");
	add_name(to, "process_name", pid, 0, name, strlen(name));
}

void timeline__end(struct text_buffer *to)
{
	text_buffer__add(to, "\n]\n");
}

void timeline__name_group(struct text_buffer *to, uint32_t pid, const char *name, size_t size)
{
	text_buffer__add(to, ",\n");
	add_name(to, "process_name", pid, 0, name, size);
}

void timeline__name_track(struct text_buffer *to, const struct timeline_track *track, const char *name, size_t size)
{
	text_buffer__add(to, ",\n");
	add_name(to, "thread_name", track->pid, track->tid, name, size);
}

void timeline__slice(struct text_buffer *to, const struct timeline_track *track, uint64_t begin_ns, uint64_t end_ns, const char *name,
		     size_t size, const char *args)
{
	uint64_t length_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	struct quoted quoted = quote(name, size);

	text_buffer__add(to, ",\n{\"ph\":\"X\",\"ts\":%llu.%03u,\"dur\":%llu.%03u,\"pid\":%u,\"tid\":%u,\"name\":%s,\"args\":{%s}}",
			 (unsigned long long)begin_ns / NS_PER_US, (unsigned int)(begin_ns % NS_PER_US),
			 (unsigned long long)length_ns / NS_PER_US, (unsigned int)(length_ns % NS_PER_US), track->pid, track->tid,
			 quoted.text, args);
}

void timeline__instant(struct text_buffer *to, const struct timeline_track *track, uint64_t ts_ns, const char *name, const char *args)
{
	struct quoted quoted = quote(name, strlen(name));

	text_buffer__add(to, ",\n{\"ph\":\"i\",\"s\":\"t\",\"ts\":%llu.%03u,\"pid\":%u,\"tid\":%u,\"name\":%s,\"args\":{%s}}",
			 (unsigned long long)ts_ns / NS_PER_US, (unsigned int)(ts_ns % NS_PER_US), track->pid, track->tid, quoted.text,
			 args);
}
