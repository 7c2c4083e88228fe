/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_events.h"
#include "lib/loop/loop.h"
#include "lib/user/user_match.h"
#include "lib/user/user_watch.h"

#define FUNCTION_NAME_MAX 512
#define VERSIONS_MAX 16		/* of a function, at different addresses of a file */
#define FOLLOW_MS 1000

struct user_options user_options;

/* The files of each target that was named. */
static struct {
	char *name;
	struct user_targets targets;
} known[ANYSNOOP_EVENTS_MAX];
static size_t known_count;
static struct user_links links;

/* What is attached, for --follow. */
static struct attached {
	const struct bpf_program *program;
	size_t first;		/* of the events that it is for */
	bool at_return;
	int sites_fd;
} attached[2 * ANYSNOOP_EVENTS_MAX];
static size_t attached_count;
static int64_t followed_ms;

/* Where the events are, by their numbers; the last that user_events__refuses() has not refused has no number yet. */
static struct event {
	char *name;		/* "TARGET:FUNCTION"; NULL: a USDT probe */
	struct user_places entries, returns;
	bool by_kernel;
} numbered[EVENTS_ROOM], found;

int user_returns__parse(const char *text, enum user_returns *returns)
{
	static const char *const names[] = { [USER_RETURNS_AUTO] = "auto", [USER_RETURNS_RET] = "ret", [USER_RETURNS_KERNEL] = "kernel" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i])) {
			*returns = (enum user_returns)i;
			return 0;
		}
	return -EINVAL;
}

/* ---- targets */

