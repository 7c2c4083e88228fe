/* SPDX-License-Identifier: BSD-2-Clause */
#include "uprobe_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleaner.h"
#include "lib/format/events.h"
#include "lib/kernel/owner.h"
#include "lib/print/text_buffer.h"
#include "own_lines.h"
#include "tracepoint.h"

#define FILE_NAME "uprobe_events"
#define PROFILE_NAME "uprobe_profile"
#define LINE_MAX_SIZE 256

static struct owner self;
static unsigned int added;	/* by this process, for names that differ */
static int job;			/* the cleaner's; 0: none */
static int events_fd = -1;	/* later this process may open nothing for writing */
static FILE *profile;		/* of uprobe_events__hits(); NULL: not open */

/* The events of this process that are defined now. */
static char (*own)[UPROBE_EVENTS_NAME_MAX];
static size_t own_count;

/* In the cleaner; its owner is the context. */
static int undo(void *context)
{
	int removed = own_lines__remove_of(FILE_NAME, context);

	return removed < 0 ? removed : 0;
}

static int prepare(void)
{
	static const struct cleaner_work work = { .undo = undo };
	int err;

	if (job)
		return 0;
	/* the cleaner is not started in vain */
	events_fd = own_lines__open(FILE_NAME);
	if (events_fd < 0)
		return events_fd;
	self = owner__self();
	err = cleaner__add(&work, &self, sizeof(self));
	if (err > 0) {
		job = err;
		return 0;
	}
	close(events_fd);
	events_fd = -1;
	return err;
}

/* All lines; NULL: no memory.  The kernel takes the file that a descriptor of the writer has, whatever its name is by now. */
static char *make_lines(const struct uprobe_place *places, size_t count, bool is_return, const char *fetch, const char *name)
{
	struct text_buffer text = text_buffer__growing(count * (LINE_MAX_SIZE + strlen(fetch)) + 1);

	for (size_t i = 0; i < count; i++) {
		text_buffer__add(&text, "%c:" EVENTS_OWN_SYSTEM "/%s /proc/self/fd/%d:0x%llx", is_return ? 'r' : 'p', name, places[i].fd,
				 (unsigned long long)places[i].offset);
		if (places[i].semaphore)
			text_buffer__add(&text, "(0x%llx)", (unsigned long long)places[i].semaphore);
		text_buffer__add(&text, "%s\n", fetch);
	}
	return text_buffer__take(&text);
}

int uprobe_events__add(const struct uprobe_place *places, size_t count, bool is_return, const char *fetch,
		       char name[UPROBE_EVENTS_NAME_MAX])
{
	char owner[OWNER_TEXT_MAX], *lines;
	void *larger;
	int err = prepare();

	if (err)
		return err;
	larger = realloc(own, (own_count + 1) * sizeof(*own));
	if (!larger)
		return -ENOMEM;
	own = larger;
	owner__text(&self, owner);
	snprintf(name, UPROBE_EVENTS_NAME_MAX, "%c%s_u%u", is_return ? 'r' : 'p', owner, added++);
	lines = make_lines(places, count, is_return, fetch, name);
	err = lines ? own_lines__append(FILE_NAME, events_fd, lines) : -ENOMEM;
	free(lines);
	if (err)
		own_lines__remove(FILE_NAME, events_fd, name);
	else
		memcpy(own[own_count++], name, UPROBE_EVENTS_NAME_MAX);
	return err;
}

int uprobe_events__open(const char *name, uint32_t pid)
{
	char event[128];

	snprintf(event, sizeof(event), EVENTS_OWN_SYSTEM "/%s", name);
	return tracepoint__open_for(event, pid);
}

/* "  /path/of a file  NAME  HITS" */
static uint64_t hits_of(const char *line)
{
	const char *number = strrchr(line, ' ');

	for (size_t i = 0; number && i < own_count; i++)
		if (strstr(line, own[i]))
			return strtoull(number, NULL, 10);
	return 0;
}

uint64_t uprobe_events__hits(void)
{
	uint64_t hits = 0;
	char *line = NULL;
	size_t room = 0;

	if (!profile && own_count) {
		int fd = own_lines__open_for(PROFILE_NAME, O_RDONLY);

		profile = fd < 0 ? NULL : fdopen(fd, "r");
	}
	if (!profile)
		return 0;
	rewind(profile);
	while (getline(&line, &room, profile) > 0)
		hits += hits_of(line);
	free(line);
	return hits;
}

int uprobe_events__end(void)
{
	int err = 0;

	if (!job)
		return 0;
	while (own_count) {
		int failed = own_lines__remove(FILE_NAME, events_fd, own[--own_count]);

		if (failed && failed != -ENOENT)
			err = failed;
	}
	close(events_fd);
	events_fd = -1;
	if (profile)
		fclose(profile);
	profile = NULL;
	if (err) {
		/* the cleaner removes what this process could not */
		err = cleaner__undo(job);
		err = err == -ESRCH ? 0 : err;
	} else {
		cleaner__drop(job);
	}
	job = 0;
	free(own);
	own = NULL;
	return err;
}

int uprobe_events__sweep(void)
{
	return own_lines__remove_of(FILE_NAME, NULL);
}
