/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_hooks.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/format.h"
#include "lib/format/user_signature.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"
#include "lib/user/user_own.h"
#include "lib/user/user_site.h"
#include "lib/user/user_targets.h"

#define VERSIONS_MAX 16

/* What the word names. */
struct word {
	const struct kind *kind;
	char *target, *function;
	char *declared;			/* in brackets, or NULL */
	char text[USER_HOOK_MAX];	/* for messages: "uprobe/libc.so.6:getenv" */
};

/* name is cut up. */
static int parse(struct word *word, char *name, struct fault *fault)
{
	char *open = strchr(name, '('), *colon;
	size_t length = strlen(name);

	snprintf(word->text, sizeof(word->text), "%s/%.*s", word->kind->name, (int)(open ? (size_t)(open - name) : length), name);
	if (open) {
		if (name[length - 1] != ')')
			return fault__set(fault, -EINVAL, "%s: the declarations end with a ')'", word->text);
		name[length - 1] = *open = 0;
		word->declared = open + 1;
	}
	colon = strrchr(name, ':');
	if (!colon || colon == name || !colon[1])
		return fault__set(fault, -EINVAL, "%s: which function? %s/FILE:FUNCTION names it", word->text, word->kind->name);
	*colon = 0;
	word->target = name;
	word->function = colon + 1;
	if (strchr(word->function, '+'))
		return fault__set(fault, -EINVAL, "%s: behind a function's start its parameters are no longer known to be in registers",
				  word->text);
	if (strlen(word->function) >= SIGNATURE_NAME_MAX || !format__is_name(word->function))
		return fault__set(fault, -EINVAL, "%s: a program's name is made of the function's, which may have letters, digits and _ only",
				  word->text);
	return 0;
}

/* libbpf takes the section apart at colons, and the name stands in a string of C. */
static int check_path(const struct word *word, const char *path, struct fault *fault)
{
	for (const char *at = path; *at; at++)
		if (!isgraph((unsigned char)*at) || strchr("\":\\*?", *at))
			return fault__set(fault, -EINVAL, "%s: a section's name cannot have the character \\x%02x of the path", word->text,
					  (unsigned char)*at);
	return *path == '/' ? 0 : fault__set(fault, -EINVAL, "%s: the path must be absolute", word->text);
}

static int explain_missing(const struct word *word, const struct user_target *target, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	struct near near;

	if (!user_file__count(target->file)) {
		text_buffer__add(&text, "%s: %.256s has no symbols (it is stripped)", word->text, target->path);
		return -ENOENT;
	}
	if (user_file__imports(target->file, word->function)) {
		text_buffer__add(&text, "%s: %.256s calls it, but a library has it (name that one)", word->text, target->path);
		return -ENOENT;
	}
	near__init(&near, near__typed_limit(word->function), NEAR_MAX);
	user_file__near(target->file, word->function, &near);
	text_buffer__add(&text, "%s: %.256s has no function of that name", word->text, target->path);
	near__put(&near, &text);
	return -ENOENT;
}

/* Whether the function is there once, and may be probed. */
static int check_function(const struct word *word, const struct user_target *target, struct fault *fault)
{
	struct user_function list[VERSIONS_MAX];
	size_t count = user_file__find(target->file, word->function, list, VERSIONS_MAX);
	struct user_sites sites;
	struct fault refused;
	int err;

	if (!count)
		return explain_missing(word, target, fault);
	for (size_t i = 1; i < count && i < VERSIONS_MAX; i++)
		if (list[i].address != list[0].address)
			return fault__set(fault, -ENOTUNIQ, "%s: %zu functions have this name, and a section cannot say which is meant", word->text,
					  count);
	if (!strcmp(word->kind->name, "uretprobe"))
		err = user_site__returns(target->file, &list[0], USER_RETURNS_KERNEL, false, &sites, &refused);
	else
		err = user_site__entry(target->file, &list[0], 0, &sites, &refused);
	return err ? fault__set(fault, err, "%s: %s", word->text, refused.text) : 0;
}

static int find(const struct word *word, struct user_hook *hook, struct signature *signature, struct fault *fault)
{
	char path[PATH_MAX];
	struct user_targets targets = {};
	struct fault reason = {};
	int err;

	if (strchr(word->target, '/') || !user_own__find(word->target, path, sizeof(path)))
		snprintf(path, sizeof(path), "%s", word->target);
	err = user_targets__find(&targets, path, 0, &reason);
	if (err) {
		fault__set(fault, err, "%s: %s", word->text, reason.text);
		goto out;
	}
	err = check_path(word, targets.list[0].path, fault);
	if (!err)
		err = check_function(word, &targets.list[0], fault);
	if (!err && snprintf(hook->path, sizeof(hook->path), "%s:%s", targets.list[0].path, word->function) >= (int)sizeof(hook->path))
		err = fault__set(fault, -ENAMETOOLONG, "%s: the path is too long", word->text);
	if (err)
		goto out;
	snprintf(hook->function, sizeof(hook->function), "%s", word->function);
	err = user_signature__make(signature, word->text, word->declared, &hook->are_types_known, fault);
out:
	user_targets__free(&targets);
	return err;
}

int user_hook__find(const struct kind *kind, const char *name, struct user_hook *hook, struct signature *signature, struct fault *fault)
{
	struct word word = { .kind = kind };
	char *copy = strdup(name);
	int err;

	*hook = (struct user_hook){};
	*signature = (struct signature){};
	if (!copy)
		return fault__set(fault, -ENOMEM, "%s: no memory", kind->name);
	err = parse(&word, copy, fault);
	if (!err)
		err = find(&word, hook, signature, fault);
	free(copy);
	return err;
}
