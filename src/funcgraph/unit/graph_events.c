/* SPDX-License-Identifier: BSD-2-Clause */
/* funcgraph/graph_events: events of programs, whole and with holes, what trees they make, and whose these are. */
#include "funcgraph/graph_events.h"

#include "check.h"

static struct function functions[] = { { .address = 'a' }, { .address = 'b' }, { .address = 'c' } };
static struct traced traced = { .functions = { .list = functions, .count = 3 } };
static struct graph_events events = { .traced = &traced };
static struct call_trees trees;
static char text[1024];
static uint64_t clock_ns;

/*
 * "COMM:0a1b!": levels and functions; behind a function "!" no return, "~" runs, "$" its task ended, "v2" two lost inside,
 * "=5" its result, "(7)" its first argument.
 */
static void take(void *ctx, const struct call_tree *tree)
{
	uint32_t depths[CALL_LEVELS_MAX], levels = 0;
	size_t used = strlen(text);
	struct event_task task;

	(void)ctx;
	graph_events__take_task(&events, tree, &task);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%s:", task.comm);
	for (const struct call *call = call_trees__at(&trees, tree->first); call; call = call_trees__at(&trees, call->next)) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u%c%s%s%s",
					 call_trees__level(depths, &levels, call), (char)call->function,
					 call->flags & CALL_NO_EXIT ? "!" : "", call->flags & CALL_RUNS ? "~" : "",
					 call->flags & CALL_TASK_ENDED ? "$" : "");
		if (call->flags & CALL_LOST_INSIDE)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "v%u", call->lost);
		if (call->flags & CALL_HAS_RESULT)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "=%llu", (unsigned long long)call->result);
		if (call->args_count)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "(%llu)",
						 (unsigned long long)trees.args[call - trees.calls][0]);
	}
	snprintf(text + used, sizeof(text) - used, ";");
}

/* A call of function number `function` begins; comm NULL: the event does not tell the task. */
static void begin(uint32_t thread, uint32_t cpu, uint64_t function, uint16_t depth, const char *comm)
{
	struct graph_event_begin event = {
		.event = { .ts_ns = ++clock_ns, .function = function, .thread = thread, .cpu = cpu, .depth = depth,
			   .kind = GRAPH_EVENT_BEGIN,
			   .has_task = comm != NULL },
		.args = { 7 },
	};

	snprintf(event.task.comm, sizeof(event.task.comm), "%s", comm ?: "");
	CHECK_INT(graph_events__add(&events, &trees, &event.event), 0);
}

static void end(uint32_t thread, uint32_t cpu, uint64_t function, uint16_t depth, uint32_t lost)
{
	struct graph_event_return event = {
		.event = { .ts_ns = ++clock_ns, .function = function, .thread = thread, .cpu = cpu, .depth = depth,
			   .kind = GRAPH_EVENT_RETURN, .lost = lost },
		.ns = 1, .result = 5,
	};

	CHECK_INT(graph_events__add(&events, &trees, &event.event), 0);
}

/* A thread is gone that had so many calls under way. */
static void end_task(uint32_t thread, uint16_t depth)
{
	struct graph_event event = { .ts_ns = ++clock_ns, .thread = thread, .depth = depth, .kind = GRAPH_EVENT_TASK_END };

	CHECK_INT(graph_events__add(&events, &trees, &event), 0);
}

/* What was taken until now. */
static const char *taken(void)
{
	static char last[sizeof(text)];

	memcpy(last, text, sizeof(text));
	*text = 0;
	return last;
}

int main(void)
{
	CHECK_INT(call_trees__open(&trees, 64, true, false), 0);
	trees.take = take;

	begin(1, 0, 0, 0, "x");
	begin(1, 0, 1, 1, NULL);
	end(1, 1, 1, 1, 0);
	CHECK_STR(taken(), "");
	end(1, 1, 0, 0, 0);
	CHECK_STR(taken(), "x:0a1b;");

	/* the begin of the ROOT, and of one more call, found no room */
	begin(1, 0, 1, 2, "x");
	begin(1, 0, 2, 3, NULL);
	end(1, 0, 2, 3, 0);
	end(1, 0, 1, 2, 3);
	CHECK_STR(taken(), "x:0bv31c;");

	/* the return of a ROOT found no room, nor did the begin of the next one: what is in that is no part of the first */
	begin(1, 0, 0, 0, "x");
	begin(1, 0, 1, 1, "y");
	CHECK_STR(taken(), "x:0a!;");
	end(1, 0, 1, 1, 0);
	CHECK_STR(taken(), "y:0b;");

	/* the idle tasks of two CPUs */
	begin(0, 0, 0, 0, "swapper/0");
	begin(0, 1, 1, 0, "swapper/1");
	end(0, 0, 0, 0, 0);
	CHECK_STR(taken(), "swapper/0:0a;");
	end(0, 1, 1, 0, 0);
	CHECK_STR(taken(), "swapper/1:0b;");

	/* a task ends in its calls, and nothing is kept of it; the return of the inner one found no room, or the begin of the ROOT */
	begin(1, 0, 0, 0, "x");
	begin(1, 0, 1, 1, NULL);
	end_task(1, 2);
	CHECK_STR(taken(), "x:0a$1b$;");
	begin(1, 0, 0, 0, "x");
	begin(1, 0, 1, 1, NULL);
	end_task(1, 1);
	CHECK_STR(taken(), "x:0a$1b!;");
	begin(1, 0, 1, 1, "x");
	begin(1, 0, 2, 2, NULL);
	end_task(1, 3);
	CHECK_STR(taken(), "x:0b$1c$;");
	end_task(1, 1);
	CHECK_STR(taken(), "");
	CHECK_INT(events.tasks.count, 0);

	/* addresses, arguments, results; and what has not returned */
	traced.by_multi = true;
	events.has_args = events.has_results = true;
	begin(2, 0, 'z', 0, "x");
	begin(2, 0, 'y', 1, NULL);
	end(2, 0, 'y', 1, 0);
	call_trees__end(&trees);
	CHECK_STR(taken(), "x:0z~(7)1y=5(7);");

	call_trees__close(&trees);
	graph_events__free(&events);
	return check_done();
}
