/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_hooks.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/print/clock.h"
#include "lib/print/say.h"
#include "user_watch.h"

#define FOLLOW_MS 1000
#define VERSIONS_MAX 16		/* of a function, at different addresses of a file */

/* Of a tool with --follow; there is one tool in a process. */
static struct {
	struct user_hooks *hooks;
	user_hooks_attach *attach;
} following;

void user_hooks__prepare(struct bpf_program *program)
{
	if (user_attach__has_multi())
		bpf_program__set_expected_attach_type(program, USER_ATTACH_MULTI);
}

/* Where the next name's files go; NULL: fault says why. */
static struct user_targets *next_targets(struct user_hooks *hooks, struct fault *fault)
{
	if (hooks->count < USER_HOOKS_TARGETS_MAX)
		return &hooks->targets[hooks->count];
	fault__set(fault, -E2BIG, "more than %d files are named", USER_HOOKS_TARGETS_MAX);
	return NULL;
}

/* Keeps them, or after an error none; a name whose files may come later is kept without any. */
static int keep(struct user_hooks *hooks, int err, const char *name, const struct user_targets **targets)
{
	*targets = &hooks->targets[hooks->count];
	if (err)
		user_targets__free(&hooks->targets[hooks->count]);
	if (!err || (err == -ENOENT && name && hooks->follows))
		hooks->names[hooks->count++] = name;
	return err;
}

int user_hooks__find(struct user_hooks *hooks, const char *name, uint32_t pid, const struct user_targets **targets, struct fault *fault)
{
	struct user_targets *next = next_targets(hooks, fault);

	return next ? keep(hooks, user_targets__find(next, name, pid, fault), name, targets) : fault->err;
}

int user_hooks__find_programs(struct user_hooks *hooks, const char *function, const struct user_targets **targets, struct fault *fault)
{
	struct user_targets *next = next_targets(hooks, fault);

	return next ? keep(hooks, user_targets__find_programs(next, function, fault), NULL, targets) : fault->err;
}

int user_hooks__places_of(const struct user_target *target, const char *function, bool at_return, struct user_places *places,
			  struct fault *fault)
{
	struct user_function list[VERSIONS_MAX];
	size_t count = user_file__find(target->file, function, list, VERSIONS_MAX);
	struct user_sites sites;
	struct fault why;

	for (size_t i = 0; i < count && i < VERSIONS_MAX; i++) {
		int err = at_return ? user_site__returns(target->file, &list[i], USER_RETURNS_AUTO, false, &sites, &why) :
			user_site__entry(target->file, &list[i], 0, &sites, &why);

		if (err)
			return fault__set(fault, err, "%.256s of %.256s: %.400s", function, target->path, why.text);
		if (user_places__add(places, target, &sites, 0, 0))
			return fault__set(fault, -ENOMEM, "no memory");
	}
	return count > 0;
}

int user_hooks__places(const struct user_targets *targets, const char *function, bool at_return, struct user_places *places,
		       struct fault *fault)
{
	int files = 0;

	for (size_t i = 0; i < targets->count; i++) {
		int has = user_hooks__places_of(&targets->list[i], function, at_return, places, fault);

		if (has < 0)
			return has;
		files += has;
	}
	return files;
}

int user_hooks__attach(struct user_hooks *hooks, const struct bpf_program *program, struct user_places *places, struct fault *fault)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct user_target *target = places->list[i].target;
		int err = i && places->list[i - 1].target == target ? 0 : user_watch__add(target, &hooks->links);

		if (err)
			return fault__set(fault, err, "%.256s cannot be watched for changes: %s", target->path, strerror(-err));
	}
	return user_links__add(&hooks->links, program, places, fault);
}

static bool are_used(const struct user_hooks *hooks, uint32_t pid)
{
	for (size_t i = 0; i < hooks->count; i++)
		if (user_targets__are_used(&hooks->targets[i], pid))
			return true;
	return false;
}

static const char *first_path(const struct user_hooks *hooks)
{
	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->targets[i].count)
			return hooks->targets[i].list[0].path;
	return "";
}

void user_hooks__tell_unused(const struct user_hooks *hooks, const uint32_t *pids, size_t count, pid_t command)
{
	for (size_t i = 0; i < count; i++)
		if ((pid_t)pids[i] != command && *first_path(hooks) && !are_used(hooks, pids[i]))
			say("-p %u: it executes none of the files that are traced, such as %.256s, and is seen when it loads one", pids[i],
			    first_path(hooks));
}

void user_hooks__detach(struct user_hooks *hooks)
{
	user_links__close(&hooks->links);
}

/* Looks for files of a name that were not there before. */
static void follow_name(struct user_hooks *hooks, size_t number)
{
	struct user_targets *targets = &hooks->targets[number];
	size_t before = targets->count;
	struct fault fault;

	if (user_targets__look_again(targets, hooks->names[number], 0, &fault))
		say("--follow: %s: skipped", fault.text);
	for (size_t i = before; i < targets->count; i++) {
		int functions = following.attach(&targets->list[i], &fault);

		if (functions < 0)
			say("--follow: %s", fault.text);
		else if (functions)
			say("--follow: %.256s is traced, too, from now on", targets->list[i].path);
	}
}

static int64_t now_ms(void)
{
	return clock__ns(CLOCK_MONOTONIC) / 1000000;
}

static void follow_all(struct user_hooks *hooks, bool has_changed)
{
	if (hooks->links.are_closed || (!has_changed && now_ms() - hooks->followed_ms < FOLLOW_MS))
		return;
	hooks->links.without_lines = true;
	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->names[i])
			follow_name(hooks, i);
	hooks->followed_ms = now_ms();
}

bool user_hooks__follow(struct user_hooks *hooks, user_hooks_attach *attach)
{
	following.hooks = hooks;
	following.attach = attach;
	return hooks->follows;
}

void user_hooks__look_around(struct tool *tool)
{
	bool has_changed = user_watch__has_changed();
	struct user_hooks *hooks = following.hooks;

	(void)tool;
	user_watch__tell(!hooks ? "are not traced (start again)" : hooks->follows ? "are traced, too" : "are not traced (--follow)");
	if (hooks && hooks->follows)
		follow_all(hooks, has_changed);
}

int user_hooks__check(struct fault *fault)
{
	if (!user_watch__has_fired())
		return 0;
	return fault__set(fault, -ESTALE, "a file was written to while its functions were traced: all is detached, as breakpoints would be in the "
			  "middle of its new code");
}

void user_hooks__free(struct user_hooks *hooks)
{
	user_links__free(&hooks->links);
	while (hooks->count)
		user_targets__free(&hooks->targets[--hooks->count]);
}
