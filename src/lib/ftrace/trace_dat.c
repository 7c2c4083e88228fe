/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace_dat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"

void trace_dat__close(struct trace_dat *dat)
{
	for (size_t i = 0; i < dat->events_count; i++) {
		free(dat->events[i].name);
		free(dat->events[i].text);
	}
	for (size_t i = 0; i < dat->lanes_count; i++)
		free(dat->lanes[i].bytes);
	free(dat->events);
	free(dat->lanes);
	saved_names__free(&dat->names);
	*dat = (struct trace_dat){ .lanes_count = 0 };
}

/* ---- the records */

/* Reads the lane's next page.  1, 0 at the end, or -errno. */
static int read_page(struct trace_dat *dat, struct trace_dat_lane *lane)
{
	int64_t got;

	if (lane->at >= lane->end)
		return 0;
	if (!lane->bytes)
		lane->bytes = malloc(lane->page_size);
	if (!lane->bytes)
		return -ENOMEM;
	got = dat->bytes.read_at(dat->bytes.ctx, lane->at, lane->bytes, lane->page_size);
	if (got < 0)
		return (int)got;
	if (got < (int64_t)lane->page_size) {
		dat->is_cut = true;
		lane->at = lane->end;
	} else {
		lane->at += lane->page_size;
	}
	if (!got)
		return 0;
	if (page__open(&lane->page, &dat->layout, lane->bytes, (size_t)got))
		dat->broken++;
	lane->lost_some |= lane->page.lost_some;
	lane->lost += lane->page.lost;
	return 1;
}

/* Makes lane->record the next one, if there is one: has_record.  0 or -errno. */
static int advance(struct trace_dat *dat, struct trace_dat_lane *lane)
{
	for (;;) {
		int more = page__next(&lane->page, &lane->record);

		if (more > 0) {
			lane->has_record = true;
			return 0;
		}
		dat->broken += more < 0;
		more = read_page(dat, lane);
		if (more <= 0)
			return more;
	}
}

int trace_dat__next(struct trace_dat *dat, struct stream_record *record)
{
	struct trace_dat_lane *oldest = NULL;

	for (size_t i = 0; i < dat->lanes_count; i++) {
		struct trace_dat_lane *lane = &dat->lanes[i];
		int err = lane->has_record ? 0 : advance(dat, lane);

		if (err)
			return err;
		if (lane->has_record && (!oldest || lane->record.time < oldest->record.time))
			oldest = lane;
	}
	if (!oldest)
		return 0;
	*record = (struct stream_record){
		.record = oldest->record, .cpu = (int)oldest->cpu, .lost_some = oldest->lost_some, .lost = oldest->lost,
	};
	oldest->has_record = oldest->lost_some = false;
	oldest->lost = 0;
	return 1;
}

/* ---- its files */

static int copy_text(const char *from, size_t length, size_t size_max, char **text, size_t *size)
{
	if (length > size_max)
		return -EFBIG;
	*text = malloc(length + 1);
	if (!*text)
		return -ENOMEM;
	memcpy(*text, from, length);
	(*text)[length] = '\0';
	*size = length;
	return 0;
}

static int list_events(const struct trace_dat *dat, size_t size_max, char **text, size_t *size)
{
	struct text_buffer lines = text_buffer__growing(size_max);
	int err;

	for (size_t i = 0; i < dat->events_count; i++)
		if (strncmp(dat->events[i].name, "ftrace/", 7))
			text_buffer__add(&lines, "%s\n", dat->events[i].name);
	err = lines.err ? lines.err : copy_text(lines.text ?: "", lines.length, size_max, text, size);
	text_buffer__free(&lines);
	return err;
}

int trace_dat__read(const struct trace_dat *dat, const char *relative, size_t size_max, char **text, size_t *size)
{
	size_t length = strlen(relative), begin = strlen("events/"), end = strlen("/format");

	if (!strcmp(relative, "available_events"))
		return list_events(dat, size_max, text, size);
	if (length < begin + end || strncmp(relative, "events/", begin) || strcmp(relative + length - end, "/format"))
		return -ENOENT;
	for (size_t i = 0; i < dat->events_count; i++) {
		const struct trace_dat_event *event = &dat->events[i];

		if (strlen(event->name) == length - begin - end && !strncmp(relative + begin, event->name, length - begin - end))
			return copy_text(event->text, event->size, size_max, text, size);
	}
	return -ENOENT;
}
