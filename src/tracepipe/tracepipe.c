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

#include "lib/ftrace/stream.h"
#include "lib/print/out.h"
#include "lib/print/say.h"
#include "lib/run/exit.h"
#include "lib/run/foreign_options.h"
#include "lib/run/output_file.h"
#include "lib/run/preflight.h"
#include "lib/run/refuse.h"
#include "lib/run/renamed.h"
#include "lib/kernel/rights.h"
#include "lib/kernel/lockdown.h"
#include "lib/kernel/tracefs.h"

#define ENTRY_MAX (64 * 1024)	/* bytes; the kernel formats one in two pages at most (TRACE_SEQ_BUFFER_SIZE) */
#define TASK_WIDTH 16		/* bytes before the dash between a task's name and its pid */

static struct {
	bool raw;
	bool task;
	bool cpu;
	bool time;
	double duration;
	const char *output;	/* -o, or NULL: stdout */
	const char *host;	/* --host, or NULL */
} opt;

/* docs/json.md: none */
static const struct out_column columns[] = {
	{ "TIME", 14, &opt.time, NULL },
	{ "CPU", -3, &opt.cpu, NULL },
	{ "PID", -7, &opt.task, NULL },
	{ "TASK", -16, &opt.task, NULL },
	{ "MESSAGE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: none */
static const struct out_column raw_columns[] = {
	{ "", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char help[] =
	"Usage: tracepipe [OPTION...]\n"
	"Shows what programs print with bpf_printk, as it comes: the messages alone, one\n"
	"per line.\n"
	"\n"
	"      --task               columns PID and TASK: the thread that was running,\n"
	"                           and its name\n"
	"      --cpu                a column with the CPU\n"
	"  -T, --timestamp          a column with the time by the trace's own clock, in\n"
	"                           seconds\n"
	"      --raw                whole lines, as trace_pipe has them\n"
	"      --host               a column with the name of this machine\n"
	"  -o, --output=FILE        write to this file instead of stdout\n"
	"  -d, --duration=SECONDS   stop after this time\n"
	"  -h, --help               this text\n"
	"      --usage              the options in a few lines\n"
	"  -V, --version            the version\n"
	"\n"
	"Examples:\n"
	"  sudo tracepipe           the messages\n"
	"  sudo tracepipe --task    and who they are about\n"
	"  sudo tracepipe --raw -d 10  ten seconds of whole lines\n";

static const char usage[] =
	"Usage: tracepipe [-ThV] [-o FILE] [-d SECONDS] [--task] [--cpu] [--timestamp] [--raw] [--host]\n"
	"                 [--output=FILE] [--duration=SECONDS] [--help] [--usage] [--version]\n";

enum { KEY_TASK = 0x100, KEY_CPU, KEY_RAW, KEY_HOST };

static const struct renamed renamed[] = {
	{ 't', KEY_TASK, "-t", "--task", NULL },
	{ 'c', KEY_CPU, "-c", "--cpu", NULL },
	{ 'r', KEY_RAW, "-r", "--raw", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static const struct foreign_option foreign_options[] = {
	{ "--count", "messages have no columns to count by (tracepipe | sort | uniq -c)" },
	{ "--hist", "messages have no columns with numbers" },
	{ "-j", "messages are text; anysnoop -j bpf_trace:bpf_trace_printk has them in JSON" },
	{ "--json", "messages are text; anysnoop -j bpf_trace:bpf_trace_printk has them in JSON" },
	{ NULL, NULL },
};

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "task", no_argument, NULL, KEY_TASK },
		{ "cpu", no_argument, NULL, KEY_CPU },
		{ "timestamp", no_argument, NULL, 'T' },
		{ "raw", no_argument, NULL, KEY_RAW },
		{ "host", no_argument, NULL, KEY_HOST },
		{ "output", required_argument, NULL, 'o' },
		{ "duration", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "usage", no_argument, NULL, 'U' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;
	char *end;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "tcTro:d:hV", options, NULL)) != -1) {
		switch (renamed__key(renamed, option, NULL)) {
		case KEY_TASK: opt.task = true; break;
		case KEY_CPU: opt.cpu = true; break;
		case 'T': opt.time = true; break;
		case KEY_RAW: opt.raw = true; break;
		case KEY_HOST: opt.host = output_file__host(); break;
		case 'o': opt.output = optarg; break;
		case 'd':
			opt.duration = strtod(optarg, &end);
			if (*end || !(opt.duration > 0 && opt.duration < 1e9))
				usage_error("-d: not a time in seconds, such as 10 or 0.5");
			break;
		case 'h':
			fputs(help, stdout);
			exit(preflight__text_written());
		case 'U':
			fputs(usage, stdout);
			exit(preflight__text_written());
		case 'V':
			puts("tracepipe (probelight) " PROBELIGHT_VERSION);
			exit(preflight__text_written());
		default:
			if (!strcmp(argv[optind - 1], "-?")) {
				fputs(help, stdout);
				exit(preflight__text_written());
			}
			refuse__word(options, foreign_options, argv[optind - 1], "unknown option, or its value is missing");
		}
	}
	if (optind < argc)
		usage_error("%s: no argument is expected", argv[optind]);
	if (opt.raw && (opt.task || opt.cpu || opt.time))
		usage_error("--raw: raw lines have all columns");
	if (opt.raw && opt.host)
		usage_error("--host: for columns, and --raw prints lines as the kernel has them");
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

/* Whether a read of trace_pipe waits until there is an entry. */
static void wait_for_entries(bool wait)
{
	static bool is_waiting = true;

	if (wait == is_waiting)
		return;
	is_waiting = wait;
	fcntl(pipe_fd, F_SETFL, O_RDONLY | (wait ? 0 : O_NONBLOCK));
	/* a signal may have come before; one that comes now has the last word */
	if (stopping)
		stop_waiting();
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
		/* a kernel that is locked down while tracefs is mounted refuses to open its files */
		const char *locked_down = errno == EPERM ? lockdown__why() : NULL;

		err = -errno;
		if (locked_down)
			fprintf(stderr, "tracepipe: %s\n", locked_down);
		else
			fprintf(stderr, "tracepipe: '%s' cannot be read: %s%s%s%s\n", path, strerror(-err), err == -EACCES ? " (" : "",
				err == -EACCES ? rights__advice() : "", err == -EACCES ? ")" : "");
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

/* Where in a line its parts are. */
struct line {
	const char *task, *task_end;	/* NULL: not a line with these columns */
	long pid, cpu;
	const char *time, *time_end;
	const char *message;
};

/* Reads the digits at *at into *number and moves *at behind them; false if there are none. */
static bool skip_number(const char **at, long *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*number = strtol(*at, &end, 10);
	*at = end;
	return true;
}

/*
 * "        some task-1234    [001] d..21     6.371879: bpf_trace_printk: text".  The kernel prints "%16s-%-7d ", and a task's
 * name has at most 15 bytes (TASK_COMM_LEN), so the dash is always at byte 16, whatever the name holds.  Behind the pid may stand
 * "(TGID)", and the flags may be missing (options record-tgid, irq-info).
 */
static struct line take_apart(const char *text)
{
	struct line line = { .message = text };
	const char *at, *time;
	long tgid;

	if (strnlen(text, TASK_WIDTH + 1) <= TASK_WIDTH || text[TASK_WIDTH] != '-')
		return line;
	at = text + TASK_WIDTH + 1;
	if (!skip_number(&at, &line.pid) || *at != ' ')
		return line;
	at += strspn(at, " ");
	if (*at == '(') {
		at += 1 + strspn(at + 1, " -");
		skip_number(&at, &tgid);
		if (strncmp(at, ") ", 2))
			return line;
		at += 2;
	}
	if (*at++ != '[' || !skip_number(&at, &line.cpu) || strncmp(at, "] ", 2))
		return line;
	/* the time is the first word of digits that ends in a colon; the flags begin with a letter or a dot */
	for (at += 2; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (isdigit((unsigned char)*at) && at[strspn(at, "0123456789.")] == ':')
			break;
	}
	if (!*at)
		return line;
	time = at;
	line.time = time;
	line.time_end = time + strcspn(time, ":");
	line.message = line.time_end + 1 + (line.time_end[1] == ' ');
	if (!strncmp(line.message, "bpf_trace_printk: ", 18))
		line.message += 18;
	line.task = text + strspn(text, " ");
	line.task_end = text + TASK_WIDTH;
	if (line.task > line.task_end)
		line.task = line.task_end;
	return line;
}

/*
 * "CPU:1 [LOST 17 EVENTS]\n" before an entry: the buffer was overwritten before it was read; the number may be missing.
 * Returns its size, 0 if there is none.  An entry never begins that way: its first byte is a space, see take_apart().
 */
static size_t loss_line(const char *text, uint64_t *lost)
{
	const char *at = text + 4;
	char *end;
	long cpu;
	unsigned long long count = 1;

	if (strncmp(text, "CPU:", 4) || !skip_number(&at, &cpu) || strncmp(at, " [LOST ", 7))
		return 0;
	at += 7;
	if (isdigit((unsigned char)*at)) {
		count = strtoull(at, &end, 10);
		at = end;
		if (*at++ != ' ')
			return 0;
	}
	if (strncmp(at, "EVENTS]\n", 8))
		return 0;
	*lost += count;
	return (size_t)(at + 8 - text);
}

static void print_row(struct out *out, const char *text, size_t size)
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

/*
 * Prints an entry, size bytes and a 0 byte, as one row: newlines in its message are escaped.  Returns the number of rows: with -r a line
 * that tells a loss is one, too.
 */
static unsigned int print_entry(struct out *out, char *text, size_t size, uint64_t *lost)
{
	size_t loss = loss_line(text, lost);
	unsigned int rows = 0;

	if (loss && opt.raw) {
		print_row(out, text, loss - 1);
		rows++;
	}
	text += loss;
	size -= loss;
	/* the kernel's newline, and perhaps the message's own */
	while (size && text[size - 1] == '\n')
		size--;
	text[size] = '\0';
	if (size || !loss) {
		print_row(out, text, size);
		rows++;
	}
	return rows;
}

/*
 * Reads one entry of trace_pipe with a 0 byte behind it; a line that tells a loss may stand before it.  Returns its size, 0 at an
 * end of file, or -errno.
 *
 * A message may have newlines, and behind each whatever its author likes, also the columns of another entry: the text alone
 * does not tell where an entry ends.  The kernel does (tracing_read_pipe() in kernel/trace/trace.c, 5.10 to 7.3): a read formats
 * entries until it has what was asked for, and the next reads return the rest of these before anything else.  So a read of
 * one byte formats one entry, and the read after it returns the rest of that one.
 */
static ssize_t read_entry(char *text)
{
	ssize_t first = read(pipe_fd, text, 1), rest;

	if (first <= 0)
		return first < 0 ? -errno : 0;
	/* an entry that is a newline and nothing else has no rest (without context-info) */
	if (*text == '\n') {
		text[1] = '\0';
		return 1;
	}
	do
		rest = read(pipe_fd, text + 1, ENTRY_MAX - 1);
	while (rest < 0 && errno == EINTR);
	if (rest < 0)
		return -errno;
	text[1 + rest] = '\0';
	return 1 + rest;
}

/* What was read, and what is still to be read once it was told to stop. */
struct progress {
	uint64_t rows;
	uint64_t lost;
	uint64_t left;		/* entries that were there when it was told to stop, and were not read yet */
};

/*
 * Reads until it is told to stop, and then what there was at that moment: the entries come in the order of time, so these are the next
 * ones.  More may come faster than they are printed.  0 or -errno, of reading or of counting these.
 */
static int follow(struct out *out, struct progress *progress)
{
	static char text[ENTRY_MAX + 1];
	bool is_last = false;	/* told to stop, and what is left was counted */
	ssize_t got;
	int err;

	while (!out->error && !(is_last && !progress->left)) {
		if (stopping && !is_last) {
			err = stream__waiting("", &progress->left);
			if (err) {
				fprintf(stderr, "tracepipe: what is left in the buffer cannot be counted and is not shown: %s\n", strerror(-err));
				return err;
			}
			is_last = true;
			continue;
		}
		got = read_entry(text);
		if (got > 0) {
			progress->rows += print_entry(out, text, (size_t)got, &progress->lost);
			progress->left -= is_last;
			wait_for_entries(false);
			continue;
		}
		/* nothing is left for now: what was read is printed before the next read waits */
		out__flush(out);
		if (got == -EAGAIN && !stopping) {
			wait_for_entries(true);
		} else if (is_last && (got == -EAGAIN || !got)) {
			/* what is missing of those that were counted was overwritten, and counted as lost */
			progress->left = 0;
		} else if (got < 0 && got != -EINTR && got != -EAGAIN) {
			fprintf(stderr, "tracepipe: trace_pipe cannot be read: %s\n", strerror((int)-got));
			return (int)got;
		} else if (!got) {
			/* tracing_on is 0: the kernel says end of file until it is switched on again */
			nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		}
	}
	/* the output failed first */
	return stopping && !is_last ? stream__waiting("", &progress->left) : 0;
}

int main(int argc, char **argv)
{
	struct out out = { .sink = { .fd = STDOUT_FILENO, .should_stop = is_stopping }, .columns = columns };
	struct progress progress = { .rows = 0 };
	const char *error;
	uint64_t unread;
	int err;

	say__name("tracepipe");
	parse(argc, argv);
	if (opt.raw)
		out.columns = raw_columns;
	out.host = opt.host;
	if (preflight__files(!opt.output) || output_file__open(opt.output, &out.sink))
		return TOOL_EXIT_FAILED;
	/* before the pipe is open: whoever sees that may stop us at once */
	catch_signals();
	if (open_pipe() || output_file__begin(&out.sink))
		return TOOL_EXIT_FAILED;
	if (out__open(&out)) {
		fprintf(stderr, "tracepipe: no memory\n");
		return TOOL_EXIT_FAILED;
	}
	if (!opt.raw)
		out__header(&out);
	out__flush(&out);
	err = follow(&out, &progress);
	out__flush(&out);
	error = out__error(&out);
	if (error) {
		fprintf(stderr, "tracepipe: %s\n", error);
		err = out.error;
	}
	unread = progress.rows - out.rows_written + progress.left;
	fprintf(stderr, "tracepipe: delivered %llu, lost %llu", (unsigned long long)out.rows_written, (unsigned long long)progress.lost);
	if (unread)
		fprintf(stderr, ", unread %llu", (unsigned long long)unread);
	fprintf(stderr, "\n");
	out__free(&out);
	if (output_file__close(&out.sink) && !err)
		err = -EIO;
	return err ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE;
}
