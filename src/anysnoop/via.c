/* SPDX-License-Identifier: BSD-2-Clause */
#include "via.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/record_state.h"
#include "lib/gen/fetch_args.h"
#include "lib/gen/syscall_record.h"
#include "lib/gen/user_fetch.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/count.h"
#include "lib/print/say.h"
#include "lib/probe/kprobe_events.h"
#include "lib/probe/uprobe_events.h"
#include "lib/run/kernel_stream.h"
#include "lib/user/user_watch.h"
#include "probe_records.h"
#include "user_records.h"
#include "via_consumers.h"

struct run {
	const struct via *via;
	struct tool *tool;
	const struct consumer_ops *ops;
	struct kernel_stream_ops stream_ops;
	struct kernel_stream stream;
	char label[32];
	union consumer consumer;
	struct format **raw;		/* of each plan: the format of its records, if that is not the plan's own */
	size_t last;			/* the number of the last record's plan */
	struct raw_record record;
	char *copy;			/* room for the largest record */
};

enum via_consumer via__parse(const char *text)
{
	for (size_t i = 0; i < VIA_CONSUMERS; i++)
		if (!strcmp(text, consumer_ops[i].name))
			return (enum via_consumer)i;
	usage_error("--via \"%s\": not one of bpf, ftrace, perf", text);
}

bool via__has_record(enum request_source source)
{
	return source != REQUEST_RAWTP && source != REQUEST_CALL_RETURN && source != REQUEST_WATCH && source != REQUEST_LSM &&
	       !request__is_user(source);
}

const char *via__lacks(const struct tool *tool, const char **options)
{
	if (tool->counts) {
		*options = "--count and --hist";
		return "records are not counted here";
	}
	if (tool->options.stacks_asked) {
		*options = "--stack and --ustack";
		return "records have no stacks here";
	}
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup) {
		*options = "-u and -c";
		return "records do not have the user and the cgroup of a task";
	}
	return NULL;
}

void via__check(const struct via *via, const struct tool *tool)
{
	const char *options, *lacks = via->consumer == VIA_BPF ? NULL : via__lacks(tool, &options);

	if (lacks)
		usage_error("--via %s: %s (%s are for --via bpf)", consumer_ops[via->consumer].name, lacks, options);
}

/* The filters of an event in the kernel's language: NULL without one. 0 or tool->err. */
static int make_filter(const struct run *run, const struct plan *plan, char **text)
{
	struct expr_error error;
	struct fault fault;
	int err;

	*text = NULL;
	if (!plan->filter)
		return 0;
	err = plan__predicate(plan, text, &error);
	if (!err)
		return 0;
	plan__explain(plan, &error, &fault);
	return tool__fail(run->tool, err, "%s: %s%s", plan->name, fault.text, run->via->is_chosen ? " (--via bpf has all filters)" : "");
}

/* Room for the copy of a record, and for formats.  0 or -ENOMEM. */
static int make_room(struct run *run)
{
	size_t largest = 0;

	run->raw = calloc(run->via->plans_count + 1, sizeof(*run->raw));

	for (size_t i = 0; i < run->via->plans_count; i++)
		largest = run->via->plans[i].record.size > largest ? run->via->plans[i].record.size : largest;
	run->copy = malloc(largest);
	return run->copy && run->raw ? 0 : -ENOMEM;
}

/* The format of a plan's records. */
static const struct format *format_of(const struct run *run, size_t plan)
{
	return run->raw[plan] ?: run->via->plans[plan].format;
}

/* Whether a plan's event is the consumer's. */
static bool is_recorded(const struct run *run, size_t plan)
{
	return !run->via->is_shared || run->via->states[plan].is_recorded;
}

static bool is_syscall(const struct plan *plan)
{
	return plan->source == REQUEST_SYSCALL || plan->source == REQUEST_SYSCALL_RETURN;
}

