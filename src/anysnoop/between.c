/* SPDX-License-Identifier: BSD-2-Clause */
#include "between.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "between.skel.h"
#include "between_rows.h"
#include "lib/gen/condition.h"
#include "lib/gen/request.h"
#include "lib/print/say.h"
#include "lib/run/argument.h"
#include "lib/run/counting.h"

_Static_assert(offsetof(struct between_memory, key) == KEY_VALUES, "the generated code puts the key there");
_Static_assert(sizeof(((struct between_memory *)0)->key) >= KEY_SIZE_MAX - KEY_VALUES, "and there is room for it");

/* ---- the command line */

void between__set_key(struct between *between, char *text)
{
	struct fault fault;

	if (between->names.count)
		usage_error("--key \"%s\": there is one already (name several fields after commas)", text);
	if (key_names__parse(&between->names, text, &fault))
		usage_error("%s", fault.text);
}

void between__set_pairs(struct between *between, const char *text)
{
	between->pairs = (uint32_t)argument__number("--pairs", text, 1, 1 << 24);
}

/* Without --between its options mean nothing. */
static void refuse_alone(const struct between *between)
{
	const char *option = between->names.count ? "--key" : between->slower_ns ? "--slower" : between->pairs ? "--pairs" : NULL;

	if (option)
		usage_error("%s: for --between, or two events of --until", option);
}

/* Whether there are no rows of events. */
static bool is_summed(const struct between *between)
{
	return between->has_hist || between->by.count;
}

static void check_sums(const struct between *between, const struct tool *tool)
{
	const struct tool_options *asked = &tool->options;
	const char *for_rows = asked->events_max ? "--max-events" : asked->ring_size ? "--buffer" : asked->shows_uid ? "-U" :
		asked->shows_cgroup ? "--cgroup-name" : between->slower_ns ? "--slower" : NULL;

	if (for_rows)
		usage_error("%s: for lines, which --hist and --count do not print", for_rows);
	if (!between->by.count && (asked->rows_asked || asked->keys_max != tool->about->keys_max))
		usage_error("%s: for --count", asked->rows_asked ? "-r" : "--keys");
}

/* What is wanted of the two events: no patterns, and a key. */
static void take_requests(struct between *between, const struct requests *requests, const char *option)
{
	for (size_t i = 0; i < 2; i++)
		if (request__has_pattern(&requests->list[i]))
			usage_error("%s \"%s:%s\": one event, no pattern", option, requests->list[i].system, requests->list[i].name);
	if (!between->names.count)
		usage_error("%s: --key names the fields that are the same in both events (--key pid=next_pid,cpu)", option);
	for (size_t i = 0; i < 2; i++) {
		between->has_fields[i] = requests->list[i].fields_count;
		between->asked[i].names_count = between->names.count;
		for (size_t k = 0; k < between->names.count; k++)
			between->asked[i].names[k] = between->names.names[i][k];
		if (between->names.count + between->by.names_count[i] > KEY_PARTS_MAX)
			usage_error("--key and --count: more than %d fields of an event", KEY_PARTS_MAX);
		for (size_t k = 0; k < between->by.names_count[i]; k++)
			between->asked[i].names[between->asked[i].names_count++] = between->by.names[i][k];
	}
}

void between__check_until(struct between *between, const struct requests *requests)
{
	between->ends = between->has_programs = true;
	take_requests(between, requests, "--until of two events");
	if (!between->slower_ns)
		usage_error("--until of two events: --slower says after which time between them the recording ends (--slower 10ms)");
	for (size_t i = 0; i < 2; i++)
		if (request__is_user(requests->list[i].source))
			usage_error("--until of two events: not for functions of programs (u:, ur:, usdt:)");
}

void between__check(struct between *between, struct tool *tool, const struct requests *requests, const char *hist_field,
		    const struct plan_counts *counts)
{
	if (!between->is_wanted) {
		if (!between->ends)
			refuse_alone(between);
		return;
	}
	between->has_programs = true;
	if (requests->count != 2)
		usage_error("--between: two events, not %zu", requests->count);
	if (counts->is_wanted)
		between_by__take(&between->by, counts, hist_field);
	take_requests(between, requests, "--between");
	if (tool->options.stacks_asked)
		usage_error("--stack and --ustack: not with --between");
	between->has_hist = hist_field;
	if (hist_field && strcmp(hist_field, "lat"))
		usage_error("--hist \"%s\": with --between it is of the time, --hist lat", hist_field);
	for (size_t i = 0; i < 2; i++)
		if (is_summed(between) && between->has_fields[i])
			usage_error("\"%s(%s\": with --hist and --count no fields are shown (--count names them)", requests->list[i].name,
				    requests->list[i].fields[0]);
	if (is_summed(between))
		check_sums(between, tool);
	else
		counting__check_rows(tool);
	if (!hist_field && tool->shape->linear_count)
		usage_error("--linear: for --hist");
	if (between->by.count && tool->shape->linear_count)
		usage_error("--linear: not with --count");
	tool->counts = is_summed(between);
}

