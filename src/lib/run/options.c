/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line that all tools share (tool__parse), as an argp child of each tool's own. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/print/hist.h"
#include "lib/probe/attach.h"
#include "habits.h"
#include "preflight.h"
#include "refuse.h"
#include "tool.h"

#define INTERVAL_MIN_NS 10000000

/* The inode of the initial pid namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO): an ABI since 3.8. */
#define INITIAL_PIDNS_INO 0xEFFFFFFCu

enum {
	KEY_MAX_EVENTS = 0x100,
	KEY_STRICT,
	KEY_BUFFER,
	KEY_ATTACH,
	KEY_USAGE,
	KEY_NAME,
	KEY_AS_KERNEL,
	KEY_LINEAR,
	KEY_KEYS,
};

/* Behind the tool's own options, which have group 0. */
static const struct argp_option shared_options[] = {
	{ NULL, 0, NULL, 0, "Filters, applied in the kernel:", 10 },
	{ "pid", 'p', "PID", 0, "this process only (repeatable, or 1,2,3)", 0 },
	{ "tid", 't', "TID", 0, "this thread only (repeatable, or 1,2,3)", 0 },
	{ "uid", 'u', "UID", 0, "this user only, by number or name", 0 },
	{ "comm", 'n', "COMM", 0, "tasks of exactly this name only (\"ngin*\": that begin so)", 0 },
	{ "name", KEY_NAME, "COMM", OPTION_HIDDEN, NULL, 0 },		/* bcc's word */
	{ "cgroup", 'c', "CGROUP", 0, "this cgroup (v2) and those below it only, a path", 0 },
	{ "failed", 'x', NULL, 0, "failures only", 0 },
	{ NULL, 0, NULL, 0, "Output:", 20 },
	{ "timestamp", 'T', NULL, 0, "the wall-clock time: a first column, or above a histogram", 0 },
	{ "time", 'T', NULL, OPTION_HIDDEN, NULL, 0 },		/* libbpf-tools' word */
	{ "print-uid", 'U', NULL, 0, "a column with the user", 0 },
	{ "json", 'j', NULL, 0, "JSON, one object per line", 0 },
	{ "verbose", 'v', NULL, 0, "say what is attached how, show libbpf's messages", 0 },
	{ "as-kernel", KEY_AS_KERNEL, "VERSION", OPTION_HIDDEN, NULL, 0 },	/* docs/kernels.md */
	{ NULL, 0, NULL, 0, "Histograms:", 25 },
	{ "nanoseconds", 'N', NULL, 0, "times in nanoseconds", 0 },
	{ "milliseconds", 'm', NULL, 0, "times in milliseconds", 0 },
	{ "linear", KEY_LINEAR, "MIN,MAX,STEP", 0, "rows of STEP from MIN to MAX instead of powers of two", 0 },
	{ NULL, 0, NULL, 0, "When to stop:", 30 },
	{ "duration", 'd', "SECONDS", 0, "after this time", 0 },
	{ "max-events", KEY_MAX_EVENTS, "N", 0, "after this many events", 0 },
	{ NULL, 0, NULL, 0, "Completeness:", 40 },
	{ "strict", KEY_STRICT, NULL, 0, "exit 3 if any event was lost or missed", 0 },
	{ "buffer", KEY_BUFFER, "KIB", 0, "size of the ring buffer, rounded up to a power of two that holds the largest event", 0 },
	{ "rows", 'r', "N", 0, "the N keys with most events; the others are summed (default 10)", 0 },
	{ "keys", KEY_KEYS, "N", 0, "room for so many keys in the table; what finds none counts as \"other\"", 0 },
	{ NULL, 0, NULL, 0, "Probes:", 50 },
	{ "attach", KEY_ATTACH, "MODE", 0, "how to attach the probes: " ATTACH_MODES, 0 },
	{ "help", 'h', NULL, 0, "this text", -1 },
	{ NULL, '?', NULL, OPTION_HIDDEN, NULL, -1 },
	{ "usage", KEY_USAGE, NULL, 0, "the options in a few lines", -1 },
	{ "version", 'V', NULL, 0, "the version", -1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* Those that a tool has (has_option()). */
static struct argp_option options_of_tool[sizeof(shared_options) / sizeof(*shared_options)];

/* A whole number from min to max and nothing behind it. */
static uint64_t parse_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || value < min || value > max)
		usage_error("%s \"%s\": not a number from %llu to %llu", option, text, (unsigned long long)min,
			    (unsigned long long)max);
	return value;
}

