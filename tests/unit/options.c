/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared command line: what each option sets, and what is refused, with one line and the right exit status. */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/hist.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/kernel/kernel.h"
#include "lib/run/tool.h"

static const struct argp_option own_options[] = {
	{ "extended", 'e', NULL, 0, "an option of its own", 0 },
	{ "signal", 's', "SIGNAL", 0, "one with a value", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option own_foreign_options[] = {
	{ "--quote", "-j prints a list" },
	{ "-q", "-j prints a list" },
	{ "-b", "its own -b" },
	{ "", "give it with --target" },
	{ NULL, NULL },
};

static bool extended;
static char own_value[16];

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case 'e':
		extended = true;
		return 0;
	case 's':
		snprintf(own_value, sizeof(own_value), "%s", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint32_t record_max, keys_max;
static bool counts;
static const char *no_task;
static struct hist_shape own_shape, *shape;

static struct tool_about about;

static struct tool make_tool(void)
{
	about = (struct tool_about){ .name = "testsnoop", .summary = "Tests.", .examples = "  testsnoop -e\n", .options = own_options,
				     .parse = parse_own, .foreign_options = own_foreign_options, .has_result = true,
				     .record_max = record_max, .counts = counts, .no_task = no_task, .keys_max = keys_max };
	return (struct tool){ .about = &about, .shape = shape };
}

/* Splits line at its spaces. */
static int split(char *line, char **argv)
{
	int argc = 0;

	argv[argc++] = "testsnoop";
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return argc;
}

/* Parses a command line that must be accepted. */
static struct tool parse(const char *format, unsigned int number)
{
	struct tool tool = make_tool();
	/* the tool keeps a command's words */
	static char line[256], *argv[32];

	snprintf(line, sizeof(line), format, number);
	tool__parse(&tool, split(line, argv), argv);
	return tool;
}

/* Parses one that must be refused, or that prints and ends: with this exit status, and a first line that begins so. */
static void check_ends(const char *text, int expected_status, const char *expected_text, int source_line)
{
	struct tool tool = make_tool();
	char line[512], *argv[32], output[8192] = "";
	size_t used = 0;
	int fds[2], status;
	ssize_t got;

	snprintf(line, sizeof(line), "%s", text);
	if (pipe(fds))
		exit(1);
	fflush(stderr);
	if (!fork()) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		tool__parse(&tool, split(line, argv), argv);
		_exit(99);
	}
	close(fds[1]);
	while ((got = read(fds[0], output + used, sizeof(output) - 1 - used)) > 0)
		used += (size_t)got;
	close(fds[0]);
	wait(&status);
	check_report(WIFEXITED(status) && WEXITSTATUS(status) == expected_status, __FILE__, source_line,
		     "\"%s\": exit status %d, expected %d", text, WEXITSTATUS(status), expected_status);
	check_report(!strncmp(output, expected_text, strlen(expected_text)), __FILE__, source_line, "\"%s\": prints \"%s\"", text,
		     output);
	if (expected_status)
		check_report(used && strchr(output, '\n') == output + used - 1, __FILE__, source_line,
			     "\"%s\": not one line: \"%s\"", text, output);
}

#define CHECK_ENDS(text, status, output) check_ends(text, status, output, __LINE__)

static void test_times(void)
{
	CHECK_INT(argument__time("x", "10ms"), 10000000);
	CHECK_INT(argument__time("x", "0.5ms"), 500000);
	CHECK_INT(argument__time("x", "500us"), 500000);
	CHECK_INT(argument__time("x", "2s"), 2000000000);
	CHECK_INT(argument__time("x", "800ns"), 800);
	CHECK_INT(argument__time("x", "1000"), 1000000);
	CHECK_INT(argument__time("x", "0"), 0);
	CHECK_INT(parse("-v", 0).options.verbose, 1);
	CHECK_INT(parse("-vv", 0).options.verbose, 2);
}

static void test_filters(void)
{
	unsigned int self = (unsigned int)getpid();
	struct tool tool = parse("", 0);

	CHECK(!tool.options.filter.pids_count && !tool.options.filter.tids_count && !tool.options.filter.by_uid &&
	      !tool.options.filter.by_comm &&
	      !tool.options.filter.by_cgroup && !tool.options.filter.failed_only);
	CHECK_INT(tool.options.filter.self, self);
	CHECK_INT(tool.cgroup_fd, -1);

	tool = parse("-p %u -p 1 --pid 1", self);
	CHECK_INT(tool.options.filter.pids_count, 3);
	CHECK_INT(tool.options.filter.pids[0], self);
	CHECK_INT(tool.options.filter.pids[2], 1);
	tool = parse("-p 1,%u", self);
	CHECK_INT(tool.options.filter.pids_count, 2);
	CHECK_INT(tool.options.filter.pids[0], 1);
	CHECK_INT(tool.options.filter.pids[1], self);
	tool = parse("-t %u,1", self);
	CHECK_INT(tool.options.filter.tids_count, 2);
	CHECK_INT(tool.options.filter.tids[1], 1);
	tool = parse("-t%u", self);
	CHECK_INT(tool.options.filter.tids_count, 1);
	CHECK_INT(tool.options.filter.tids[0], self);
	tool = parse("-u 0 -x", 0);
	CHECK(tool.options.filter.by_uid && tool.options.filter.uid == 0 && tool.options.filter.failed_only);
	tool = parse("-u root", 0);
	CHECK(tool.options.filter.by_uid && tool.options.filter.uid == 0);
	tool = parse("-u 4294967294", 0);
	CHECK_INT(tool.options.filter.uid, 4294967294u);
}

/* Whether a task of that name passes what -n was given, as the programs compare it (comm_wanted() in tool.bpf.h). */
static bool comm_passes(const char *option, const char *comm)
{
	char line[64], name[TASK_COMM_LEN] = "";
	struct tool tool;
	__u64 words[2];

	snprintf(line, sizeof(line), "-n %s", option);
	tool = parse(line, 0);
	strncpy(name, comm, sizeof(name) - 1);
	memcpy(words, name, sizeof(words));
	return !tool.options.filter.by_comm || ((words[0] & tool.options.filter.comm_mask[0]) == tool.options.filter.comm[0] &&
					(words[1] & tool.options.filter.comm_mask[1]) == tool.options.filter.comm[1]);
}

static void test_comm(void)
{
	CHECK(comm_passes("cat", "cat"));
	CHECK(!comm_passes("cat", "cats"));
	CHECK(!comm_passes("cat", "ca"));
	CHECK(comm_passes("ca*", "cat"));
	CHECK(comm_passes("ca*", "ca"));
	CHECK(!comm_passes("ca*", "c"));
	CHECK(comm_passes("eightchr", "eightchr"));
	CHECK(!comm_passes("eightchr", "eightchrs"));
	CHECK(comm_passes("eightchr*", "eightchr-more"));
	/* the kernel keeps 15 characters; the whole name is what people type */
	CHECK(comm_passes("fifteen-letters", "fifteen-letters"));
	CHECK(comm_passes("a-name-that-is-cut", "a-name-that-is-cut"));
	CHECK(!comm_passes("a-name-that-is-cut", "a-name-that-is"));
	CHECK(comm_passes("*", "anything"));
}

static void test_others(void)
{
	struct tool tool = parse("-T -j -v -e -s x -d 1.5 --max-events 18446744073709551614 --strict --buffer 5", 0);

	CHECK(tool.out.time && tool.out.json && tool.options.verbose && tool.options.strict && extended);
	CHECK_STR(own_value, "x");
	CHECK_INT(tool.options.duration_ns, 1500000000);
	CHECK(tool.options.events_max == UINT64_MAX - 1);
	CHECK_INT(tool.options.ring_size, 8192);
	CHECK_INT(parse("--buffer 4", 0).options.ring_size, 4096);
	/* a ring that holds the largest record with its header */
	record_max = 4096 - 8;
	CHECK_INT(parse("--buffer 4", 0).options.ring_size, 4096);
	record_max = 4096 - 7;
	CHECK_INT(parse("--buffer 4", 0).options.ring_size, 8192);
	CHECK_INT(parse("--buffer 64", 0).options.ring_size, 65536);
	record_max = 0;
	CHECK_INT(parse("-d .5", 0).options.duration_ns, 500000000);
}

static void test_as_kernel(void)
{
	CHECK_INT(kernel__parse_version("6.1"), kernel_version(6, 1, 0));
	CHECK_INT(kernel__parse_version("5.10.209"), kernel_version(5, 10, 209));
	CHECK_INT(kernel__parse_version("6.1.999"), kernel_version(6, 1, 255));
	CHECK_INT(kernel__parse_version("6"), 0);
	CHECK_INT(kernel__parse_version("6."), 0);
	CHECK_INT(kernel__parse_version("6.1."), 0);
	CHECK_INT(kernel__parse_version("6.1.2.3"), 0);
	CHECK_INT(kernel__parse_version("6.1x"), 0);
	CHECK_INT(kernel__parse_version("-6.1"), 0);
	CHECK_INT(kernel__parse_version("300.1"), 0);
	parse("--as-kernel 7.0", 0);
	CHECK(kernel__preempts_programs());
	parse("--as-kernel 6.1", 0);
	CHECK(!kernel__preempts_programs());
	kernel__use_version(0);
}

static void test_refused(void)
{
	CHECK_ENDS("--no-such", 2, "testsnoop: --no-such: unknown option");
	CHECK_ENDS("-Z", 2, "testsnoop: -Z: unknown option");
	CHECK_ENDS("-TZ", 2, "testsnoop: -TZ: unknown option");
	CHECK_ENDS("word", 2, "testsnoop: \"word\"");
	CHECK_ENDS("-p", 2, "testsnoop: -p: it needs a value");
	CHECK_ENDS("--strict=yes", 2, "testsnoop: --strict=yes: it takes no value");
	CHECK_ENDS("-p 12x", 2, "testsnoop: -p \"12x\"");
	CHECK_ENDS("-p 1,x", 2, "testsnoop: -p \"x\"");
	CHECK_ENDS("-p 1,", 2, "testsnoop: -p \"\"");
	CHECK_ENDS("-p 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 2,
		   "testsnoop: -p: at most");
	CHECK_ENDS("-p -1", 2, "testsnoop: -p \"-1\"");
	CHECK_ENDS("-p 0", 2, "testsnoop: -p \"0\"");
	CHECK_ENDS("-p 4194305", 2, "testsnoop: -p \"4194305\"");
	CHECK_ENDS("-p 99999999999999999999", 2, "testsnoop: -p");
	CHECK_ENDS("-t x", 2, "testsnoop: -t \"x\"");
	CHECK_ENDS("-p 4194304", 1, "testsnoop: -p 4194304: no such process");
	CHECK_ENDS("-t 4194304", 1, "testsnoop: -t 4194304: no such thread");
	CHECK_ENDS("-u no-such-user", 2, "testsnoop: -u");
	CHECK_ENDS("-u 4294967295", 2, "testsnoop: -u");
	CHECK_ENDS("-u 0 -u 1", 2, "testsnoop: -u");
	CHECK_ENDS("-n a -n b", 2, "testsnoop: -n");
	CHECK_ENDS("-n sixteen-letters-*", 2, "testsnoop: -n");
	CHECK_ENDS("-n sys*d", 2, "testsnoop: -n \"sys*d\": * means any letters only at the end (-n 'sys*')");
	CHECK_ENDS("-n **", 2, "testsnoop: -n \"**\"");
	CHECK_ENDS("--duraton 3", 2, "testsnoop: --duraton: unknown option; the nearest is --duration");
	CHECK_ENDS("--pids=3", 2, "testsnoop: --pids=3: unknown option; the nearest is --pid");
	CHECK_ENDS("--extendd", 2, "testsnoop: --extendd: unknown option; the nearest is --extended");
	CHECK_ENDS("--like-nothing", 2, "testsnoop: --like-nothing: unknown option (");
	CHECK_ENDS("--c x", 2, "testsnoop: --c: it can be --children, --comm, --cgroup, --container (");
	CHECK_ENDS("-c /no/such/folder", 1, "testsnoop: -c \"/no/such/folder\": no such cgroup");
	CHECK_ENDS("-c /proc", 2, "testsnoop: -c \"/proc\"");
	CHECK_ENDS("-d 0", 2, "testsnoop: -d \"0\"");
	CHECK_ENDS("-d -1", 2, "testsnoop: -d \"-1\"");
	CHECK_ENDS("-d nan", 2, "testsnoop: -d \"nan\"");
	CHECK_ENDS("-d 1s", 2, "testsnoop: -d \"1s\"");
	CHECK_ENDS("--max-events 0", 2, "testsnoop: --max-events \"0\"");
	CHECK_ENDS("--as-kernel six", 2, "testsnoop: --as-kernel \"six\"");
	CHECK_ENDS("--buffer 3", 2, "testsnoop: --buffer \"3\"");
	CHECK_ENDS("--buffer 9999999", 2, "testsnoop: --buffer \"9999999\"");
	CHECK_ENDS("--attach link", 2, "testsnoop: --attach: unknown option");
}

/* What people know from other collections: taken, or refused with a sentence that names ours. */
static void test_foreign_options(void)
{
	struct tool tool = parse("--time --name cat", 0);

	CHECK(tool.out.time && tool.options.filter.by_comm);
	CHECK_ENDS("--quote", 2, "testsnoop: --quote: not an option here: -j prints a list (see testsnoop --help)");
	CHECK_ENDS("--quote=x", 2, "testsnoop: --quote=x: not an option here: -j prints a list");
	CHECK_ENDS("--quotes", 2, "testsnoop: --quotes: unknown option");
	CHECK_ENDS("-q", 2, "testsnoop: -q: not an option here: -j prints a list");
	CHECK_ENDS("-qx", 2, "testsnoop: -qx: not an option here: -j prints a list");
	CHECK_ENDS("-b 64", 2, "testsnoop: -b: not an option here: its own -b");
	CHECK_ENDS("--buffer-pages 64", 2, "testsnoop: --buffer-pages: not an option here: --buffer KIB");
	CHECK_ENDS("--mntnsmap x", 2, "testsnoop: --mntnsmap: not an option here: -c CGROUP");
	CHECK_ENDS("-t", 2, "testsnoop: -t: it needs a value, TID (-T prints the time)");
	CHECK_ENDS("-T 1234", 2, "testsnoop: \"1234\": no argument is expected: give it with --target");
}

/* -n: a hint where only others' names contain what was asked for.  The process that is looked for is this test's child. */
static void test_name_hint(void)
{
	static const char full[] = "hint-testsnoop";
	char text[200];
	int go[2], ready[2];
	pid_t child;

	if (pipe(go) || pipe(ready))
		exit(1);
	child = fork();
	if (!child) {
		close(go[1]);
		prctl(PR_SET_NAME, full);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(go[0], text, 1) != 0);
	}
	close(go[0]);
	if (read(ready[0], text, 1) != 1)
		exit(1);
	CHECK(!foreign_options__explain_name(full, text, sizeof(text)));
	CHECK(!foreign_options__explain_name("hint-te*", text, sizeof(text)));
	CHECK(!foreign_options__explain_name("no-process-has-it", text, sizeof(text)));
	CHECK_STR(foreign_options__explain_name("hint-te", text, sizeof(text)),
		  "-n is a whole name: no process is called \"hint-te\" now; \"hint-testsnoop\" is found by -n 'hint-te*'");
	CHECK(!foreign_options__explain_name("int", text, sizeof(text)));
	CHECK_STR(foreign_options__explain_name("nt-testsnoop", text, sizeof(text)),
		  "-n is a whole name: no process is called \"nt-testsnoop\" now; \"hint-testsnoop\" is found by -n 'hint-testsnoop'");
	close(go[1]);
	waitpid(child, NULL, 0);
}

/* "-- COMMAND" with its process, which this test lets go. */
static void test_command(void)
{
	struct tool tool = parse("-e -- /bin/sh -c exit -d", 0);
	struct fault fault;

	CHECK(extended && !tool.options.duration_ns);
	CHECK_STR(tool.command.argv[0], "/bin/sh");
	CHECK_STR(tool.command.argv[3], "-d");
	CHECK(!tool.command.argv[4]);
	CHECK(!tool.options.filter.follows && tool.options.filter.active);
	CHECK_INT(tool.options.filter.pids_count, 1);
	CHECK_INT(tool.options.filter.pids[0], tool.command.pid);
	/* the tool ends before it is ready */
	command__end(&tool.command);
	CHECK(!tool.command.has_status && !tool.command.pid);

	tool = parse("-f --preserve-status -- false", 0);
	CHECK(tool.options.filter.follows && tool.command.gives_status);
	CHECK_INT(command__start(&tool.command, &fault), 0);
	command__end(&tool.command);
	CHECK(tool.command.has_status);
	CHECK_INT(tool.command.status, 1);
}

static void test_command_refused(void)
{
	CHECK_ENDS("--", 2, "testsnoop: --: no command follows it");
	CHECK_ENDS("-p 1 -- true", 2, "testsnoop: -p and -- COMMAND exclude each other");
	CHECK_ENDS("-t 1 -- true", 2, "testsnoop: -t and -- COMMAND exclude each other");
	CHECK_ENDS("-f", 2, "testsnoop: -f: it needs -p PID or a command, as in testsnoop -f -- COMMAND");
	CHECK_ENDS("-f -t 1", 2, "testsnoop: -f and -t exclude each other");
	CHECK_ENDS("--preserve-status", 2, "testsnoop: --preserve-status: it needs a command");
	CHECK_ENDS("-- no-such-program", 1, "testsnoop: \"no-such-program\": there is no such program in PATH");
	CHECK_ENDS("--preserve-status -- no-such-program", 127, "testsnoop: \"no-such-program\": there is no");
	CHECK_ENDS("--preserve-status -- /etc", 126, "testsnoop: \"/etc\" cannot be executed: Is a directory");
	CHECK_ENDS("--no-such -- true --other", 2, "testsnoop: --no-such: unknown option");
	no_task = "no task";
	CHECK_ENDS("-- true", 2, "testsnoop: -- true: no task");
	CHECK_ENDS("-f", 2, "testsnoop: -f: no task");
	no_task = NULL;
	CHECK(parse("-f -p 1", 0).options.filter.follows);
}

static void test_exclusive_ids(void)
{
	char line[64];

	snprintf(line, sizeof(line), "-p 1 -t %d", getpid());
	CHECK_ENDS(line, 2, "testsnoop: -p and -t exclude each other");
	snprintf(line, sizeof(line), "-p %d -t %d", getpid(), getpid());
	CHECK_INT(parse(line, 0).options.filter.tids_count, 1);
}

/* What one run shows is its own: the next one in this process has not asked for it. */
static void test_shown(void)
{
	static const struct out_column uid = { "UID", 6, &tool_shown_with_uid, NULL },
				       cgroup = { "CGROUP", -20, &tool_shown_with_cgroup, NULL },
				       in_json = { "TID", -7, &tool_not_shown, NULL }, always = { "PID", -7, NULL, NULL };
	struct tool first = parse("-U", 0), second = parse("", 0);

	CHECK(out__shows(&first.out, &uid) && !out__shows(&first.out, &cgroup) && !out__shows(&first.out, &in_json));
	CHECK(out__shows(&first.out, &always) && out__shows(&second.out, &always));
	CHECK(!out__shows(&second.out, &uid) && !out__shows(&second.out, &cgroup));
	out__show(&second.out, &tool_shown_with_cgroup);
	CHECK(out__shows(&second.out, &cgroup) && !out__shows(&second.out, &uid) && !out__shows(&second.out, &in_json));
	CHECK(first.options.filter.wants_uid && !second.options.filter.wants_uid);
}

/* What a tool says of itself is where the values begin that options change, and is the same after. */
static void test_begin(void)
{
	struct tool tool;

	keys_max = 100;
	counts = true;
	tool = parse("--keys 7", 0);
	CHECK_INT(tool.options.keys_max, 7);
	CHECK_INT(tool.about->keys_max, 100);
	CHECK(tool.counts && tool.cgroup_fd == -1);
	CHECK_INT(parse("", 0).options.keys_max, 100);
	keys_max = 0;
	counts = false;
}

/* A tool that counts: [INTERVAL [COUNT]], and no options that are of events one by one. */
static void test_counting(void)
{
	struct tool tool;

	counts = true;
	tool = parse("", 0);
	CHECK(!tool.options.interval_ns && !tool.options.intervals_max);
	tool = parse("0.2", 0);
	CHECK_INT(tool.options.interval_ns, 200000000);
	tool = parse("-j 1 10 -T", 0);
	CHECK_INT(tool.options.interval_ns, 1000000000);
	CHECK_INT(tool.options.intervals_max, 10);
	CHECK(tool.out.json && tool.out.time);
	CHECK_ENDS("0", 2, "testsnoop: INTERVAL \"0\"");
	CHECK_ENDS("0.001", 2, "testsnoop: INTERVAL \"0.001\": at least");
	CHECK_ENDS("0 5", 2, "testsnoop: INTERVAL \"0\"");
	CHECK_ENDS("soon", 2, "testsnoop: INTERVAL \"soon\"");
	CHECK_ENDS("1x", 2, "testsnoop: INTERVAL \"1x\"");
	CHECK_ENDS("1 0", 2, "testsnoop: COUNT \"0\"");
	CHECK_ENDS("1 few", 2, "testsnoop: COUNT \"few\"");
	CHECK_ENDS("1 2 3", 2, "testsnoop: \"3\"");
	CHECK_ENDS("--max-events 1", 2, "testsnoop: --max-events: unknown option");
	CHECK_ENDS("--buffer 64", 2, "testsnoop: --buffer: unknown option");
	CHECK_ENDS("-U", 2, "testsnoop: -U: unknown option");
	CHECK_ENDS("-m", 2, "testsnoop: -m: unknown option");
	CHECK_ENDS("--keys 10", 2, "testsnoop: --keys: unknown option");

	shape = &own_shape;
	keys_max = 100;
	own_shape = hist_shape__of(HIST_USECS);
	parse("-N --linear 0,100,10", 0);
	CHECK_INT(own_shape.linear_step, 10);
	CHECK_INT(own_shape.fraction, 0);
	own_shape = hist_shape__of(HIST_USECS);
	CHECK_ENDS("--linear 0,100,7", 2, "testsnoop: --linear \"0,100,7\"");
	CHECK_ENDS("--linear 0,100,10 -m", 2, "testsnoop: -N and -m: before --linear");
	tool = parse("--keys 5000", 0);
	CHECK_INT(tool.options.keys_max, 5000);
	CHECK_ENDS("--keys 0", 2, "testsnoop: --keys \"0\"");
	no_task = "nobody is asked";
	CHECK_ENDS("-p 1", 2, "testsnoop: -p: nobody is asked");
	CHECK_ENDS("-n cat", 2, "testsnoop: -n: nobody is asked");
	counts = false;
	no_task = NULL;
	shape = NULL;
	keys_max = 0;
	CHECK_ENDS("1", 2, "testsnoop: \"1\": no argument is expected");
}

int main(void)
{
	test_times();
	test_filters();
	test_comm();
	test_others();
	test_as_kernel();
	test_refused();
	test_command();
	test_command_refused();
	test_exclusive_ids();
	test_foreign_options();
	test_name_hint();
	CHECK_ENDS("--help", 0, "Usage: testsnoop [OPTION...]");
	CHECK_ENDS("-h", 0, "Usage: testsnoop [OPTION...]");
	CHECK_ENDS("-?", 0, "Usage: testsnoop [OPTION...]");
	CHECK_ENDS("--usage", 0, "Usage: testsnoop [-");
	CHECK_ENDS("--version", 0, "testsnoop (probelight)");
	CHECK_ENDS("-V", 0, "testsnoop (probelight)");
	test_counting();
	test_shown();
	test_begin();
	return check_done();
}
