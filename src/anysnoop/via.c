/* SPDX-License-Identifier: BSD-2-Clause */
#include "via.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/recorder.h"
#include "lib/gen/fetched.h"
#include "lib/gen/syscall_record.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/tracefs.h"
#include "lib/perf/sampler.h"
#include "lib/print/say.h"
#include "lib/probe/kprobe_events.h"
#include "lib/run/kernel_stream.h"
#include "probe_records.h"

union consumer {
	struct recorder recorder;
	struct sampler sampler;
};

/* What a consumer does; as of recorder.h and sampler.h. */
struct consumer_ops {
	const char *name;
	const char *missed_why;
	int (*open)(union consumer *consumer, unsigned int buffer_kb, struct fault *fault);
	int (*add)(union consumer *consumer, const struct format *format, const char *filter, bool hooks, struct fault *fault);
	int (*start)(union consumer *consumer);		/* or NULL: they are recorded once they are added */
	int (*next)(union consumer *consumer, struct raw_record *record);
	void (*end)(union consumer *consumer);
	int (*lost)(const union consumer *consumer, uint64_t *lost);
	int (*is_intact)(union consumer *consumer, struct fault *fault);	/* or NULL: nobody else can change it */
	int (*close)(union consumer *consumer);
};

struct run {
	const struct via *via;
	struct tool *tool;
	const struct consumer_ops *ops;
	struct kernel_stream stream;
	union consumer consumer;
	struct format **raw;		/* of each plan: the format of its records, if that is not the plan's own */
	size_t last;			/* the number of the last record's plan */
	struct raw_record record;
	char *copy;			/* room for the largest record */
};

static int ftrace_open(union consumer *consumer, unsigned int buffer_kb, struct fault *fault)
{
	return recorder__open(&consumer->recorder, buffer_kb, fault);
}

static int ftrace_add(union consumer *consumer, const struct format *format, const char *filter, bool hooks,
		      struct fault *fault)
{
	return recorder__add(&consumer->recorder, format, filter, hooks, fault);
}

static int ftrace_start(union consumer *consumer)
{
	return recorder__start(&consumer->recorder);
}

static int ftrace_is_intact(union consumer *consumer, struct fault *fault)
{
	return intact__check(&consumer->recorder.intact, fault);
}

static int ftrace_next(union consumer *consumer, struct raw_record *record)
{
	return recorder__next(&consumer->recorder, record);
}

static void ftrace_end(union consumer *consumer)
{
	recorder__end(&consumer->recorder);
}

/* Pages that were not understood had records, nobody knows how many. */
static int ftrace_lost(const union consumer *consumer, uint64_t *lost)
{
	int err = recorder__lost(&consumer->recorder, lost);

	if (!err)
		*lost += consumer->recorder.stream.broken;
	return err;
}

static int ftrace_close(union consumer *consumer)
{
	return recorder__close(&consumer->recorder);
}

static int perf_open(union consumer *consumer, unsigned int buffer_kb, struct fault *fault)
{
	return sampler__open(&consumer->sampler, buffer_kb, fault);
}

static int perf_add(union consumer *consumer, const struct format *format, const char *filter, bool hooks,
		    struct fault *fault)
{
	return sampler__add(&consumer->sampler, format, filter, hooks, fault);
}

static int perf_start(union consumer *consumer)
{
	return sampler__start(&consumer->sampler);
}

static int perf_next(union consumer *consumer, struct raw_record *record)
{
	int more = sampler__next(&consumer->sampler, record), err, cpu = sampler__new_cpu(&consumer->sampler, &err);

	if (cpu >= 0 && err)
		say("CPU %d came online, and perf records none of its events: %s (start it again, or --via ftrace)", cpu, strerror(-err));
	else if (cpu >= 0)
		say("CPU %d came online: perf records its events from now on", cpu);
	return more;
}

static void perf_end(union consumer *consumer)
{
	sampler__end(&consumer->sampler);
}