/* Seconds with an optional fraction: "1", "0.5". */
static uint64_t parse_seconds(const char *option, const char *text)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(text, &end);
	if (!(isdigit((unsigned char)*text) || *text == '.') || *end || errno || !(seconds > 0) || seconds > 1e9)
		usage_error("%s \"%s\": not a time in seconds, such as 10 or 0.5", option, text);
	return (uint64_t)(seconds * 1e9);
}

/* A user by number, or by name through /etc/passwd (not NSS: its plugins do not go into a static program). */
static uint32_t parse_user(const char *text)
{
	struct passwd *user;
	FILE *file;

	if (isdigit((unsigned char)*text))
		return (uint32_t)parse_number("-u", text, 0, UINT32_MAX - 1);
	file = fopen("/etc/passwd", "re");
	while (file && (user = fgetpwent(file))) {
		if (!strcmp(user->pw_name, text)) {
			fclose(file);
			return user->pw_uid;
		}
	}
	if (file)
		fclose(file);
	usage_error("-u \"%s\": no such user in /etc/passwd; a number works for any", text);
}

static void parse_comm(struct tool *tool, const char *text)
{
	size_t length = strlen(text);
	bool open_ended = length && text[length - 1] == '*';
	char mask[TASK_COMM_LEN] = "", comm[TASK_COMM_LEN] = "";

	if (open_ended)
		length--;
	else if (length >= TASK_COMM_LEN)
		length = TASK_COMM_LEN - 1;	/* as the kernel cuts it */
	if ((!length && !open_ended) || length >= TASK_COMM_LEN)
		usage_error("-n \"%s\": a task's name has 1 to %d characters", text, TASK_COMM_LEN - 1);
	memcpy(comm, text, length);
	/* up to the 0 byte that ends the name; what follows it in the kernel is not of interest */
	memset(mask, 0xff, length + !open_ended);
	memcpy(tool->filter.comm, comm, sizeof(comm));
	memcpy(tool->filter.comm_mask, mask, sizeof(mask));
	tool->filter.by_comm = length || !open_ended;
}

/* A number, or several with commas between them. */
static void add_ids(const char *option, char *text, uint32_t *ids, uint32_t *count)
{
	char *next;

	do {
		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		if (*count == TASK_FILTER_IDS_MAX)
			usage_error("%s: at most %d of them", option, TASK_FILTER_IDS_MAX);
		/* PID_MAX_LIMIT, include/linux/threads.h */
		ids[(*count)++] = (uint32_t)parse_number(option, text, 1, 4 * 1024 * 1024);
		text = next;
	} while (text);
}

/* A directory of a cgroup v2 hierarchy; -ENOTDIR where it is something else. */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return fd;
	close(fd);
	return -ENOTDIR;
}

static void parse_cgroup(struct tool *tool, const char *text)
{
	char path[4096];
	struct stat file;
	int as_path, below;

	if (tool->cgroup_fd >= 0)
		usage_error("-c: one cgroup only");
	as_path = below = open_cgroup(text);
	if (as_path < 0 && *text) {
		/* "system.slice/ssh.service", and also "/system.slice/…" and "/" as in /proc/PID/cgroup */
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", text);
		below = open_cgroup(path);
	}
	if (below == -ENOTDIR || (below < 0 && as_path == -ENOTDIR))
		usage_error("-c \"%s\": not a directory of a cgroup v2 hierarchy", text);
	if (below < 0)
		usage_error("-c \"%s\": %s, neither as a path nor below /sys/fs/cgroup", text, strerror(-below));
	/* its inode's number is the kernel's id of it (kernfs, since 5.5) */
	if (fstat(below, &file))
		usage_error("-c \"%s\": %s", text, strerror(errno));
	tool->filter.cgroup_id = file.st_ino;
	tool->cgroup_fd = below;
	tool->filter.by_cgroup = 1;
}

