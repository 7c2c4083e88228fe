/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_usdt.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anysnoop.h"
#include "lib/print/say.h"
#include "lib/print/text.h"
#include "lib/user/user_notes.h"

#define NAME_SIZE 1024
#define NOP 0x90

/* "TARGET:[PROVIDER:]NAME", the last two patterns. */
struct wanted {
	const char *provider;	/* "*" where it is not named */
	const char *name;
	char text[NAME_SIZE];	/* what they point into */
	int target;		/* bytes of TARGET */
};

static bool parse(const struct request *request, struct wanted *wanted)
{
	const char *colon = strchr(request->name, ':');
	char *at;

	wanted->target = colon ? (int)(colon - request->name) : 0;
	if (!colon || snprintf(wanted->text, sizeof(wanted->text), "%s", colon + 1) >= (int)sizeof(wanted->text))
		return false;
	at = strchr(wanted->text, ':');
	wanted->provider = at ? wanted->text : "*";
	wanted->name = at ? at + 1 : wanted->text;
	if (at)
		*at = 0;
	return true;
}

static bool is_wanted(const struct wanted *wanted, const struct user_note *note)
{
	return !fnmatch(wanted->provider, note->provider, 0) && !fnmatch(wanted->name, note->name, 0);
}

/*
 * Whether a probe may be put there: where an instruction starts, as far as the function is known, else on the nop that marks every place.
 * 0, or -errno with one line in fault.
 */
static int find_site(const struct user_target *target, const struct user_note *note, struct user_sites *sites, struct fault *fault)
{
	struct user_function function;
	uint8_t first;

	if (user_file__around(target->file, note->address, &function))
		return user_site__entry(target->file, &function, note->address - function.address, sites, fault);
	*sites = (struct user_sites){ .offsets = { note->offset }, .count = 1 };
	if (user_file__code(target->file, note->address, &first, 1))
		return fault__set(fault, -ENOEXEC, "its code is not in the file");
	return first == NOP ? 0 : fault__set(fault, -EOPNOTSUPP, "no nop is at its place");
}

/* ---- all places of a target */

struct place {
	const struct user_target *target;
	const struct user_note *note;
	bool is_taken;
};

struct places {
	struct user_notes notes[USER_TARGETS_MAX];	/* of each file */
	struct place *list;
	size_t count;
};

static void free_places(struct places *places)
{
	for (size_t i = 0; i < USER_TARGETS_MAX; i++)
		user_notes__free(&places->notes[i]);
	free(places->list);
}

/* 0, or -errno with one line in fault; free_places() also after an error. */
static int find_places(const struct user_targets *targets, const struct wanted *wanted, struct places *places, struct fault *fault)
{
	*places = (struct places){ .list = calloc(ANYSNOOP_SHARING_MAX, sizeof(*places->list)) };
	if (!places->list)
		return fault__set(fault, -ENOMEM, "no memory");
	for (size_t i = 0; i < targets->count; i++) {
		const struct user_target *target = &targets->list[i];
		int err = user_notes__read(target->fd, &places->notes[i]);

		if (err)
			return fault__set(fault, err, "%.256s: its probes cannot be read: %s", target->path, strerror(-err));
		for (size_t j = 0; j < places->notes[i].count; j++) {
			if (!is_wanted(wanted, &places->notes[i].list[j]))
				continue;
			if (places->count == ANYSNOOP_SHARING_MAX)
				return fault__set(fault, -E2BIG, "more than %d places match (name fewer)", ANYSNOOP_SHARING_MAX);
			places->list[places->count++] = (struct place){ target, &places->notes[i].list[j], false };
		}
	}
	return 0;
}

static const struct user_targets *find_targets(const struct request *request, struct wanted *wanted, struct fault *fault)
{
	char name[PATH_MAX];

	if (!parse(request, wanted) || wanted->target >= (int)sizeof(name) - 2) {
		fault__set(fault, -EINVAL, "no probe (usdt:TARGET:PROVIDER:NAME is one)");
		return NULL;
	}
	snprintf(name, sizeof(name), "%.*s:", wanted->target, request->name);
	return user_events__targets(name, fault);
}

