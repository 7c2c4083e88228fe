/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/hash.h"
#include "lib/probe/attach.h"
#include "lib/user/user_match.h"

#define NAME_MAX_BYTES 512	/* of a function */
#define TARGETS_ALL (USER_HOOKS_TARGETS_MAX * USER_TARGETS_MAX)
#define SKIPPED_SAID 3		/* functions that are skipped with a line each */

/* ---- the command line */

bool traced_user__is_return(const char *text)
{
	return !strncmp(text, "ur:", 3);
}

static const char *target_of(const char *pattern)
{
	return strchr(pattern, ':') + 1;
}

static const char *function_of(const char *pattern)
{
	return strrchr(pattern, ':') + 1;
}

bool traced_user__is_pattern(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?[]!@$";
	const char *name;

	if (strncmp(text, "u:", 2) && !traced_user__is_return(text))
		return false;
	name = function_of(text);
	return name > target_of(text) && *name && !name[strspn(name, letters)] && !strpbrk(text, "\t\n");
}

bool traced_user__is(const struct traced *traced, const struct tool *tool)
{
	bool is = traced->patterns_count && traced_user__is_pattern(traced->patterns[0]);

	for (size_t i = 1; i < traced->patterns_count; i++) {
		if (traced_user__is_pattern(traced->patterns[i]) != is)
			usage_error("%s, %s: functions of programs and of the kernel are not for the same run", traced->patterns[0],
				    traced->patterns[i]);
		if (is && traced_user__is_return(traced->patterns[i]) != traced_user__is_return(traced->patterns[0]))
			usage_error("%s, %s: u: and ur: are not for the same run", traced->patterns[0], traced->patterns[i]);
	}
	if (is && traced->module)
		usage_error("--module: for the kernel's functions (the file is in the pattern, as in u:libc:malloc)");
	if (is && tool->attach->wanted != ATTACH_AUTO)
		usage_error("--attach: for the kernel's functions");
	return is;
}

/* ---- which functions */

/* A search for one pattern after the other. */
struct search {
	struct traced_user *user;
	struct traced *traced;
	struct tool *tool;
	struct hash numbers;		/* of functions, by their names and files */
	struct hash places;		/* numbers from 1 by places in files */
	const char *pattern;
	const struct user_target *target;
	size_t target_number;		/* of all */
	size_t matched, skipped;
	struct fault refused;		/* the first that must not be probed, of the pattern */
};

