/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleaner.h"
#include "kprobe_events.h"
#include "lib/kernel/tracefs.h"
#include "own_lines.h"
#include "tracepoint.h"

#define FILE_NAME "kprobe_events"
#define FILE_MAX (16 * 1024 * 1024)
/*
 * For how many calls at the same time a return probe can wait.  The kernel's own choice, which the other modes have to
 * take, is one for each CPU (5.10), later ten or two for each CPU: few for a function that sleeps.
 */
static unsigned int slots = KPROBE_EVENTS_SLOTS;

static struct owner self;	/* set by the first kprobe_events__add() */
static unsigned int added;	/* by this process, for names that differ */
static int job;			/* the cleaner's; 0: none */
static int events_fd = -1;	/* kprobe_events, while this process has probes: later it may open nothing for writing */

/* The probes of this process that are defined now. */
static struct own {
	char name[KPROBE_EVENTS_NAME_MAX];
} *own;
static size_t own_count;

/* Lines appended to kprobe_events: 0 or -errno. */
static int append(const char *line)
{
	return own_lines__append(FILE_NAME, events_fd, line);
}

void kprobe_events__set_slots(unsigned int count)
{
	slots = count;
}

#define KIND_MAX 16

/* What a line begins with: "p", "r256". */
static const char *kind_of(bool is_return, char kind[KIND_MAX])
{
	snprintf(kind, KIND_MAX, is_return ? "r%u" : "p", slots);
	return kind;
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
	int err = own_lines__remove(FILE_NAME, events_fd, name);

	if (found && !err)
		*found = own[--own_count];
	return err;
}

int kprobe_events__sweep(void)
{
	return own_lines__remove_of(FILE_NAME, NULL);
}

/* In the cleaner; its owner is the context. */
static int undo(void *context)
{
	int removed = own_lines__remove_of(FILE_NAME, context);

	return removed < 0 ? removed : 0;
}

/* place: what the kernel takes for the function */
static int add(const char *function, const char *place, bool is_return, const char *fetch, char name[KPROBE_EVENTS_NAME_MAX])
{
	char line[4096], kind[KIND_MAX], owner[OWNER_TEXT_MAX];
	struct own *larger;
	int err;

	if (!job) {
		static const struct cleaner_work work = { .undo = undo };

		self = owner__self();
		err = cleaner__add(&work, &self, sizeof(self));
		if (err < 0)
			return err;
		job = err;
		events_fd = own_lines__open(FILE_NAME);
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
	if (snprintf(line, sizeof(line), "%s:" KPROBE_EVENTS_GROUP "/%s %s%s\n", kind_of(is_return, kind), name, place, fetch) >=
	    (int)sizeof(line))
		return -ENAMETOOLONG;
	added++;
	err = append(line);
	if (!err)
		memcpy(own[own_count++].name, name, KPROBE_EVENTS_NAME_MAX);
	return err;
}

int kprobe_events__add(const char *function, uint64_t address, bool is_return, char name[KPROBE_EVENTS_NAME_MAX])
{
	char place[32];

	snprintf(place, sizeof(place), "%#" PRIx64, address);
	return add(function, address ? place : function, is_return, "", name);
}

int kprobe_events__add_with(const char *function, bool is_return, const char *fetch, char name[KPROBE_EVENTS_NAME_MAX])
{
	return add(function, function, is_return, fetch, name);
}

int kprobe_events__join(const char *name, const char *function, bool is_return)
{
	char line[1024], kind[KIND_MAX];

	if (snprintf(line, sizeof(line), "%s:" KPROBE_EVENTS_GROUP "/%s %s\n", kind_of(is_return, kind), name, function) >=
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
