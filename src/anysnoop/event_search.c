/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_search.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "call_events.h"
#include "gated.h"
#include "run_events.h"
#include "lib/gen/request.h"
#include "lib/gen/source.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/ksyms.h"
#include "lib/print/say.h"
#include "lib/run/gone_modules.h"
#include "lib/stacks/row_stacks.h"
#include "made.h"
#include "user_events.h"
#include "user_usdt.h"

static const struct event_search *asked;
static struct sources sources;

/* ---- one event */

/* Of a function, "MODULE:FUNC" or "FUNC". */
static void watch_module(const char *function)
{
	const char *colon = strchr(function, ':');
	char module[KSYMS_MODULE_MAX];

	if (!colon || (size_t)(colon - function) >= sizeof(module))
		return;
	snprintf(module, sizeof(module), "%.*s", (int)(colon - function), function);
	gone_modules__watch(module);
}

/* Whether events of a request may share programs: where they have some. */
static bool is_shared_pattern(const struct request *request)
{
	if (asked->via->consumer != VIA_BPF)
		return false;
	return request->source == REQUEST_USDT || (request__is_user(request->source) && request__has_pattern(request));
}

/* Plans an event.  What a pattern matches has one plan for all functions of which nothing more is known than their names. */
static int make_plan(const struct request *request, const char *system, const char *name, struct fault *fault)
{
	static struct {
		const struct request *request;
		const struct plan *plan;
	} first;
	struct plan *plan = &run_events.plans[run_events.count];
	bool is_common = !asked->between->is_wanted && request__has_pattern(request) && plan__is_common(request, name);
	int err;

	if (is_common && first.request == request) {
		plan__make_alike(plan, first.plan, system, name);
		return 0;
	}
	err = plan__make(plan, &sources, asked->requests, request, system, name,
			 asked->between->is_wanted ? between__asked(asked->between, run_events.count) : &asked->counted->wants, fault);
	if (!err && is_common) {
		first.request = request;
		first.plan = plan;
	}
	return err;
}

/* The plan that was made last becomes an event.  NULL: tool->err. */
static struct event_state *number_event(struct tool *tool, const struct request *request)
{
	size_t number = run_events.count;

	if (request__is_user(request->source))
		user_events__number(number);
	if (!run_events__add(is_shared_pattern(request) ? request : NULL))
		return &run_events.states[number];
	plan__free(&run_events.plans[number]);
	tool__fail(tool, -E2BIG, "more than %d events match (name fewer)", ANYSNOOP_EVENTS_MAX);
	return NULL;
}

static int add_event(struct tool *tool, const struct request *request, const char *system, const char *name)
{
	struct event_state *state;
	struct fault fault;
	int err;

	if (run_events.count == ANYSNOOP_SHARING_MAX)
		return tool__fail(tool, -E2BIG, "more than %d functions match (name fewer)", ANYSNOOP_SHARING_MAX);
	err = make_plan(request, system, name, &fault);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	state = number_event(tool, request);
	if (!state)
		return tool->err;
	if (request__is_function(request->source))
		watch_module(name);
	state->is_optional = request__has_pattern(request);
	state->is_recorded = request->source == REQUEST_TRACEPOINT &&
			     made__consumer(asked->via, tool, system, name, &fault) == VIA_FTRACE;
	if (request->source == REQUEST_TRACEPOINT)
		gated__tell(system, name);
	if (request->source == REQUEST_TRACEPOINT && made__may_nest(system))
		tool->missed_doubt = MADE_NESTS_WHY;
	return 0;
}

/* Whether no consumer that the command line allows has the event. */
static bool takes_nobody(const struct tool *tool, const struct request *request, const char *system, const char *name, struct fault *fault)
{
	return request->source == REQUEST_TRACEPOINT && made__consumer(asked->via, tool, system, name, fault) < 0;
}

/* Whether an event of a pattern cannot be shown: the others of the pattern can. */
static bool is_odd(const struct tool *tool, const struct request *request, const char *system, const char *name, struct fault *fault)
{
	struct format *format;

	if (source__refuses(request->source, name, fault) || takes_nobody(tool, request, system, name, fault))
		return true;
	if (request->source != REQUEST_TRACEPOINT)
		return false;
	if (sources__format(&sources, request->source, system, name, NULL, 0, &format, fault))
		return true;
	format__free(format);
	return false;
}

/* What add_matching() adds to. */
struct matching {
	struct tool *tool;
	const struct request *request;
};

static int add_match(void *context, const char *system, const char *name)
{
	const struct matching *matching = context;
	struct fault fault;

	if (!is_odd(matching->tool, matching->request, system, name, &fault))
		return add_event(matching->tool, matching->request, system, name);
	say("%s: skipped", fault.text);
	return 0;
}

static int add_matching(struct tool *tool, struct request *request)
{
	struct matching matching = { .tool = tool, .request = request };
	struct fault fault;
	bool any;
	int err;

	if (request->source == REQUEST_USDT)
		err = user_usdt__match(request, add_match, &matching, &any, &fault);
	else if (request__is_user(request->source))
		err = user_events__match(request, add_match, &matching, &any, &fault);
	else
		err = (request__is_function(request->source) ? call_events__match : sources__match)
			(&sources, request, add_match, &matching, &any, &fault);
	if (tool->err)
		return tool->err;
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	if (!any)
		return tool__fail(tool, -ENOENT, "no event matches \"%s:%s\" (anysnoop -l '*' lists all)", request->system, request->name);
	return 0;
}