/* The event whose records are those of a plan: *raw, NULL: the plan's own. 0, or -errno with one line in fault. */
static int find_records(const struct plan *plan, const char *filter, struct format **raw, struct fault *fault)
{
	if (request__is_user(plan->source))
		return user_records__define(plan, filter, raw, fault);
	if (plan->source == REQUEST_CALL)
		return probe_records__define(plan, raw, fault);
	return is_syscall(plan) ? syscall_record__find(&plan->record, raw, fault) : 0;
}

/* What rows there are none of. */
static void tell_gaps(const struct run *run)
{
	for (size_t i = 0; i < run->via->plans_count; i++)
		if (is_recorded(run, i) && is_syscall(&run->via->plans[i])) {
			say("%s: 32-bit and x32 system calls have no records, and no rows here", run->label);
			return;
		}
}

/* A record is of one plan. 0, or -EEXIST with one line in fault: the plan's event is another one's, too. */
static int check_once(const struct run *run, size_t plan, struct fault *fault)
{
	for (size_t i = 0; i < plan; i++)
		if (is_recorded(run, i) && format_of(run, i)->id == format_of(run, plan)->id)
			return fault__set(fault, -EEXIST, "%.200s and %.200s are the same event (name one of them)",
					  run->via->plans[i].name, run->via->plans[plan].name);
	return 0;
}

/* Whether a plan's event hooks a function while it is recorded: a probe of ours, or of somebody else. */
static bool hooks_function(const struct plan *plan)
{
	char event[2 * FORMAT_NAME_MAX + 2];

	if (plan->source == REQUEST_CALL)
		return true;
	if (plan->source != REQUEST_TRACEPOINT)
		return false;
	snprintf(event, sizeof(event), "%s/%s", plan->format->system, plan->format->name);
	return tracefs__is_made(event);
}

/* Records the event of a plan.  0, 1 where it is skipped, or tool->err. */
static int add(struct run *run, struct tool *tool, size_t i)
{
	const struct plan *plan = &run->via->plans[i];
	const char *label = run->label;
	struct fault fault;
	char *filter;
	int err;

	if (make_filter(run, plan, &filter))
		return tool->err;
	err = find_records(plan, filter, &run->raw[i], &fault);
	if (!err)
		err = check_once(run, i, &fault);
	if (!err)
		err = run->ops->add(&run->consumer, format_of(run, i), filter, hooks_function(plan), &fault);
	if (err && run->via->states[i].is_optional)
		say("%s: %s: skipped", label, fault.text);
	else if (err)
		tool__fail(tool, err, "%s: %s", label, fault.text);
	else
		tool__debug(tool, "recorded by %s: %s%s%s", run->ops->name, plan->name, filter ? ", filter " : "", filter ? filter : "");
	run->stream.filters |= filter != NULL;
	free(filter);
	return tool->err ? tool->err : err != 0;
}

/* The event that ends a flight recorder's recording, which begins.  tool->err. */
static int start_flight(struct run *run, struct tool *tool)
{
	struct flight *flight = run->via->flight;
	const struct plan *plan = flight->by_program ? NULL : flight->until_plan;
	struct format *raw = NULL;
	const struct format *format = NULL;
	struct fault fault;
	char *filter = NULL;
	int err;

	if (plan && run_events__has(plan)) {
		format = format_of(run, run_events__number(plan));
	} else if (plan) {
		if (find_records(plan, NULL, &raw, &fault))
			return tool__fail(tool, fault.err, "--until: %s", fault.text);
		format = raw ?: plan->format;
	}
	if (plan && make_filter(run, plan, &filter)) {
		format__free(raw);
		return tool->err;
	}
	err = flight__start(flight, format, filter, plan && hooks_function(plan), &fault);
	if (err)
		tool__fail(tool, err, "--until: %s", fault.text);
	free(filter);
	format__free(raw);
	return tool->err;
}

/* Of all places, also those of other events of this process: each takes a trap. */
static uint64_t seen(void *ctx)
{
	(void)ctx;
	return uprobe_events__hits();
}

/* Programs end a recording at functions of programs (via__has_record()), but those can be recorded. */
static bool can_record(enum request_source source)
{
	return via__has_record(source) || request__is_user(source);
}