static int perf_lost(const union consumer *consumer, uint64_t *lost)
{
	return sampler__lost(&consumer->sampler, lost);
}

static int perf_close(union consumer *consumer)
{
	sampler__close(&consumer->sampler);
	return 0;
}

static const struct consumer_ops all_ops[] = {
	[VIA_BPF] = { .name = "bpf" },
	[VIA_FTRACE] = {
		.name = "ftrace", .missed_why = "ftrace does not count them", .open = ftrace_open, .add = ftrace_add, .start = ftrace_start,
		.next = ftrace_next, .is_intact = ftrace_is_intact,
		.end = ftrace_end, .lost = ftrace_lost, .close = ftrace_close,
	},
	[VIA_PERF] = {
		.name = "perf", .missed_why = "perf does not count them", .open = perf_open, .add = perf_add, .start = perf_start,
		.next = perf_next, .end = perf_end, .lost = perf_lost, .close = perf_close,
	},
};

enum via_consumer via__parse(const char *text)
{
	for (size_t i = 0; i < sizeof(all_ops) / sizeof(*all_ops); i++)
		if (!strcmp(text, all_ops[i].name))
			return (enum via_consumer)i;
	usage_error("--via \"%s\": not one of bpf, ftrace, perf", text);
}

void via__check(const struct via *via, const struct tool *tool)
{
	const char *name = all_ops[via->consumer].name;

	if (via->consumer == VIA_BPF)
		return;
	if (tool->counts)
		usage_error("--via %s: records events, and counts none (--count and --hist are for --via bpf)", name);
	if (tool->options.stacks_asked)
		usage_error("--via %s: records have no stacks here (--stack and --ustack are for --via bpf)", name);
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup)
		usage_error("--via %s: records do not have the user and the cgroup of a task (-u and -c are for --via bpf)", name);
}

/* The filters of an event in the kernel's language: NULL without one. 0 or tool->err. */
static int make_filter(struct tool *tool, const struct plan *plan, char **text)
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
	return tool__fail(tool, err, "%s: %s (--via bpf has all filters)", plan->name, fault.text);
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

static bool is_syscall(const struct plan *plan)
{
	return plan->source == REQUEST_SYSCALL || plan->source == REQUEST_SYSCALL_RETURN;
}

/* The event whose records are those of a plan: *raw, NULL: the plan's own. 0, or -errno with one line in fault. */
static int find_records(const struct plan *plan, struct format **raw, struct fault *fault)
{
	if (plan->source == REQUEST_CALL)
		return probe_records__define(plan, raw, fault);
	return is_syscall(plan) ? syscall_record__find(&plan->record, raw, fault) : 0;
}

/* What rows there are none of. */
static void tell_gaps(const struct via *via, const char *name)
{
	for (size_t i = 0; i < via->plans_count; i++)
		if (is_syscall(&via->plans[i])) {
			say("--via %s: 32-bit and x32 system calls have no records, and no rows here", name);
			return;
		}
}

