/* SPDX-License-Identifier: BSD-2-Clause */
#include "probed.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_addresses.h"
#include "gather.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/tracefs.h"

#define KPROBES_LIST "/sys/kernel/debug/kprobes/list"
#define FILE_MAX (64 * 1024 * 1024)

void probed__clear(struct probed *probed)
{
	free(probed->function);
	free(probed->module);
	free(probed->flags);
	free(probed->trampoline);
	free(probed->event);
	free(probed->program);
	free(probed->program_type);
	free(probed->holders);
	memset(probed, 0, sizeof(*probed));
}

void gather__note(struct gather *gather, const char *format, ...)
{
	struct probed_list *list = gather->list;
	char **notes, *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	for (size_t i = 0; i < list->notes_count; i++) {
		if (!strcmp(list->notes[i], text)) {
			free(text);
			return;
		}
	}
	notes = realloc(list->notes, (list->notes_count + 1) * sizeof(*notes));
	if (!notes) {
		free(text);
		return;
	}
	list->notes = notes;
	list->notes[list->notes_count++] = text;
}

struct probed *gather__add(struct gather *gather, struct probed *probed)
{
	struct probed_list *list = gather->list;

	if (!probed->function || !gather->wanted(gather->context, probed->function, probed->module)) {
		probed__clear(probed);
		return NULL;
	}
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		struct probed *all = realloc(list->all, room * sizeof(*all));

		if (!all) {
			probed__clear(probed);
			return NULL;
		}
		list->all = all;
		list->room = room;
	}
	list->all[list->count] = *probed;
	return &list->all[list->count++];
}

/* ---- the kernel's files */

static char *next_line(char **rest)
{
	char *line = *rest, *newline;

	if (!*line)
		return NULL;
	newline = strchr(line, '\n');
	if (newline)
		*newline = '\0';
	*rest = newline ? newline + 1 : line + strlen(line);
	return line;
}

static void gather_kprobes(struct gather *gather)
{
	FILE *file = fopen(KPROBES_LIST, "re");
	struct probed probed;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		gather__note(gather, "the list of kprobes cannot be read: " KPROBES_LIST ": %s (mount -t debugfs debugfs "
			     "/sys/kernel/debug)", strerror(errno));
		return;
	}
	while (getline(&line, &size, file) > 0)
		if (probed__parse_kprobe(line, &probed))
			gather__add(gather, &probed);
	free(line);
	fclose(file);
}

static void gather_ftrace(struct gather *gather)
{
	struct probed probed, *last = NULL;
	char *text, *rest, *line;
	size_t size;
	int err;

	err = tracefs__read("enabled_functions", FILE_MAX, &text, &size);
	if (err) {
		gather__note(gather, "ftrace's callbacks cannot be read: enabled_functions: %s", strerror(-err));
		return;
	}
	for (rest = text; (line = next_line(&rest));) {
		if (*line == '\t' && last) {
			char *joined, *more = probed__without_sizes(line + strspn(line, "\t"));

			if (more && asprintf(&joined, "%s%s%s", last->trampoline ?: "", last->trampoline ? " " : "", more) > 0) {
				free(last->trampoline);
				last->trampoline = joined;
			}
			free(more);
		} else if (probed__parse_ftrace(line, &probed)) {
			last = gather__add(gather, &probed);
		}
	}
	free(text);
}

void gather__place(const struct gather *gather, struct probed *probed)
{
	const struct ksym *sym;
	uint64_t offset;

	if (!probed->address)
		return;
	sym = ksyms__at(gather->ksyms, probed->address, &offset);
	if (!sym)
		return;
	free(probed->function);
	free(probed->module);
	probed->function = strdup(sym->name);
	probed->module = sym->module ? strdup(sym->module) : NULL;
	probed->offset = offset;
}

/*
 * An event may be defined by another symbol and an offset ("_text+3647536", as perf-probe(1) writes it), or by an address, which
 * the kernel then shows as a hash: 32 bits of it.  place is what the kernel's memory says, or NULL.
 */