static bool has_user_events(const struct run *run)
{
	for (size_t i = 0; i < run->via->plans_count; i++)
		if (is_recorded(run, i) && request__is_user(run->via->plans[i].source))
			return true;
	return false;
}

/* The run whose events go when a file of theirs is written to; read by a signal's handler. */
static const struct run *cut_run;

static void cut(void)
{
	cut_run->ops->cut(&cut_run->consumer);
}

/* From now on events on files go at once when such a file is written to, and too many hits end the run.  0 or tool->err. */
static int guard_user_events(struct run *run, struct tool *tool)
{
	int err;

	if (!has_user_events(run))
		return 0;
	err = run->ops->prepare_cut ? run->ops->prepare_cut(&run->consumer, EVENTS_OWN_SYSTEM) : 0;
	if (err)
		return tool__fail(tool, err, "%s: the events cannot be switched off in time: %s", run->label, strerror(-err));
	cut_run = run;
	user_watch__set_cut(cut);
	/* one that came before has ended the run, too: what follows closes all */
	if (user_watch__has_fired())
		return tool__fail(tool, -ESTALE, "%s: a file was written to while its functions were looked for", run->label);
	run->stream_ops.seen = seen;
	uprobe_events__hits();
	return 0;
}

static int start(void *ctx, struct tool *tool)
{
	struct run *run = ctx;
	const char *label = run->label;
	struct fault fault;
	size_t added = 0;
	int err;

	run->tool = tool;
	for (size_t i = 0; i < run->via->plans_count; i++)
		if (is_recorded(run, i) && !can_record(run->via->plans[i].source))
			return tool__fail(tool, -EOPNOTSUPP, "%s: %s is no event with a record%s", label, run->via->plans[i].name,
					  run->via->state ? ", which is what --context shows" : " (--via bpf has it)");
	if (make_room(run))
		return tool__fail(tool, -ENOMEM, "no memory for the records");
	err = run->ops->open(&run->consumer, tool->options.ring_size / 1024, &fault);
	if (err)
		return tool__fail(tool, err, "%s: %s", label, fault.text);
	err = run->via->flight ? flight__hold(run->via->flight, &run->consumer.recorder) : 0;
	if (err)
		return tool__fail(tool, err, "--before: the buffers cannot be set up: %s", strerror(-err));
	for (size_t i = 0; i < run->via->plans_count; i++) {
		if (!is_recorded(run, i))
			continue;
		err = add(run, tool, i);
		if (err < 0)
			return err;
		added += !err;
	}
	if (!added)
		return tool__fail(tool, -ENOENT, "%s: none of these events can be recorded", label);
	tell_gaps(run);
	err = run->ops->start ? run->ops->start(&run->consumer) : 0;
	if (err)
		return tool__fail(tool, err, "%s: the events cannot be switched on: %s", label, strerror(-err));
	if (guard_user_events(run, tool))
		return tool->err;
	return run->via->flight ? start_flight(run, tool) : 0;
}

/* The number of the plan for such records; plans_count: there is none. */
static size_t plan_of(const struct run *run, uint16_t type)
{
	size_t plan = 0;

	while (plan < run->via->plans_count && !(is_recorded(run, plan) && format_of(run, plan)->id == type))
		plan++;
	return plan;
}

static int next(void *ctx, struct stream_event *event)
{
	struct run *run = ctx;
	struct flight *flight = run->via->flight;
	struct raw_record *record = &run->record;
	int more;

	if (flight && !flight->has_ended)
		return flight__look(flight);
	do {
		more = run->ops->next(&run->consumer, record);
		if (more <= 0)
			return more;
		run->last = plan_of(run, record->type);
	} while (run->last == run->via->plans_count);
	event->cpu = record->cpu;
	event->is_none = flight && !flight__shows(flight, record);
	stream_event__set_task(event, record->time_ns, record->pid, record->tid, record->comm);
	return 1;
}