static bool is_same(const struct user_note *a, const struct user_note *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->provider, b->provider) && !strcmp(a->args, b->args);
}

/* Takes all places like this one, from it on.  How many can be probed; *why: of one that cannot. */
static size_t take_alike(struct places *places, size_t first, struct fault *why)
{
	const struct user_note *note = places->list[first].note;
	size_t good = 0, refused = 0;

	user_events__begin();
	for (size_t i = first; i < places->count; i++) {
		struct place *place = &places->list[i];
		struct user_sites sites;

		if (place->is_taken || !is_same(place->note, note))
			continue;
		place->is_taken = true;
		if (!find_site(place->target, place->note, &sites, why) &&
		    !user_events__add(place->target, &sites, place->note->semaphore))
			good++;
		else
			refused++;
	}
	if (good && refused)
		say("usdt:%s:%s: %zu of its %zu places are skipped: %s", note->provider, note->name, refused, good + refused, why->text);
	return good;
}

int user_usdt__match(struct request *request, int (*found)(void *context, const char *system, const char *name), void *context, bool *any,
		     struct fault *fault)
{
	struct wanted wanted;
	struct places places;
	const struct user_targets *targets = find_targets(request, &wanted, fault);
	int err = targets ? find_places(targets, &wanted, &places, fault) : fault->err;
	char name[PATH_MAX + NAME_SIZE];

	*any = false;
	for (size_t i = 0; targets && i < places.count && !err; i++) {
		const struct user_note *note = places.list[i].note;
		struct fault why = {};

		if (places.list[i].is_taken)
			continue;
		*any = true;
		snprintf(name, sizeof(name), "%.*s:%.256s:%.256s", wanted.target, request->name, note->provider, note->name);
		if (!take_alike(&places, i, &why)) {
			if (!request__has_pattern(request)) {
				err = fault__set(fault, why.err, "usdt:%.1000s: %s", name, why.text);
				break;
			}
			say("usdt:%s: %s: skipped", name, why.text);
			continue;
		}
		request->operands = note->args;
		err = found(context, request->system, name);
	}
	request->operands = NULL;
	if (!targets || (err && !*any))
		user_events__name(fault, request->system, request->name);
	else if (!err && !*any)
		err = fault__set(fault, -ENOENT, "%s:%.256s: no such probe (-l '%s:%.*s:*' lists those that there are)", request->system,
				 request->name, request->system, wanted.target, request->name);
	if (targets)
		free_places(&places);
	return err;
}

/* ---- -l */

static void list_place(const struct place *place)
{
	const char *const texts[] = { place->target->path, place->note->provider, place->note->name, place->note->args };
	char escaped[4][TEXT_ESCAPED_MAX(NAME_SIZE) + 1];
	struct user_sites sites;
	struct fault fault;
	size_t characters;

	for (int i = 0; i < 4; i++)
		*text__escape(escaped[i], texts[i], strnlen(texts[i], NAME_SIZE), &characters) = 0;
	printf("usdt:%s:%s:%s\n", escaped[0], escaped[1], escaped[2]);
	if (*escaped[3])
		printf("    %s\n", escaped[3]);
	if (place->note->semaphore)
		printf("    the program skips it while nobody traces it\n");
	if (find_site(place->target, place->note, &sites, &fault))
		printf("    refused: %s\n", fault.text);
}

int user_usdt__list(const struct request *request, bool *any, struct fault *fault)
{
	struct wanted wanted;
	struct places places;
	const struct user_targets *targets = find_targets(request, &wanted, fault);
	int err = targets ? find_places(targets, &wanted, &places, fault) : fault->err;

	for (size_t i = 0; !err && i < places.count; i++)
		list_place(&places.list[i]);
	*any = !err && places.count;
	if (targets)
		free_places(&places);
	if (err)
		user_events__name(fault, request->system, request->name);
	return err;
}