static uint32_t parse_buffer(const struct tool *tool, const char *text)
{
	uint64_t wanted = parse_number("--buffer", text, 4, 1024 * 1024) * 1024;
	uint64_t size = 4096;

	/* a record that is larger than the ring could never be reserved; each has a header of 8 bytes (BPF_RINGBUF_HDR_SZ) */
	if (wanted < tool->record_max + 8)
		wanted = tool->record_max + 8;
	while (size < wanted)
		size *= 2;
	return (uint32_t)size;
}

/* flags: of argp_help(3). */
static void print_help(const struct tool *tool, const struct argp *root, unsigned int flags)
{
	struct argp argp = *root;
	char doc[4096];

	snprintf(doc, sizeof(doc), "%s\v%s%s", tool->summary, tool->examples ? "Examples:\n" : "",
		 tool->examples ? tool->examples : "");
	argp.doc = doc;
	/* a note of argp's on long options, which says nothing that the list does not show */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	argp_help(&argp, stdout, flags & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR), (char *)tool->name);
}

/* The options that ask for a task, or show it. */
static bool is_about_task(int key)
{
	return key == 'p' || key == 't' || key == 'u' || key == 'n' || key == 'c' || key == 'U';
}

static void parse_linear(const struct tool *tool, const char *text)
{
	if (hist_shape__parse_linear(tool->shape, text))
		usage_error("--linear \"%s\": not MIN,MAX,STEP, whole numbers of which STEP divides MAX - MIN into at most %d", text,
			    HIST_LINEAR_MAX);
}

/* -N and -m: before --linear, whose numbers are in that unit. */
static void set_unit(const struct tool *tool, enum hist_unit unit)
{
	if (tool->shape->linear_count)
		usage_error("-N and -m: before --linear, which is in their unit");
	*tool->shape = hist_shape__of(unit);
}

/* [INTERVAL [COUNT]] */
static void parse_interval(struct tool *tool, const char *text)
{
	if (tool->intervals_max)
		usage_error("\"%s\": one argument too many, after INTERVAL and COUNT", text);
	if (tool->interval_ns) {
		tool->intervals_max = parse_number("COUNT", text, 1, UINT32_MAX);
		return;
	}
	tool->interval_ns = parse_seconds("INTERVAL", text);
	if (tool->interval_ns < INTERVAL_MIN_NS)
		usage_error("INTERVAL \"%s\": at least 0.01 seconds", text);
}

