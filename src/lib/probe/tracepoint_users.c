/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracepoint_users.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_users.h"
#include "lib/format/events.h"
#include "lib/format/format.h"
#include "lib/kernel/tracefs.h"

/* ---- the kernel's data by name */

struct symbol {
	char *name, *module;		/* module NULL: the kernel itself */
	uint64_t address;
};

struct symbols {
	struct symbol *all;
	size_t count, room;
	uint64_t per_cpu_offset;
	bool is_full;			/* without memory */
};

static void add_symbol(struct symbols *symbols, const struct ksym *sym, const char *name)
{
	if (symbols->count == symbols->room) {
		size_t room = symbols->room ? 2 * symbols->room : 2048;
		struct symbol *all = realloc(symbols->all, room * sizeof(*all));

		symbols->is_full |= !all;
		if (!all)
			return;
		symbols->all = all;
		symbols->room = room;
	}
	symbols->all[symbols->count++] = (struct symbol){
		.name = strdup(name), .module = sym->module ? strdup(sym->module) : NULL, .address = sym->address,
	};
}

/* Tracepoints, and the events of system calls, which have none ("event_enter__openat": kept with that name). */
static int take_symbol(void *context, const struct ksym *sym)
{
	static const char prefix[] = "__tracepoint_";
	struct symbols *symbols = context;

	if (!strncmp(sym->name, prefix, strlen(prefix)))
		add_symbol(symbols, sym, sym->name + strlen(prefix));
	else if (!strncmp(sym->name, "event_enter__", 13) || !strncmp(sym->name, "event_exit__", 12))
		add_symbol(symbols, sym, sym->name);
	else if (!strcmp(sym->name, "__per_cpu_offset"))
		symbols->per_cpu_offset = sym->address;
	return 0;
}

static void free_symbols(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++) {
		free(symbols->all[i].name);
		free(symbols->all[i].module);
	}
	free(symbols->all);
}

/* ---- the list */

bool tracepoint_users__matches(const char *pattern, const char *system, const char *name)
{
	char whole[512];

	if (!strncmp(pattern, "tp:", 3))
		pattern += 3;
	/* as anysnoop calls it, whatever system its event is in */
	if (!strncmp(pattern, "rawtp:", 6))
		pattern += 6;
	if (!strchr(pattern, ':'))
		return !fnmatch(pattern, name, 0);
	snprintf(whole, sizeof(whole), "%s:%s", system, name);
	return !fnmatch(pattern, whole, 0);
}

struct gathering {
	struct tracepoint_list *list;
	struct event_users users;	/* how they are read */
	tracepoint_wanted wanted;
	void *context;
	bool all;
};

/* Opens an entry for the event, if it is wanted; NULL: it is not, or there is no memory. */
static struct tracepoint_users *begin(struct gathering *gathering, const char *system, const char *name)
{
	struct tracepoint_list *list = gathering->list;
	struct tracepoint_users *all;
	char *event;

	if (!gathering->wanted(gathering->context, system, name))
		return NULL;
	list->matched++;
	all = realloc(list->all, (list->count + 1) * sizeof(*all));
	if (!all)
		return NULL;
	list->all = all;
	if (asprintf(&event, "%s:%s", system, name) < 0)
		return NULL;
	all[list->count] = (struct tracepoint_users){ .event = event };
	return &all[list->count++];
}

/* Drops the last entry where nobody is on its event. */
static void end(struct gathering *gathering)
{
	struct tracepoint_list *list = gathering->list;

	if (!list->all[list->count - 1].count && !gathering->all)
		free(list->all[--list->count].event);
}

/* The system of a tracepoint's event, which has the same name; "rawtp": it has none. */
static const char *system_of(const struct events *events, const char *name, char *system, size_t size)
{
	for (size_t i = 0; i < events->count; i++) {
		const char *slash = strchr(events->names[i], '/');

		if (!strcmp(slash + 1, name) && strncmp(events->names[i], "syscalls/", 9) && !tracefs__made_kind(events->names[i])) {
			snprintf(system, size, "%.*s", (int)(slash - events->names[i]), events->names[i]);
			return system;
		}
	}
	return "rawtp";
}

static const struct symbol *find_symbol(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->all[i].name, name))
			return &symbols->all[i];
	return NULL;
}

