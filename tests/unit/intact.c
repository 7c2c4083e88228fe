/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/intact, in a directory that stands for tracefs. */
#include "lib/ftrace/intact.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-intact.XXXXXX";
static const struct instance instance = { .path = "instances/x" };
static struct stream_cpu cpu = { .number = 0, .fd = -1 };
static struct stream stream = { .cpus = &cpu, .cpus_count = 1, .path = "instances/x" };

static void set(const char *file, const char *text)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/instances/x/%s", folder, file);
	to = fopen(path, "w");
	CHECK(to && fputs(text, to) >= 0 && !fclose(to));
}

#define FILTER "vfs_read\nvfs_write\nnf_hook [nf_tables]\n"

/* As they are while it runs. */
static void set_all(void)
{
	set("tracing_on", "1\n");
	set("current_tracer", "function\n");
	set("set_ftrace_filter", FILTER);
	set("set_graph_function", FILTER);
	set("set_ftrace_pid", "12\n");
	set("trace_clock", "local global [mono]\n");
	set("set_event", "ext4:ext4_mballoc_alloc\n");
	set("per_cpu/cpu0/stats", "entries: 3\noverrun: 0\nread events: 100\n");
}

static struct intact begin(void)
{
	struct intact intact;

	set_all();
	stream.records = 100;
	intact__begin(&intact, &instance, &stream);
	CHECK_INT(intact__add_tracer(&intact), 0);
	CHECK_INT(intact__add_graph(&intact), 0);
	CHECK_INT(intact__add(&intact, "set_event"), 0);
	/* this machine's switch is not the test's */
	intact.has_hooks = false;
	stream.records = 110;
	set("per_cpu/cpu0/stats", "entries: 0\noverrun: 0\nread events: 111\n");
	return intact;
}

/* Somebody writes a file: what the tool says, or "" for nothing. */
static void change(const char *file, const char *text, const char *says)
{
	struct intact intact = begin();
	struct fault fault = {};

	CHECK_INT(intact__check(&intact, &fault), 0);
	set(file, text);
	CHECK_INT(intact__check(&intact, &fault), *says ? -ESTALE : 0);
	CHECK(*says ? !strncmp(fault.text, says, strlen(says)) : !*fault.text);
	/* it stays, also where it is taken back, and at the end */
	set_all();
	set("per_cpu/cpu0/stats", "read events: 111\n");
	intact__finish(&intact);
	intact__end(&intact);
	CHECK_INT(intact__check(&intact, &fault), *says ? -ESTALE : 0);
}

static void test_addresses(void)
{
	struct intact intact = begin();
	struct fault fault;

	for (uint64_t address = 1; address < 1000; address++)
		CHECK(intact__knows(&intact, address << 4, now_ns()));
	/* the filter is cleared: what was known stays, what is new is somebody else's from now on */
	intact.until_ns = now_ns();
	set("set_ftrace_filter", "#### all functions enabled ####\n");
	CHECK(intact__knows(&intact, 1 << 4, now_ns()));
	CHECK(intact__knows(&intact, 4711, intact.until_ns));
	CHECK(!intact__knows(&intact, 4712, now_ns()));
	CHECK(!intact__knows(&intact, 4712, intact.until_ns));
	CHECK(intact__knows(&intact, 999 << 4, now_ns()));
	CHECK_INT(intact__check(&intact, &fault), -ESTALE);
	intact__end(&intact);
}

/* What is read after the end was recorded before it. */
static void test_end(void)
{
	struct intact intact = begin();
	struct fault fault;

	intact__finish(&intact);
	set("tracing_on", "0\n");
	set("current_tracer", "nop\n");
	CHECK(intact__knows(&intact, 4711, now_ns()));
	CHECK_INT(intact__check(&intact, &fault), 0);
	intact__end(&intact);
	/* a zeroed one is nobody's to change */
	intact = (struct intact){ .instance = NULL };
	CHECK(intact__knows(&intact, 4711, now_ns()));
	CHECK_INT(intact__check(&intact, &fault), 0);
	intact__finish(&intact);
	intact__end(&intact);
}

int main(void)
{
	static const char *const directories[] = { "instances", "instances/x", "instances/x/per_cpu", "instances/x/per_cpu/cpu0", NULL };
	char command[64];

	CHECK(mkdtemp(folder) != NULL);
	for (size_t i = 0; directories[i]; i++) {
		snprintf(command, sizeof(command), "%s/%s", folder, directories[i]);
		CHECK_INT(mkdir(command, 0700), 0);
	}
	tracefs__use(folder);
	change("tracing_on", "0\n", "somebody has changed tracing_on in tracefs/instances/x: ");
	change("current_tracer", "nop\n", "somebody has changed current_tracer");
	change("set_ftrace_filter", "#### all functions enabled ####\n", "somebody has changed set_ftrace_filter");
	change("set_ftrace_filter", "vfs_read\n", "somebody has changed set_ftrace_filter");
	change("set_ftrace_filter", FILTER "vfs_fsync\n", "somebody has changed set_ftrace_filter");
	change("set_ftrace_pid", "no pid\n", "somebody has changed set_ftrace_pid");
	change("set_graph_function", "vfs_read\n", "somebody has changed set_graph_function");
	change("set_graph_function", "#### all functions enabled ####\n", "somebody has changed set_graph_function");
	change("set_event", "", "somebody has changed set_event in tracefs/instances/x, or a module that has an event was unloaded: ");
	change("trace_clock", "[local] global mono\n", "somebody has changed trace_clock");
	change("per_cpu/cpu0/stats", "entries: 0\nread events: 0\n", "somebody has emptied the ring buffers");
	/* nobody's doing: a module is removed, threads come and go, buffers grow */
	change("set_ftrace_filter", "vfs_read\nvfs_write\n", "");
	change("set_graph_function", "vfs_read\nvfs_write\n", "");
	change("set_graph_function", "vfs_read\nvfs_write\n0xffffffffc0a0e010\n", "");
	change("set_ftrace_pid", "13\n14\n", "");
	change("buffer_size_kb", "16\n", "");
	change("per_cpu/cpu0/stats", "entries: 9\noverrun: 7\nread events: 112\n", "");
	test_addresses();
	test_end();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
