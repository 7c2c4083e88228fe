/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/call_trees: records of calls, whole and with holes, and what tree they make. */
#include "lib/ftrace/call_trees.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"

static struct call_trees trees;
static char text[4096];
static uint64_t clock_ns;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
	size_t used = strlen(text);
	__builtin_va_list args;

	__builtin_va_start(args, format);
	vsnprintf(text + used, sizeof(text) - used, format, args);
	__builtin_va_end(args);
}

/*
 * "TID: a(b(c) d)": a letter is a function; before it "<" no begin, behind it "!" no return, "~" runs, "$" its task ended in
 * it, "^" records were lost before, "v" inside.
 */
static void take(void *ctx, const struct call_tree *tree)
{
	uint32_t depths[CALL_LEVELS_MAX], levels = 0, level, last = 0, count = 0;

	(void)ctx;
	put("%u:", tree->tid);
	for (const struct call *call = call_trees__at(&trees, tree->first); call; call = call_trees__at(&trees, call->next)) {
		level = call_trees__level(depths, &levels, call);
		if (count && level > last)
			put("(");
		for (; count && last > level; last--)
			put(")");
		put("%s%s%c%s%s%s%s", count && level <= last ? " " : "", call->flags & CALL_NO_ENTRY ? "<" : "", (char)call->function,
		    call->flags & CALL_NO_EXIT ? "!" : "", call->flags & CALL_RUNS ? "~" : "", call->flags & CALL_TASK_ENDED ? "$" : "",
		    call->flags & CALL_LOST_BEFORE ? "^" : "");
		if (call->flags & CALL_LOST_INSIDE)
			put("v");
		if (call->lost)
			put("%u", call->lost);
		last = level;
		count++;
		CHECK(call->begin_ns && call->begin_ns <= clock_ns);
	}
	for (; count && last; last--)
		put(")");
	CHECK_INT(count, tree->count);
	if (tree->no_room)
		put(" +%llu", (unsigned long long)tree->no_room);
	put(";");
}

static uint32_t taken;

static void count_taken(void *ctx, const struct call_tree *tree)
{
	(void)ctx;
	taken += tree->count;
}

/* An entry that waits for the next record; without kind: none. */
static struct graph_record held;

/* Adds a record, and with by_leaf calls that call nothing as a whole. */
static void add(const struct graph_record *record, bool by_leaf)
{
	if (held.kind && record->kind == GRAPH_EXIT && call_trees__is_leaf(&held, record)) {
		CHECK_INT(call_trees__add_leaf(&trees, &held, record), 0);
		held.kind = GRAPH_OTHER;
		return;
	}
	CHECK_INT(call_trees__add(&trees, &held), 0);
	held = *record;
	if (by_leaf && record->kind == GRAPH_ENTRY)
		return;
	CHECK_INT(call_trees__add(&trees, record), 0);
	held.kind = GRAPH_OTHER;
}

static void add_held(void)
{
	CHECK_INT(call_trees__add(&trees, &held), 0);
	held.kind = GRAPH_OTHER;
}

static void note_loss(void)
{
	add_held();
	trees.losses++;
}

static void end_task(uint32_t tid, uint32_t depth)
{
	add_held();
	call_trees__end_task(&trees, tid, depth);
}

static void run_by(uint32_t room, const char *records, bool by_leaf)
{
	uint32_t tid = 1, cpu = 0;
	uint64_t lost = 0;
	bool lost_some = false;

	text[0] = '\0';
	clock_ns = 1000000;
	trees.take = take;
	CHECK_INT(call_trees__open(&trees, room, true, false), 0);
	for (const char *at = records; *at; at++) {
		struct graph_record record = { .kind = GRAPH_ENTRY, .args_count = 6, .args = { 1, 2, 3, 4, 5, 6 } };
		char *end;

		if (*at == ' ')
			continue;
		if (strchr("#@?!", *at)) {
			unsigned long number = strtoul(at + 1, &end, 10);

			if (*at == '#')
				tid = (uint32_t)number;
			else if (*at == '@')
				cpu = (uint32_t)number;
			else if (*at == '?')
				lost = number, lost_some = true, note_loss();
			else
				end_task((uint32_t)number, *end == '-' ? (uint32_t)strtoul(end + 1, &end, 10) : UINT32_MAX);
			at = end - 1;
			continue;
		}
		if (*at == '/') {
			record = (struct graph_record){ .kind = GRAPH_EXIT, .ns = 10 };
			at++;
		}
		record.tid = tid;
		record.function = (uint64_t)*at;
		record.depth = (uint32_t)strtoul(at + 1, &end, 10);
		at = end - 1;
		clock_ns += 100;
		record.time_ns = clock_ns;
		record.cpu = cpu;
		record.lost_some = lost_some;
		record.lost = lost;
		add(&record, by_leaf);
		lost_some = false;
		lost = 0;
	}
	add_held();
	put("|");
	call_trees__end(&trees);
	/* all calls are free again */
	{
		uint32_t count = 0;

		for (uint32_t at = trees.free; at != CALL_NONE; at = trees.calls[at].next)
			count++;
		CHECK_INT(count, trees.linked);
		CHECK(trees.linked <= room);
	}
	call_trees__close(&trees);
}

