/* SPDX-License-Identifier: BSD-2-Clause */
#include "via_consumers.h"

#include <string.h>

#include "lib/print/say.h"
#include "via.h"

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

static int ftrace_prepare_cut(union consumer *consumer, const char *system)
{
	return recorder__prepare_cut(&consumer->recorder, system);
}

static void ftrace_cut(const union consumer *consumer)
{
	recorder__cut(&consumer->recorder);
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

static void perf_cut(const union consumer *consumer)
{
	sampler__cut(&consumer->sampler);
}

static int perf_close(union consumer *consumer)
{
	sampler__close(&consumer->sampler);
	return 0;
}

const struct consumer_ops consumer_ops[VIA_CONSUMERS] = {
	[VIA_BPF] = { .name = "bpf" },
	[VIA_FTRACE] = {
		.name = "ftrace", .missed_why = "ftrace does not count them", .open = ftrace_open, .add = ftrace_add, .start = ftrace_start,
		.next = ftrace_next, .is_intact = ftrace_is_intact,
		.end = ftrace_end, .lost = ftrace_lost, .prepare_cut = ftrace_prepare_cut, .cut = ftrace_cut, .close = ftrace_close,
	},
	[VIA_PERF] = {
		.name = "perf", .missed_why = "perf does not count them", .open = perf_open, .add = perf_add, .start = perf_start,
		.next = perf_next, .end = perf_end, .lost = perf_lost, .cut = perf_cut, .close = perf_close,
	},
};