static error_t parse_shared(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	if (key == KEY_NAME)
		key = 'n';
	if (tool->no_task && is_about_task(key))
		usage_error("-%c: %s", key, tool->no_task);
	switch (key) {
	case 'p':
		add_ids("-p", arg, tool->filter.pids, &tool->filter.pids_count);
		return 0;
	case 't':
		add_ids("-t", arg, tool->filter.tids, &tool->filter.tids_count);
		return 0;
	case 'u':
		if (tool->filter.by_uid)
			usage_error("-u: one user only");
		tool->filter.uid = parse_user(arg);
		tool->filter.by_uid = 1;
		return 0;
	case 'n':
		if (tool->filter.by_comm)
			usage_error("-n: one name only");
		parse_comm(tool, arg);
		tool->comm_wanted = arg;
		return 0;
	case 'c':
		parse_cgroup(tool, arg);
		return 0;
	case 'x':
		tool->filter.failed_only = 1;
		return 0;
	case 'T':
		tool->out.time = true;
		return 0;
	case 'U':
		tool_uid_shown = true;
		return 0;
	case 'j':
		tool->out.json = true;
		return 0;
	case 'v':
		tool->verbose = true;
		return 0;
	case 'd':
		tool->duration_ns = parse_seconds("-d", arg);
		return 0;
	case KEY_MAX_EVENTS:
		tool->events_max = parse_number("--max-events", arg, 1, UINT64_MAX - 1);
		return 0;
	case 'N':
		set_unit(tool, HIST_NSECS);
		return 0;
	case 'm':
		set_unit(tool, HIST_MSECS);
		return 0;
	case KEY_LINEAR:
		parse_linear(tool, arg);
		return 0;
	case 'r':
		tool->rows_max = (uint32_t)parse_number("-r", arg, 1, UINT32_MAX);
		return 0;
	case KEY_KEYS:
		tool->keys_max = (uint32_t)parse_number("--keys", arg, 1, 1 << 20);
		return 0;
	case KEY_STRICT:
		tool->strict = true;
		return 0;
	case KEY_BUFFER:
		tool->ring_size = parse_buffer(tool, arg);
		return 0;
	case KEY_AS_KERNEL:
		if (!kernel__parse_version(arg))
			usage_error("--as-kernel \"%s\": not a version such as 6.1 or 6.1.115", arg);
		kernel__use_version(kernel__parse_version(arg));
		return 0;
	case KEY_ATTACH:
		if (attach_mode__parse(arg, &tool->attach->wanted))
			usage_error("--attach \"%s\": not one of " ATTACH_MODES, arg);
		return 0;
	case 'h':
	case '?':
		print_help(tool, state->root_argp, ARGP_HELP_STD_HELP);
		exit(preflight__text_written());
	case KEY_USAGE:
		print_help(tool, state->root_argp, ARGP_HELP_USAGE);
		exit(preflight__text_written());
	case 'V':
		printf("%s (probelight) %s\n", tool->name, PROBELIGHT_VERSION);
		exit(preflight__text_written());
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The tool's own options come first, and the lines that argp and getopt would print themselves are ours: one line. */
static error_t parse_root(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;
	const char *instead;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = tool;
		return 0;
	case ARGP_KEY_ARG:
		if (tool->counts) {
			parse_interval(tool, arg);
			return 0;
		}
		if (tool->argument)
			return tool->parse(key, arg, state);
		instead = habits__instead(tool->habits, "");
		usage_error("\"%s\": no argument is expected%s%s", arg, instead ? ": " : "", instead ? instead : "");
	default:
		return tool->parse ? tool->parse(key, arg, state) : ARGP_ERR_UNKNOWN;
	}
}

/* The thread group of a thread, from /proc; 0 where there is no such thread. */
static uint32_t process_of(uint32_t tid)
{
	char path[64], line[128];
	uint32_t process = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &process) == 1)
			break;
	fclose(file);
	return process;
}

/* A filter that can match nothing is a mistake, and nobody should wait for its rows. */
static void check_ids(const struct tool *tool)
{
	const struct task_filter *filter = &tool->filter;

	if ((filter->pids_count || filter->tids_count) && access("/proc/self/status", F_OK)) {
		say("-p and -t need /proc, which is not mounted (mount -t proc proc /proc)");
		exit(TOOL_EXIT_FAILED);
	}
	for (uint32_t i = 0; i < filter->pids_count; i++) {
		uint32_t process = process_of(filter->pids[i]);

		if (!process) {
			say("-p %u: no such process (it may have ended)", filter->pids[i]);
			exit(TOOL_EXIT_FAILED);
		}
		if (process != filter->pids[i])
			usage_error("-p %u: that is a thread of process %u; use -t %u, or -p %u",
				    filter->pids[i], process, filter->pids[i], process);
	}
	for (uint32_t i = 0; i < filter->tids_count; i++) {
		uint32_t process = process_of(filter->tids[i]);
		bool found = !filter->pids_count;

		if (!process) {
			say("-t %u: no such thread (it may have ended)", filter->tids[i]);
			exit(TOOL_EXIT_FAILED);
		}
		for (uint32_t j = 0; j < filter->pids_count; j++)
			found |= filter->pids[j] == process;
		if (!found)
			usage_error("-p and -t exclude each other: thread %u belongs to process %u",
				    filter->tids[i], process);
	}
}