/* ---- before it runs */

const struct plan_counts *between__asked(const struct between *between, size_t event)
{
	return &between->asked[event & 1];
}

uint32_t between__copy_size(const struct between *between, int side)
{
	return between->has_fields[side] ? between->plans[side].record.size : 0;
}

uint32_t between__key_size(const struct between *between)
{
	return between->keys[0].size - KEY_VALUES;
}

/* Bytes of a row, and of what an entry of the table has. */
static uint32_t row_size(const struct between *between)
{
	return sizeof(struct between_event) + between__key_size(between) + between__copy_size(between, 0) + between__copy_size(between, 1);
}

int between__plan(struct between *between, struct tool *tool, const struct plan *plans, size_t count)
{
	const struct format *const formats[] = { plans[0].format, plans[1].format };
	struct fault fault = { .text = "no memory" };
	int err;

	if (tool->err || count != 2)
		return tool->err;
	between->plans = plans;
	between->is_same = plans[0].source == plans[1].source && !strcmp(plans[0].name, plans[1].name);
	err = key_pair__plan(between->keys, formats, &between->names, &fault);
	for (int side = 0; side < 2 && !err; side++)
		err = key__emit(&between->make_key[side], &between->keys[side]);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	if (between__copy_size(between, 0) > BETWEEN_COPY_MAX)
		return tool__fail(tool, -E2BIG, "%s: its fields take more than %d bytes, which would be kept until %s (name fewer)",
				  plans[0].name, BETWEEN_COPY_MAX, plans[1].name);
	while (tool->options.ring_size && tool->options.ring_size < row_size(between) + 8)
		tool->options.ring_size *= 2;
	if (between->by.count)
		return between_by__plan(&between->by, tool, plans);
	if (between->has_hist) {
		tool->columns = NULL;
		return 0;
	}
	return between_rows__make(between, tool);
}

bool between__keeps_begin(const struct between *between, const struct plan *event)
{
	bool keeps = false;

	for (size_t side = 0; side < 2; side++) {
		if (event != &between->plans[side] && !between->is_same)
			continue;
		keeps |= between->plans[side].filter || between->has_fields[side];
		for (size_t i = 0; i < between->by.keys[side].count; i++)
			keeps |= between->by.keys[side].parts[i].operand.field != NULL;
		for (size_t i = 0; i < between->keys[side].count; i++)
			keeps |= between->keys[side].parts[i].operand.field != NULL;
	}
	return keeps;
}

/* Whether the key has the task that runs: then what the tool does itself is no event. */
static bool is_of_task(const struct between *between)
{
	bool is_of_task = false;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < between->keys[side].count; i++) {
			const struct operand *operand = &between->keys[side].parts[i].operand;

			is_of_task |= !operand->field && operand->kind != OPERAND_CPU && operand->kind != OPERAND_UID;
		}
	return is_of_task;
}

bool between__has_program(const struct between *between, const struct plan *event)
{
	return !between->is_same || event == &between->plans[1];
}

static struct patch code_of(int32_t mark, enum patch_kind kind, const struct emit *emit)
{
	return (struct patch){ .kind = kind, .mark = mark, .insns = emit->insns, .count = emit->count };
}

static struct patch number_of(int32_t mark, enum patch_kind kind, uint32_t number)
{
	return (struct patch){ .kind = kind, .mark = mark, .number = (int32_t)number };
}

size_t between__add_patches(const struct between *between, const struct plan *event, struct patch *patches, size_t count)
{
	const struct plan *plans = between->plans;
	bool nests = plans[0].source == REQUEST_RAWTP || plans[1].source == REQUEST_RAWTP;

	patches[count++] = number_of(BETWEEN_BEGINS, PATCH_CHOICE, between->is_same || event == &plans[0]);
	patches[count++] = number_of(BETWEEN_ENDS, PATCH_CHOICE, event == &plans[1]);
	patches[count++] = code_of(BETWEEN_BEGIN_MATCHES, PATCH_CODE, &plans[0].matches);
	patches[count++] = code_of(BETWEEN_END_MATCHES, PATCH_CODE, &plans[1].matches);
	patches[count++] = code_of(BETWEEN_BEGIN_KEY, PATCH_FUNCTION, &between->make_key[0]);
	patches[count++] = code_of(BETWEEN_END_KEY, PATCH_FUNCTION, &between->make_key[1]);
	patches[count++] = code_of(BETWEEN_BEGIN_COPY, PATCH_FUNCTION, &plans[0].copy);
	patches[count++] = code_of(BETWEEN_END_COPY, PATCH_FUNCTION, &plans[1].copy);
	patches[count++] = number_of(BETWEEN_COPIES_BEGIN, PATCH_CHOICE, between->has_fields[0]);
	patches[count++] = number_of(BETWEEN_COPIES_END, PATCH_CHOICE, between->has_fields[1]);
	patches[count++] = number_of(BETWEEN_HAS_ROWS, PATCH_CHOICE, !is_summed(between));
	patches[count++] = number_of(BETWEEN_KEY_SIZE, PATCH_VALUE, between__key_size(between));
	patches[count++] = number_of(BETWEEN_COPY_SIZE, PATCH_VALUE, between__copy_size(between, 0));
	patches[count++] = number_of(BETWEEN_SIZE, PATCH_VALUE, row_size(between));
	patches[count++] = number_of(BETWEEN_END_OFFSET, PATCH_VALUE, row_size(between) - between__copy_size(between, 1));
	patches[count++] = number_of(BETWEEN_NESTS, PATCH_CHOICE, nests);
	patches[count++] = number_of(BETWEEN_OF_TASK, PATCH_CHOICE, is_of_task(between));
	return between_by__add_patches(&between->by, patches, count);
}

