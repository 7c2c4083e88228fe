/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/prototype.h"
#include "lib/ftrace/exclusions.h"
#include "lib/print/columns.h"
#include "lib/print/piece.h"
#include "lib/print/text_buffer.h"
#include "lib/run/state_columns.h"
#include "lib/traced/traced_columns.h"

#define KEPT 1024	/* names of addresses; a power of two */
#define INDENT 2
#define TEXT_SIZE 2048

struct call_name {
	uint64_t address;
	char *name;		/* "vfs_read", "ext4_file_read_iter [ext4]" */
	size_t size;		/* bytes of the function's name in it */
	bool is_root;
	const struct prototype *prototype;	/* or NULL */
	struct piece text;	/* its CALL as it was printed last: at this level, opening a brace or not */
	uint32_t text_level;
	bool text_opens;
};

static bool is_apart;	/* the columns are those with each value apart */
static bool has_marks;	/* text has the column MARK */
static const struct out_column *columns;	/* what call_rows__columns() gave, text_columns until then */
static struct out_column *made_columns;		/* the same, if it was made; or NULL */

/* docs/json.md: none */
static const struct out_column text_columns[] = {
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "US", 12, NULL, NULL },
	{ "CALL", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: funcgraph */
const struct out_column call_rows_apart[] = {
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "US", 12, NULL, "lat_ns" },
	{ "TREE", 8, NULL, NULL },
	{ "LEVEL", 5, NULL, NULL },
	{ "FUNCTION", 0, NULL, NULL },
	{ "MODULE", -16, NULL, NULL },
	{ "CONTEXT", -7, NULL, NULL },
	{ "MISSING", -10, NULL, NULL },
	{ "LOST", 6, NULL, "lost_here" },
	{ "RET", 0, NULL, NULL },
	{ "ARGS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: funcgraph --cpu-time */
static const struct out_column cpu_columns[] = {
	{ "CPU_US", 12, NULL, "cpu_ns" },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: none */
static const struct out_column mark_columns[] = {
	{ "MARK", 4, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* false without memory */
static bool add_columns(const char *before, const struct out_column *added)
{
	struct out_column *made = columns__insert(columns, before, added);

	free(made_columns);
	columns = made_columns = made;
	return made;
}

const struct out_column *call_rows__columns(bool apart, bool overhead, bool context, bool cpu_time)
{
	is_apart = apart;
	has_marks = overhead && !apart;
	columns = apart ? call_rows_apart : text_columns;
	/* before "US", from the right to the left */
	if ((cpu_time && !add_columns(apart ? "TREE" : "CALL", cpu_columns)) || (has_marks && !add_columns("US", mark_columns)) ||
	    (context && !add_columns(has_marks ? "MARK" : "US", state_columns)))
		return NULL;
	return columns;
}

int call_rows__open(struct call_rows *rows, struct tool *tool, const struct traced *traced, size_t roots,
		    struct names *names, bool with_values)
{
	*rows = (struct call_rows){ .tool = tool, .traced = traced, .roots = roots, .names = names };
	rows->kept = calloc(KEPT, sizeof(*rows->kept));
	if (!rows->kept)
		return tool__fail(tool, -ENOMEM, "no memory for the names of functions");
	return with_values ? traced__load_prototypes(traced, tool, &rows->prototypes) : 0;
}

void call_rows__close(struct call_rows *rows)
{
	for (size_t i = 0; rows->kept && i < KEPT; i++)
		free(rows->kept[i].name);
	free(rows->kept);
	rows->kept = NULL;
	prototypes__free(rows->prototypes);
	rows->prototypes = NULL;
	free(made_columns);
	made_columns = NULL;
}

/* A name that is not kept yet. */
static __attribute__((noinline)) struct call_name *new_name(struct call_rows *rows, struct call_name *kept, uint64_t address)
{
	static struct call_name unknown = { .name = "?", .size = 1 };
	char name[NAMES_NAME_MAX], *module;

	names__of(rows->names, address, name);
	free(kept->name);
	*kept = (struct call_name){ .address = address, .name = strdup(name), .size = strcspn(name, " ") };
	if (!kept->name)
		return &unknown;
	module = names__split(name);
	for (size_t i = 0; i < rows->roots && !kept->is_root; i++) {
		const char *pattern = rows->traced->patterns[i];

		kept->is_root = !exclusion__is(pattern) && function_pattern__means(pattern, rows->traced->module, name, module);
	}
	if (rows->prototypes)
		kept->prototype = traced__prototype(rows->traced, rows->prototypes, traced__find_named(rows->traced, kept->name));
	return kept;
}

static inline struct call_name *name_of(struct call_rows *rows, uint64_t address)
{
	struct call_name *kept = rows->name;

	/* of a tree of one call it is asked for twice in sequence */
	if (kept && kept->address == address && kept->name)
		return kept;
	kept = &rows->kept[(address * 0x9e3779b97f4a7c15ull >> 40) & (KEPT - 1)];
	if (!kept->name || kept->address != address)
		return new_name(rows, kept, address);
	return rows->name = kept;
}

bool call_rows__is_root(struct call_rows *rows, uint64_t address)
{
	return name_of(rows, address)->is_root;
}

static const char *const contexts[] = { [GRAPH_TASK] = "task", [GRAPH_SOFTIRQ] = "softirq", [GRAPH_HARDIRQ] = "hardirq", [GRAPH_NMI] = "nmi" };

/* What is not there of a call; NULL: nothing. */
static const char *missing(const struct call *call)
{
	if (call->flags & (CALL_RUNS | CALL_TASK_ENDED))
		return call->flags & CALL_RUNS ? "runs" : "task_ended";
	return call->flags & CALL_NO_EXIT ? "return" : call->flags & CALL_NO_ENTRY ? "begin" : NULL;
}

static void put_duration(struct out *out, const struct call *call)
{
	if (call->flags & (CALL_RUNS | CALL_NO_EXIT | CALL_TASK_ENDED))
		out__none(out);
	else
		out__latency(out, call->ns);
}

static void put_cpu_time(struct out *out, const struct call *call, const struct call_cpu *cpu_time)
{
	if (call->flags & CALL_HAS_CPU_TIME)
		out__latency(out, cpu_time->ns);
	else
		out__none(out);
}

/* As trace_find_mark() in kernel/trace/trace_output.c: a call must take longer than that. */
static void put_mark(struct out *out, const struct call *call)
{
	static const struct {
		uint64_t ns;
		char mark[2];
	} marks[] = { { 1000000000, "$" }, { 100000000, "@" }, { 10000000, "*" }, { 1000000, "#" }, { 100000, "!" }, { 10000, "+" } };

	const char *mark = "";

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks) && !*mark; i++)
		if (call->ns > marks[i].ns && !(call->flags & (CALL_RUNS | CALL_NO_EXIT | CALL_TASK_ENDED)))
			mark = marks[i].mark;
	out__made(out, mark, strlen(mark));
}

/* What a call returned, as text; false: it is not known, or the function returns nothing. */
static bool write_result(const struct call_rows *rows, const struct call_name *name, char result[TRACED_RESULT_MAX])
{
	return rows->results && rows->call->flags & CALL_HAS_RESULT && traced__write_result(name->prototype, rows->call->result, result);
}

static void put_apart(struct call_rows *rows, const struct call_name *name)
{
	const struct call *call = rows->call;
	struct out *out = &rows->tool->out;
	const char *text;
	char result[TRACED_RESULT_MAX];

	out__int(out, (int64_t)rows->number);
	out__int(out, rows->level);
	out__string(out, name->name, name->size);
	/* " [MODULE]" */
	if (name->name[name->size])
		out__string(out, name->name + name->size + 2, strlen(name->name + name->size) - 3);
	else
		out__none(out);
	text = contexts[call->context & 3];
	out__string(out, text, strlen(text));
	text = missing(call);
	if (text)
		out__string(out, text, strlen(text));
	else
		out__none(out);
	if (call->flags & (CALL_LOST_BEFORE | CALL_LOST_INSIDE))
		out__int(out, call->lost);
	else
		out__none(out);
	if (write_result(rows, name, result))
		out__string(out, result, strlen(result));
	else
		out__none(out);
	traced__put_args(out, name->prototype, rows->args, rows->args ? call->args_count : 0);
}

/* Whether its CALL is a name and nothing else, as most are. */
static inline bool is_plain(const struct call_rows *rows)
{
	return !rows->args && !(rows->call->flags & ~CALL_HAS_CPU_TIME) && rows->call->context == GRAPH_TASK;
}

/* The row of a call that is plain, and kept for the next one of its function.  Without formatting. */
static void put_plain(struct call_rows *rows, struct call_name *name, size_t indent, size_t length, bool opens)
{
	char line[CALL_ROWS_LEVELS * INDENT + NAMES_NAME_MAX + 4];

	memset(line, ' ', indent);
	memcpy(line + indent, name->name, length);
	memcpy(line + indent + length, opens ? "() {" : "();", 4);
	piece__begin(&rows->tool->out, &name->text);
	out__string(&rows->tool->out, line, indent + length + (opens ? 4 : 3));
	piece__end(&rows->tool->out, &name->text);
	name->text_level = rows->level;
	name->text_opens = opens;
}

/* What else there is to say of a call. */
static void add_remarks(const struct call_rows *rows, const struct call_name *name, struct text_buffer *text)
{
	static const char *const remarks[] = { "", "  /* in a soft interrupt */", "  /* in an interrupt */", "  /* in an NMI */" };
	const struct call *call = rows->call;
	const char *what = missing(call), *where = call->flags & CALL_LOST_BEFORE ? "here" : "inside";
	char result[TRACED_RESULT_MAX];

	if (write_result(rows, name, result))
		text_buffer__add(text, "  /* = %s */", result);
	/* that of the call around it is reported already */
	if (rows->level == 0 || call->context != GRAPH_TASK)
		text_buffer__add(text, "%s", remarks[call->context & 3]);
	if (call->flags & CALL_TASK_ENDED)
		text_buffer__add(text, "  /* its task ended in it */");
	else if (what)
		text_buffer__add(text, call->flags & CALL_RUNS ? "  /* has not returned */" : "  /* its %s was lost */", what);
	if (!(call->flags & (CALL_LOST_BEFORE | CALL_LOST_INSIDE)))
		return;
	if (call->lost)
		text_buffer__add(text, "  /* %u records lost %s */", call->lost, where);
	else
		text_buffer__add(text, "  /* records lost %s */", where);
}

/* "    name(a=1, b=2) {  remarks", the kernel's own way but for the time, which has a column. */
static __attribute__((noinline)) void put_text(struct call_rows *rows, struct call_name *name, bool opens)
{
	uint32_t level = rows->level < CALL_ROWS_LEVELS ? rows->level : CALL_ROWS_LEVELS;
	char line[CALL_ROWS_LEVELS * INDENT + 2 * TEXT_SIZE], list[TEXT_SIZE];
	size_t indent = level * INDENT, length = strlen(name->name);
	struct text_buffer text;

	if (is_plain(rows)) {
		put_plain(rows, name, indent, length, opens);
		return;
	}
	text = text_buffer__fixed(line, sizeof(line));
	text_buffer__add(&text, "%*s%s(", (int)indent, "", name->name);
	if (rows->args && rows->call->args_count && name->prototype) {
		size_t used = prototype__list(name->prototype, rows->args, rows->call->args_count, list, sizeof(list));

		for (size_t at = 0; at < used; at += strlen(list + at) + 1)
			text_buffer__add(&text, "%s%s", at ? ", " : "", list + at);
	}
	text_buffer__add(&text, opens ? ") {" : ");");
	add_remarks(rows, name, &text);
	out__string(&rows->tool->out, line, strlen(line));
}

/* CPU and task's columns; from the third row on that has the same ones they are copied. */
static inline void put_place(struct call_rows *rows)
{
	struct out *out = &rows->tool->out;
	uint32_t cpu = rows->call->cpu;
	bool again = rows->has_place && rows->place_cpu == cpu;

	if (again && piece__again(out, &rows->place))
		return;
	if (again)
		piece__begin(out, &rows->place);
	out__int(out, cpu);
	tool__task(rows->tool, &rows->task);
	if (again) {
		piece__end(out, &rows->place);
		return;
	}
	rows->place.begin = NULL;
	rows->place_cpu = cpu;
	/* a cgroup's path may change */
	rows->has_place = !rows->tool->options.filter.wants_cgroup;
}

/* Lines of a brace, which are no calls and so no rows, down to a level. */
static void close_levels(struct call_rows *rows, uint32_t from, uint32_t to)
{
	struct out *out = &rows->tool->out;
	size_t before = out__width_before(out);
	char line[512 + CALL_ROWS_LEVELS * INDENT + NAMES_NAME_MAX + 8];
	int length = 0;

	for (const struct out_column *column = columns; column[1].name; column++)
		if (out__shows(out, column))
			before += 1 + (size_t)abs(column->width);
	memset(line, ' ', before + CALL_ROWS_LEVELS * INDENT);
	while (from > to) {
		uint32_t level = --from < CALL_ROWS_LEVELS ? from : CALL_ROWS_LEVELS;
		size_t end = before + level * INDENT;

		line[end] = '}';
		if (rows->tail)
			length = snprintf(line + end + 1, NAMES_NAME_MAX + 8, " /* %s */", name_of(rows, rows->open[from])->name);
		out__line(out, line, end + 1 + (size_t)length);
		memset(line + end, ' ', 1 + (size_t)length);
	}
}

void call_rows__change_task(struct call_rows *rows, const struct call_tree *tree, const struct task *task)
{
	struct event_task *made = &rows->task;

	*made = (struct event_task){ .tid = tree->tid, .pid = task ? task->pid : tree->tid, .reserved = TASK_NO_USER };
	_Static_assert(sizeof(made->comm) == sizeof(task->comm), "names are copied whole");
	if (!tree->tid)
		snprintf(made->comm, sizeof(made->comm), "swapper/%u", tree->cpu);
	else if (task)
		memcpy(made->comm, task->comm, sizeof(made->comm));
	else	/* as the kernel's own trace has it */
		strcpy(made->comm, "<...>");
	rows->has_place = false;
}

void call_rows__put(struct call_rows *rows, const struct call *call, uint32_t level, uint32_t next_level, const uint64_t *args)
{
	struct call_name *name = name_of(rows, call->function);
	struct out *out = &rows->tool->out;
	bool opens = next_level > level;

	rows->call = call;
	rows->level = level;
	rows->args = args;
	out__row(out, call->begin_ns);
	put_place(rows);
	if (rows->state)
		state_columns__put(out, call->state);
	if (has_marks)
		put_mark(out, call);
	put_duration(out, call);
	if (rows->cpu_time)
		put_cpu_time(out, call, rows->cpu_time);
	if (is_apart)
		put_apart(rows, name);
	else if (!is_plain(rows) || name->text_level != level || name->text_opens != opens || !piece__again(out, &name->text))
		put_text(rows, name, opens);
	out__end(out);
	if (rows->tail && opens)
		rows->open[level & (CALL_LEVELS_MAX - 1)] = call->function;
	if (!is_apart && next_level < level)
		close_levels(rows, level, next_level);
}