/*
 * "a0" begins at depth 0, "/a0" returns; "#5" is the task from here on, "@1" the CPU, "?7" seven records were lost before
 * the next one, "!5" task 5 is gone, "!5-2" and its calls from depth 2 on had returned.  Record by record, and with calls
 * that call nothing as a whole: the same trees.
 */
static const char *run(uint32_t room, const char *records)
{
	char one_by_one[sizeof(text)];
	uint64_t halves;

	run_by(room, records, false);
	strcpy(one_by_one, text);
	halves = trees.halves;
	run_by(room, records, true);
	CHECK_STR(text, one_by_one);
	CHECK_INT(trees.halves, halves);
	return text;
}

static void test_whole(void)
{
	CHECK_STR(run(16, ""), "|");
	CHECK_STR(run(16, "a0 /a0 a0 b1 /b1 c1 d2 /d2 /c1 /a0"), "1:a;1:a(b c(d));|");
	/* recursion; depths that do not begin at 0, and do not grow by one (other users of the stack of return addresses) */
	CHECK_STR(run(16, "a0 a1 a2 /a2 /a1 /a0"), "1:a(a(a));|");
	CHECK_STR(run(16, "a4 b6 c7 /c7 d7 /d7 /b6 /a4"), "1:a(b(c d));|");
	/* tasks, and idle tasks of two CPUs */
	CHECK_STR(run(16, "#5 a0 #7 a0 b1 #5 c1 /c1 /a0 #7 /b1 /a0"), "5:a(c);7:a(b);|");
	CHECK_STR(run(16, "#0 @0 a0 @1 a0 b1 @0 c1 /c1 /a0 @1 /b1 /a0"), "0:a(c);0:a(b);|");
	/* a task that goes to another CPU in between */
	CHECK_STR(run(16, "#5 @0 a0 b1 @1 /b1 @0 /a0"), "5:a(b);|");
	CHECK_INT(trees.halves, 0);
	/* that still run at the end */
	CHECK_STR(run(16, "a0 b1 /b1 c1"), "|1:a~(b c~);");
	CHECK_INT(trees.halves, 0);
}

static void test_tasks_end(void)
{
	/* what had not returned never does */
	CHECK_STR(run(16, "#5 a0 b1 /b1 c1 !5"), "5:a$(b c$);|");
	CHECK_INT(trees.halves, 0);
	/* no tree, another task's, and an idle task's, whose number is nobody's */
	CHECK_STR(run(16, "#5 !5 a0 !7 /a0 !5"), "5:a;|");
	CHECK_STR(run(16, "#0 a0 !0 /a0"), "0:a;|");
	/* the number is another task's now */
	CHECK_STR(run(16, "#5 a0 !5 b0 /b0"), "5:a$;5:b;|");
	/* the return may have been among records that were lost since the tree began */
	CHECK_STR(run(16, "#5 a0 ?3 b1 !5"), "5:a!(b!^3);|");
	CHECK_INT(trees.halves, 2);
	CHECK_STR(run(16, "#5 ?3 a0 b1 !5"), "5:a$^3(b$);|");
	/* or was, as the caller knows */
	CHECK_STR(run(16, "#5 a0 b1 c2 !5-1"), "5:a$(b!(c!));|");
	CHECK_INT(trees.halves, 2);
}

