/* SPDX-License-Identifier: BSD-2-Clause */
/* tracepipe: what programs print with bpf_printk, as it comes, without the columns that nobody asked for. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "lib/print/out.h"
#include "lib/print/say.h"
#include "lib/run/preflight.h"
#include "lib/run/exit.h"
#include "lib/kernel/tracefs.h"

#define LINES_MAX (64 * 1024)	/* bytes; a line of trace_pipe is a page at most */
#define DRAIN_SECONDS 1		/* after Ctrl-C, should lines come faster than they are printed */

static struct {
	bool raw;
	bool task;
	bool cpu;
	bool time;
	double duration;
} opt;

static const struct out_column columns[] = {
	{ "TIME", 14, &opt.time, NULL },
	{ "CPU", -3, &opt.cpu, NULL },
	{ "PID", -7, &opt.task, NULL },
	{ "TASK", -16, &opt.task, NULL },
	{ "MESSAGE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const struct out_column raw_columns[] = {
	{ "", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char help[] =
	"Usage: tracepipe [OPTION...]\n"
	"Shows what programs print with bpf_printk, as it comes: the messages alone, one a line.\n"
	"\n"
	"  -t, --task           columns PID and TASK: the thread that was running, and its name\n"
	"  -c, --cpu            a column with the CPU\n"
	"  -T, --timestamp      a column with the time by the trace's own clock, in seconds\n"
	"  -r, --raw            whole lines, as trace_pipe has them\n"
	"  -d, --duration=SECONDS   stop after this time\n"
	"  -h, --help           this text\n"
	"      --version        the version\n"
	"\n"
	"Examples:\n"
	"  sudo tracepipe           the messages\n"
	"  sudo tracepipe -t        and who they are about\n"
	"  sudo tracepipe -r -d 10  ten seconds, with everything that the kernel says beside\n";

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "task", no_argument, NULL, 't' },
		{ "cpu", no_argument, NULL, 'c' },
		{ "timestamp", no_argument, NULL, 'T' },
		{ "raw", no_argument, NULL, 'r' },
		{ "duration", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;
	char *end;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "tcTrd:h", options, NULL)) != -1) {
		switch (option) {
		case 't': opt.task = true; break;
		case 'c': opt.cpu = true; break;
		case 'T': opt.time = true; break;
		case 'r': opt.raw = true; break;
		case 'd':
			opt.duration = strtod(optarg, &end);
			if (*end || !(opt.duration > 0 && opt.duration < 1e9))
				usage_error("-d: not a time in seconds, such as 10 or 0.5");
			break;
		case 'h':
			fputs(help, stdout);
			exit(preflight__text_written());
		case 'V':
			puts("tracepipe (probelight) " PROBELIGHT_VERSION);
			exit(preflight__text_written());
		default:
			usage_error("%s: unknown option, or its value is missing", argv[optind - 1]);
		}
	}
	if (optind < argc)
		usage_error("%s: no argument is expected", argv[optind]);
	if (opt.raw && (opt.task || opt.cpu || opt.time))
		usage_error("-r: raw lines have all columns");
}

static volatile sig_atomic_t pipe_fd = -1;
static volatile sig_atomic_t stopping;

static void stop_waiting(void)
{
	fcntl(pipe_fd, F_SETFL, O_RDONLY | O_NONBLOCK);
}

/*
 * A read that waits is interrupted, and one that begins after this does not wait: nothing between the last look at
 * `stopping` and the read can be missed.  poll(2) is no help: since 6.1 it sleeps until the trace buffer is half full
 * (buffer_percent), a read does not.
 */
static void on_signal(int signal)
{
	int interrupted_errno = errno;

	(void)signal;
	stopping = true;
	if (pipe_fd >= 0)
		stop_waiting();
	errno = interrupted_errno;
}

static bool is_stopping(void)
{
	return stopping;
}

static int open_pipe(void)
{
	char path[512];
	int err;

	err = tracefs__path(path, sizeof(path), "trace_pipe");
	if (err) {
		fprintf(stderr, "tracepipe: %s\n", tracefs__why(err));
		return err;
	}
	pipe_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pipe_fd < 0) {
		err = -errno;
		fprintf(stderr, "tracepipe: '%s' cannot be read: %s%s\n", path, strerror(-err),
			err == -EACCES ? " (run it with sudo)" : "");
	} else if (stopping) {
		/* it may have come before the handler knew which file; one that comes after this line finds it */
		stop_waiting();
	}
	return err;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = {
		.it_value.tv_sec = (time_t)opt.duration,
		.it_value.tv_usec = (suseconds_t)((opt.duration - (double)(time_t)opt.duration) * 1e6),
	};

	/* 0 would mean never */
	if (!timer.it_value.tv_sec && !timer.it_value.tv_usec)
		timer.it_value.tv_usec = 1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (opt.duration > 0)
		setitimer(ITIMER_REAL, &timer, NULL);
}

/* Where in the line its parts are. */
struct line {
	const char *task, *task_end;	/* NULL: not a line with these columns */
	int pid, cpu;
	const char *time, *time_end;
	const char *message;
};

/*
 * "        some task-1234    [001] d..21     6.371879: bpf_trace_printk: text".  A task's name may hold anything, so the
 * CPU's brackets are what is looked for; between them and the name may stand "(TGID)", and the flags may be missing
 * (options record-tgid, irq-info).
 */
static struct line take_apart(const char *text)
{
	struct line line = { .message = text };
	const char *bracket = text, *name, *at;
	char *end;