/* A record is of one plan. 0, or -EEXIST with one line in fault: the plan's event is another one's, too. */
static int check_once(const struct run *run, size_t plan, struct fault *fault)
{
	for (size_t i = 0; i < plan; i++)
		if (format_of(run, i)->id == format_of(run, plan)->id)
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

static int start(void *ctx, struct tool *tool)
{
	struct run *run = ctx;
	const char *name = run->ops->name;
	struct fault fault;
	char *filter;
	size_t added = 0;
	int err;

	run->tool = tool;
	for (size_t i = 0; i < run->via->plans_count; i++)
		if (run->via->plans[i].source == REQUEST_RAWTP || run->via->plans[i].source == REQUEST_CALL_RETURN)
			return tool__fail(tool, -EOPNOTSUPP, "--via %s: %s is no event with a record (--via bpf has it)", name,
					  run->via->plans[i].name);
	if (make_room(run))
		return tool__fail(tool, -ENOMEM, "no memory for the records");
	err = run->ops->open(&run->consumer, tool->options.ring_size / 1024, &fault);
	if (err)
		return tool__fail(tool, err, "--via %s: %s", name, fault.text);
	for (size_t i = 0; i < run->via->plans_count; i++) {
		const struct plan *plan = &run->via->plans[i];

		if (make_filter(tool, plan, &filter))
			return tool->err;
		err = find_records(plan, &run->raw[i], &fault);
		if (!err)
			err = check_once(run, i, &fault);
		if (!err)
			err = run->ops->add(&run->consumer, format_of(run, i), filter, hooks_function(plan), &fault);
		if (err && run->via->is_optional[i])
			say("--via %s: %s: skipped", name, fault.text);
		else if (err)
			tool__fail(tool, err, "--via %s: %s", name, fault.text);
		else
			tool__debug(tool, "recorded by %s: %s%s%s", name, plan->name, filter ? ", filter " : "", filter ? filter : "");
		run->stream.filters |= filter != NULL;
		free(filter);
		if (tool->err)
			return tool->err;
		added += !err;
	}
	if (!added)
		return tool__fail(tool, -ENOENT, "--via %s: none of these events can be recorded", name);
	tell_gaps(run->via, name);
	err = run->ops->start ? run->ops->start(&run->consumer) : 0;
	return err ? tool__fail(tool, err, "--via %s: the events cannot be switched on: %s", name, strerror(-err)) : 0;
}

/* The number of the plan for such records; plans_count: there is none. */
static size_t plan_of(const struct run *run, uint16_t type)
{
	size_t plan = 0;

	while (plan < run->via->plans_count && format_of(run, plan)->id != type)
		plan++;
	return plan;
}

static int next(void *ctx, struct stream_event *event)
{
	struct run *run = ctx;
	struct raw_record *record = &run->record;
	int more;

	do {
		more = run->ops->next(&run->consumer, record);
		if (more <= 0)
			return more;
		run->last = plan_of(run, record->type);
	} while (run->last == run->via->plans_count);
	event->cpu = record->cpu;
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
		err = fetched__take(&plan->record, run->raw[run->last], run->copy, record->data, record->size);
	else if (is_syscall(plan))
		err = syscall_record__take(&plan->record, run->raw[run->last], run->copy, record->data, record->size);
	else
		err = record__take(&plan->record, run->copy, record->data, record->size);
	if (err)
		return err;
	run->via->print(tool, plan, &event->task, event->cpu, run->copy);
	return 0;
}

static void end(void *ctx)
{
	struct run *run = ctx;

	run->ops->end(&run->consumer);
}

static int lost(void *ctx, uint64_t *count)
{
	const struct run *run = ctx;

	return run->ops->lost(&run->consumer, count);
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct run *run = ctx;

	return run->ops->is_intact(&run->consumer, fault);
}

static int close_consumer(void *ctx)
{
	struct run *run = ctx;
	int err, probes_err;

	if (arming__has_armed())
		tool__prepare_detach(run->tool);
	err = run->ops->close(&run->consumer);
	probes_err = kprobe_events__end();

	for (size_t i = 0; run->raw && i < run->via->plans_count; i++)
		format__free(run->raw[i]);
	free(run->raw);
	free(run->copy);
	return err ? err : probes_err;
}

int via__run(const struct via *via, struct tool *tool)
{
	const struct consumer_ops *ops = &all_ops[via->consumer];
	const struct kernel_stream_ops kernel_ops = {
		.missed_why = ops->missed_why, .start = start, .next = next, .print = print, .end = end, .lost = lost,
		.is_intact = ops->is_intact ? is_intact : NULL, .close = close_consumer,
	};
	struct run run = { .via = via, .ops = ops, .stream = { .ops = &kernel_ops, .ctx = &run } };
	char label[32];

	snprintf(label, sizeof(label), "--via %s", ops->name);
	run.stream.label = label;
	return kernel_stream__run(&run.stream, tool);
}