/* More tasks with calls under way than are kept: each call is told, once. */
static void test_many_tasks(void)
{
	const uint32_t tasks = (1 << 16) + 100;
	struct graph_record record = { .kind = GRAPH_ENTRY, .function = 'a', .time_ns = 1 };

	trees.take = count_taken;
	taken = 0;
	CHECK_INT(call_trees__open(&trees, tasks, false, false), 0);
	for (record.tid = 1; record.tid <= tasks; record.tid++)
		CHECK_INT(call_trees__add(&trees, &record), 0);
	CHECK_INT(taken, 100);
	call_trees__end(&trees);
	CHECK_INT(taken, tasks);
	call_trees__close(&trees);
}

static void test_holes(void)
{
	/* returns were lost */
	CHECK_STR(run(16, "a0 b1 ?1 /a0"), "1:av1(b!);|");
	CHECK_INT(trees.halves, 1);
	CHECK_STR(run(16, "a0 b1 c2 ?2 d1 /d1 /a0"), "1:a(b!(c!) d^2);|");
	CHECK_STR(run(16, "a0 b1 ?3 a0 /a0"), "1:a!(b!);1:a^3;|");
	CHECK_INT(trees.halves, 2);
	/* begins were lost */
	CHECK_STR(run(16, "a0 ?1 /b1 /a0"), "1:a(<bv1);|");
	CHECK_STR(run(16, "a0 ?1 c2 /c2 d2 /d2 /b1 /a0"), "1:a(<b(c^1 d));|");
	CHECK_STR(run(16, "a0 e1 f2 /f2 /e1 ?1 c2 /c2 /b1 /a0"), "1:a(e(f) <b(c^1));|");
	CHECK_STR(run(16, "a0 ?9 c3 /c3 ?5 e1 f2 /f2 /e1 c2 /c2 /b1 /a0"), "1:a(c^9 e^5(f) <b(c));|");
	CHECK_STR(run(16, "?4 c2 /c2 /b1 /a0"), "1:c^4;1:<b;1:<a;|");
	/* both of two calls at one depth: the return is of another function */
	CHECK_STR(run(16, "a0 b1 ?2 /c1 /a0"), "1:a(b! <cv2);|");
	CHECK_INT(trees.halves, 2);
	/* the kernel does not say how many */
	CHECK_STR(run(16, "a0 ?0 b1 /b1 /a0"), "1:a(b^);|");
}

static void test_room(void)
{
	CHECK_STR(run(3, "a0 b1 /b1 c1 /c1 d1 e2 /e2 /d1 /a0 a0 /a0"), "1:a(b c) +2;1:a;|");
	CHECK_INT(trees.halves, 0);
	/* another task has all of it: counted, and no trees of the calls inside */
	CHECK_STR(run(2, "#5 a0 b1 #7 a0 b1 /b1 /a0 #5 /b1 /a0 #7 a0 /a0"), "7: +2;5:a(b);7:a;|");
	CHECK_INT(trees.halves, 0);
}

static void test_values(void)
{
	const struct graph_record entry = {
		.kind = GRAPH_ENTRY, .tid = 9, .function = 'a', .context = GRAPH_SOFTIRQ, .time_ns = 5000, .cpu = 3,
		.args_count = 6, .args = { 1, 2, 3, 4, 5, 6 },
	};
	const struct graph_record exit = { .kind = GRAPH_EXIT, .tid = 9, .function = 'a', .time_ns = 5100, .cpu = 2, .ns = 90 };
	const struct graph_record other = { .kind = GRAPH_OTHER, .tid = 10, .time_ns = 4000, .cpu = 1, .lost_some = true, .lost = 3 };

	text[0] = '\0';
	trees.take = take;
	clock_ns = 5000;
	CHECK_INT(call_trees__open(&trees, 4, false, false), 0);
	CHECK_INT(call_trees__add(&trees, &other), 0);
	CHECK_INT(call_trees__add(&trees, &entry), 0);
	CHECK_INT(trees.calls[0].begin_ns, 5000);
	CHECK_INT(trees.calls[0].cpu, 3);
	CHECK_INT(trees.calls[0].context, GRAPH_SOFTIRQ);
	CHECK_INT(trees.calls[0].args_count, 0);
	call_trees__end(&trees);
	CHECK_STR(text, "9:a~;");
	call_trees__close(&trees);
	/* a leaf that is a tree by itself: what is in it stays until the next one */
	text[0] = '\0';
	CHECK_INT(call_trees__open(&trees, 4, true, false), 0);
	CHECK(call_trees__is_leaf(&entry, &exit));
	CHECK_INT(call_trees__add_leaf(&trees, &entry, &exit), 0);
	CHECK_STR(text, "9:a;");
	CHECK_INT(trees.calls[0].begin_ns, 5000);
	CHECK_INT(trees.calls[0].ns, 90);
	CHECK_INT(trees.calls[0].cpu, 3);
	CHECK_INT(trees.calls[0].context, GRAPH_SOFTIRQ);
	CHECK_INT(trees.calls[0].args_count, 6);
	CHECK_INT(trees.args[0][5], 6);
	call_trees__close(&trees);
	/* a tree that nobody takes out is freed */
	CHECK_INT(call_trees__open(&trees, 4, false, false), 0);
	CHECK_INT(call_trees__add(&trees, &entry), 0);
	call_trees__close(&trees);
	call_trees__close(&trees);
}