static int print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	struct run *run = ctx;
	const struct plan *plan = &run->via->plans[run->last];
	const struct raw_record *record = &run->record;
	int err;

	if (plan->source == REQUEST_CALL)
		err = fetch_args__record(&plan->record, run->raw[run->last], run->copy, record->data, record->size);
	else if (request__is_user(plan->source))
		err = user_fetch__record(&plan->record, run->raw[run->last], run->copy, record->data, record->size);
	else if (is_syscall(plan))
		err = syscall_record__take(&plan->record, run->raw[run->last], run->copy, record->data, record->size);
	else
		err = record__take(&plan->record, run->copy, record->data, record->size);
	if (err)
		return err;
	if (run->via->state)
		*run->via->state = record_state__of(record->data);
	run->via->print(tool, plan, &event->task, event->cpu, run->copy);
	return 0;
}

static void end(void *ctx)
{
	struct run *run = ctx;
	int err;

	run->ops->end(&run->consumer);
	err = run->via->flight ? flight__end(run->via->flight) : 0;
	if (err)
		tool__fail(run->tool, err, "--before: the buffers cannot be read: %s", strerror(-err));
}

static int wake_fd(void *ctx)
{
	return flight__wake_fd(((const struct run *)ctx)->via->flight);
}

static bool is_over(void *ctx)
{
	return ((const struct run *)ctx)->via->flight->is_over;
}

static void tell(void *ctx, struct tool *tool)
{
	flight__tell(((const struct run *)ctx)->via->flight, tool);
}

static int lost(void *ctx, uint64_t *count)
{
	const struct run *run = ctx;
	const struct flight *flight = run->via->flight;
	int err = run->ops->lost(&run->consumer, count);

	/* what a flight recorder overwrites is what it is for; flight__tell() has it */
	if (!err && flight)
		*count = flight->has_ended ? count__minus(*count, flight->overwritten) : 0;
	return err;
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct run *run = ctx;

	return run->ops->is_intact(&run->consumer, fault);
}

static int close_consumer(void *ctx)
{
	struct run *run = ctx;
	int err, probes_err, user_err, flight_err = 0;

	if (arming__has_armed())
		tool__prepare_detach(run->tool);
	if (run->via->flight)
		flight_err = flight__close(run->via->flight);
	user_watch__set_cut(NULL);
	err = run->ops->close(&run->consumer);
	probes_err = kprobe_events__end();
	user_err = uprobe_events__end();

	for (size_t i = 0; run->raw && i < run->via->plans_count; i++)
		format__free(run->raw[i]);
	free(run->raw);
	free(run->copy);
	return err ? err : flight_err ? flight_err : probes_err ? probes_err : user_err;
}

struct kernel_stream *via__open_stream(const struct via *via)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->via = via;
	run->ops = &consumer_ops[via->consumer];
	run->stream_ops = (struct kernel_stream_ops){
		.missed_why = run->ops->missed_why, .start = start, .next = next, .print = print, .end = end, .lost = lost,
		.is_intact = run->ops->is_intact ? is_intact : NULL, .close = close_consumer,
		.wake_fd = via->flight ? wake_fd : NULL, .is_over = via->flight ? is_over : NULL, .tell = via->flight ? tell : NULL,
	};
	snprintf(run->label, sizeof(run->label), "%s%s", via->is_chosen ? "--via " : "", run->ops->name);
	run->stream = (struct kernel_stream){ .ops = &run->stream_ops, .ctx = run, .label = run->label,
					      .look_ms = via->flight ? FLIGHT_LOOK_MS : 0 };
	return &run->stream;
}

void via__close_stream(struct kernel_stream *stream)
{
	free(stream ? stream->ctx : NULL);
}

void via__set_limit(struct kernel_stream *stream, uint64_t limit_ns)
{
	struct run *run = stream->ctx;

	stream__set_limit(&run->consumer.recorder.stream, limit_ns);
}

uint64_t via__known_until(const struct kernel_stream *stream)
{
	const struct run *run = stream->ctx;

	return stream__known_until(&run->consumer.recorder.stream);
}

int via__run(const struct via *via, struct tool *tool)
{
	struct kernel_stream *stream = via__open_stream(via);

	if (!stream)
		return tool__fail(tool, -ENOMEM, "no memory for the records");
	kernel_stream__run(stream, tool);
	via__close_stream(stream);
	return tool->err;
}
