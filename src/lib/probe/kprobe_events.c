/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleaner.h"
#include "kprobe_events.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/tracefs.h"
#include "tracepoint.h"

#define FILE_MAX (16 * 1024 * 1024)
/*
 * For how many calls at the same time a return probe can wait.  The kernel's own choice, which the other modes have to
 * take, is one for each CPU (5.10), later ten or two for each CPU: few for a function that sleeps.
 */
#define SLOTS "256"

static struct owner self;	/* set by the first kprobe_events__add() */
static unsigned int added;	/* by this process, for names that differ */
static int job;			/* the cleaner's; 0: none */
static int events_fd = -1;	/* kprobe_events, while this process has probes: later it may open nothing for writing */

/* The probes of this process that are defined now. */
static struct own {
	char name[KPROBE_EVENTS_NAME_MAX];
} *own;
static size_t own_count;

/* A file descriptor or -errno. */
static int open_events(void)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), "kprobe_events"), fd;

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* One line appended to kprobe_events: 0 or -errno. */
static int append(const char *line)
{
	int fd = events_fd >= 0 ? events_fd : open_events(), err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, line, strlen(line)) < 0)
		err = -errno;
	if (fd != events_fd)
		close(fd);
	return err;
}

static struct own *find_own(const char *name)
{
	for (size_t i = 0; i < own_count; i++)
		if (!strcmp(own[i].name, name))
			return &own[i];
	return NULL;
}

int kprobe_events__remove(const char *name)
{
	struct own *found = find_own(name);
	char line[128];
	int err;

	snprintf(line, sizeof(line), "-:" KPROBE_EVENTS_GROUP "/%s\n", name);
	err = append(line);
	if (found && !err)
		*found = own[--own_count];
	return err;
}

bool kprobe_event__owner(const char *name, struct owner *owner)
{
	const char *end;

	if (name[0] != 'p' && name[0] != 'r')
		return false;
	end = owner__parse(name + 1, owner);
	return end && *end == '_';
}

/*
 * Removes our group's probes of one process, or of all dead ones where only is NULL.  The number removed, or -errno of the
 * last failure.
 */
static int remove_of(const struct owner *only)
{
	char *text, *line, *next;
	int removed = 0, err;
	struct owner owner;
	size_t size;

	err = tracefs__read("kprobe_events", FILE_MAX, &text, &size);
	if (err)
		return err;
	/* "p:GROUP/NAME FUNC+0 …", "r16:GROUP/NAME …" */
	for (line = text; line; line = next) {
		char *name = strchr(line, ':');
		size_t group = strlen(KPROBE_EVENTS_GROUP "/");

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!name || strncmp(name + 1, KPROBE_EVENTS_GROUP "/", group))
			continue;
		name += 1 + group;
		name[strcspn(name, " ")] = '\0';
		if (kprobe_event__owner(name, &owner) && (only ? owner__is_same(&owner, only) : owner__is_known_dead(&owner))) {
			int failed = kprobe_events__remove(name);

			/* -EBUSY: still in use; -ENOENT: somebody else was faster */
			if (!failed)
				removed++;
			else if (only && failed != -ENOENT)
				err = failed;
		}
	}
	free(text);
	return err ? err : removed;
}

int kprobe_events__sweep(void)
{
	return remove_of(NULL);
}

/* In the cleaner; its owner is the context. */
static int undo(void *context)
{
	int removed;

	/* the parent's file, of which the cleaner has none */
	events_fd = -1;
	removed = remove_of(context);
	return removed < 0 ? removed : 0;
}

int kprobe_events__add(const char *function, bool is_return, char name[KPROBE_EVENTS_NAME_MAX])
{
	return kprobe_events__add_with(function, is_return, "", name);
}

int kprobe_events__add_with(const char *function, bool is_return, const char *fetch, char name[KPROBE_EVENTS_NAME_MAX])
{
	char line[4096], owner[OWNER_TEXT_MAX];
	struct own *larger;
	int err;

	if (!job) {
		static const struct cleaner_work work = { .undo = undo };

		self = owner__self();
		err = cleaner__add(&work, &self, sizeof(self));
		if (err < 0)
			return err;
		job = err;
		events_fd = open_events();
	}
	larger = realloc(own, (own_count + 1) * sizeof(*own));
	if (!larger)
		return -ENOMEM;
	own = larger;
	owner__text(&self, owner);
	snprintf(name, KPROBE_EVENTS_NAME_MAX, "%c%s_%u_%s", is_return ? 'r' : 'p', owner, added, function);
	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	if (snprintf(line, sizeof(line), "%s:" KPROBE_EVENTS_GROUP "/%s %s%s\n", is_return ? "r" SLOTS : "p", name, function, fetch) >=
	    (int)sizeof(line))
		return -ENAMETOOLONG;
	added++;
	err = append(line);
	if (!err)
		memcpy(own[own_count++].name, name, KPROBE_EVENTS_NAME_MAX);
	return err;
}

int kprobe_events__join(const char *name, const char *function, bool is_return)
{
	char line[1024];

	if (snprintf(line, sizeof(line), "%s:" KPROBE_EVENTS_GROUP "/%s %s\n", is_return ? "r" SLOTS : "p", name, function) >=
	    (int)sizeof(line))
		return -ENAMETOOLONG;
	return append(line);
}

int kprobe_events__id(const char *name)
{
	char event[128];

	snprintf(event, sizeof(event), KPROBE_EVENTS_GROUP "/%s", name);
	return tracepoint__id(event);
}

int kprobe_events__end(void)
{
	char name[KPROBE_EVENTS_NAME_MAX];
	int err = 0, undone;

	if (!job)
		return 0;
	while (own_count) {
		int failed;

		/* a copy: removing takes it from the list */
		memcpy(name, own[0].name, sizeof(name));
		failed = kprobe_events__remove(name);
		if (failed) {
			own[0] = own[--own_count];
			err = failed == -ENOENT ? err : failed;
		}
	}
	if (events_fd >= 0)
		close(events_fd);
	events_fd = -1;
	if (!err) {
		cleaner__drop(job);
	} else {
		/* the cleaner removes what this process could not */
		undone = cleaner__undo(job);
		err = undone == -ESRCH ? err : undone;
	}
	job = 0;
	free(own);
	own = NULL;
	added = 0;
	return err;
}

int kprobe_events__missed(uint64_t *entries, uint64_t *returns)
{
	char *text, *line, *rest = NULL;
	size_t size;
	int err;

	*entries = *returns = 0;
	if (!own_count)
		return 0;
	err = tracefs__read("kprobe_profile", FILE_MAX, &text, &size);
	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long hits, misses;
		char name[KPROBE_EVENTS_NAME_MAX + 1];

		/* "  NAME   HITS   MISSES"; the misses are those of the probe and, of a return probe, of its slots */
		if (sscanf(line, "%64s %llu %llu", name, &hits, &misses) == 3 && find_own(name))
			*(*name == 'r' ? returns : entries) += misses;
	}
	free(text);
	return 0;
}
