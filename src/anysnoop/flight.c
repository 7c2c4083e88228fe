/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/kernel/clock.h"
#include "lib/run/argument.h"

#define NS_PER_S 1000000000ull
#define BEFORE_MAX_S 86400

/* Names of tasks are known this long before the rows begin. */
#define TASKS_NS NS_PER_S

/* Of each CPU's buffer of new and renamed tasks, which is read only as far as rows are too old: for so many seconds, and at most. */
#define TASKS_KB_PER_S 256
#define TASKS_KB_MAX 4096

void flight__set_before(struct flight *flight, const char *text)
{
	flight->before_ns = argument__seconds("--before", text);
	if (flight->before_ns > BEFORE_MAX_S * NS_PER_S)
		usage_error("--before \"%s\": more than %d seconds", text, BEFORE_MAX_S);
}

void flight__set_until(struct flight *flight, const char *text)
{
	struct fault fault;

	size_t count = flight->requests.count;

	if (count == 2)
		usage_error("--until: one event ends the recording, or the time between two, and three are named");
	if (requests__take(&flight->requests, text, &fault) || requests__end(&flight->requests, &fault))
		usage_error("--until: %s", fault.text);
	if (flight->requests.count != count + 1)
		usage_error("--until \"%s\": names no event ('EVENT if FILTER' does)", text);
}

void flight__check(struct flight *flight, const struct tool *tool)
{
	if (!flight->before_ns && flight->requests.count)
		usage_error("--until: needs --before SECONDS: how far back the rows go");
	if (flight->before_ns && tool->counts)
		usage_error("--before: prints rows, and --count and --hist count");
}

/* ---- the event that ends it */

struct search {
	char system[FORMAT_NAME_MAX + 1], name[FORMAT_NAME_MAX + 1];
	unsigned int found;
};

static int find_name(void *context, const char *system, const char *name)
{
	struct search *search = context;

	snprintf(search->system, sizeof(search->system), "%s", system);
	snprintf(search->name, sizeof(search->name), "%s", name);
	search->found++;
	return 0;
}

/* The event's name, without patterns.  0, or -errno with one line in fault. */
static int find(const struct flight *flight, struct sources *sources, struct search *search, struct fault *fault)
{
	const struct request *request = &flight->requests.list[0];
	bool any;
	int err;

	*search = (struct search){ .found = 0 };
	if (!request__has_pattern(request))
		return find_name(search, request->system, request->name);
	if (request__is_function(request->source) || request__is_user(request->source))
		return fault__set(fault, -EINVAL, "%s: one function ends the recording, and this is a pattern", request->name);
	err = sources__match(sources, request, find_name, search, &any, fault);
	if (!err && search->found != 1)
		err = fault__set(fault, -EINVAL, "%s:%s: %u events match, and one ends the recording", request->system, request->name,
				 search->found);
	return err;
}

int flight__plan(struct flight *flight, struct tool *tool, struct sources *sources, struct plan *plans, size_t *plans_count)
{
	static const struct plan_counts no_counts;
	struct search search;
	struct fault fault;
	int err;

	if (tool->err || !flight->requests.count)
		return tool->err;
	err = find(flight, sources, &search, &fault);
	if (!err)
		err = plan__make(&flight->own, sources, &flight->requests, &flight->requests.list[0], search.system, search.name,
				 &no_counts, &fault);
	if (err)
		return tool__fail(tool, err, "--until: %s", fault.text);
	flight->until_plan = &flight->own;
	for (size_t i = 0; i < *plans_count; i++)
		if (plans[i].source == flight->own.source && !request__is_function(flight->own.source) &&
		    !strcmp(plans[i].name, flight->own.name))
			return 0;
	flight->until_plan = &plans[*plans_count];
	plans[(*plans_count)++] = flight->own;
	flight->own = (struct plan){ .format = NULL };
	return 0;
}

/* ---- the recording */

int flight__hold(struct flight *flight, struct recorder *recorder)
{
	uint64_t kb = TASKS_KB_PER_S * (1 + flight->before_ns / NS_PER_S);
	char number[16];
	int err;

	flight->recorder = recorder;
	flight->epoll_fd = flight->signal_fd = -1;
	snprintf(number, sizeof(number), "%llu\n", (unsigned long long)(kb < TASKS_KB_MAX ? kb : TASKS_KB_MAX));
	err = instance__write(&recorder->tasks.instance, "buffer_size_kb", number);
	return err ? err : instance__write(&recorder->instance, "tracing_on", "0\n");
}