const struct user_targets *user_events__targets(const char *name, struct fault *fault)
{
	const char *colon = strrchr(name, ':');
	size_t length = (size_t)(colon - name);
	char *target;

	for (size_t i = 0; i < known_count; i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return &known[i].targets;
	if (known_count == ANYSNOOP_EVENTS_MAX) {
		fault__set(fault, -E2BIG, "more than %d targets", ANYSNOOP_EVENTS_MAX);
		return NULL;
	}
	if (!length && !user_options.pid) {
		fault__set(fault, -EINVAL, "no target (a path, or a name such as libc.so.6; with -p PID there need be none)");
		return NULL;
	}
	target = strndup(name, length);
	if (!target) {
		fault__set(fault, -ENOMEM, "no memory");
		return NULL;
	}
	if ((!user_options.force && user_options.pid && user_targets__check_debugged(user_options.pid, fault)) ||
	    user_targets__find(&known[known_count].targets, target, user_options.pid, fault)) {
		user_targets__free(&known[known_count].targets);
		free(target);
		return NULL;
	}
	known[known_count].name = target;
	return &known[known_count++].targets;
}

/* ---- places */

/* What a name is of. */
struct place {
	char function[FUNCTION_NAME_MAX];
	uint64_t into;
};

static int parse_place(const char *name, struct place *place, struct fault *fault)
{
	const char *function = strrchr(name, ':') + 1, *plus = strchr(function, '+');
	size_t length = plus ? (size_t)(plus - function) : strlen(function);
	char *end = NULL;

	*place = (struct place){};
	if (length >= sizeof(place->function))
		return fault__set(fault, -EINVAL, "the name is too long");
	memcpy(place->function, function, length);
	if (!plus)
		return 0;
	place->into = strtoull(plus + 1, &end, 0);
	return *end ? fault__set(fault, -EINVAL, "\"%.64s\" is no offset", plus) : 0;
}

/* Where a function of a file is probed. */
static int find_sites(const struct user_file *file, const struct user_function *function, const struct place *place, bool at_return,
		      enum user_returns how, struct user_sites *sites, struct fault *fault)
{
	if (at_return && place->into)
		return fault__set(fault, -EINVAL, "a return has no offset");
	if (at_return)
		return user_site__returns(file, function, how, user_options.force, sites, fault);
	return user_site__entry(file, function, place->into, sites, fault);
}

int user_events__sites(const struct user_file *file, const struct user_function *function, bool at_return, struct user_sites *sites,
		       struct fault *fault)
{
	return find_sites(file, function, &(struct place){ .into = 0 }, at_return, user_options.returns, sites, fault);
}

/* What each_site() calls: 0, or what ends it. */
typedef int on_site(void *context, const struct user_target *target, const struct user_sites *sites, struct fault *fault);

/*
 * Calls visit() for each file of the target, from that number on, and each address of the function.  Those that cannot be probed are left
 * out where there are others.  0, or -errno with one line in fault, which begins behind the event's name.
 */
static int each_site_from(size_t target_number, const char *name, bool at_return, enum user_returns how, on_site *visit, void *context,
			  struct fault *fault)
{
	const struct user_targets *targets = user_events__targets(name, fault);
	struct fault refused = {};
	bool any = false, is_there = false;
	struct place place;
	int err = targets ? parse_place(name, &place, fault) : fault->err;

	for (size_t i = target_number; !err && i < targets->count; i++) {
		const struct user_target *target = &targets->list[i];
		struct user_function list[VERSIONS_MAX];
		size_t count = user_file__find(target->file, place.function, list, VERSIONS_MAX);

		is_there |= count;
		for (size_t j = 0; j < count && j < VERSIONS_MAX && !err; j++) {
			struct user_sites sites;

			if (find_sites(target->file, &list[j], &place, at_return, how, &sites, &refused))
				continue;
			any = true;
			err = visit ? visit(context, target, &sites, fault) : 0;
		}
	}
	if (err || any)
		return err;
	if (is_there) {
		*fault = refused;
		return fault->err;
	}
	return -ENOENT;
}

static int each_site(const char *name, bool at_return, enum user_returns how, on_site *visit, void *context, struct fault *fault)
{
	return each_site_from(0, name, at_return, how, visit, context, fault);
}

/* None of the files has it: says so, with the nearest names. */
static void explain_missing(const char *name, struct fault *fault)
{
	const struct user_targets *targets = user_events__targets(name, fault);
	struct place place;

	if (!parse_place(name, &place, fault))
		user_match__explain(targets, place.function, fault);
}

static bool is_return(enum request_source source)
{
	return source == REQUEST_USER_RETURN;
}

void user_events__name(struct fault *fault, const char *system, const char *name)
{
	struct fault why = *fault;

	fault__set(fault, why.err, "%s:%.256s: %.700s", system, name, why.text);
}

static int visit_place(void *context, const struct user_target *target, const struct user_sites *sites, struct fault *fault)
{
	return user_places__add(context, target, sites, 0, 0) ? fault__set(fault, -ENOMEM, "no memory") : 0;
}

static void free_event(struct event *event)
{
	user_places__free(&event->entries);
	user_places__free(&event->returns);
	free(event->name);
	event->name = NULL;
	event->by_kernel = false;
}

/* Finds where the returns of an event are seen: of all its files in the same way. */
static int find_returns(const char *name, struct fault *fault)
{
	enum user_returns how = user_options.returns;
	int err = each_site(name, true, how, visit_place, &found.returns, fault);

	if (err == -ENODATA) {
		struct fault why = *fault;

		fault__set(fault, err, "%.200s (u:%.256s shows its calls begin)", why.text, name);
	}
	for (size_t i = 0; i < found.returns.count && !err; i++)
		found.by_kernel |= found.returns.list[i].by_kernel;
	if (err || how != USER_RETURNS_AUTO || !found.by_kernel)
		return err;
	user_places__free(&found.returns);
	return each_site(name, true, USER_RETURNS_KERNEL, visit_place, &found.returns, fault);
}

bool user_events__refuses(const struct request *request, const char *name, struct fault *fault)
{
	int err;

	free_event(&found);
	err = each_site(name, false, user_options.returns, visit_place, &found.entries, fault);
	if (!err && is_return(request->source))
		err = find_returns(name, fault);
	if (err == -ENOENT && user_events__targets(name, fault))
		explain_missing(name, fault);
	if (!err && !(found.name = strdup(name)))
		err = fault__set(fault, -ENOMEM, "no memory");
	if (err)
		user_events__name(fault, request->system, name);
	return err;
}

void user_events__begin(void)
{
	free_event(&found);
}

int user_events__add(const struct user_target *target, const struct user_sites *sites, uint64_t semaphore)
{
	return user_places__add(&found.entries, target, sites, semaphore, 0);
}

void user_events__number(size_t number)
{
	numbered[number] = found;
	found = (struct event){};
}

bool user_events__by_kernel(size_t number)
{
	return numbered[number].by_kernel;
}

size_t user_events__places(size_t number)
{
	return numbered[number].entries.count + numbered[number].returns.count;
}

/* ---- attaching */

int user_events__add_places(struct user_places *places, size_t number, bool at_return, struct fault *fault)
{
	const struct user_places *own = at_return ? &numbered[number].returns : &numbered[number].entries;
	struct user_place *list = realloc(places->list, (places->count + own->count) * sizeof(*list));

	if (!list)
		return fault__set(fault, -ENOMEM, "no memory");
	places->list = list;
	for (size_t i = 0; i < own->count; i++) {
		struct user_place *place = &list[places->count + i];
		int err;

		*place = own->list[i];
		place->cookie = number;
		err = i && place->target == place[-1].target ? 0 : user_watch__add(place->target, &links);
		if (err)
			return fault__set(fault, err, "%.256s cannot be watched for changes: %s", place->target->path, strerror(-err));
	}
	places->count += own->count;
	return 0;
}

int user_events__attach(struct tool *tool, const struct bpf_program *program, size_t first, bool at_return, int sites_fd)
{
	struct user_places places = {};
	struct fault fault;
	int err = 0;

	/* children have no breakpoints then */
	user_links__set_process(&links, tool->options.filter.follows ? 0 : user_options.pid);
	for (size_t i = first; i < run_events.count && !err; i++)
		if (run_events.states[i].leader == first)
			err = user_events__add_places(&places, i, at_return, &fault);
	if (!err && sites_fd >= 0)
		err = user_places__write(&places, sites_fd, &fault);
	if (!err)
		err = user_links__add(&links, program, &places, &fault);
	if (!err)
		tool__debug(tool, "%s: attached at %zu %s%s, on %zu pages of code", run_events.plans[first].name, places.count,
			    at_return ? "returns" : "entries", at_return && numbered[first].by_kernel ? " (by the kernel's return probe)" : "",
			    user_places__pages(&places));
	user_places__free(&places);
	if (err)
		return tool__fail(tool, err, "%s: %s", run_events.plans[first].name, fault.text);
	if (attached_count < sizeof(attached) / sizeof(*attached))
		attached[attached_count++] = (struct attached){ program, first, at_return, sites_fd };
	return 0;
}

/* ---- files that are replaced, or that come while it runs */

/* The places of an event in files of its target that are new, from that number on; of the kind that its program is made for. */
static int find_new_places(const struct attached *to, size_t number, size_t target_number, struct user_places *places, struct fault *fault)
{
	enum user_returns how = user_options.returns;
	size_t before = places->count;
	int err;

	if (to->at_return)
		how = numbered[number].by_kernel ? USER_RETURNS_KERNEL : USER_RETURNS_RET;
	err = each_site_from(target_number, numbered[number].name, to->at_return, how, visit_place, places, fault);
	for (size_t i = before; i < places->count; i++)
		places->list[i].cookie = number;
	return err;
}

/* 0, or -errno with one line in fault, which begins behind the program's event. */
static int attach_new(const struct attached *to, struct user_places *places, struct fault *fault)
{
	int err = 0;

	for (size_t i = 0; i < places->count && !err; i++)
		if (!i || places->list[i].target != places->list[i - 1].target)
			err = user_watch__add(places->list[i].target, &links);
	if (err)
		return fault__set(fault, err, "it cannot be watched for changes: %s", strerror(-err));
	err = to->sites_fd < 0 ? 0 : user_places__write(places, to->sites_fd, fault);
	return err ? err : user_links__add(&links, to->program, places, fault);
}

/* Attaches what is attached to a target's files to those that are new, from that number on.  At how many places. */
static size_t follow_files(const char *target, size_t target_number)
{
	size_t length = strlen(target), count = 0;

	for (size_t i = 0; i < attached_count; i++) {
		const struct attached *to = &attached[i];
		struct user_places places = {};
		struct fault fault;
		int err = 0;

		for (size_t j = to->first; j < run_events.count && !err; j++)
			if (run_events.states[j].leader == to->first && numbered[j].name && !strncmp(numbered[j].name, target, length) &&
			    numbered[j].name + length == strrchr(numbered[j].name, ':'))
				err = find_new_places(to, j, target_number, &places, &fault);
		if (!err && places.count)
			err = attach_new(to, &places, &fault);
		/* another file of the name need not have the function */
		if (err && err != -ENOENT)
			say("--follow: %s: %s", run_events.plans[to->first].name, fault.text);
		else
			count += places.count;
		user_places__free(&places);
	}
	return count;
}

static void look_again(void)
{
	for (size_t i = 0; i < known_count; i++) {
		struct user_targets *targets = &known[i].targets;
		size_t before = targets->count;
		struct fault fault;

		if (user_targets__look_again(targets, known[i].name, user_options.pid, &fault))
			say("--follow: %s: skipped", fault.text);
		if (targets->count == before || !follow_files(known[i].name, before))
			continue;
		for (size_t j = before; j < targets->count; j++)
			say("--follow: %.256s is traced, too, from now on", targets->list[j].path);
	}
}

void user_events__look_around(struct tool *tool)
{
	bool has_changed = user_watch__has_changed();
	int64_t now_ms;

	(void)tool;
	user_watch__tell(user_options.follow ? "are traced, too" : "are not traced (--follow)");
	if (!user_options.follow || links.are_closed)
		return;
	now_ms = loop__now_ms();
	if (!has_changed && now_ms - followed_ms < FOLLOW_MS)
		return;
	links.without_lines = true;
	look_again();
	followed_ms = loop__now_ms();
}

void user_events__check(struct tool *tool)
{
	if (user_watch__has_fired())
		tool__fail(tool, -ESTALE, "a file was written to while its functions were traced: all is detached, as breakpoints would be in "
			   "the middle of its new code");
}

void user_events__detach(struct tool *tool)
{
	(void)tool;
	user_links__close(&links);
}

void user_events__free(void)
{
	user_links__free(&links);
	free_event(&found);
	for (size_t i = 0; i < run_events.count; i++)
		free_event(&numbered[i]);
	for (size_t i = 0; i < known_count; i++) {
		user_targets__free(&known[i].targets);
		free(known[i].name);
	}
	known_count = 0;
}

