/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/thread_name.h"
#include "lib/run/tool.h"
#include "osnoise.h"

#define NS_PER_US 1000

/* A field of a record: its name, and its bytes. */
struct noise_field {
	const char *name;
	uint32_t size;
};

/* kernel/trace/trace_entries.h: times in us */
static const struct noise_field osnoise_fields[] = {
	{ "runtime", 8 }, { "noise", 8 }, { "max_sample", 8 }, { "hw_count", 4 }, { "nmi_count", 4 }, { "irq_count", 4 },
	{ "softirq_count", 4 }, { "thread_count", 4 }, { NULL, 0 },
};
enum { OSNOISE_RUNTIME, OSNOISE_NOISE, OSNOISE_MAX };

static const struct noise_field hwlat_fields[] = {
	{ "duration", 8 }, { "outer_duration", 8 }, { "count", 4 }, { "nmi_count", 4 }, { "nmi_total_ts", 8 }, { "seqnum", 4 }, { NULL, 0 },
};
enum { HWLAT_INNER, HWLAT_OUTER };

static int open_tracer(struct noise *noise, const char *tracer, const struct noise_field *own, const char *const users[],
		       struct fault *fault)
{
	struct record_field fields[sizeof(noise->offsets) / sizeof(*noise->offsets) + 1] = { { NULL, 0, NULL } };

	for (size_t i = 0; own[i].name; i++)
		fields[i] = (struct record_field){ own[i].name, own[i].size, &noise->offsets[i] };
	return tracer_records__open(&noise->timerlat.records, tracer, fields, users, fault);
}

static void read_values(struct noise *noise, const struct noise_field *own, const struct stream_record *record)
{
	for (size_t i = 0; own[i].name; i++) {
		noise->values[i] = 0;
		memcpy(&noise->values[i], record->record.data + noise->offsets[i], own[i].size);
	}
}

static void put_values(const struct noise *noise, const struct noise_field *own, struct out *out)
{
	for (size_t i = 0; own[i].name; i++)
		out__int(out, (int64_t)noise->values[i]);
}

/* ---- osnoise */

/* docs/json.md: osnoise */
const struct out_column noise_osnoise_columns[] = {
	{ "CPU", 3, NULL, NULL },
	{ "RUNTIME(us)", 11, NULL, "runtime_us" },
	{ "NOISE(us)", 10, NULL, "noise_us" },
	{ "MAX(us)", 10, NULL, "max_us" },
	{ "HW", 6, NULL, "hw" },
	{ "NMIS", 6, NULL, "nmis" },
	{ "IRQS", 6, NULL, "irqs" },
	{ "SOFTIRQS", 8, NULL, "softirqs" },
	{ "THREADS", 7, NULL, "threads" },
	{ NULL, 0, NULL, NULL },
};

static int open_osnoise(struct noise *noise, struct fault *fault)
{
	static const char *const users[] = { "timerlat", NULL };

	return open_tracer(noise, "osnoise", osnoise_fields, users, fault);
}

static void read_osnoise(struct noise *noise, const struct stream_record *record)
{
	read_values(noise, osnoise_fields, record);
	noise->ns = noise->values[OSNOISE_MAX] * NS_PER_US;
}

static void print_osnoise(const struct noise *noise, struct out *out, unsigned int cpu)
{
	(void)cpu;
	put_values(noise, osnoise_fields, out);
}

const struct noise_tracer noise_osnoise = {
	.name = "osnoise",
	.does = "a thread of the kernel's on each CPU takes the time that others leave it, and notes what interrupts it",
	.instead = "hardirqs, softirqs and runqslower show what takes the CPU on every kernel",
	.settings = { "osnoise/runtime_us", "osnoise/period_us" },
	.columns = noise_osnoise_columns,
	.open = open_osnoise, .read = read_osnoise, .print = print_osnoise,
};

/* ---- hwlat */

/* docs/json.md: osnoise --hw */
static const struct out_column hwlat_columns[] = {
	{ "CPU", 3, NULL, NULL },
	{ "INNER(us)", 10, NULL, "inner_us" },
	{ "OUTER(us)", 10, NULL, "outer_us" },
	{ "COUNT", 6, NULL, "samples" },
	{ "NMIS", 6, NULL, "nmis" },
	{ "NMI(us)", 10, NULL, "nmi_us" },
	{ "SEQ", 6, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static int open_hwlat(struct noise *noise, struct fault *fault)
{
	static const char *const users[] = { "hwlat", NULL };

	return open_tracer(noise, "hwlat", hwlat_fields, users, fault);
}

static void read_hwlat(struct noise *noise, const struct stream_record *record)
{
	const uint64_t *values = noise->values;

	read_values(noise, hwlat_fields, record);
	noise->ns = (values[HWLAT_INNER] > values[HWLAT_OUTER] ? values[HWLAT_INNER] : values[HWLAT_OUTER]) * NS_PER_US;
}

static void print_hwlat(const struct noise *noise, struct out *out, unsigned int cpu)
{
	(void)cpu;
	put_values(noise, hwlat_fields, out);
}

const struct noise_tracer noise_hwlat = {
	.name = "hwlat",
	.does = "a thread of the kernel's has interrupts off for hwlat_detector/width of each hwlat_detector/window, on one CPU after the other, "
		"and notes gaps longer than tracing_thresh",
	.instead = "nothing else tells what the hardware takes (irqsoff has the hypervisor's part, STEAL_MS)",
	.settings = { "hwlat_detector/width", "hwlat_detector/window", "tracing_thresh" },
	.columns = hwlat_columns,
	.open = open_hwlat, .read = read_hwlat, .print = print_hwlat,
};

/* ---- timerlat */

/* docs/json.md: osnoise --timer */
static const struct out_column timerlat_columns[] = {
	{ "CPU", 3, NULL, NULL },
	{ "US", 10, NULL, "lat_ns" },
	{ "WHAT", -6, NULL, "late" },
	{ "TID", -7, NULL, NULL },
	{ "COMM", -16, NULL, NULL },
	{ "SEQ", 8, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

static int open_timerlat(struct noise *noise, struct fault *fault)
{
	return timerlat__open(&noise->timerlat, fault);
}

static void read_timerlat(struct noise *noise, const struct stream_record *record)
{
	timerlat__read(&noise->timerlat, record, &noise->sample);
	noise->ns = noise->sample.late_ns;
	noise->tid = noise->sample.tid;
}

static void print_timerlat(const struct noise *noise, struct out *out, unsigned int cpu)
{
	char comm[TASK_COMM_LEN + 1];
	bool is_known = thread_name__find(noise->sample.tid, cpu, comm);

	/* its own thread ends with the tracer, before the last records are read */
	if (!is_known && noise->sample.is_thread)
		is_known = snprintf(comm, sizeof(comm), "timerlat/%u", cpu) > 0;
	out__latency(out, noise->sample.late_ns);
	out__string(out, noise->sample.is_thread ? "thread" : "irq", 6);
	out__int(out, noise->sample.tid);
	out__string(out, is_known ? comm : NULL, TASK_COMM_LEN);
	out__int(out, noise->sample.number);
}

const struct noise_tracer noise_timerlat = {
	.name = "timerlat",
	.does = "a timer and a thread of the kernel's on each CPU note how late they are; without --slower each delay that is the longest so far "
		"of its kind and CPU has a line",
	.instead = "irqsoff and preemptoff show who keeps a CPU from reacting on every kernel",
	.settings = { "osnoise/timerlat_period_us" },
	.longest_only = true,
	.columns = timerlat_columns,
	.open = open_timerlat, .read = read_timerlat, .print = print_timerlat,
};
