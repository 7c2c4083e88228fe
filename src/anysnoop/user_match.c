/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of functions of programs and libraries: which they mean, and -l. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/user_prototypes.h"
#include "lib/format/user_signature.h"
#include "lib/print/say.h"
#include "lib/print/text.h"
#include "lib/print/text_buffer.h"
#include "lib/user/user_match.h"
#include "user_events.h"

#define FUNCTION_NAME_MAX 512
#define SKIPPED_SAID 3		/* functions that are skipped with a line each */

/* ---- patterns */

struct matching {
	const struct request *request;
	int (*found)(void *context, const char *system, const char *name);
	void *context;
	const struct user_targets *targets;
	size_t target;			/* the file that is looked at */
	size_t skipped;
	bool any;
};

/* Whether the name was found before: in an earlier file, or as another version in this one. */
static bool is_known(const struct matching *matching, const char *name, const struct user_function *function)
{
	struct user_function first;

	for (size_t i = 0; i < matching->target; i++)
		if (user_file__find(matching->targets->list[i].file, name, &first, 1))
			return true;
	return user_file__find(matching->targets->list[matching->target].file, name, &first, 1) && first.address != function->address;
}

static int match_function(void *context, const struct user_function *function)
{
	struct matching *matching = context;
	size_t target = (size_t)(request__function(matching->request) - matching->request->name);
	size_t length = user_function__name_length(function->name);
	char name[FUNCTION_NAME_MAX + 256];
	struct fault fault;

	if (target + length >= sizeof(name))
		return 0;
	memcpy(name, matching->request->name, target);
	memcpy(name + target, function->name, length);
	name[target + length] = 0;
	if (is_known(matching, name + target, function))
		return 0;
	matching->any = true;
	if (!user_events__refuses(matching->request, name, &fault))
		return matching->found(matching->context, matching->request->system, name);
	if (matching->skipped++ < SKIPPED_SAID)
		say("%s: skipped", fault.text);
	return 0;
}

int user_events__match(const struct request *request, int (*found)(void *context, const char *system, const char *name), void *context,
		       bool *any, struct fault *fault)
{
	struct matching matching = { .request = request, .found = found, .context = context };
	int err = 0;

	*any = false;
	matching.targets = user_events__targets(request->name, fault);
	if (!matching.targets) {
		user_events__name(fault, request->system, request->name);
		return fault->err;
	}
	for (; matching.target < matching.targets->count && !err; matching.target++)
		err = user_match__each(matching.targets->list[matching.target].file, request__function(request), match_function, &matching);
	if (matching.skipped > SKIPPED_SAID)
		say("%s:%s: %zu more functions are skipped (-l says why)", request->system, request->name, matching.skipped - SKIPPED_SAID);
	*any = matching.any;
	return err;
}

/* ---- -l */

struct listing {
	const struct user_target *target;
	const struct request *request;
	bool any;
};

/* How a program on the function declares what it gets, as ctxgen writes it; of many functions only where that is known. */
static void list_program(const struct user_function *function, bool at_return, bool is_one)
{
	struct text_buffer text = text_buffer__growing(1 << 16);
	char name[FUNCTION_NAME_MAX];
	struct signature signature;
	bool are_known = false;
	char *line = NULL;

	snprintf(name, sizeof(name), "%.*s", (int)user_function__name_length(function->name), function->name);
	/* a format is made for each, which takes most of a list's time */
	if (!is_one && !user_prototype(name))
		return;
	if (!user_signature__make(&signature, name, NULL, &are_known, NULL) && (are_known || is_one)) {
		text_buffer__add(&text, "    %s(%s%s", at_return ? "BPF_URETPROBE" : "BPF_UPROBE", name, at_return ? "_exit" : "_enter");
		if (at_return) {
			signature.params[0] = signature.result;
			signature.count = *signature.result.type ? 1 : 0;
		}
		signature__put_params(&signature, &text);
		line = text_buffer__take(&text);
	}
	if (line)
		printf("%s)\n", line);
	free(line);
}

static int list_function(void *context, const struct user_function *function)
{
	struct listing *listing = context;
	bool at_return = listing->request->source == REQUEST_USER_RETURN;
	char name[TEXT_ESCAPED_MAX(FUNCTION_NAME_MAX) + 1], path[TEXT_ESCAPED_MAX(PATH_MAX) + 1];
	size_t characters;
	struct user_sites sites;
	struct fault fault;

	listing->any = true;
	*text__escape(path, listing->target->path, strnlen(listing->target->path, PATH_MAX), &characters) = 0;
	*text__escape(name, function->name, strnlen(function->name, FUNCTION_NAME_MAX), &characters) = 0;
	printf("%s:%s:%s", listing->request->system, path, name);
	if (user_events__sites(listing->target->file, function, at_return, &sites, &fault)) {
		printf("\n    refused: %s\n", fault.text);
		return 0;
	}
	if (at_return)
		printf("\n    %s\n", sites.by_kernel ? "by the kernel's return probe" : "by its ret instructions");
	else
		printf("\n");
	list_program(function, at_return, !request__has_pattern(listing->request));
	return 0;
}

int user_events__list(const struct request *request, bool *any, struct fault *fault)
{
	const struct user_targets *targets = user_events__targets(request->name, fault);

	if (!targets) {
		user_events__name(fault, request->system, request->name);
		return fault->err;
	}
	for (size_t i = 0; i < targets->count; i++) {
		struct listing listing = { .target = &targets->list[i], .request = request };

		user_file__match(targets->list[i].file, request__function(request), list_function, &listing);
		*any |= listing.any;
	}
	return 0;
}
