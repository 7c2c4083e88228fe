/* SPDX-License-Identifier: BSD-2-Clause */
#include "processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/others.h"
#include "lib/print/text.h"
#include "lib/print/text_buffer.h"

#define TEXT_MAX (16 << 20)

/* docs/json.md: profile -P */
const struct out_column processes_columns[] = {
	{ "PERCENT", 7, NULL, NULL },
	{ "SAMPLES", 10, NULL, "count" },
	{ "PID", -7, NULL, NULL },
	{ "COMM", -16, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: offcputime -P, futexctn -P */
const struct out_column processes_time_columns[] = {
	{ "PERCENT", 7, NULL, NULL },
	{ "TOTAL(ms)", 12, NULL, "total_ns" },
	{ "COUNT", 10, NULL, NULL },
	{ "PID", -7, NULL, NULL },
	{ "COMM", -16, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* ---- from stacks to processes */

/* Those of a process stand together, and in it those of the same name. */
static int compare_names(const void *a, const void *b)
{
	const struct process_share *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return memcmp(left->comm, right->comm, sizeof(left->comm));
}

static uint64_t weight(const struct processes *processes, const struct stack_value *value)
{
	return processes->by_time ? value->ns : value->count;
}

static int compare_weights(const void *a, const void *b, void *ctx)
{
	const struct process_share *left = a, *right = b;
	uint64_t left_weight = weight(ctx, &left->value), right_weight = weight(ctx, &right->value);

	if (left_weight != right_weight)
		return left_weight < right_weight ? 1 : -1;
	return compare_names(a, b);
}

static void add(struct stack_value *to, const struct stack_value *value)
{
	to->count += value->count;
	to->ns += value->ns;
}

/* Names of one process' threads. */
static void add_up_names(struct processes *processes)
{
	size_t kept = 0;

	for (size_t i = 0; i < processes->count; i++) {
		if (kept && !compare_names(&processes->list[kept - 1], &processes->list[i]))
			add(&processes->list[kept - 1].value, &processes->list[i].value);
		else
			processes->list[kept++] = processes->list[i];
	}
	processes->count = kept;
}

/* A process has the name of its heaviest thread.  Number 0 is no process. */
static void add_up_threads(struct processes *processes)
{
	uint64_t heaviest = 0;
	size_t kept = 0;

	for (size_t i = 0; i < processes->count; i++) {
		const struct process_share next = processes->list[i];
		struct process_share *last = kept ? &processes->list[kept - 1] : NULL;

		if (!last || !next.pid || last->pid != next.pid) {
			processes->list[kept++] = next;
			heaviest = weight(processes, &next.value);
			continue;
		}
		if (weight(processes, &next.value) > heaviest) {
			memcpy(last->comm, next.comm, sizeof(last->comm));
			heaviest = weight(processes, &next.value);
		}
		add(&last->value, &next.value);
	}
	processes->count = kept;
}

int processes__make(struct processes *processes, const struct table *table, const struct stack_value *without_room, bool by_time)
{
	struct process_share *list = calloc(table->count + 1, sizeof(*list));

	*processes = (struct processes){
		.list = list, .count = table->count, .by_time = by_time, .without_room = *without_room, .all = *without_room,
	};
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++) {
		const struct stack_key *key = table__key(table, i);
		const struct stack_value *value = table__value(table, i);

		list[i].pid = key->pid;
		memcpy(list[i].comm, key->comm, strnlen(key->comm, sizeof(key->comm)));
		list[i].value = *value;
		add(&processes->all, value);
	}
	qsort(list, processes->count, sizeof(*list), compare_names);
	add_up_names(processes);
	add_up_threads(processes);
	qsort_r(list, processes->count, sizeof(*list), compare_weights, processes);
	return 0;
}

void processes__free(struct processes *processes)
{
	free(processes->list);
	processes->list = NULL;
}

/* ---- printing */

/* Without those that are printed one by one. */
static struct stack_value sum_others(const struct processes *processes, size_t shown)
{
	struct stack_value others = processes->without_room;

	for (size_t i = shown; i < processes->count; i++)
		add(&others, &processes->list[i].value);
	return others;
}

static double percent(const struct processes *processes, const struct stack_value *value)
{
	uint64_t all = weight(processes, &processes->all);

	return all ? (double)weight(processes, value) * 100 / (double)all : 0;
}

/* share: NULL for the others. */
static void print_row(const struct processes *processes, struct tool *tool, const struct interval *interval,
		      const struct process_share *share, const struct stack_value *value)
{
	struct out *out = &tool->out;
	char text[32];

	if (!value->count)
		return;
	out__row(out, interval->end_ns);
	out__made(out, text, (size_t)snprintf(text, sizeof(text), "%.*f", out->json ? 3 : 1, percent(processes, value)));
	if (processes->by_time && out->json)
		out__int(out, (int64_t)value->ns);
	else if (processes->by_time)
		out__milliseconds(out, value->ns / 1000);
	out__int(out, (int64_t)value->count);
	if (share) {
		out__int(out, share->pid);
		out__string(out, share->comm, sizeof(share->comm));
	} else {
		out__none(out);
		out__string(out, OTHERS, sizeof(OTHERS));
	}
	out__end(out);
}

static void add_idle(const struct processes *processes, struct text_buffer *to)
{
	if (processes->idle)
		text_buffer__add(to, "%llu more samples were of idle CPUs\n", (unsigned long long)processes->idle);
}

/* {"type":"cpus","tool":"profile","cpus":{"samples":350,"idle":640,"processes":[…]}} */
static void begin_record(const struct processes *processes, struct text_buffer *to)
{
	text_buffer__add(to, "{\"type\":\"cpus\",\"tool\":\"profile\",\"cpus\":{\"samples\":%llu,\"idle\":%llu",
			 (unsigned long long)processes->all.count, (unsigned long long)processes->idle);
}

void processes__print(const struct processes *processes, struct tool *tool, const struct interval *interval, size_t most)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	size_t shown = processes->count < most ? processes->count : most;
	struct stack_value others = sum_others(processes, shown);

	for (size_t i = 0; i < shown; i++)
		print_row(processes, tool, interval, &processes->list[i], &processes->list[i].value);
	print_row(processes, tool, interval, NULL, &others);
	if (processes->by_time)
		return;
	if (tool->out.json) {
		begin_record(processes, &text);
		text_buffer__add(&text, "}}");
	} else {
		add_idle(processes, &text);
	}
	interval__text(tool, &text);
}

static void add_json(const struct processes *processes, struct text_buffer *to)
{
	begin_record(processes, to);
	text_buffer__add(to, ",\"processes\":[");
	for (size_t i = 0; i < processes->count; i++) {
		const struct process_share *share = &processes->list[i];
		struct interval_key named;

		interval_key__task(&named, share->pid, 0, share->comm);
		/* without the brace that ends it */
		text_buffer__add(to, "%s%.*s,\"count\":%llu,\"percent\":%.3f}", i ? "," : "", (int)strlen(named.json) - 1, named.json,
				 (unsigned long long)share->value.count, percent(processes, &share->value));
	}
	text_buffer__add(to, "]}}");
}

static void add_line(const struct processes *processes, const struct stack_value *value, const char *pid, const char *comm,
		     struct text_buffer *to)
{
	text_buffer__add(to, "%7.1f %10llu %-7s %s\n", percent(processes, value), (unsigned long long)value->count, pid, comm);
}

static void add_text(const struct processes *processes, size_t shown, struct text_buffer *to)
{
	char comm[TEXT_ESCAPED_MAX(TASK_COMM_LEN) + 1], pid[16];
	struct stack_value others = sum_others(processes, shown);
	size_t characters;

	if (processes->all.count)
		text_buffer__add(to, "%7s %10s %-7s %s\n", "PERCENT", "SAMPLES", "PID", "COMM");
	for (size_t i = 0; i < shown; i++) {
		const struct process_share *share = &processes->list[i];

		*text__escape(comm, share->comm, strnlen(share->comm, sizeof(share->comm)), &characters) = 0;
		snprintf(pid, sizeof(pid), "%u", share->pid);
		add_line(processes, &share->value, pid, comm, to);
	}
	if (others.count)
		add_line(processes, &others, "-", OTHERS, to);
	add_idle(processes, to);
	text_buffer__add(to, "\n");
}

void processes__print_above(const struct processes *processes, struct tool *tool, size_t most)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);

	if (tool->out.json)
		add_json(processes, &text);
	else if (processes->all.count || processes->idle)
		add_text(processes, processes->count < most ? processes->count : most, &text);
	interval__text(tool, &text);
}

uint64_t processes__report(struct tool *tool, const struct interval *interval, const struct stack_value *without_room)
{
	struct processes processes;

	if (processes__make(&processes, interval->table, without_room, true)) {
		tool__fail(tool, -ENOMEM, "no memory for %zu processes", interval->table->count);
		return 0;
	}
	processes__print(&processes, tool, interval,
			 tool->out.json && !tool->options.rows_asked ? processes.count : tool->options.rows_max);
	processes__free(&processes);
	return processes.all.count;
}