/* The pids on the command line and in the rows are those that the caller sees. */
static void find_pid_namespace(struct task_filter *filter)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == INITIAL_PIDNS_INO)
		return;
	filter->pidns_dev = ns.st_dev;
	filter->pidns_ino = ns.st_ino;
	filter->pidns_below = kernel__has_btf();
}

/* Whether the tool has that one of the shared options. */
static bool has_option(const struct tool *tool, int key)
{
	switch (key) {
	case 'x':
		return tool->has_result;
	case 'U':
		return !tool->counts || tool->no_task;
	case KEY_MAX_EVENTS:
	case KEY_BUFFER:
		return !tool->counts;
	case 'N':
	case 'm':
	case KEY_LINEAR:
		return tool->shape;
	case KEY_KEYS:
	case 'r':
		return tool->keys_max;
	case KEY_ATTACH:
		return tool->attach;
	default:
		return true;
	}
}

/* A heading stands where an option follows that the tool has. */
static const struct argp_option *shared_options_of(const struct tool *tool)
{
	const struct argp_option *heading = NULL;
	size_t count = 0;

	for (const struct argp_option *option = shared_options; option->name || option->key || option->doc; option++) {
		/* there all the same, so that it is refused with the reason */
		bool is_hidden = tool->no_task && is_about_task(option->key);

		if (option->doc && !option->name) {
			heading = option;
		} else if (has_option(tool, option->key)) {
			if (heading && !option->group && !is_hidden) {
				options_of_tool[count++] = *heading;
				heading = NULL;
			}
			options_of_tool[count] = *option;
			options_of_tool[count++].flags |= is_hidden ? OPTION_HIDDEN : 0;
		}
	}
	options_of_tool[count] = (struct argp_option){ 0 };
	return options_of_tool;
}

/* bcc's hardirqs -d 1 10 prints ten histograms.  Nobody wants an interval that the run does not reach the end of. */
static void check_interval(const struct tool *tool)
{
	const char *instead = habits__instead(tool->habits, "-d");

	if (tool->duration_ns && tool->interval_ns > tool->duration_ns)
		usage_error("INTERVAL \"%g\": longer than the run, -d \"%g\"%s%s", (double)tool->interval_ns / 1e9,
			    (double)tool->duration_ns / 1e9, instead ? ": " : "", instead ? instead : "");
}

void tool__parse(struct tool *tool, int argc, char **argv)
{
	struct argp shared = { .options = shared_options_of(tool), .parser = parse_shared };
	struct argp_child children[] = { { .argp = &shared }, { 0 } };
	struct argp root = { .options = tool->options, .parser = parse_root, .children = children,
			     .args_doc = tool->counts ? "[INTERVAL [COUNT]]" : tool->argument };
	char hint[200];

	say__name(tool->name);
	tool->rows_max = 10;
	tool->cgroup_fd = -1;
	if (argp_parse(&root, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL, tool))
		refuse__option(tool->options, options_of_tool, tool->habits, argc, argv);
	check_interval(tool);
	tool->filter.self = (uint32_t)getpid();
	tool->filter.active = tool->filter.pids_count || tool->filter.tids_count || tool->filter.by_uid ||
			      tool->filter.by_comm || tool->filter.by_cgroup;
	find_pid_namespace(&tool->filter);
	check_ids(tool);
	if (tool->comm_wanted && habits__explain_name(tool->comm_wanted, hint, sizeof(hint)))
		say("%s", hint);
}