static const char *file_name(const struct user_target *target)
{
	const char *slash = strrchr(target->path, '/');

	return slash ? slash + 1 : target->path;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* FNV-1a */
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

/* The number of a function by that name, of that file's name: added where it is new; -ENOMEM. */
static long number_of(struct search *search, const char *name, const char *file)
{
	struct functions *functions = &search->traced->functions;
	uint64_t key = hash_text(hash_text(0xcbf29ce484222325ull, name), file);
	uint32_t *number;

	for (; (number = hash__find(&search->numbers, key)); key++) {
		const struct function *function = &functions->list[*number];

		if (!strcmp(function->name, name) && !strcmp(function->module, file))
			return *number;
	}
	number = hash__add(&search->numbers, key);
	if (!number || functions__add(functions, name, file))
		return -ENOMEM;
	*number = (uint32_t)functions->count - 1;
	return *number;
}

/* Where the calls begin, and end.  0 or -errno with one line in fault. */
static int find_sites(const struct search *search, const struct user_function *function, struct user_sites *begin, struct user_sites *end,
		      struct fault *fault)
{
	int err = user_site__entry(search->target->file, function, 0, begin, fault);

	if (err || !search->user->with_ends)
		return err;
	return user_site__returns(search->target->file, function, USER_RETURNS_AUTO, search->traced->force, end, fault);
}

static int add_places(struct search *search, long number, const struct user_sites *begin, const struct user_sites *end)
{
	struct user_places *ends = end->by_kernel ? &search->user->late_ends : &search->user->ends;
	int err = user_places__add(&search->user->begins, search->target, begin, 0, (uint64_t)number);

	if (!err && search->user->with_ends)
		err = user_places__add(ends, search->target, end, 0, (uint64_t)number);
	return err;
}

/* One function at one place; a place that is known under another name counts there. */
static int add_function(struct search *search, const char *name, const struct user_sites *begin, const struct user_sites *end)
{
	uint64_t place = begin->offsets[0] * TARGETS_ALL + search->target_number;
	const uint32_t *known = hash__find(&search->places, place);
	uint32_t *added;
	long number;

	if (known)
		return 0;
	number = number_of(search, name, file_name(search->target));
	added = number < 0 ? NULL : hash__add(&search->places, place);
	if (!added || add_places(search, number, begin, end))
		return tool__fail(search->tool, -ENOMEM, "no memory for the functions");
	*added = (uint32_t)number + 1;
	if (search->traced->functions.count > TRACED_FUNCTIONS_MAX && !search->traced->force)
		return tool__fail(search->tool, -E2BIG, "more than %d functions match, which would slow their programs down (name fewer, or --force)",
				  TRACED_FUNCTIONS_MAX);
	return 0;
}

static int match_function(void *context, const struct user_function *function)
{
	struct search *search = context;
	size_t length = user_function__name_length(function->name);
	struct user_sites begin, end = { .count = 0 };
	char name[NAME_MAX_BYTES];
	struct fault fault;

	search->matched++;
	if (length >= sizeof(name))
		return 0;
	memcpy(name, function->name, length);
	name[length] = 0;
	if (!find_sites(search, function, &begin, &end, &fault))
		return add_function(search, name, &begin, &end);
	if (!search->refused.err)
		fault__set(&search->refused, fault.err, "%s of %.256s: %.600s", name, search->target->path, fault.text);
	search->skipped++;
	if (search->skipped <= SKIPPED_SAID && strpbrk(function_of(search->pattern), "*?["))
		say("%s of %.256s: %s: skipped", name, search->target->path, fault.text);
	return 0;
}

/* The files of a pattern's target, found once; NULL: tool->err says why. */
static const struct user_targets *find_targets(struct search *search)
{
	const struct task_filter *filter = &search->tool->options.filter;
	const char *from = target_of(search->pattern);
	size_t length = (size_t)(function_of(search->pattern) - 1 - from), i;
	struct traced_user *user = search->user;
	uint32_t pid = filter->pids_count == 1 ? filter->pids[0] : 0;
	const struct user_targets *targets = NULL;
	struct fault fault = { .err = 0 };

	for (i = 0; i < user->hooks.count; i++)
		if (!strncmp(user->names[i], from, length) && !user->names[i][length])
			return &user->hooks.targets[i];
	if (i == USER_HOOKS_TARGETS_MAX)
		fault__set(&fault, -E2BIG, "more than %d targets", USER_HOOKS_TARGETS_MAX);
	else if (!length && !pid)
		fault__set(&fault, -EINVAL, "no target (a path, or a name such as libc.so.6; with -p PID there need be none)");
	else if (!(user->names[i] = strndup(from, length)))
		fault__set(&fault, -ENOMEM, "no memory");
	else if (search->traced->force || !pid || !user_targets__check_debugged(pid, &fault))
		user_hooks__find(&user->hooks, user->names[i], pid, &targets, &fault);
	if (fault.err)
		tool__fail(search->tool, fault.err, "%s: %s", search->pattern, fault.text);
	return fault.err ? NULL : targets;
}

/* What is wrong with a pattern of which nothing is traced: *fault has a line. */
static void explain_none(const struct search *search, const struct user_targets *targets, struct fault *fault)
{
	const char *function = function_of(search->pattern);

	if (search->matched)
		*fault = search->refused;
	else if (strpbrk(function, "*?["))
		fault__set(fault, -ENOENT, "%.256s has no function that matches %.256s", targets->list[0].path, function);
	else
		user_match__explain(targets, function, fault);
}

/* Adds the functions of a pattern; *fault has a line where there are none.  tool->err. */
static int take_pattern(struct search *search, const char *pattern, struct fault *fault)
{
	const struct user_targets *targets;
	size_t before = search->user->begins.count;

	search->pattern = pattern;
	search->matched = search->skipped = 0;
	search->refused = *fault = (struct fault){ .err = 0 };
	targets = find_targets(search);
	for (size_t i = 0; targets && i < targets->count && !search->tool->err; i++) {
		search->target = &targets->list[i];
		search->target_number = (size_t)(targets - search->user->hooks.targets) * USER_TARGETS_MAX + i;
		user_match__each(search->target->file, function_of(pattern), match_function, search);
	}
	if (search->tool->err)
		return search->tool->err;
	if (search->skipped > SKIPPED_SAID && search->user->begins.count > before)
		say("%s: %zu functions are skipped in all (anysnoop -l '%s' says why)", pattern, search->skipped, pattern);
	if (search->skipped == search->matched)
		explain_none(search, targets, fault);
	return 0;
}

int traced_user__find(struct traced_user *user, struct traced *traced, struct tool *tool, bool with_ends)
{
	struct search search = {
		.user = user, .traced = traced, .tool = tool, .numbers.value_size = sizeof(uint32_t), .places.value_size = sizeof(uint32_t),
	};
	struct fault fault, first = { .err = 0 };
	const char *of = NULL;

	user->with_ends = with_ends;
	for (size_t i = 0; i < traced->patterns_count && !tool->err; i++) {
		if (take_pattern(&search, traced->patterns[i], &fault) || !fault.err)
			continue;
		if (of)
			say("%s: %s", of, first.text);
		of = traced->patterns[i];
		first = fault;
	}
	hash__free(&search.numbers);
	hash__free(&search.places);
	if (!tool->err && !traced->functions.count)
		return tool__fail(tool, first.err, "%s: %s", of, first.text);
	if (!tool->err && of)
		say("%s: %s", of, first.text);
	return tool->err;
}

/* ---- programs */

static const char *const maps[] = { "user_sites", "user_calls", "no_programs" };

void traced_user__leave_out(const struct tool *tool)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		bpf_map__set_autocreate(bpf_object__find_map_by_name(*tool->skeleton->obj, maps[i]), false);
}

