/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/functions.h"
#include "lib/ftrace/instance.h"
#include "lib/ftrace/matches.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/names.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/say.h"
#include "lib/print/text_buffer.h"
#include "lib/probe/funcname.h"
#include "lib/probe/trampoline.h"

/* Has the kernel match, unless an earlier start has kept what it said.  0, or -errno with one line in fault. */
static int match(struct functions *functions, const char *pattern, struct fault *fault)
{
	struct instance instance = {};
	struct matches matches;
	bool known = !matches__read(&matches, functions, NULL, &pattern, 1);
	int err = known ? instances__check() : instance__make(&instance, 0);

	if (known && !err)
		return 0;
	if (err == -ENOENT && tracefs__mount_point())
		fault__set(fault, err,
			   "patterns of functions need instances in tracefs (CONFIG_FUNCTION_TRACER), which this kernel does not have");
	else if (err == -ENOENT || err == -EROFS || (err == -EACCES && !tracefs__mount_point()))
		fault__set(fault, err, "%s", tracefs__why(err));
	else if (err)
		fault__set(fault, err, "no instance can be made in tracefs: %s", strerror(-err));
	if (err)
		return err;
	err = functions__match(functions, &instance, false, NULL, &pattern, 1);
	if (err)
		*fault = functions->fault;
	else
		matches__keep(&matches, functions);
	if (instance__remove(&instance))
		say("the instance in tracefs cannot be removed yet (the next start does it)");
	return err;
}

/* Sorts them, and leaves out those with a name that several have: a probe cannot distinguish them. */
static void leave_out_twins(struct functions *functions)
{
	char first[KSYMS_NAME_MAX];
	size_t kept = 0, left_out = 0, count;

	functions__sort(functions);
	for (size_t i = 0; i < functions->count; i += count) {
		struct function *list = functions->list + i;

		for (count = 1; i + count < functions->count && !function__compare(list, list + count); count++)
			continue;
		if (count == 1) {
			functions->list[kept++] = *list;
			continue;
		}
		if (!left_out)
			snprintf(first, sizeof(first), "%s", list->name);
		left_out += count;
		for (size_t j = 0; j < count; j++) {
			free(list[j].name);
			free(list[j].module);
		}
	}
	functions->count = kept;
	if (left_out)
		say("%zu functions are skipped that share a name, as a probe cannot distinguish them, such as %s", left_out, first);
}

static void leave_out_denied(struct functions *functions)
{
	char first[KSYMS_NAME_MAX];
	size_t denied = functions__deny(functions, first);

	if (denied == 1)
		say("%s is skipped: BPF programs run it themselves", first);
	else if (denied)
		say("%zu functions are skipped that BPF programs run themselves, such as %s", denied, first);
}

/* Whether the request is for the returns of a function that has none; then fault has a line. */
static bool waits_in_vain(const struct request *request, const char *function, struct fault *fault)
{
	if (request->source != REQUEST_CALL_RETURN || trampoline__returns(function))
		return false;
	fault__set(fault, -EINVAL, "%s:%s: this function does not return (k:%s shows its calls begin)", request->system,
		   function, function);
	return true;
}

/* The same of a pattern's functions: they are skipped. */
static void leave_out_those_in_vain(const struct request *request, struct functions *functions)
{
	size_t kept = 0;
	struct fault fault;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (!waits_in_vain(request, function->name, &fault)) {
			functions->list[kept++] = *function;
			continue;
		}
		say("%s: skipped", fault.text);
		free(function->name);
		free(function->module);
	}
	functions->count = kept;
}

int call_events__match(struct sources *sources, const struct request *request,
		       int (*found)(void *context, const char *system, const char *name), void *context, bool *any, struct fault *fault)
{
	struct functions functions = {};
	char name[FUNCNAME_MAX];
	int err;

	*any = false;
	if (!function_pattern__is_valid(request->name))
		return fault__set(fault, -EINVAL, "\"%s:%.120s\": no pattern of functions%s", request->system, request->name,
				  strchr(request->name, '+') ? " (an offset is for one function)" : "");
	err = match(&functions, request->name, fault);
	*any = !err && functions.count;
	if (!err) {
		leave_out_denied(&functions);
		leave_out_twins(&functions);
		leave_out_those_in_vain(request, &functions);
	}
	/* the first time to announce them all */
	for (int time = 0; time < 2; time++)
		for (size_t i = 0; i < functions.count && !err; i++) {
			const struct function *function = &functions.list[i];

			snprintf(name, sizeof(name), "%s%s%s", function->module ?: "", function->module ? ":" : "", function->name);
			err = time ? found(context, request->system, name) : sources__expect(sources, request->source, name);
		}
	functions__free(&functions);
	return err;
}

