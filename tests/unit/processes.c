/* SPDX-License-Identifier: BSD-2-Clause */
/* run/processes: counts by stack, added up by process; as text and as JSON. */
#include "lib/run/processes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define KEYS 7

static struct stack_key keys[KEYS] = {
	{ .pid = 12, .comm = "worker", .hashes = { 1, 0 } }, { .pid = 7, .comm = "sh", .hashes = { 2, 0 } },
	{ .pid = 12, .comm = "main", .hashes = { 3, 0 } }, { .pid = 12, .comm = "worker", .hashes = { 4, 0 } },
	{ .pid = 0, .comm = "swapper/0" }, { .pid = 0, .comm = "other\n" }, { .pid = 9, .comm = "sh" },
};
static struct stack_value values[KEYS] = { { 20, 0 }, { 30, 0 }, { 25, 0 }, { 10, 0 }, { 4, 0 }, { 5, 0 }, { 3, 0 } };
static const struct table table = {
	.key_size = sizeof(*keys), .value_size = sizeof(*values), .keys = (char *)keys, .values = (char *)values, .count = KEYS
};

/* What is printed, above stacks or as rows. */
static const char *printed(const struct processes *processes, bool is_json, bool as_rows, size_t most)
{
	static const struct out_column none[] = { { NULL, 0, NULL, NULL } };
	static char text[4096];
	const struct tool_about about = { .name = "profile" };
	const struct out_column *columns = processes->by_time ? processes_time_columns : processes_columns;
	struct tool tool = { .about = &about, .out = { .json = is_json, .columns = as_rows ? columns : none } };
	struct interval interval = { .number = 1 };
	int ends[2];
	ssize_t size;

	if (pipe(ends))
		return NULL;
	tool.out.sink.fd = ends[1];
	CHECK_INT(out__open(&tool.out), 0);
	if (as_rows)
		processes__print(processes, &tool, &interval, most);
	else
		processes__print_above(processes, &tool, most);
	CHECK_INT(out__flush(&tool.out), 0);
	CHECK_INT(tool.err, 0);
	out__free(&tool.out);
	close(ends[1]);
	size = read(ends[0], text, sizeof(text) - 1);
	text[size > 0 ? size : 0] = 0;
	close(ends[0]);
	return text;
}

static void check_sums(void)
{
	struct processes processes;

	CHECK_INT(processes__make(&processes, &table, &(struct stack_value){ .count = 3 }, false), 0);
	CHECK_INT(processes.count, 5);
	CHECK_INT(processes.all.count, 100);
	/* a process has all its threads' samples, and the name of the heaviest thread: 30 of "worker" are more than 25 of "main" */
	CHECK_INT(processes.list[0].pid, 12);
	CHECK_INT(processes.list[0].value.count, 55);
	CHECK_STR(processes.list[0].comm, "worker");
	CHECK_INT(processes.list[1].pid, 7);
	/* number 0 is no process: these have nothing in common */
	CHECK_STR(processes.list[2].comm, "other\n");
	CHECK_INT(processes.list[2].value.count, 5);
	CHECK_STR(processes.list[3].comm, "swapper/0");
	CHECK_INT(processes.list[4].pid, 9);
	processes.idle = 60;
	CHECK_STR(printed(&processes, false, false, 3),
		  "PERCENT    SAMPLES PID     COMM\n"
		  "   55.0         55 12      worker\n"
		  "   30.0         30 7       sh\n"
		  "    5.0          5 0       other\\n\n"
		  "   10.0         10 -       (others)\n"
		  "60 more samples were of idle CPUs\n\n");
	CHECK_STR(printed(&processes, false, true, 1),
		  "   55.0         55 12      worker\n"
		  "   45.0         45 -       (others)\n"
		  "60 more samples were of idle CPUs\n");
	CHECK_STR(printed(&processes, true, false, 1),
		  "{\"type\":\"cpus\",\"tool\":\"profile\",\"cpus\":{\"samples\":100,\"idle\":60,\"processes\":["
		  "{\"pid\":12,\"comm\":\"worker\",\"count\":55,\"percent\":55.000},{\"pid\":7,\"comm\":\"sh\",\"count\":30,\"percent\":30.000},"
		  "{\"pid\":0,\"comm\":\"other\\n\",\"count\":5,\"percent\":5.000},"
		  "{\"pid\":0,\"comm\":\"swapper/0\",\"count\":4,\"percent\":4.000},{\"pid\":9,\"comm\":\"sh\",\"count\":3,\"percent\":3.000}]}}\n");
	processes__free(&processes);
}

/* By time the order is another one, and so is who names a process. */
static void check_times(void)
{
	struct stack_value others = { .count = 2, .ns = 100000000 };
	struct processes processes;
	const char *text;

	values[1].ns = 500000000;
	values[2].ns = 300000000;
	values[6].ns = 100000000;
	CHECK_INT(processes__make(&processes, &table, &others, true), 0);
	CHECK_INT(processes.all.ns, 1000000000);
	CHECK_STR(printed(&processes, false, true, 2),
		  "   50.0      500.000         30 7       sh\n"
		  "   30.0      300.000         55 12      main\n"
		  "   20.0      200.000         14 -       (others)\n");
	text = printed(&processes, true, true, 1);
	CHECK(strstr(text, ",\"percent\":50.000,\"total_ns\":500000000,\"count\":30,\"pid\":7,\"comm\":\"sh\"}\n"));
	CHECK(!strstr(text, "\"cpus\""));
	processes__free(&processes);
}

static void check_nothing(void)
{
	const struct table empty = { .key_size = sizeof(*keys), .value_size = sizeof(*values) };
	struct processes processes;

	CHECK_INT(processes__make(&processes, &empty, &(struct stack_value){ .count = 0 }, false), 0);
	CHECK_STR(printed(&processes, false, false, 5), "");
	CHECK_STR(printed(&processes, false, true, 5), "");
	processes.idle = 8;
	CHECK_STR(printed(&processes, false, false, 5), "8 more samples were of idle CPUs\n\n");
	processes__free(&processes);
}

int main(void)
{
	check_sums();
	check_times();
	check_nothing();
	return check_done();
}