const char *traced_user__how(void)
{
	return user_attach__has_multi() ? "one uprobe.multi link for each file" : "one event of uprobes for all";
}

/* A program, and the places that it is for; without any it is not loaded. */
static void prepare_program(const struct tool *tool, const char *name, bool is_wanted)
{
	struct bpf_program *program = bpf_object__find_program_by_name(*tool->skeleton->obj, name);

	if (is_wanted && program) {
		bpf_program__set_autoload(program, true);
		user_hooks__prepare(program);
	}
}

int traced_user__prepare(struct traced_user *user, struct tool *tool)
{
	struct bpf_map *sites = bpf_object__find_map_by_name(*tool->skeleton->obj, "user_sites");
	bool by_cookie = user_attach__has_multi();
	size_t places = user->begins.count + user->ends.count + user->late_ends.count;

	tool__set_rodata(tool, "user_by_cookie", &by_cookie, sizeof(by_cookie));
	prepare_program(tool, "user_call", !user->with_ends);
	prepare_program(tool, "user_begins", user->with_ends);
	prepare_program(tool, "user_ends", user->ends.count);
	prepare_program(tool, "user_ends_late", user->late_ends.count);
	bpf_map__set_autocreate(bpf_object__find_map_by_name(*tool->skeleton->obj, "user_calls"), user->with_ends);
	bpf_map__set_autocreate(sites, !by_cookie);
	if (bpf_map__set_max_entries(sites, (uint32_t)places))
		return tool__fail(tool, -ENOMEM, "no room for the places of functions");
	return 0;
}

/* Attaches a program to places, if there are any.  tool->err. */
static int attach_places(struct traced_user *user, struct tool *tool, const char *name, struct user_places *places)
{
	struct bpf_program *program = bpf_object__find_program_by_name(*tool->skeleton->obj, name);
	int sites_fd = bpf_object__find_map_fd_by_name(*tool->skeleton->obj, "user_sites");
	struct fault fault;
	int err = 0;

	if (!places->count)
		return tool->err;
	/* its links are kept by the hooks */
	tool__needs_no_link(tool, program);
	if (!user_attach__has_multi())
		err = user_places__write(places, sites_fd, &fault);
	if (!err)
		err = user_hooks__attach(&user->hooks, program, places, &fault);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	tool__debug(tool, "%s is attached at %zu places", name, places->count);
	return 0;
}

int traced_user__attach(struct traced_user *user, struct tool *tool)
{
	tool->look_around = user_hooks__look_around;
	/* the returns first: a call that is seen to begin is then seen to end */
	if (!user->with_ends)
		return attach_places(user, tool, "user_call", &user->begins);
	if (attach_places(user, tool, "user_ends", &user->ends) || attach_places(user, tool, "user_ends_late", &user->late_ends))
		return tool->err;
	return attach_places(user, tool, "user_begins", &user->begins);
}

void traced_user__detach(struct traced_user *user)
{
	user_hooks__detach(&user->hooks);
}

void traced_user__check(struct tool *tool)
{
	struct fault fault;

	if (user_hooks__check(&fault))
		tool__fail(tool, fault.err, "%s", fault.text);
}

void traced_user__free(struct traced_user *user)
{
	user_hooks__free(&user->hooks);
	user_places__free(&user->begins);
	user_places__free(&user->ends);
	user_places__free(&user->late_ends);
	for (size_t i = 0; i < USER_HOOKS_TARGETS_MAX; i++)
		free(user->names[i]);
	*user = (struct traced_user){ .with_ends = false };
}
