/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's latency tracers write: the section, its stack and functions, whatever a task's name has in it. */
#include "lib/ftrace/latency_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static struct latency_text latency;

static int parse(const char *text)
{
	return latency_text__parse(&latency, text, strlen(text));
}

/* A list of strings, with blanks between them. */
static const char *joined(const char *strings, size_t size)
{
	static char text[LATENCY_FUNCTIONS_SIZE];

	memcpy(text, strings, size);
	text[size ? size - 1 : 0] = 0;
	for (size_t i = 0; i + 1 < size; i++)
		if (!text[i])
			text[i] = ' ';
	return text;
}

#define HEAD(task) \
	"# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 6.12.107-lat\n" \
	"# --------------------------------------------------------------------\n" \
	"# latency: 12019 us, #7/9, CPU#3 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n" \
	"#    -----------------\n" \
	"#    | task: " task "-75 (uid:1000 nice:0 policy:0 rt_prio:0)\n" \
	"#    -----------------\n" \
	"#  => started at: _raw_spin_lock_irqsave\n" \
	"#  => ended at:   e1000_clean [e1000]\n#\n#\n" \
	"#  cmd     pid     |||||| time  |   caller     \n"

#define RECORDS(command) \
	command "-75        3d....    0us : _raw_spin_lock_irqsave+0x3b/0x50\n" \
	command "-75        3d....    1us*: preempt_count_add+0x4/0x60 <-_raw_spin_lock_irqsave+0x23/0x50\n" \
	command "-75        3d..1. 12017us : e1000_get+0x4/0x40 [e1000] <-free_to_partial_list.constprop.0+0xda/0x170\n" \
	command "-75        3d..1. 12019us : _raw_spin_unlock_irqrestore+0x19/0x40\n" \
	command "-75        3d..1. 12021us+: tracer_hardirqs_on+0xe6/0x100 <-_raw_spin_unlock_irqrestore+0x19/0x40\n" \
	command "-75        3d..1. 12092us : <stack trace>\n" \
	" => e1000_clean+0x4d/0xc0 [e1000]\n => entry_SYSCALL_64_after_hwframe+0x4b/0x53\n"

static void check_all(void)
{
	CHECK_INT(parse(HEAD("cat") RECORDS("     cat")), 0);
	CHECK_INT((long long)latency.us, 12019);
	CHECK_INT(latency.cpu, 3);
	CHECK_INT(latency.tid, 75);
	CHECK_INT(latency.uid, 1000);
	CHECK_STR(latency.comm, "cat");
	CHECK_STR(latency.from, "_raw_spin_lock_irqsave");
	CHECK_STR(latency.to, "e1000:e1000_clean");
	CHECK_STR(joined(latency.stack, latency.stack_size),
		  "e1000:e1000_clean+0x4d entry_SYSCALL_64_after_hwframe+0x4b");
	CHECK_STR(joined(latency.functions, latency.functions_size),
		  "preempt_count_add@1us e1000:e1000_get@12017us");
	CHECK_INT((long long)latency.functions_more, 2);
}

static void check_names(void)
{
	CHECK_INT(parse(HEAD("x-1 (uid:0 n") RECORDS("x: 7us: ")), 0);
	CHECK_INT(latency.tid, 75);
	CHECK_STR(latency.comm, "x-1 (uid:0 n");
	CHECK_STR(joined(latency.functions, latency.functions_size),
		  "preempt_count_add@1us e1000:e1000_get@12017us");
	CHECK_INT(parse(HEAD("a\n# b") RECORDS("a\n# b")), 0);
	CHECK_STR(latency.comm, "a\n# b");
	CHECK_STR(latency.from, "_raw_spin_lock_irqsave");
	CHECK_INT(parse(HEAD("") RECORDS("")), 0);
	CHECK_STR(latency.comm, "");
}

static void check_others(void)
{
	static char many[4 << 20];
	static const char whole[] = HEAD("cat") RECORDS("     cat");
	size_t used;

	CHECK_INT(parse("# tracer: irqsoff\n#\n"), -ENODATA);
	CHECK_INT(parse(""), -ENODATA);
	CHECK_INT(parse("# latency: many us\n"), -EINVAL);
	CHECK_INT(parse("# latency: 12 us, #4/4, CPU#0 |\n#    | task: abcdefghijklmnopqrst-1 (uid:0\n"), -EINVAL);
	CHECK_INT(parse(HEAD("cat") "cat-75 3d.... 0us : a\ncat-75 3d.... 1us : b\ncat-75 3d.... 2us : c <-b\n"), 0);
	CHECK_INT((long long)latency.functions_size, 0);
	used = (size_t)snprintf(many, sizeof(many), HEAD("cat"));
	for (int i = 0; i < 20000; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used,
					 "     cat-75  3d.... %dus : function_%d+0x4/0x60 <-caller+0x1/0x2\n", i, i);
	CHECK_INT(parse(many), 0);
	CHECK_INT((long long)latency.functions_more > 10000, 1);
	CHECK_INT(latency.functions_size <= sizeof(latency.functions), 1);
	/* cut anywhere: ends, and reads nothing behind the end */
	for (size_t length = 0; length < sizeof(whole); length++) {
		char *text = malloc(length + 1);

		memcpy(text, whole, length);
		latency_text__parse(&latency, text, length);
		free(text);
	}
}

int main(void)
{
	check_all();
	check_names();
	check_others();
	return check_done();
}
