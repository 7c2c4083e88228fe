/* SPDX-License-Identifier: BSD-2-Clause */
#include "events.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

#define EVENT_PATH_MAX 512
/* 5.10 to 7.2 have 1,200 to 1,600 events, some 40 KB. */
#define EVENTS_SIZE_MAX (16 << 20)

#define NEAREST_COUNT 3

static const struct events_copy *used;

void events__use(const struct events_copy *copy)
{
	used = copy;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether line is "SYSTEM/NAME". */
static bool is_event(char *line)
{
	char *slash = strchr(line, '/');
	bool is_good;

	if (!slash)
		return false;
	*slash = '\0';
	is_good = format__is_name(line) && format__is_name(slash + 1);
	*slash = '/';
	return is_good;
}

/*
 * Makes the names of the text's lines, "SYSTEM:NAME" or "SYSTEM/NAME" each.  The text has length bytes and a 0 byte
 * behind them, which may be all that ends the last line.
 */
static int split_names(struct events *events, size_t length)
{
	char *text_end = events->text + length;
	size_t lines = 1;
	unsigned number = 0;

	for (const char *p = events->text; (p = memchr(p, '\n', (size_t)(text_end - p))); p++)
		lines++;
	events->names = malloc(lines * sizeof(*events->names));
	if (!events->names)
		return -ENOMEM;
	for (char *line = events->text, *end; line < text_end; line = end + 1) {
		char *colon;

		number++;
		end = memchr(line, '\n', (size_t)(text_end - line));
		if (!end)
			end = text_end;
		*end = 0;
		if (end == line)
			continue;
		colon = strchr(line, ':');
		if (colon)
			*colon = '/';
		if (!strncmp(line, EVENTS_OWN_SYSTEM "/", strlen(EVENTS_OWN_SYSTEM "/")))
			continue;
		if (is_event(line) && strlen(line) == (size_t)(end - line))
			events->names[events->count++] = line;
		else if (!events->bad_lines++)
			events->first_bad_line = number;
	}
	qsort(events->names, events->count, sizeof(*events->names), compare_names);
	return 0;
}

static int open_directory(DIR **directory, const char *relative)
{
	char path[EVENT_PATH_MAX];
	int err = tracefs__path(path, sizeof(path), relative);

	if (err)
		return err;
	*directory = opendir(path);
	return *directory ? 0 : -errno;
}

/* The next directory in one that lists systems or events, NULL at the end; counts those with a name that no event has. */
static const char *next_name(DIR *directory, struct events *events)
{
	struct dirent *entry;

	while ((entry = readdir(directory))) {
		/* files such as "enable" are there, too */
		if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		if (format__is_name(entry->d_name))
			return entry->d_name;
		events->bad_directories++;
	}
	return NULL;
}

static int add_system(struct text_buffer *lines, const char *system, struct events *events)
{
	char relative[EVENT_PATH_MAX];
	DIR *directory;
	const char *name;
	int err;

	if (snprintf(relative, sizeof(relative), "events/%s", system) >= (int)sizeof(relative))
		return -ENAMETOOLONG;
	err = open_directory(&directory, relative);
	if (err)
		return err == -ENOTDIR ? 0 : err;
	while ((name = next_name(directory, events)))
		text_buffer__add(lines, "%s/%s\n", system, name);
	closedir(directory);
	return lines->err;
}

/* Lists the directories below events/ as lines, of *length bytes. */
static int list_directories(struct events *events, char **text, size_t *length)
{
	struct text_buffer lines = text_buffer__growing(EVENTS_SIZE_MAX);
	DIR *directory;
	const char *system;
	int err;

	err = open_directory(&directory, "events");
	if (err)
		return err;
	while (!err && (system = next_name(directory, events)))
		if (strcmp(system, "ftrace") && strcmp(system, EVENTS_OWN_SYSTEM))
			err = add_system(&lines, system, events);
	closedir(directory);
	if (!err && !lines.length)
		err = -ENOENT;
	*length = lines.length;
	if (!err) {
		*text = text_buffer__take(&lines);
		err = *text ? 0 : -ENOMEM;
	}
	text_buffer__free(&lines);
	return err;
}

/*
 * tracefs__read() of what is a file in tracefs, but may be anything in a copy: -EBADF for what is none.  To open a FIFO
 * would be to wait for someone who writes into it.
 */
static int read_regular(const char *relative, size_t size_max, char **text, size_t *size)
{
	char path[EVENT_PATH_MAX];
	struct stat stat_of;
	int err;

	if (used)
		return used->read(used->ctx, relative, size_max, text, size);
	err = tracefs__path(path, sizeof(path), relative);
	if (err)
		return err;
	if (stat(path, &stat_of))
		return -errno;
	if (!S_ISREG(stat_of.st_mode))
		return -EBADF;
	return tracefs__read(relative, size_max, text, size);
}

int events__list(struct events *events)
{
	size_t size;
	int err;

	*events = (struct events){};
	err = read_regular("available_events", EVENTS_SIZE_MAX, &events->text, &size);
	if (err == -ENOENT)
		err = list_directories(events, &events->text, &size);
	if (!err)
		err = split_names(events, size);
	if (err)
		events__free(events);
	return err;
}

void events__free(struct events *events)
{
	free(events->names);
	free(events->text);
	*events = (struct events){};
}

/* How far an event is from the wanted one: the right name in another system counts as near. */
static unsigned event_distance(const char *event, const char *wanted, unsigned limit)
{
	const char *event_name = strchr(event, '/'), *wanted_name = strchr(wanted, '/');
	unsigned least = near__edits(event, wanted, limit);

	if (event_name && wanted_name) {
		unsigned by_name = near__edits(event_name, wanted_name, limit) + 2;

		if (by_name < least)
			least = by_name;
	}
	return least;
}

/* Appends the names nearest to wanted. */
static void add_nearest(const char *wanted, struct text_buffer *why)
{
	struct events events;
	struct near near;

	if (events__list(&events))
		return;
	near__init(&near, 3 + (unsigned)strlen(wanted) / 6, NEAREST_COUNT);
	for (size_t i = 0; i < events.count; i++)
		near__add(&near, events.names[i], event_distance(events.names[i], wanted, near__limit(&near)));
	near__put(&near, why);
	events__free(&events);
}

static bool has_user_events(void)
{
	char path[512];

	return !tracefs__path(path, sizeof(path), "user_events_data") && !access(path, F_OK);
}

/* What a line of kprobe_events begins with, and what other tracers call functions. */
static bool is_word_for_functions(const char *system)
{
	static const char *const words[] = { "p", "r", "f", "kprobe", "kretprobe", "kfunc", "kretfunc", "fentry", "fexit" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(system, words[i]))
			return true;
	return false;
}

static void explain_missing(const char *system, const char *name, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	char wanted[EVENT_PATH_MAX];

	text_buffer__add(&text, "event %s/%s: %s has no such event", system, name, used ? used->what : "the kernel");
	if (snprintf(wanted, sizeof(wanted), "%s/%s", system, name) < (int)sizeof(wanted))
		add_nearest(wanted, &text);
	if (!used && is_word_for_functions(system))
		text_buffer__add(&text, " (a call of a function is k:FUNCTION, its return kr:FUNCTION)");
	else if (!used && !strncmp(system, "user_events", 11) && !has_user_events())
		text_buffer__add(&text, " (this one was built without user events, CONFIG_USER_EVENTS)");
	else if (!used)
		text_buffer__add(&text, " (if it belongs to a module, load that first)");
}

/* Also a component of a path, not a way out of the directory. */
static bool is_plain_name(const char *name)
{
	return *name != '.' && format__is_name(name);
}

/* -ENOENT, of an event that does not exist, is the one error that is not explained in fault. */
static int read_format(const char *system, const char *name, struct format **format, struct fault *fault)
{
	char relative[EVENT_PATH_MAX];
	struct format_error error;
	size_t length;
	char *text;
	int err;

	if (!is_plain_name(system) || !is_plain_name(name) ||
	    snprintf(relative, sizeof(relative), "events/%s/%s/format", system, name) >= (int)sizeof(relative))
		return fault__set(fault, -EINVAL, "event %.64s/%.64s: is no name of an event (SYSTEM/NAME is one)", system,
				  name);
	err = read_regular(relative, FORMAT_SIZE_MAX, &text, &length);
	if (err == -ENOENT) {
		if (used || tracefs__mount_point())
			return err;
		err = -ENODEV;
	}
	if (err == -EBADF)
		return fault__set(fault, err,
				  "event %s/%s: its format is no regular file, but a directory, a FIFO or the like", system,
				  name);
	if (err == -EFBIG)
		return fault__set(fault, err, "event %s/%s: its format file is larger than any format file", system, name);
	if (err)
		return fault__set(fault, err, "event %s/%s: %s", system, name,
				  tracefs__mount_point() && err != -EACCES ? strerror(-err) : tracefs__why(err));
	err = format__parse(format, system, text, length, &error);
	if (err && error.line)
		fault__set(fault, err, "event %s/%s: line %u of its format file: %s", system, name, error.line, error.why);
	else if (err)
		fault__set(fault, err, "event %s/%s: its format file: %s", system, name, error.why);
	free(text);
	return err;
}

int events__format(const char *system, const char *name, struct format **format, struct fault *fault)
{
	int err = read_format(system, name, format, fault);

	if (err == -ENOENT)
		explain_missing(system, name, fault);
	return err;
}

const char *events__of_section(const char *section)
{
	section += *section == '?';	/* not loaded by itself */
	if (!strncmp(section, "tp/", 3))
		return section + 3;
	return strncmp(section, "tracepoint/", 11) ? NULL : section + 11;
}

int events__struct_name(const char *system, const char *name, char *tag, size_t size)
{
	int length = snprintf(tag, size, "tp_%s__%s", system, name);

	if (length < 0 || (size_t)length >= size)
		return -ENAMETOOLONG;
	for (char *c = tag; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
			*c = '_';
	return 0;
}

/* An event whose struct has that name, where the plain reading of the name found none; NULL, or freed by the caller. */
static char *find_by_struct_name(const char *tag)
{
	char own_tag[EVENT_PATH_MAX], *found = NULL;
	struct events events;

	if (events__list(&events))
		return NULL;
	for (size_t i = 0; i < events.count && !found; i++) {
		char *name = strchr(events.names[i], '/');

		if (!name)
			continue;
		*name = 0;
		if (!events__struct_name(events.names[i], name + 1, own_tag, sizeof(own_tag)) &&
		    !strcmp(own_tag, tag)) {
			*name = '/';
			found = strdup(events.names[i]);
		}
		*name = '/';
	}
	events__free(&events);
	return found;
}

int events__format_of_struct(const char *tag, struct format **format, struct fault *fault)
{
	const char *separator = strncmp(tag, "tp_", 3) || strlen(tag) >= EVENT_PATH_MAX ? NULL : strstr(tag + 3, "__");
	char system[EVENT_PATH_MAX], *name, *event;
	int err;

	if (!separator)
		return fault__set(fault, -EINVAL, "struct %.128s: does not name an event (tp_SYSTEM__NAME does)", tag);
	strcpy(system, tag + 3);
	name = system + (separator - tag - 3);
	*name = 0;
	name += 2;
	err = read_format(system, name, format, fault);
	if (err != -ENOENT)
		return err;
	event = find_by_struct_name(tag);
	if (!event) {
		explain_missing(system, name, fault);
		return err;
	}
	name = strchr(event, '/');
	*name = 0;
	err = events__format(event, name + 1, format, fault);
	free(event);
	return err;
}