static void place_event(struct gather *gather, struct probed *probed, const struct event_address *place, const struct fault *fault)
{
	uint64_t address = place ? place->address : 0, shown, start = ksyms__address(gather->ksyms, probed->module, probed->function);
	char *end;

	shown = strtoull(probed->function, &end, 0);
	/* the name in the file stays where it is one of those of the place */
	if (*end && !probed->offset &&
	    (!address || address == start || (place->is_after_endbr && address == start + KTEXT_MARK)))
		return;
	if (address)
		probed->address = address;
	else if (!*end && shown <= UINT32_MAX)
		gather__note(gather, "the kernel hides the address that event %s is at, and its memory does not tell it: %s", probed->event,
			     fault->err ? fault->text : "the events have changed meanwhile");
	else if (!*end)
		probed->address = shown;
	else if (start)
		probed->address = start + probed->offset;
	gather__place(gather, probed);
	if (address && place->is_after_endbr && probed->offset == KTEXT_MARK) {
		probed->offset = 0;
		probed->address -= KTEXT_MARK;
	}
}

/* The lines of kprobe_profile come in the order of kprobe_events' ones. */
static void gather_events(struct gather *gather)
{
	char *events, *profile, *events_rest, *profile_rest, *line;
	struct event_addresses addresses = { 0 };
	struct fault fault = { 0 };
	struct probed probed;
	size_t size;
	int err;

	err = tracefs__read("kprobe_events", FILE_MAX, &events, &size);
	if (err) {
		gather__note(gather, "dynamic events cannot be read: kprobe_events: %s", strerror(-err));
		return;
	}
	if (tracefs__read("kprobe_profile", FILE_MAX, &profile, &size))
		profile = NULL;
	if (*events)
		event_addresses__read(&addresses, &fault);
	events_rest = events;
	profile_rest = profile;
	while ((line = next_line(&events_rest))) {
		char *counts = profile ? next_line(&profile_rest) : NULL, name[160];
		unsigned long long hits, misses;

		if (!probed__parse_event(line, &probed))
			continue;
		if (counts && sscanf(counts, "%159s %llu %llu", name, &hits, &misses) == 3 && strchr(probed.event, '/') &&
		    !strcmp(strchr(probed.event, '/') + 1, name)) {
			probed.hits_known = probed.misses_known = true;
			probed.hits = hits;
			probed.misses = misses;
		}
		place_event(gather, &probed, event_addresses__take(&addresses, probed.event), &fault);
		gather__add(gather, &probed);
	}
	event_addresses__free(&addresses);
	free(events);
	free(profile);
}

/* Events on fprobes (since 6.5) are in the list of all dynamic events only. */
static void gather_fprobes(struct gather *gather)
{
	char *events, *rest, *line;
	struct probed probed;
	size_t size;

	if (tracefs__read("dynamic_events", FILE_MAX, &events, &size))
		return;
	for (rest = events; (line = next_line(&rest));)
		if (*line == 'f' && probed__parse_event(line, &probed))
			gather__add(gather, &probed);
	free(events);
}

static int compare(const void *a, const void *b)
{
	const struct probed *x = a, *y = b;
	int order = strcmp(x->function, y->function);

	if (!order)
		order = strcmp(x->module ?: "", y->module ?: "");
	if (!order)
		order = (int)x->by - (int)y->by;
	if (!order)
		order = x->offset < y->offset ? -1 : x->offset > y->offset;
	if (!order)
		order = (int)x->is_return - (int)y->is_return;
	if (!order)
		order = x->program_id < y->program_id ? -1 : x->program_id > y->program_id;
	return order;
}

void probed__gather(struct probed_list *list, const struct ksyms *ksyms, probed_wanted wanted, void *context)
{
	struct gather gather = {
		.list = list, .ksyms = ksyms, .wanted = wanted, .context = context,
	};
	bool programs = false;

	gather_kprobes(&gather);
	gather_ftrace(&gather);
	gather_events(&gather);
	gather_fprobes(&gather);
	gather__bpf(&gather);
	for (size_t i = 0; i < list->count; i++)
		programs |= list->all[i].by == PROBED_BY_BPF;
	if (programs && !gather.counts_runs)
		gather__note(&gather, "how often BPF programs ran is not counted (sysctl kernel.bpf_stats_enabled=1)");
	if (list->count)
		qsort(list->all, list->count, sizeof(*list->all), compare);
}

void probed__free(struct probed_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		probed__clear(&list->all[i]);
	free(list->all);
	for (size_t i = 0; i < list->notes_count; i++)
		free(list->notes[i]);
	free(list->notes);
	memset(list, 0, sizeof(*list));
}
