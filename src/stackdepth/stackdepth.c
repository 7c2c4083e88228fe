/* SPDX-License-Identifier: BSD-2-Clause */
/* stackdepth: the deepest stack that the kernel had meanwhile, function by function, by its stack tracer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/ftrace/stack_tracer.h"
#include "lib/kernel/clock.h"
#include "lib/run/foreign_options.h"
#include "lib/run/kernel_stream.h"
#include "lib/run/metrics.h"
#include "lib/run/tool.h"

#define LOOK_MS 100
#define FUNCTION_MAX 256

static struct {
	bool hook;
	const char *pattern;
} opt;

enum { KEY_HOOK = 0x200, KEY_ONLY };

static const struct argp_option options[] = {
	{ "hook", KEY_HOOK, NULL, 0, "hook every function of the kernel, by ftrace: it starts with this option alone", 0 },
	{ "only", KEY_ONLY, "PATTERN", 0, "hook only functions of that name (vfs_*), for less", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--stack", "its rows are a stack" },
	{ "--ustack", "its rows are a stack of the kernel" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case KEY_HOOK:
		opt.hook = true;
		return 0;
	case KEY_ONLY:
		if (!*arg || strpbrk(arg, " \t\n"))
			usage_error("--only \"%s\": not a function's name or a pattern of names", arg);
		opt.pattern = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct out_column columns[] = {
	{ "DEPTH", 7, NULL, "depth_bytes" },
	{ "SIZE", 7, NULL, "frame_bytes" },
	{ "FUNCTION", 0, NULL, NULL },
	{ "MAX", 7, &tool_not_shown, "max_bytes" },
	{ NULL, 0, NULL, NULL },
};

struct run {
	struct stack_tracer tracer;
	struct stack_frame frame;
	uint64_t frames;	/* of the stack */
	uint64_t end_ns;
	int err;		/* what it kept could not be read */
};

static int refuse(struct tool *tool)
{
	unsigned long long functions = stack_tracer__functions();
	char number[32] = "all";

	if (functions)
		snprintf(number, sizeof(number), "%llu", functions);
	return tool__fail(tool, -EPERM, "nothing is hooked without --hook: it has the kernel's stack tracer hook %s functions by ftrace, and "
			  "each of their calls look how deep its stack is (the whole machine is slower until it ends; --only PATTERN hooks "
			  "fewer)", number);
}

static int start(void *ctx, struct tool *tool)
{
	struct run *run = ctx;
	struct fault fault;
	bool hooks = opt.hook || opt.pattern;
	int err = hooks ? stack_tracer__start(&run->tracer, opt.pattern, &fault) : stack_tracer__check(&fault);

	if (!err && !hooks)
		return refuse(tool);
	return err ? tool__fail(tool, err, "%s", fault.text) : 0;
}

static int next(void *ctx, struct stream_event *event)
{
	struct run *run = ctx;
	int more = run->err ? run->err : run->end_ns ? stack_tracer__next(&run->tracer, &run->frame) : 0;

	/* of no task: the kernel does not keep whose stack it is */
	if (more > 0) {
		run->frames++;
		stream_event__set_task(event, run->end_ns, 0, 0, NULL);
	}
	return more;
}

static int print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	const struct run *run = ctx;
	const struct stack_frame *frame = &run->frame;

	out__row(&tool->out, event->task.ts_ns);
	out__int(&tool->out, (int64_t)frame->depth);
	out__int(&tool->out, (int64_t)frame->size);
	out__string(&tool->out, frame->function, FUNCTION_MAX);
	out__int(&tool->out, (int64_t)run->tracer.max);
	return 0;
}

static void end(void *ctx)
{
	struct run *run = ctx;

	run->end_ns = now_ns();
	run->err = stack_tracer__end(&run->tracer);
}

static void tell(void *ctx, struct tool *tool)
{
	const struct run *run = ctx;

	if (tool->err)
		return;
	say("the deepest stack had %llu bytes%s", (unsigned long long)run->tracer.max,
	    run->tracer.max && !run->frames ? ", and the kernel kept no functions of it" : "");
}

static int count_lost(void *ctx, uint64_t *lost)
{
	(void)ctx;
	*lost = 0;
	return 0;
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct run *run = ctx;

	return stack_tracer__look(&run->tracer, fault);
}

static int close_tracer(void *ctx)
{
	struct run *run = ctx;

	return stack_tracer__close(&run->tracer);
}

static const struct tool_about about = {
	.name = "stackdepth",
	.summary = "Shows the deepest stack that the kernel has had, and how much of it each function took.",
	.examples = "  sudo stackdepth --hook -d 10         of ten seconds\n"
		    "  sudo stackdepth --hook               until Ctrl-C\n"
		    "  sudo stackdepth --only 'ext4_*'      of functions of these names\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.no_task = "the kernel keeps one stack, and not whose it is",
	.metrics = METRIC_OF_ROWS("stack_frames_total", "Functions of the deepest stack."),
};

int main(int argc, char **argv)
{
	static const struct kernel_stream_ops ops = {
		.start = start, .next = next, .print = print, .end = end, .lost = count_lost, .is_intact = is_intact, .tell = tell,
		.close = close_tracer,
	};
	static struct run run = { .tracer = { .switch_fd = -1 } };
	struct kernel_stream stream = { .ops = &ops, .ctx = &run, .label = "the kernel's stack tracer", .look_ms = LOOK_MS };
	struct tool tool = { .about = &about };

	tool__parse(&tool, argc, argv);
	if (tool__open_opts(&tool))
		kernel_stream__run(&stream, &tool);
	return tool__finish(&tool);
}
