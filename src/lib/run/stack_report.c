/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/cache.h"
#include "lib/print/others.h"
#include "lib/print/text.h"
#include "lib/stacks/chain.h"
#include "argument.h"
#include "metrics.h"
#include "processes.h"
#include "stack_files.h"
#include "stack_rows.h"
#include "stack_tasks.h"
#include "tally.h"

#define TEXT_MAX (16 << 20)
#define NS_PER_US 1000
#define TAG_MAX 64		/* of a key's tag in text */
/* How long an interval, and the last one, may wait for names of stacks that were sent and not read.  The ring buffer has some 1,000. */
#define CUT_MS 250
#define LAST_CUT_MS 1000

const struct renamed stack_report_renamed[] = {
	{ STACK_REPORT_MIN, STACK_REPORT_SLOWER, "--min MS", "--slower TIME (--slower 10ms)", "ms" },
	{ STACK_REPORT_MAX, STACK_REPORT_FASTER, "--max MS", "--faster TIME (--faster 10ms)", "ms" },
	{ 0, 0, NULL, NULL, NULL },
};

/* What goes with stacks alone: the option that asks for it, or NULL. */
static const char *asks_for_stacks(const struct stack_report *report)
{
	return report->stacks_option ? report->stacks_option : report->folded ? "--folded" : report->picture.path ? report->picture.option :
	       report->profile.path ? report->profile.option : report->waker ? "--waker" : NULL;
}

static void check_tasks(struct stack_report *report, const struct tool *tool)
{
	const char *stacks = asks_for_stacks(report);

	report->by_task = task_keys__kind() || stack_tasks_shows_tag;
	if (report->by_process && report->by_task)
		usage_error("-P and --by exclude each other");
	if (report->by_process && stacks)
		usage_error("-P and %s exclude each other: by process there are no stacks", stacks);
	if (report->by_task && stacks)
		usage_error("--by and %s exclude each other: with --by there are no stacks", stacks);
	/* these are of the whole run, and are written once */
	if (tool->metrics && (report->folded || report->picture.path || report->profile.path))
		usage_error("--metrics and %s exclude each other", stacks);
}

