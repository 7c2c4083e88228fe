/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_match.h"

#include <errno.h>
#include <string.h>

#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

struct matching {
	struct user_function best;	/* of the names at one address; without a name: none */
	user_match_found *found;
	void *context;
};

static size_t count_underscores(const char *name)
{
	return strspn(name, "_");
}

static bool is_better(const char *name, const char *than)
{
	size_t length = user_function__name_length(name), other = user_function__name_length(than);

	if (count_underscores(name) != count_underscores(than))
		return count_underscores(name) < count_underscores(than);
	return length != other ? length < other : strncmp(name, than, length) < 0;
}

/* Hands over the function whose names have been seen. */
static int hand_over(struct matching *matching)
{
	return matching->best.name ? matching->found(matching->context, &matching->best) : 0;
}

static int match_function(void *context, const struct user_function *function)
{
	struct matching *matching = context;
	int err;

	if (matching->best.name && matching->best.address == function->address) {
		if (is_better(function->name, matching->best.name))
			matching->best = *function;
		return 0;
	}
	err = hand_over(matching);
	matching->best = *function;
	return err;
}

int user_match__each(const struct user_file *file, const char *pattern, user_match_found *found, void *context)
{
	struct matching matching = { .found = found, .context = context };

	return user_file__match(file, pattern, match_function, &matching) ?: hand_over(&matching);
}

int user_match__explain(const struct user_targets *targets, const char *function, struct fault *fault)
{
	const struct user_target *first = &targets->list[0];
	struct text_buffer text;
	struct near near;
	bool imports = false;

	near__init(&near, near__typed_limit(function), NEAR_MAX);
	for (size_t i = 0; i < targets->count; i++) {
		imports |= user_file__imports(targets->list[i].file, function);
		user_file__near(targets->list[i].file, function, &near);
	}
	text = fault__begin(fault, -ENOENT);
	if (targets->count == 1 && !user_file__count(first->file))
		text_buffer__add(&text, "%.256s has no symbols (it is stripped)", first->path);
	else if (targets->count == 1 && imports)
		text_buffer__add(&text, "%.256s calls it, but a library has it (name that one as the target)", first->path);
	else if (targets->count > 1)
		text_buffer__add(&text, "none of %zu files, such as %.256s, has a function of that name", targets->count, first->path);
	else
		text_buffer__add(&text, "%.256s has no function of that name", first->path);
	if (!imports || targets->count > 1)
		near__put(&near, &text);
	return -ENOENT;
}