/* 0 or -errno. */
static int watch_signal(struct flight *flight)
{
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	flight->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (flight->epoll_fd < 0 || sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	flight->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (flight->signal_fd < 0 || epoll_ctl(flight->epoll_fd, EPOLL_CTL_ADD, flight->signal_fd, &event))
		return -errno;
	return 0;
}

int flight__start(struct flight *flight, const struct format *format, const char *filter, bool hooks, struct fault *fault)
{
	int err = watch_signal(flight);

	if (!err && flight->until_plan && !flight->by_program) {
		err = until__open(&flight->until, format, filter, hooks, fault);
		if (err)
			return err;
		err = until__wake(&flight->until, flight->epoll_fd);
	}
	if (!err)
		err = instance__write(&flight->recorder->instance, "tracing_on", "1\n");
	flight->started_ns = flight->until.since_ns = now_ns();
	return err ? fault__set(fault, err, "the recording cannot be started: %s", strerror(-err)) : 0;
}

int flight__wake_fd(const struct flight *flight)
{
	return flight->epoll_fd;
}

bool flight__takes(struct flight *flight, uint64_t time_ns)
{
	bool is_first = !flight->until.has_come && !flight->has_ended;

	if (!is_first) {
		flight->later++;
		return false;
	}
	flight->until.has_come = true;
	flight->until.time_ns = time_ns;
	return true;
}

int flight__look(struct flight *flight)
{
	uint64_t now = now_ns(), old_ns = flight->before_ns + TASKS_NS;
	struct signalfd_siginfo info;
	int err = 0;

	if (now > old_ns)
		task_events__go_on(&flight->recorder->tasks, now - old_ns);
	if (read(flight->signal_fd, &info, sizeof(info)) == sizeof(info))
		flight->is_over = true;
	if (flight->until_plan && (flight->by_program ? flight->until.has_come : until__look(&flight->until, &err)))
		flight->is_over = true;
	return err;
}

int flight__end(struct flight *flight)
{
	struct stream_stats stats;
	uint64_t complete_ns = 0;
	int err;

	flight->has_ended = true;
	flight->until_ns = now_ns();
	if (flight->until_plan) {
		if (!flight->by_program)
			until__end(&flight->until);
		if (flight->until.has_come)
			flight->until_ns = flight->until.time_ns;
	}
	flight->from_ns = flight->until_ns > flight->before_ns ? flight->until_ns - flight->before_ns : 0;
	if (flight->from_ns < flight->started_ns)
		flight->from_ns = flight->started_ns;
	err = stream__stats(&flight->recorder->stream, &stats);
	if (!err)
		err = stream__complete_from(&flight->recorder->stream, &complete_ns);
	if (err)
		return err;
	flight->overwritten = stats.overrun;
	flight->is_short = complete_ns > flight->from_ns;
	if (flight->is_short)
		flight->from_ns = complete_ns < flight->until_ns ? complete_ns : flight->until_ns;
	return 0;
}

bool flight__shows(struct flight *flight, const struct raw_record *record)
{
	if (flight->is_past || record->time_ns > flight->until_ns) {
		flight->later++;
		return false;
	}
	/* the event itself is shown also where nothing else is complete */
	flight->is_past = flight->until_plan && until__is(&flight->until, record);
	if (!flight->is_past && record->time_ns < flight->from_ns) {
		flight->older++;
		return false;
	}
	flight->shown++;
	return true;
}

/* ---- what was kept */

static void tell_json(const struct flight *flight, struct tool *tool, uint64_t kept_ns)
{
	char line[320];
	int length = snprintf(line, sizeof(line),
			      "{\"type\":\"kept\",\"tool\":\"%s\",\"kept\":{\"asked_ns\":%llu,\"kept_ns\":%llu,\"by_event\":%s,"
			      "\"records\":%llu,\"older\":%llu,\"later\":%llu,\"overwritten\":%llu}}", tool->about->name,
			      (unsigned long long)flight->before_ns, (unsigned long long)kept_ns,
			      flight->until.has_come ? "true" : "false", (unsigned long long)flight->shown,
			      (unsigned long long)flight->older, (unsigned long long)flight->later,
			      (unsigned long long)flight->overwritten);

	out__line(&tool->out, line, (size_t)length);
}

void flight__tell(const struct flight *flight, struct tool *tool)
{
	uint64_t kept_ns = flight->until_ns - flight->from_ns;
	const char *why = "";

	if (kept_ns < flight->before_ns)
		why = flight->is_short ? " (a larger --buffer keeps more)" : " (all since the start)";
	if (tool->out.json)
		tell_json(flight, tool, kept_ns);
	if (flight->until_plan && !flight->until.has_come && flight->requests.count == 2)
		say("%s never came so late after %s: these are the last events", flight->until_plan->name, flight->until_plan[-1].name);
	else if (flight->until_plan && !flight->until.has_come)
		say("%s did not come: these are the last events", flight->until_plan->name);
	say("kept the last %.3f s of %g s%s: %llu records, %llu older, %llu later, %llu overwritten", (double)kept_ns / NS_PER_S,
	    (double)flight->before_ns / NS_PER_S, why, (unsigned long long)flight->shown, (unsigned long long)flight->older,
	    (unsigned long long)flight->later, (unsigned long long)flight->overwritten);
}

int flight__close(struct flight *flight)
{
	int err = until__close(&flight->until);

	if (flight->recorder && flight->signal_fd >= 0)
		close(flight->signal_fd);
	if (flight->recorder && flight->epoll_fd >= 0)
		close(flight->epoll_fd);
	plan__free(&flight->own);
	requests__free(&flight->requests);
	return err;
}