	while ((bracket = strstr(bracket, " ["))) {
		line.cpu = (int)strtol(bracket + 2, &end, 10);
		if (isdigit((unsigned char)bracket[2]) && !strncmp(end, "] ", 2))
			break;
		bracket++;
	}
	if (!bracket)
		return line;
	/* back over "(TGID)" and blanks to the digits of the pid */
	for (name = bracket; name > text && (name[-1] == ' ' || name[-1] == ')'); name--)
		;
	if (*name == ')') {
		while (name > text && name[-1] != '(')
			name--;
		for (name -= name > text; name > text && name[-1] == ' '; name--)
			;
	}
	while (name > text && isdigit((unsigned char)name[-1]))
		name--;
	if (name == text || name[-1] != '-')
		return line;
	line.pid = atoi(name);
	/* the time is the word that ends in a colon */
	for (at = end + 2; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (isdigit((unsigned char)*at) && at[strspn(at, "0123456789.")] == ':')
			break;
	}
	if (!*at)
		return line;
	line.time = at;
	line.time_end = at + strcspn(at, ":");
	line.message = line.time_end + 1 + (line.time_end[1] == ' ');
	if (!strncmp(line.message, "bpf_trace_printk: ", 18))
		line.message += 18;
	line.task = text + strspn(text, " ");
	line.task_end = name - 1;
	return line;
}

/* "CPU:1 [LOST 17 EVENTS]": the buffer was overwritten before it was read; the number may be missing. */
static bool tells_loss(const char *text, uint64_t *lost)
{
	unsigned long long count;
	int cpu;

	if (sscanf(text, "CPU:%d [LOST %llu EVENTS]", &cpu, &count) == 2)
		*lost += count;
	else if (sscanf(text, "CPU:%d [LOST EVENTS]", &cpu) == 1 && strstr(text, "[LOST EVENTS]"))
		*lost += 1;
	else
		return false;
	return true;
}

static void print_line(struct out *out, const char *text, size_t size)
{
	struct line line;

	out__row(out, 0);
	if (opt.raw) {
		out__string(out, text, size);
		out__end(out);
		return;
	}
	line = take_apart(text);
	if (line.task) {
		out__string(out, line.time, (size_t)(line.time_end - line.time));
		out__int(out, line.cpu);
		out__int(out, line.pid);
		out__string(out, line.task, (size_t)(line.task_end - line.task));
	} else {
		for (int i = 0; i < 4; i++)
			out__none(out);
	}
	out__string(out, line.message, size - (size_t)(line.message - text));
	out__end(out);
}

/* Prints the whole lines of a buffer and keeps the rest of it; at the end the rest too. */
static size_t print_lines(struct out *out, char *buffer, size_t used, bool at_end, uint64_t *lost)
{
	char *text = buffer, *newline;

	buffer[used] = '\0';
	while ((newline = memchr(text, '\n', (size_t)(buffer + used - text))) ||
	       ((at_end || used == LINES_MAX) && text < buffer + used)) {
		size_t size = newline ? (size_t)(newline - text) : (size_t)(buffer + used - text);

		text[size] = '\0';
		if (!tells_loss(text, lost) || opt.raw)
			print_line(out, text, size);
		text += size + !!newline;
	}
	used -= (size_t)(text - buffer);
	memmove(buffer, text, used);
	return used;
}

/* Reads until it is stopped, and then what there is still.  0 or -errno of reading. */
static int follow(struct out *out, uint64_t *lost)
{
	static char buffer[LINES_MAX + 1];
	time_t drain_end = 0;
	size_t used = 0;

	while (!out->error) {
		ssize_t got = read(pipe_fd, buffer + used, LINES_MAX - used);

		if (stopping && !drain_end)
			drain_end = time(NULL) + DRAIN_SECONDS;
		if (got > 0) {
			used = print_lines(out, buffer, used + (size_t)got, false, lost);
			out__flush(out);
			if (drain_end && time(NULL) > drain_end)
				break;
		} else if (got < 0 && errno == EAGAIN && stopping) {
			break;
		} else if (got < 0 && errno != EINTR) {
			return -errno;
		} else if (!got && !stopping) {
			/* tracing_on is 0: the kernel says end of file until it is switched on again */
			nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		} else if (!got) {
			break;
		}
	}
	print_lines(out, buffer, used, true, lost);
	return 0;
}

int main(int argc, char **argv)
{
	struct out out = { .sink = { .fd = STDOUT_FILENO, .should_stop = is_stopping }, .columns = columns };
	uint64_t lost = 0;
	int err;

	say__name("tracepipe");
	parse(argc, argv);
	if (opt.raw)
		out.columns = raw_columns;
	if (preflight__standard_files())
		return TOOL_EXIT_FAILED;
	/* before the pipe is open: whoever sees that may stop us at once */
	catch_signals();
	if (open_pipe())
		return TOOL_EXIT_FAILED;
	if (out__open(&out)) {
		fprintf(stderr, "tracepipe: no memory\n");
		return TOOL_EXIT_FAILED;
	}
	if (!opt.raw)
		out__header(&out);
	out__flush(&out);
	err = follow(&out, &lost);
	if (err)
		fprintf(stderr, "tracepipe: trace_pipe cannot be read: %s\n", strerror(-err));
	out__flush(&out);
	if (out.error && out.error != -EPIPE) {
		fprintf(stderr, "tracepipe: stdout cannot be written: %s\n", strerror(-out.error));
		err = out.error;
	}
	fprintf(stderr, "tracepipe: delivered %llu, lost %llu\n", (unsigned long long)out.rows_written, (unsigned long long)lost);
	out__free(&out);
	return err ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE;
}