/* "[MODULE:]FUNC+OFFSET" of "FUNC+0x10/0x9c0 [MODULE]", as the kernel prints a place. NULL: no memory. */
static char *function_of(char *place)
{
	const char *module = names__split(place);
	char *function;

	place[strcspn(place, "/")] = 0;
	if (strlen(place) > 4 && !strcmp(place + strlen(place) - 4, "+0x0"))
		place[strlen(place) - 4] = 0;
	return asprintf(&function, "%s%s%s", module ? module : "", module ? ":" : "", place) < 0 ? NULL : function;
}

/* Whether a probe on that name is at the address: several functions may have it. */
static bool is_at(struct names *names, const char *function, uint64_t address)
{
	struct funcname parsed;

	return !funcname__parse(function, &parsed) &&
	       names__address(names, *parsed.module ? parsed.module : NULL, parsed.function) + parsed.offset == address;
}

int call_events__resolve(struct request *request, struct fault *fault)
{
	struct names names = {};
	char place[NAMES_NAME_MAX], *end;
	uint64_t address;
	int err = 0;

	if (!request__is_function(request->source))
		return 0;
	/* as /proc/kallsyms has it */
	if (strlen(request->name) == 16 && strspn(request->name, "0123456789abcdef") == 16)
		return fault__set(fault, -EINVAL, "%s:%s: an address begins with 0x", request->system, request->name);
	/* no function's name begins with a digit */
	if (!isdigit((unsigned char)*request->name))
		return 0;
	errno = 0;
	address = strtoull(request->name, &end, 0);
	if (*end || errno)
		return fault__set(fault, -EINVAL, "%s:%s: no address", request->system, request->name);
	names__open(&names, false);
	names__open_places(&names);
	names__place(&names, address, place);
	if (!strncmp(place, "0x", 2))
		err = fault__set(fault, -ENOENT, "%s:%s: no function of this kernel is there", request->system, request->name);
	else if (!(request->place = function_of(place)))
		err = fault__set(fault, -ENOMEM, "no memory");
	else if (!is_at(&names, request->place, address))
		err = fault__set(fault, -ENOTUNIQ, "%s:%s: it is in %s, and several functions have this name", request->system, request->name,
				 request->place);
	else
		request->name = request->place;
	names__close(&names);
	return err;
}

int call_events__check(const struct request *request, struct fault *fault)
{
	struct funcname parsed;
	struct ksyms_match match;
	struct text_buffer text;
	int err = funcname__parse(request->name, &parsed);

	if (err)
		return fault__set(fault, -EINVAL, "%s:%s: no function and offset", request->system, request->name);
	err = ksyms__find(*parsed.module ? parsed.module : NULL, parsed.function, &match);
	if (err)
		return fault__set(fault, err, "%s:%s: /proc/kallsyms cannot be read: %s", request->system, request->name, strerror(-err));
	if (match.functions)
		return 0;
	text = fault__begin(fault, -ENOENT);
	text_buffer__add(&text, "%s:%s: the kernel has no such function (it may be inlined everywhere)", request->system, request->name);
	for (unsigned int i = 0; i < match.nearest_count; i++)
		text_buffer__add(&text, "%s%s", i ? ", " : "; the nearest are ", match.nearest[i]);
	return -ENOENT;
}

bool call_events__refuses(const struct request *request, struct fault *fault)
{
	struct functions functions = {};
	struct funcname parsed;
	char first[KSYMS_NAME_MAX];
	bool refuses;

	if (funcname__parse(request->name, &parsed))
		return false;
	if (waits_in_vain(request, parsed.function, fault))
		return true;
	if (functions__add(&functions, parsed.function, NULL))
		return false;
	refuses = functions__deny(&functions, first);
	functions__free(&functions);
	if (refuses)
		fault__set(fault, -EDEADLK, "%s:%s: BPF programs run it themselves, so they cannot trace it", request->system,
			   request->name);
	return refuses;
}

bool call_events__ask_for_registers(const struct requests *requests)
{
	for (size_t i = 0; i < requests->count; i++)
		for (size_t j = 0; j < requests->list[i].fields_count; j++)
			if (strchr(requests->list[i].fields[j], '%') || strstr(requests->list[i].fields[j], "$stack"))
				return true;
	return false;
}