/* off_ns, off_losses: of the task until then */
static void cpu_record(enum graph_kind kind, char function, uint32_t depth, uint64_t time_ns, uint64_t ns, uint64_t off_ns,
		       uint64_t off_losses)
{
	const struct graph_record record = {
		.kind = kind, .tid = 7, .function = (uint64_t)function, .depth = depth, .time_ns = time_ns, .ns = ns,
		.off_ns = off_ns, .off_losses = off_losses,
	};

	clock_ns = time_ns;
	CHECK_INT(call_trees__add(&trees, &record), 0);
}

/* "a 4000 b -": the functions of a tree, and how long they had a CPU */
static void take_cpu_times(void *ctx, const struct call_tree *tree)
{
	(void)ctx;
	for (const struct call *call = call_trees__at(&trees, tree->first); call; call = call_trees__at(&trees, call->next))
		if (call->flags & CALL_HAS_CPU_TIME)
			put("%c %llu ", (char)call->function, (unsigned long long)trees.cpu[call - trees.calls].ns);
		else
			put("%c - ", (char)call->function);
}

static void test_cpu_time(void)
{
	const struct graph_record entry = { .kind = GRAPH_ENTRY, .tid = 7, .function = 'l', .time_ns = 1000, .off_ns = 50 };
	const struct graph_record exit = { .kind = GRAPH_EXIT, .tid = 7, .function = 'l', .time_ns = 9000, .ns = 7990, .off_ns = 6050 };

	text[0] = '\0';
	trees.take = take_cpu_times;
	CHECK_INT(call_trees__open(&trees, 8, false, true), 0);
	/* b sleeps 4000 of 5000; c never does, and its own time is kept whatever the records' times are */
	cpu_record(GRAPH_ENTRY, 'a', 0, 1000, 0, 100, 0);
	cpu_record(GRAPH_ENTRY, 'b', 1, 2000, 0, 100, 0);
	cpu_record(GRAPH_EXIT, 'b', 1, 7000, 5000, 4100, 0);
	cpu_record(GRAPH_ENTRY, 'c', 1, 7100, 0, 4100, 0);
	cpu_record(GRAPH_EXIT, 'c', 1, 8500, 900, 4100, 0);
	cpu_record(GRAPH_EXIT, 'a', 0, 9000, 8000, 4100, 0);
	CHECK_STR(text, "a 4000 b 1000 c 900 ");
	/* switches were lost during a and b, not during c; of d the begin is missing */
	text[0] = '\0';
	cpu_record(GRAPH_ENTRY, 'a', 0, 11000, 0, 4100, 0);
	cpu_record(GRAPH_ENTRY, 'b', 1, 12000, 0, 4100, 0);
	cpu_record(GRAPH_EXIT, 'b', 1, 13000, 1000, 4100, 1);
	cpu_record(GRAPH_ENTRY, 'c', 1, 14000, 0, 4100, 1);
	cpu_record(GRAPH_EXIT, 'c', 1, 15000, 1000, 4100, 1);
	cpu_record(GRAPH_EXIT, 'd', 1, 16000, 500, 4100, 1);
	cpu_record(GRAPH_EXIT, 'a', 0, 17000, 6000, 4100, 1);
	CHECK_STR(text, "a - b - c 1000 d - ");
	/* a call alone */
	text[0] = '\0';
	CHECK_INT(call_trees__add_leaf(&trees, &entry, &exit), 0);
	CHECK_STR(text, "l 2000 ");
	call_trees__close(&trees);
}

int main(void)
{
	test_cpu_time();
	test_whole();
	test_tasks_end();
	test_many_tasks();
	test_holes();
	test_room();
	test_values();
	return check_done();
}