/* Whether an event that is named cannot, or must not be traced. */
static bool refuses(const struct tool *tool, const struct request *request, struct fault *fault)
{
	if (request__is_user(request->source))
		return user_events__refuses(request, request->name, fault);
	if (request__is_function(request->source))
		return call_events__refuses(request, fault);
	return source__refuses(request->source, request->name, fault) ||
	       takes_nobody(tool, request, request->system, request->name, fault);
}

/* ---- what ends a recording */

/* 0, or tool->err: none may be what ends it. */
static int check_until(struct tool *tool, struct request *request)
{
	struct fault fault;

	if (call_events__resolve(request, &fault) ||
	    (!via__has_record(request->source) && !request__has_pattern(request) && refuses(tool, request, &fault)))
		return tool__fail(tool, fault.err ?: -EDEADLK, "--until: %s", fault.text);
	return 0;
}

/* A program sees what ends the recording, and ftrace records all events from 0 up to `first`. */
static void record_all_before(size_t first)
{
	for (size_t i = 0; i < run_events.count; i++)
		run_events.states[i].is_recorded = i < first;
	asked->flight->by_program = true;
	asked->via->consumer = VIA_BPF;
}

/* The time between two events. */
static int plan_until_between(struct tool *tool)
{
	struct flight *flight = asked->flight;
	size_t first = run_events.count;
	struct fault fault;

	for (size_t side = 0; side < 2; side++) {
		struct request *request = &flight->requests.list[side];

		if (check_until(tool, request))
			return tool->err;
		if (request->source == REQUEST_TRACEPOINT && made__consumer(asked->via, tool, request->system, request->name, &fault) < 0)
			return tool__fail(tool, fault.err, "--until: %s", fault.text);
		if (plan__make(&run_events.plans[run_events.count], &sources, &flight->requests, request, request->system, request->name,
			       between__asked(asked->between, side), &fault))
			return tool__fail(tool, fault.err, "--until: %s", fault.text);
		if (!number_event(tool, request))
			return tool->err;
	}
	record_all_before(first);
	flight->until_plan = &run_events.plans[first + 1];
	return between__plan(asked->between, tool, &run_events.plans[first], 2);
}

/* The event that ends a recording: where it has no record a program sees it, beside ftrace's records.  tool->err. */
static int plan_until(struct tool *tool)
{
	struct flight *flight = asked->flight;
	size_t count = run_events.count;

	if (tool->err || !flight->requests.count)
		return tool->err;
	if (flight->requests.count == 2)
		return plan_until_between(tool);
	if (check_until(tool, &flight->requests.list[0]) || flight__plan(flight, tool, &sources, run_events.plans, &run_events.count))
		return tool->err;
	/* it is one of those that are asked for */
	if (run_events.count == count)
		return 0;
	run_events.count = count;
	if (!number_event(tool, &flight->requests.list[0]))
		return tool->err;
	if (!via__has_record(flight->requests.list[0].source))
		record_all_before(count);
	return 0;
}

/* ---- all of them */

static void add_request(struct tool *tool, struct request *request)
{
	struct fault fault;

	/* a probe may have several places, with arguments each */
	if (request__has_pattern(request) || request->source == REQUEST_USDT)
		add_matching(tool, request);
	else if (refuses(tool, request, &fault))
		tool__fail(tool, -EDEADLK, "%s", fault.text);
	else
		add_event(tool, request, request->system, request->name);
}

/* Before 5.15 the kernel finds no callers from a return probe. */
static void check_stacks(struct tool *tool)
{
	if (!(tool->options.stacks_asked & ROW_STACK_KERNEL) || kernel__version() >= kernel_version(5, 15, 0))
		return;
	for (size_t i = 0; i < run_events.count; i++)
		if (run_events.plans[i].source == REQUEST_CALL_RETURN)
			tool__fail(tool, -EOPNOTSUPP, "%s and --stack: before Linux 5.15 the kernel finds no callers from a return probe",
				   run_events.plans[i].name);
}

static bool has_sharing(const struct requests *requests)
{
	for (size_t i = 0; i < requests->count; i++)
		if (is_shared_pattern(&requests->list[i]))
			return true;
	return false;
}

int event_search__run(const struct event_search *search, struct tool *tool)
{
	struct requests *requests = search->requests;
	struct fault fault;

	asked = search;
	if (run_events__make_room(has_sharing(requests)))
		return tool__fail(tool, -ENOMEM, "no memory");
	search->via->plans = run_events.plans;
	for (size_t i = 0; i < requests->count; i++)
		if (call_events__resolve(&requests->list[i], &fault))
			return tool__fail(tool, fault.err, "%s", fault.text);
	for (size_t i = 0; i < requests->count; i++)
		if (!request__has_pattern(&requests->list[i]))
			sources__expect(&sources, requests->list[i].source, requests->list[i].name);
	for (size_t i = 0; i < requests->count && !tool->err; i++)
		add_request(tool, &requests->list[i]);
	plan_until(tool);
	sources__free(&sources);
	if (!tool->err)
		check_stacks(tool);
	if (!tool->err && !run_events.count)
		tool__fail(tool, -ENOENT, "no event is left (anysnoop -l '*' lists all)");
	return tool->err;
}