/* "syscalls/sys_enter_openat": an event without a tracepoint of its own. */
static void gather_syscall(struct gathering *gathering, const struct symbols *symbols, const char *event)
{
	char symbol_name[2 * FORMAT_NAME_MAX];
	const char *name = strchr(event, '/') + 1;
	bool is_enter = !strncmp(name, "sys_enter_", 10);
	const struct symbol *symbol;
	struct tracepoint_users *users;

	if (!is_enter && strncmp(name, "sys_exit_", 9))
		return;
	snprintf(symbol_name, sizeof(symbol_name), "event_%s__%s", is_enter ? "enter" : "exit", name + (is_enter ? 10 : 9));
	symbol = find_symbol(symbols, symbol_name);
	users = begin(gathering, "syscalls", name);
	if (!users)
		return;
	event_users__add_instances(&gathering->users, users, event);
	if (symbol)
		event_users__add_of_call(&gathering->users, users, symbol->address);
	end(gathering);
}

static bool is_call_event(const char *symbol)
{
	return !strncmp(symbol, "event_enter__", 13) || !strncmp(symbol, "event_exit__", 12);
}

int tracepoint_users__each(int (*each)(void *context, const char *system, const char *name), void *context)
{
	struct symbols symbols = { 0 };
	struct events events = { 0 };
	int err = ksyms__each(take_symbol, &symbols);
	char system[256];

	if (!err)
		err = events__list(&events);
	for (size_t i = 0; i < symbols.count && !err; i++)
		if (!is_call_event(symbols.all[i].name))
			err = each(context, system_of(&events, symbols.all[i].name, system, sizeof(system)), symbols.all[i].name);
	for (size_t i = 0; i < events.count && !err; i++)
		if (!strncmp(events.names[i], "syscalls/", 9))
			err = each(context, "syscalls", events.names[i] + 9);
	events__free(&events);
	free_symbols(&symbols);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct tracepoint_users *x = a, *y = b;

	return strcmp(x->event, y->event);
}

int tracepoint_list__gather(struct tracepoint_list *list, const struct ksyms *ksyms, tracepoint_wanted wanted, void *context, bool all,
			    struct fault *fault)
{
	struct gathering gathering = { .list = list, .wanted = wanted, .context = context, .all = all };
	struct symbols symbols = { 0 };
	struct events events = { 0 };
	char system[256];
	int err = ksyms__each(take_symbol, &symbols);

	if (err || symbols.is_full)
		err = fault__set(fault, err ? err : -ENOMEM, "the kernel's symbols cannot be read: %s", strerror(err ? -err : ENOMEM));
	if (!err && !symbols.count)
		err = fault__set(fault, -EOPNOTSUPP, "tracepoints are found by names of variables, and this kernel was built without them "
				 "(CONFIG_KALLSYMS_ALL)");
	if (!err && events__list(&events))
		err = fault__set(fault, -EIO, "the kernel's events cannot be listed");
	if (!err)
		err = event_users__open(&gathering.users, ksyms, symbols.per_cpu_offset, fault);
	for (size_t i = 0; i < symbols.count && !err; i++) {
		const struct symbol *symbol = &symbols.all[i];
		struct tracepoint_users *users;

		if (is_call_event(symbol->name))
			continue;
		users = begin(&gathering, system_of(&events, symbol->name, system, sizeof(system)), symbol->name);
		if (!users)
			continue;
		event_users__add_of_tracepoint(&gathering.users, users, symbol->address);
		end(&gathering);
	}
	for (size_t i = 0; i < events.count && !err; i++)
		if (!strncmp(events.names[i], "syscalls/", 9))
			gather_syscall(&gathering, &symbols, events.names[i]);
	event_users__close(&gathering.users);
	events__free(&events);
	free_symbols(&symbols);
	if (list->count)
		qsort(list->all, list->count, sizeof(*list->all), compare);
	return err;
}

void tracepoint_list__free(struct tracepoint_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct tracepoint_users *users = &list->all[i];

		for (size_t j = 0; j < users->count; j++) {
			free(users->all[j].name);
			free(users->all[j].comm);
			probed__clear(&users->all[j].program);
		}
		free(users->all);
		free(users->event);
	}
	free(list->all);
	*list = (struct tracepoint_list){ 0 };
}
