/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracepoints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/json.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"
#include "lib/print/wallclock.h"
#include "lib/probe/tracepoint_users.h"
#include "probed_text.h"

static const char *user_by(const struct tracepoint_user *user)
{
	static const char *const names[] = {
		[TRACEPOINT_BY_FTRACE] = "ftrace", [TRACEPOINT_BY_PERF] = "perf", [TRACEPOINT_BY_BPF] = "bpf",
		[TRACEPOINT_BY_KERNEL] = "kernel",
	};

	return names[user->by];
}

static void describe(const struct tracepoint_user *user, char *what, size_t size)
{
	struct text_buffer text = text_buffer__fixed(what, size);

	switch (user->by) {
	case TRACEPOINT_BY_FTRACE:
		text_buffer__add(&text, "%s%s", user->name ? "instance " : "the top of tracefs", user->name ?: "");
		break;
	case TRACEPOINT_BY_PERF:
		text_buffer__add(&text, "%u event%s, ", user->events, user->events == 1 ? "" : "s");
		if (user->are_idle)
			text_buffer__add(&text, "off, or of tasks that do not run now");
		else if (user->pid)
			text_buffer__add(&text, "held by %s[%d]", user->comm, user->pid);
		else
			text_buffer__add(&text, "of a task that has ended, or of the kernel");
		break;
	case TRACEPOINT_BY_BPF:
		probed__describe(&user->program, what, size);
		break;
	case TRACEPOINT_BY_KERNEL:
		text_buffer__add(&text, "function %s", user->name);
	}
}

static void print_row(struct out *out, const char *event, const char *by, const char *what)
{
	out__row(out, 0);
	out__string(out, event, strlen(event));
	out__string(out, by, strlen(by));
	out__string(out, what, strlen(what));
	out__end(out);
}

static void show_rows(struct out *out, const struct tracepoint_users *users)
{
	char what[2048];

	for (size_t i = 0; i < users->count; i++) {
		describe(&users->all[i], what, sizeof(what));
		print_row(out, users->event, user_by(&users->all[i]), what);
	}
	if (!users->count)
		print_row(out, users->event, "-", "nobody is on it");
}

static void put_user(FILE *to, const struct tracepoint_user *user)
{
	if (user->by == TRACEPOINT_BY_BPF)
		return probed__json(to, &user->program);
	fprintf(to, "{\"by\":\"%s\"", user_by(user));
	if (user->by == TRACEPOINT_BY_FTRACE) {
		json__string(to, "instance", user->name);
	} else if (user->by == TRACEPOINT_BY_PERF) {
		fprintf(to, ",\"events\":%u,\"idle\":%s", user->events, user->are_idle ? "true" : "false");
		if (user->pid)
			fprintf(to, ",\"pid\":%d", user->pid);
		else
			fputs(",\"pid\":null", to);
		json__string(to, "comm", user->comm);
	} else {
		json__string(to, "function", user->name);
	}
	fputc('}', to);
}

static int show_object(struct out *out, const struct tracepoint_users *users)
{
	char time_text[WALLCLOCK_SIZE], *json = NULL;
	size_t size;
	FILE *to = open_memstream(&json, &size);

	if (!to)
		return -ENOMEM;
	wallclock__write_now(time_text);
	fprintf(to, "{\"type\":\"tracepoint\",\"tool\":\"probestat\",\"time\":\"%s\"", time_text);
	json__string(to, "event", users->event);
	fputs(",\"attached\":[", to);
	for (size_t i = 0; i < users->count; i++) {
		if (i)
			fputc(',', to);
		put_user(to, &users->all[i]);
	}
	fputs("]}", to);
	if (!fclose(to))
		out__line(out, json, size);
	free(json);
	return 0;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[");
}

/* By a pattern; those of globs only where somebody is on them. */
struct wanted {
	const char *pattern;
};

static bool is_wanted(void *context, const char *system, const char *name)
{
	const struct wanted *wanted = context;

	return tracepoint_users__matches(wanted->pattern, system, name);
}

struct search {
	const char *pattern, *name;	/* name: without the system, for the distance */
	struct near near;
	bool found;
};

static int look(void *context, const char *system, const char *name)
{
	struct search *search = context;
	char whole[512];

	search->found |= tracepoint_users__matches(search->pattern, system, name);
	snprintf(whole, sizeof(whole), "%s:%s", system, name);
	near__add(&search->near, whole, near__typed(name, search->name, near__limit(&search->near)));
	return search->found;
}

/* -ENOENT with a line in fault: the kernel has no such tracepoint, and the nearest ones. */
static int explain_missing(const char *pattern, struct fault *fault)
{
	const char *colon = strrchr(pattern, ':');
	struct search search = { .pattern = pattern, .name = colon ? colon + 1 : pattern };
	struct text_buffer text = fault__begin(fault, -ENOENT);

	near__init(&search.near, near__typed_limit(search.name), NEAR_MAX);
	if (!is_glob(pattern))
		tracepoint_users__each(look, &search);
	text_buffer__add(&text, "no tracepoint in this kernel %s '%s'", is_glob(pattern) ? "matches" : "is called",
			 strncmp(pattern, "tp:", 3) ? pattern : pattern + 3);
	near__put(&search.near, &text);
	return fault->err;
}

int tracepoints__show(const struct tracepoints *tracepoints, struct out *out, bool json, const struct ksyms *ksyms, struct fault *fault)
{
	int err = 0;

	for (int i = 0; i < tracepoints->count && !err; i++) {
		struct wanted wanted = { tracepoints->patterns[i] };
		struct tracepoint_list list = { 0 };

		err = tracepoint_list__gather(&list, ksyms, is_wanted, &wanted, !is_glob(wanted.pattern), fault);
		for (size_t j = 0; j < list.count && !err; j++) {
			if (json)
				err = show_object(out, &list.all[j]);
			else
				show_rows(out, &list.all[j]);
			if (err)
				fault__set(fault, err, "no memory");
		}
		if (!err && !list.matched)
			err = explain_missing(wanted.pattern, fault);
		if (!err && !list.count)
			fprintf(stderr, "probestat: nobody is on a tracepoint that matches '%s'\n", wanted.pattern);
		tracepoint_list__free(&list);
	}
	return err;
}

bool tracepoints__exist(const char *pattern)
{
	struct search search = { .pattern = pattern, .name = "" };

	tracepoint_users__each(look, &search);
	return search.found;
}