error_t stack_report__parse(struct stack_report *report, const struct tool *tool, int key, const char *arg)
{
	switch (key) {
	case 'U':
		report->only_user = true;
		report->stacks_option = "-U";
		return 0;
	case 'K':
		report->only_kernel = true;
		report->stacks_option = "-K";
		return 0;
	case STACK_REPORT_TAG:
		stack_tasks_shows_tag = true;
		return 0;
	case STACK_REPORT_FOLDED:
		report->folded = true;
		return 0;
	case STACK_REPORT_SVG:
		report->picture.path = arg;
		return 0;
	case STACK_REPORT_PPROF:
		report->profile.path = arg;
		return 0;
	case STACK_REPORT_SLOWER:
		report->min_ns = argument__time("--slower", arg);
		return 0;
	case STACK_REPORT_FASTER:
		report->max_ns = argument__time("--faster", arg);
		return 0;
	case 'P':
		report->by_process = true;
		return 0;
	case ARGP_KEY_END:
		if (report->min_ns > report->max_ns)
			usage_error("--slower is more than --faster");
		if ((report->picture.path || report->profile.path) && tool->options.interval_ns)
			usage_error("%s and INTERVAL exclude each other (-d ends it after a time)",
				    report->picture.path ? report->picture.option : report->profile.option);
		if (report->only_user && report->only_kernel)
			usage_error("-U and -K exclude each other");
		check_tasks(report, tool);
		if (report->folded && tool->out.json)
			usage_error("--folded and -j exclude each other");
		if (report->folded && tool->options.interval_ns)
			usage_error("--folded and INTERVAL exclude each other (-d ends it after a time)");
		/* bcc's profile 10 ends after ten seconds; who sees the terminal can still type it */
		if (tool->options.interval_ns && !tool->options.intervals_max && !tool->options.duration_ns && isatty(STDOUT_FILENO))
			say("INTERVAL %g: it prints every %g seconds until Ctrl-C; -d %g ends it after that time",
			    (double)tool->options.interval_ns / 1e9,
			    (double)tool->options.interval_ns / 1e9, (double)tool->options.interval_ns / 1e9);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the counter (lib/run/intervals.h) */

static int wake_fd(void *ctx)
{
	struct stack_report *report = ctx;

	return stacks__wake_fd(&report->stacks);
}

static int read_stacks(void *ctx, struct batch *batch)
{
	struct stack_report *report = ctx;

	int err = stacks__read(&report->stacks, BATCH_MS);

	batch->is_over = !stacks__is_read(&report->stacks);
	return err;
}

void stack_report__cut(void *ctx)
{
	struct stack_report *report = ctx;
	/* the keys that are printed next: their stacks were sent before they were counted */
	int err = stacks__read(&report->stacks, report->is_stopped ? LAST_CUT_MS : CUT_MS);

	report->is_late |= !stacks__is_read(&report->stacks);
	if (!err && report->tool->options.interval_ns && !report->keeps_stacks)
		err = stacks__forget(&report->stacks);
	if (!err)
		err = stacks__look_again(&report->stacks);
	if (!err)
		err = stacks__name(&report->stacks);
	if (err)
		tool__fail(report->tool, err, "stacks cannot be read: %s", strerror(-err));
}

static int nothing_to_do(void *ctx)
{
	(void)ctx;
	return 0;
}

static int stop(void *ctx)
{
	struct stack_report *report = ctx;

	report->is_stopped = true;
	return 0;
}

/* The programs' own counters have it all. */
static void nothing_to_add(void *ctx, struct tally *tally)
{
	(void)ctx;
	(void)tally;
}

static int open_stacks(struct tool *tool)
{
	return stack_report__open(tool->counter->ctx, *tool->skeleton->obj);
}

static void tell_losses(const struct tool *tool)
{
	stack_report__tell(tool->counter->ctx);
}

/* With -q --metrics nobody would see them. */
static bool takes_stacks(const struct stack_report *report)
{
	return !report->by_process && !report->by_task && (!report->tool->options.is_quiet || report->print_rows);
}

void stack_report__set(struct stack_report *report, struct tool *tool, const struct out_column *columns)
{
	report->tool = tool;
	report->counter = (struct counter){
		.ctx = report, .period_ms = 1000, .wake_fd = wake_fd, .start = nothing_to_do, .read = read_stacks,
		.cut = stack_report__cut, .stop = stop, .tally = nothing_to_add,
	};
	tool->counter = &report->counter;
	tool->attach_own = tool->attach_own ?: open_stacks;
	tool->before_summary = tool->before_summary ?: tell_losses;
	tool->columns = tool->out.json ? columns : NULL;
	tool->bare = report->folded;
	tool->reads_processes = !report->only_kernel && takes_stacks(report);
}

void stack_report__set_task_columns(const struct stack_report *report, struct tool *tool, const struct out_column *by_process,
				    const struct out_column *by_task)
{
	tool->metric_columns = report->by_process ? by_process : by_task;
	if (!takes_stacks(report))
		tool->columns = tool->metric_columns;
}

void stack_report__prepare(const struct stack_report *report, const struct bpf_object *object)
{
	const bool takes = takes_stacks(report), no_kernel = report->only_user || !takes, no_user = report->only_kernel || !takes;
	const bool with_tag = report->by_task ? stack_tasks_shows_tag : takes;
	const bool no_task = !takes && !report->by_process && !task_keys__kind();
	const uint8_t kind = (uint8_t)task_keys__kind();

	tool__set_rodata(report->tool, "with_tag", &with_tag, sizeof(with_tag));
	tool__set_rodata(report->tool, "no_task", &no_task, sizeof(no_task));
	tool__set_rodata(report->tool, "task_key_kind", &kind, sizeof(kind));
	tool__set_rodata(report->tool, "no_kernel", &no_kernel, sizeof(no_kernel));
	tool__set_rodata(report->tool, "min_ns", &report->min_ns, sizeof(report->min_ns));
	tool__set_rodata(report->tool, "max_ns", &report->max_ns, sizeof(report->max_ns));
	tool__set_rodata(report->tool, "no_user", &no_user, sizeof(no_user));
	tool__tell_stack_programs(report->tool, !no_user);
	stacks__prepare(object);
}

int stack_report__open(struct stack_report *report, const struct bpf_object *object)
{
	struct tool *tool = report->tool;
	int err = stacks__open(&report->stacks, object);

	report->stacks.of_tracepoint = report->of_tracepoint;
	report->stacks.until_interrupt = report->until_interrupt;
	/* beyond that they are of keys that found no room; those of three rounds may be there (stacks__forget()) */
	report->stacks.most = 3 * STACK_KINDS * (size_t)tool->options.keys_max * (report->waker ? 2 : 1);
	if (err)
		return tool__fail(tool, err, "stacks cannot be read: %s", strerror(-err));
	return side_file__open(&report->picture, tool) ?: side_file__open(&report->profile, tool);
}

void stack_report__close(struct stack_report *report)
{
	stacks__close(&report->stacks);
	side_file__close(&report->picture);
	side_file__close(&report->profile);
}

/* ---- printing */

uint64_t stack_report__count_of(const void *value)
{
	return ((const struct stack_value *)value)->count;
}

static uint64_t time_of(const void *value)
{
	return ((const struct stack_value *)value)->ns;
}

static bool has_sum(const struct stack_report *report)
{
	return report->is_time || report->is_bytes;
}

static uint64_t weigh(const struct stack_report *report, const struct stack_value *value)
{
	return has_sum(report) ? value->ns : value->count;
}

uint64_t stack_report__weight_shown(const struct stack_report *report, const struct stack_value *value)
{
	return report->is_time ? (value->ns + NS_PER_US / 2) / NS_PER_US : weigh(report, value);
}

static const struct stack_key *waker_of(const struct stack_report *report, const struct stack_key *key)
{
	return report->waker && key ? report->waker(key) : NULL;
}

static void put_waker(struct stack_report *report, const struct stack_key *waker)
{
	struct out *out = &report->tool->out;

	if (waker) {
		out__int(out, waker->pid);
		out__string(out, waker->comm, sizeof(waker->comm));
		stacks__columns(&report->stacks, chain__waker(&report->stacks, waker), out);
		return;
	}
	for (int i = 0; i < 5; i++)
		out__none(out);
}

/* key: NULL for the others. */
static void print_row(struct stack_report *report, const struct interval *interval, const struct stack_key *key, size_t frames,
		      const struct stack_value *value)
{
	static const char others[] = OTHERS;
	struct out *out = &report->tool->out;
	const char *tag = key && report->tag ? report->tag(key) : NULL;

	out__row(out, interval->end_ns);
	if (key && report->without_task) {
		out__none(out);
		out__none(out);
	} else if (key) {
		out__int(out, key->pid);
		out__string(out, key->comm, sizeof(key->comm));
	} else {
		out__none(out);
		out__string(out, others, strlen(others));
	}
	if (tag)
		out__string(out, tag, strlen(tag));
	else if (report->tag)
		out__none(out);
	out__int(out, (int64_t)value->count);
	if (has_sum(report))
		out__int(out, (int64_t)value->ns);
	stacks__columns(&report->stacks, frames, out);
	if (report->waker)
		put_waker(report, waker_of(report, key));
	out__end(out);
}

static void print_text(struct tool *tool, struct text_buffer *text)
{
	size_t length = text->length;
	char *all = text_buffer__take(text);

	if (!all)
		tool__fail(tool, -ENOMEM, "no memory for a stack");
	else if (length)
		out__line(&tool->out, all, length - 1);
	free(all);
}

/* The weight, and its share of all. */
static void add_weight(const struct stack_report *report, const struct stack_value *value, uint64_t all, struct text_buffer *to)
{
	double share = all ? (double)weigh(report, value) * 100 / (double)all : 0;

	if (report->is_time)
		text_buffer__add(to, "%12.3f ms %5.1f %%  ", (double)value->ns / 1e6, share);
	else if (report->is_bytes)
		text_buffer__add(to, "%12llu bytes %5.1f %%  %llu %s%s", (unsigned long long)value->ns, share,
				 (unsigned long long)value->count, report->counted, value->count == 1 ? "" : "s");
	else
		text_buffer__add(to, "%10llu %5.1f %%  ", (unsigned long long)value->count, share);
}

static void add_tag(const struct stack_report *report, const struct stack_key *key, struct text_buffer *to)
{
	char text[TEXT_ESCAPED_MAX(TAG_MAX) + 1];
	const char *tag = report->tag(key);
	size_t characters;

	*text__escape(text, tag, strnlen(tag, TAG_MAX), &characters) = 0;
	text_buffer__add(to, ", %s %s", report->tag_word, *text ? text : "''");
}

static void add_stack(struct stack_report *report, const struct stack_key *key, size_t frames,
		      const struct stack_value *value, uint64_t all,
		      struct text_buffer *to)
{
	struct interval_key named;

	interval_key__task(&named, key->pid, 0, key->comm);
	add_weight(report, value, all, to);
	if (!report->without_task)
		text_buffer__add(to, "%s%s", report->is_bytes ? ", " : "", named.text);
	if (report->tag)
		add_tag(report, key, to);
	if (report->is_time)
		text_buffer__add(to, ", %llu times", (unsigned long long)value->count);
	text_buffer__add(to, "\n");
	stacks__add_text(&report->stacks, frames, to);
}

/* With the waker's above. */
static size_t frames_of(struct stack_report *report, const struct stack_key *key)
{
	const struct stack_key *waker = waker_of(report, key);

	return waker ? chain__frames(&report->stacks, key, waker) : stacks__frames(&report->stacks, key);
}

size_t stack_report__frames_drawn(struct stack_report *report, const struct stack_key *key)
{
	const char *top = report->tag_on_top ? report->tag(key) : NULL;
	size_t count;

	if (report->waker)
		return frames_of(report, key);
	report->stacks.top = top && !*top ? "''" : top;
	count = stacks__frames(&report->stacks, key);
	report->stacks.top = NULL;
	return count;
}

static void add_to_digest(struct stack_digest *digest, const void *bytes, size_t size)
{
	for (int half = 0; half < 2; half++)
		digest->halves[half] = cache__hash(digest->halves[half], bytes, size);
}

/* What is said of a key whose frames are in stacks->frames. */
static struct stack_digest digest_frames(const struct stack_report *report, const struct stack_key *key, size_t frames, bool with_task)
{
	struct stack_digest digest = { { CACHE_HASH_START, ~CACHE_HASH_START } };

	add_to_digest(&digest, key->comm, strnlen(key->comm, sizeof(key->comm)) + 1);
	if (with_task) {
		add_to_digest(&digest, &key->pid, sizeof(key->pid));
		if (waker_of(report, key))
			add_to_digest(&digest, &waker_of(report, key)->pid, sizeof(key->pid));
		if (report->tag) {
			const char *tag = report->tag(key);

			add_to_digest(&digest, tag, strnlen(tag, TAG_MAX) + 1);
		}
	}
	for (size_t i = 0; i < frames; i++) {
		const struct stack_frame *frame = &report->stacks.frames[i];

		add_to_digest(&digest, frame->name, strlen(frame->name) + 1);
		add_to_digest(&digest, &frame->of_kernel, sizeof(frame->of_kernel));
	}
	return digest;
}

struct stack_digest stack_report__digest_drawn(void *ctx, const struct stack_key *key)
{
	struct stack_report *report = ctx;

	return digest_frames(report, key, stack_report__frames_drawn(report, key), true);
}

/* As print_stack() prints it.  Folded stacks have no process, and a tag only as a frame. */
static struct stack_digest digest_of(void *ctx, const struct stack_key *key)
{
	struct stack_report *report = ctx;
	size_t frames = report->folded ? stack_report__frames_drawn(report, key) : frames_of(report, key);

	return digest_frames(report, key, frames, !report->folded);
}

static void print_stack(struct stack_report *report, const struct interval *interval, const struct stack_key *key,
			const struct stack_value *value, uint64_t all)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	char comm[TASK_COMM_LEN + 1];
	size_t frames;

	if (report->tool->out.json) {
		print_row(report, interval, key, stacks__frames(&report->stacks, key), value);
		return;
	}
	frames = report->folded ? stack_report__frames_drawn(report, key) : frames_of(report, key);
	snprintf(comm, sizeof(comm), "%.*s", TASK_COMM_LEN, key->comm);
	if (report->folded)
		stacks__add_folded(&report->stacks, frames, comm, stack_report__weight_shown(report, value), &text);
	else
		add_stack(report, key, frames, value, all, &text);
	print_text(report->tool, &text);
}

static void print_others(struct stack_report *report, const struct interval *interval, const struct stack_value *others, bool without_room,
			 uint64_t all)
{
	struct text_buffer text = text_buffer__growing(1024);

	if (!others->count)
		return;
	if (report->tool->out.json) {
		print_row(report, interval, NULL, 0, others);
		return;
	}
	if (report->folded) {
		text_buffer__add(&text, "(others) %llu\n", (unsigned long long)stack_report__weight_shown(report, others));
	} else {
		add_weight(report, others, all, &text);
		text_buffer__add(&text, "%sothers%s\n", report->is_bytes ? ", " : "", without_room ? ", also those that found no room (--keys)" : " (-r shows more)");
	}
	print_text(report->tool, &text);
}

static void add_value(struct stack_value *to, const struct stack_value *value)
{
	to->count += value->count;
	to->ns += value->ns;
}

/* JSON and folded stacks have the heaviest first, text has it last, where the eye is. */
static void print_rows(struct stack_report *report, const struct interval *interval, const struct stack_rows *rows,
		       const struct stack_value *without_room, uint64_t all)
{
	bool is_text = !report->tool->out.json && !report->folded;
	/* what programs read is whole unless somebody asks for less */
	size_t shown = is_text || report->tool->options.rows_asked ? report->tool->options.rows_max : rows->count;
	struct stack_value others = *without_room;

	if (shown > rows->count)
		shown = rows->count;
	for (size_t i = shown; i < rows->count; i++)
		add_value(&others, &rows->list[i].value);
	if (is_text)
		print_others(report, interval, &others, without_room->count, all);
	for (size_t i = 0; i < shown; i++) {
		const struct stack_row *row = &rows->list[is_text ? shown - 1 - i : i];

		print_stack(report, interval, row->key, &row->value, all);
	}
	if (!is_text)
		print_others(report, interval, &others, without_room->count, all);
}

uint64_t stack_report__print(struct stack_report *report, const struct interval *interval, const struct stack_value *others)
{
	const struct table *table = interval->table;
	const bool prints_own = report->print_rows && !report->folded;
	struct stack_value sum = *others;
	struct stack_rows rows = { .list = NULL };

	if (report->by_process)
		return processes__report(report->tool, interval, others);
	if (report->by_task || (metrics__is_taking(report->tool) && !prints_own))
		return stack_tasks__print(report, interval, others);

	if (!prints_own &&
	    stack_rows__make(&rows, table, has_sum(report) ? time_of : stack_report__count_of, digest_of, report)) {
		tool__fail(report->tool, -ENOMEM, "no memory for %zu stacks", table->count);
		return 0;
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct stack_key *key = table__key(table, i), *waker = waker_of(report, key);

		add_value(&sum, table__value(table, i));
		if (!stacks__has(&report->stacks, key) || (waker && !stacks__has(&report->stacks, waker)))
			report->unrecorded += stack_report__count_of(table__value(table, i));
	}
	if (report->print_above && !report->folded)
		report->print_above(report->tool, interval);
	if (prints_own)
		report->print_rows(report, interval, others);
	else
		print_rows(report, interval, &rows, others, weigh(report, &sum));
	stack_rows__free(&rows);
	if (side_file__is_open(&report->picture))
		stack_files__draw(report, table, others);
	if (side_file__is_open(&report->profile))
		stack_files__write_profile(report, interval, others);
	return sum.count;
}

void stack_report__tell(const struct stack_report *report)
{
	/* after a failure that is what matters */
	if (report->unrecorded && !report->tool->err && !report->tool->out.error)
		say("%llu of those counted are of stacks that found no room in the ring buffer%s, \"" STACK_LOST "\"",
		    (unsigned long long)report->unrecorded,
		    report->is_late ? " or came faster than they are named" : "");
}