void between__prepare(struct between *between, struct tool *tool, struct between_bpf *skel)
{
	uint32_t value_size = sizeof(uint64_t);
	int err;

	if (!is_summed(between))
		value_size = (uint32_t)offsetof(struct between_begun, copy) + between__copy_size(between, 0);
	else if (between_by__kept(&between->by))
		value_size = (uint32_t)offsetof(struct between_begun, copy) + between_by__kept(&between->by);
	skel->rodata->slower_ns = between->slower_ns;
	bpf_map__set_autocreate(is_summed(between) ? skel->maps.events : skel->maps.counts_map, false);
	err = between_by__prepare(&between->by, skel->obj);
	if (!err)
		err = bpf_map__set_key_size(skel->maps.begun, between__key_size(between));
	if (!err)
		err = bpf_map__set_value_size(skel->maps.begun, value_size);
	if (!err && between->pairs)
		err = bpf_map__set_max_entries(skel->maps.begun, between->pairs);
	if (err)
		tool__fail_maps(tool, err);
}

/* ---- what is printed */

static struct between *of_run;

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct between_cells *cells = interval->cells;
	struct hist_view view;

	if (of_run->by.count)
		return between_by__print(&of_run->by, tool, interval);
	view = hist_view__of(tool->shape, &cells->times);
	interval__hist(tool, interval, &view, NULL, NULL);
	return hist_view__count(&view);
}

static struct between_stats sum_stats(const struct between_stats *stats)
{
	struct between_stats sum = {};
	uint64_t *words = (uint64_t *)&sum;

	for (size_t i = 0; i < EVENT_STATS_SLOTS; i++)
		for (size_t w = 0; w < sizeof(sum) / sizeof(*words); w++)
			words[w] += __atomic_load_n((const uint64_t *)&stats[i] + w, __ATOMIC_RELAXED);
	return sum;
}

/* Where each first event went, in numbers that add up. */
static void tell(const struct tool *tool)
{
	const struct between *between = of_run;
	struct between_stats sum = sum_stats(between->skel->bss_between->between_stats);
	char line[512];
	int length;

	(void)tool;
	say("begun %llu = ended %llu + replaced %llu + unfinished %llu + no room %llu; ends without a begin %llu%s",
	    (unsigned long long)sum.begun, (unsigned long long)sum.ended, (unsigned long long)sum.replaced,
	    (unsigned long long)sum.kept, (unsigned long long)sum.no_room, (unsigned long long)sum.no_begin,
	    sum.unreadable ? "; some keys could not be read" : "");
	if (!between->tool->out.json)
		return;
	length = snprintf(line, sizeof(line), "{\"type\":\"between\",\"tool\":\"anysnoop\",\"between\":{\"begun\":%llu,\"ended\":%llu,"
			  "\"replaced\":%llu,\"unfinished\":%llu,\"no_room\":%llu,\"no_begin\":%llu,\"unreadable\":%llu,\"faster\":%llu}}",
			  (unsigned long long)sum.begun, (unsigned long long)sum.ended, (unsigned long long)sum.replaced,
			  (unsigned long long)sum.kept, (unsigned long long)sum.no_room, (unsigned long long)sum.no_begin,
			  (unsigned long long)sum.unreadable, (unsigned long long)sum.faster);
	out__line(&between->tool->out, line, (size_t)length);
}

void between__tell(struct between *between, struct tool *tool, const struct between_bpf *skel)
{
	of_run = between;
	between->tool = tool;
	between->skel = skel;
	tool->before_summary = tell;
}

int between__run(struct between *between, struct tool *tool, struct between_bpf *skel)
{
	if (tool->err)
		return tool->err;
	between__tell(between, tool, skel);
	return is_summed(between) ? tool__run_intervals(tool, skel, print_interval) : tool__run(tool, skel, between_rows__print);
}

void between__free(struct between *between)
{
	for (int side = 0; side < 2; side++) {
		key__free(&between->keys[side]);
		emit__free(&between->make_key[side]);
	}
	between_by__free(&between->by);
	free(between->columns);
	free(between->row);
	between->columns = NULL;
	between->row = NULL;
}
