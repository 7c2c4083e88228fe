/* SPDX-License-Identifier: BSD-2-Clause */
/* ctxgen: C structs for the records of tracepoints, from the kernel's format files. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "programs.h"
#include "lib/format/ctx.h"
#include "lib/format/declaration.h"
#include "lib/format/events.h"
#include "lib/format/format.h"
#include "lib/format/header.h"
#include "lib/layout/relos.h"
#include "lib/run/output_file.h"
#include "lib/run/preflight.h"
#include "lib/print/say.h"
#include "lib/print/text.h"
#include "lib/print/text_buffer.h"
#include "lib/run/exit.h"
#include "lib/run/foreign_options.h"
#include "lib/run/refuse.h"
#include "lib/run/renamed.h"
#include "lib/kernel/file.h"
#include "lib/kernel/tracefs.h"

#define NAME_SIZE 256
#define HEADER_MAX (16 << 20)

static struct {
	const char *from;
	const char *output;	/* -o, or NULL: stdout */
	const char *btf;
	bool check;
	bool list;
	char **args;		/* the operands, args_count of them */
	size_t args_count;
} opt;

static int exit_status;
static struct sink file;	/* of -o, or stdout */

__attribute__((format(printf, 1, 2)))
static void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vsay(format, args);
	va_end(args);
	exit_status = TOOL_EXIT_FAILED;
}

/* Whether the output can begin, before its first line: the file of -o, emptied, takes the place of stdout. */
static bool begin_output(void)
{
	if (!output_file__begin(&file) && (!opt.output || dup2(file.fd, STDOUT_FILENO) == STDOUT_FILENO))
		return true;
	exit_status = TOOL_EXIT_FAILED;
	return false;
}

/* Whether the reader of stdout has gone, which is how "| head" says enough. */
static bool is_pipe_closed(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

static void end_output(void)
{
	if ((fflush(stdout) || ferror(stdout)) && !is_pipe_closed()) {
		if (opt.output)
			complain("-o \"%s\": cannot be written: %s", opt.output, strerror(errno));
		else
			complain("cannot write: %s", strerror(errno));
	}
	if (output_file__close(&file))
		exit_status = TOOL_EXIT_FAILED;
}

/* Prints a line that may quote text of the copy or of a header, escaped, and frees it. */
static void put_line(struct text_buffer *line)
{
	char *text = text_buffer__take(line), *escaped = text ? malloc(TEXT_ESCAPED_MAX(strlen(text)) + 1) : NULL;
	size_t characters;

	if (escaped) {
		*text__escape(escaped, text, strlen(text), &characters) = '\0';
		puts(escaped);
	} else {
		complain("no memory for a line");
	}
	free(escaped);
	free(text);
}

/* ---- events by name, by pattern, by file */

static int read_event(const char *event, struct format **format)
{
	struct fault fault;
	char system[NAME_SIZE];
	size_t length = strcspn(event, "/:");
	int err;

	snprintf(system, sizeof(system), "%.*s", (int)(length < NAME_SIZE ? length : NAME_SIZE - 1), event);
	err = events__format(system, event[length] ? event + length + 1 : "", format, &fault);
	if (err)
		complain("%s", fault.text);
	return err;
}

/* Reads a file of at most size_max bytes; the caller frees it.  NULL after a message. */
static char *read_file(const char *path, size_t size_max, size_t *size)
{
	char *text;
	int err = file__read(path, size_max, &text, size);

	if (!err)
		return text;
	if (err == -EFBIG)
		complain("\"%s\": is larger than such a file ever is", path);
	else
		complain("\"%s\": cannot be read: %s", path, strerror(-err));
	return NULL;
}

/* A format file by its path, of which the last three parts are SYSTEM/NAME/format. */
static int read_format_file(const char *path, struct format **format)
{
	struct format_error error;
	char system[NAME_SIZE];
	const char *name, *start;
	size_t size;
	char *text;
	int err;

	name = strrchr(path, '/');
	while (name && name > path && name[-1] != '/')
		name--;
	/* name is now behind the "/" that ends the system */
	start = name && name > path ? name - 1 : NULL;
	while (start && start > path && start[-1] != '/')
		start--;
	if (!start || start == name - 1 || name - start > NAME_SIZE || strcmp(strrchr(path, '/'), "/format")) {
		complain("\"%s\": the path does not name the event's system (one that ends in SYSTEM/NAME/format does)",
			 path);
		return -EINVAL;
	}
	snprintf(system, sizeof(system), "%.*s", (int)(name - 1 - start), start);
	text = read_file(path, FORMAT_SIZE_MAX, &size);
	if (!text)
		return -EINVAL;
	err = format__parse(format, system, text, size, &error);
	if (err && error.line)
		complain("\"%s\": line %u: %s", path, error.line, error.why);
	else if (err)
		complain("\"%s\": %s", path, error.why);
	free(text);
	return err;
}

static bool is_file(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISREG(stat_of.st_mode);
}

static int list_events(struct events *events)
{
	int err = events__list(events);

	if (err == -ENOENT || err == -EACCES)
		complain("the events cannot be listed: %s", tracefs__why(err));
	else if (err == -EBADF)
		complain("the events cannot be listed: available_events is no regular file, but a directory, a FIFO or the like");
	else if (err)
		complain("the events cannot be listed: %s", strerror(-err));
	else if (events->bad_lines)
		complain("available_events: line %u%s (SYSTEM:NAME does); is the copy damaged?", events->first_bad_line,
			 events->bad_lines > 1 ? " and others name no event" : " names no event");
	if (!err && events->bad_directories)
		complain("%u director%s in the copy with a name that no event or system has; is it damaged?", events->bad_directories,
			 events->bad_directories > 1 ? "ies" : "y");
	return err;
}

/*
 * "sched/sched_switch", "sched:sched_switch", or one of both parts; with the wildcards of the shell.  event is one of
 * struct events, so that it has a slash.
 */
static bool matches(char *event, const char *pattern)
{
	char *slash = strchr(event, '/');
	bool found;

	if (strchr(pattern, '/'))
		return !fnmatch(pattern, event, 0);
	*slash = strchr(pattern, ':') ? ':' : 0;
	found = !fnmatch(pattern, event, 0) || (!*slash && !fnmatch(pattern, slash + 1, 0));
	*slash = '/';
	return found;
}

/* ---- the header */

/* The events that were asked for, each once; and the same as a search tree (tsearch()), by name. */
static struct format **wanted;
static size_t wanted_count;
static void *wanted_tree;

static int compare_events(const void *a, const void *b)
{
	const struct format *one = a, *other = b;
	int order = strcmp(one->system, other->system);

	return order ? order : strcmp(one->name, other->name);
}

static void keep(void *format)
{
	(void)format;
}

/* Takes format over. */
static void want(struct format *format)
{
	struct format **larger, **node;

	larger = realloc(wanted, (wanted_count + 1) * sizeof(*wanted));
	if (larger)
		wanted = larger;
	node = larger ? tsearch(format, &wanted_tree, compare_events) : NULL;
	if (!node)
		complain("no memory for %zu events", wanted_count + 1);
	if (!node || *node != format) {
		format__free(format);
		return;
	}
	wanted[wanted_count++] = format;
}

static void want_matching(const char *pattern)
{
	struct events events;
	struct format *format;
	bool found = false;

	if (list_events(&events))
		return;
	for (size_t i = 0; i < events.count; i++) {
		if (!matches(events.names[i], pattern))
			continue;
		found = true;
		if (!read_event(events.names[i], &format))
			want(format);
	}
	if (!found)
		complain("\"%s\": no event has such a name (ctxgen -l lists them)", pattern);
	events__free(&events);
}

static const char preamble[] =
	"/*\n"
	" * Records of tracepoints, written by ctxgen from the format files of a kernel.  \"at\" is the offset there;\n"
	" * a program that is loaded with lib/layout reads each field where the running kernel has it.\n"
	" *\n"
	" * Include vmlinux.h or linux/types.h before this, and lib/bpf/tp.bpf.h for the accessors.\n"
	" */\n"
	"#pragma once\n";

/* All of the events, or nothing: half a header helps no one. */
static void put_event(const struct format *format)
{
	char tag[NAME_SIZE];

	if (events__struct_name(format->system, format->name, tag, sizeof(tag)))
		complain("event %s/%s: its name is too long", format->system, format->name);
	else
		declaration__put_struct(format, tag, stdout);
}

static void write_header(void)
{
	for (size_t i = 0; i < opt.args_count; i++) {
		const char *arg = opt.args[i];
		struct format *format;

		if (strpbrk(arg, "*?[") && !is_file(arg))
			want_matching(arg);
		else if (!(is_file(arg) ? read_format_file(arg, &format) : read_event(arg, &format)))
			want(format);
	}
	if (!exit_status && begin_output()) {
		fputs(preamble, stdout);
		for (size_t i = 0; i < wanted_count; i++)
			put_event(wanted[i]);
	}
	tdestroy(wanted_tree, keep);
	for (size_t i = 0; i < wanted_count; i++)
		format__free(wanted[i]);
	free(wanted);
}

/* ---- programs */

static void write_programs(void)
{
	struct programs programs = { .btf = opt.btf };
	struct fault fault;

	for (size_t i = 0; i < opt.args_count; i++)
		if (programs__add(&programs, opt.args[i], &fault))
			complain("%s", fault.text);
	if (!exit_status && begin_output())
		programs__print(&programs, stdout);
	programs__free(&programs);
}

static bool is_program(const char *arg)
{
	return !is_file(arg) && programs__has_kind(arg);
}

/* Whether programs are asked for, and not the records of tracepoints. */
static bool wants_programs(void)
{
	size_t count = 0;

	for (size_t i = 0; i < opt.args_count; i++)
		count += is_program(opt.args[i]);
	if (count && count < opt.args_count)
		usage_error("programs (KIND/NAME) go into a source file, and records (SYSTEM/NAME) into a header: ask for them one after the other");
	return count;
}

/* ---- --check */

struct check {
	const char *path;
	const char *text;		/* of the header */
	char *code;			/* the same with blanks for what is no declaration; is cut up on the way */
	size_t counted;			/* bytes of text, with line - 1 newlines in them */
	unsigned line;
	struct format *format;		/* of the struct that is checked; NULL: of no event that is there */
};

/* Makes line that of pos, which is in code and behind those of the calls before. */
static void count_lines(struct check *check, const char *pos)
{
	for (; check->counted < (size_t)(pos - check->code); check->counted++)
		check->line += check->text[check->counted] == '\n';
}

__attribute__((format(printf, 3, 4)))
static void differs(const struct check *check, const char *name, const char *format, ...)
{
	va_list args;

	struct text_buffer line = text_buffer__growing(HEADER_MAX);

	text_buffer__add(&line, "%s:%u: %s/%s: %s ", check->path, check->line, check->format->system, check->format->name, name);
	va_start(args, format);
	text_buffer__vadd(&line, format, args);
	va_end(args);
	put_line(&line);
	exit_status = TOOL_EXIT_FAILED;
}

static void complain_of_declaration(const struct check *check, const char *declaration)
{
	complain("\"%s\": line %u: \"%.100s\" is no declaration that ctxgen writes", check->path, check->line,
		 declaration);
}

/* behind is what the header has behind the declaration's semicolon: the comment with its offset, if there is one. */
static void check_member(const struct check *check, char *declared, const char *behind)
{
	char declaration[DECLARATION_SIZE], name[CTX_MEMBER_NAME_SIZE], *end;
	const struct format_field *field;
	long header_offset;
	int offset;

	header__normalise(declared);
	if (!*declared)
		return;
	if (!header__declared_name(declared, name, sizeof(name))) {
		complain_of_declaration(check, declared);
		return;
	}
	field = ctx__field(check->format, name);
	if (!field || ctx__offset(check->format, field) < 0) {
		differs(check, name, "is missing");
		return;
	}
	declaration__of(check->format, field, declaration, sizeof(declaration));
	if (strcmp(declaration, declared))
		differs(check, name, "is \"%s\" in the header, and \"%s\" on this kernel", declared, declaration);
	offset = ctx__offset(check->format, field);
	behind += strspn(behind, " \t");
	if (strncmp(behind, "/* at ", 6))
		return;
	header_offset = strtol(behind + 6, &end, 10);
	if (end > behind + 6 && *end == ':' && header_offset != offset)
		differs(check, name, "moved from %ld to %d", header_offset, offset);
}

/* The members behind a struct's brace.  Returns what is behind the brace that closes it. */
static char *check_members(struct check *check, char *pos)
{
	for (;;) {
		char *start = header__skip_spaces(pos), *end = start + strcspn(start, ";{}"), delimiter = *end;

		count_lines(check, start);
		if (!delimiter) {
			complain("\"%s\": line %u: the file ends within a struct", check->path, check->line);
			return end;
		}
		*end = 0;
		if (delimiter == ';') {
			if (check->format)
				check_member(check, start, check->text + (end + 1 - check->code));
			pos = end + 1;
			continue;
		}
		/* a struct or union of its own, or a semicolon that is missing */
		if (check->format && (*start || delimiter == '{')) {
			header__normalise(start);
			complain_of_declaration(check, start);
		}
		if (delimiter == '}')
			return end + 1;
		*end = '{';
		pos = header__skip_nested(end);
	}
}

/* Checks the struct that is defined behind the word "struct", if it is one of an event; returns what is behind it. */
static char *check_struct(struct check *check, char *pos, bool *found)
{
	struct fault fault;
	char *name, *name_end, *body;

	name = header__defined_name(pos, &name_end, &body);
	if (!name || strncmp(name, "tp_", 3))
		return pos;
	*found = true;
	*name_end = 0;
	/* lib/layout takes tp_x___flavour for tp_x, too */
	name[relo__essential_length(name)] = 0;
	if (events__format_of_struct(name, &check->format, &fault)) {
		check->format = NULL;
		complain("%s", fault.text);
	}
	pos = check_members(check, body);
	format__free(check->format);
	check->format = NULL;
	return pos;
}

static void check_code(struct check *check)
{
	const char *open_comment = header__blank(check->code);
	bool found = false;
	char *pos = check->code;

	while (*pos && !open_comment) {
		char *word = pos;

		while (header__is_word(*pos))
			pos++;
		if (pos == word)
			pos++;
		else if (pos - word == 6 && !memcmp(word, "struct", 6))
			pos = check_struct(check, pos, &found);
	}
	if (open_comment) {
		count_lines(check, open_comment);
		complain("\"%s\": line %u: the comment that starts here does not end", check->path, check->line);
	} else if (!found) {
		complain("\"%s\": there is no struct tp_SYSTEM__NAME in it (ctxgen writes such headers)", check->path);
	}
}

static void check_header(const char *path)
{
	struct check check = { .path = path, .line = 1 };
	char *text, *zero;
	size_t size;

	text = read_file(path, HEADER_MAX, &size);
	if (!text)
		return;
	check.text = check.code = text;
	zero = memchr(text, 0, size);
	if (zero) {
		count_lines(&check, zero);
		complain("\"%s\": line %u: it has a 0 byte, so the file is no header", path, check.line);
		goto out;
	}
	check.code = strdup(text);
	if (!check.code) {
		complain("\"%s\": no memory for it", path);
		goto out;
	}
	check_code(&check);
	free(check.code);
out:
	free(text);
}

/* ---- -l */

static void list(void)
{
	struct events events;
	bool found = false;

	if (list_events(&events))
		return;
	for (size_t i = 0; i < events.count; i++) {
		struct text_buffer line = text_buffer__growing(HEADER_MAX);
		struct format *format;

		if (opt.args_count && !matches(events.names[i], opt.args[0]))
			continue;
		found = true;
		if (read_event(events.names[i], &format))
			continue;
		text_buffer__add(&line, "%s", events.names[i]);
		for (unsigned j = format->common_count; j < format->fields_count; j++)
			text_buffer__add(&line, "%s%s", j == format->common_count ? ": " : ", ", format->fields[j].decl);
		put_line(&line);
		format__free(format);
	}
	if (!found && opt.args_count)
		complain("\"%s\": no event has such a name (ctxgen -l lists all)", opt.args[0]);
	events__free(&events);
}

/* ---- the command line */

enum { KEY_USAGE = 0x100, KEY_CHECK, KEY_HOST, KEY_BTF };

static const struct renamed renamed[] = {
	{ 'c', KEY_CHECK, "-c", "--check", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static const struct argp_option options[] = {
	{ "from", 'f', "DIR", 0,
	  "the events of a copy of tracefs (DIR/events/SYSTEM/NAME/format), not the running kernel's", 0 },
	{ NULL, 'c', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "check", KEY_CHECK, NULL, 0, "say what in HEADER moved, changed or is missing on this kernel", 0 },
	{ "btf", KEY_BTF, "FILE", 0, "the types of another kernel (its /sys/kernel/btf/vmlinux), for programs", 0 },
	{ "list", 'l', NULL, 0, "list the events, or those that match GLOB, with their fields", 0 },
	{ "output", 'o', "FILE", 0, "write to this file instead of stdout", 0 },
	{ "host", KEY_HOST, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "help", 'h', NULL, 0, "this text", -1 },
	{ NULL, '?', NULL, OPTION_HIDDEN, NULL, -1 },
	{ "usage", KEY_USAGE, NULL, 0, "the options in a few lines", -1 },
	{ "version", 'V', NULL, 0, "the version", -1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--count", "it writes headers; anysnoop --count FIELD,... EVENT counts events" },
	{ "--hist", "it writes headers; anysnoop --hist FIELD EVENT has histograms of events" },
	{ "-j", "it writes C" },
	{ "--json", "it writes C" },
	{ NULL, NULL },
};

/* As SEC() of a program has it, "tp/sched/sched_switch": the event's own name. */
static char *without_section(char *arg)
{
	static const char *const sections[] = { "tp/", "tracepoint/" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		size_t length = strlen(sections[i]);

		if (!strncmp(arg, sections[i], length) && strchr(arg + length, '/') && !is_file(arg))
			return arg + length;
	}
	return arg;
}

static error_t parse(int key, char *arg, struct argp_state *state);

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "SYSTEM/NAME...\nKIND/NAME...\nFILE...\n--check HEADER...\n-l [GLOB]",
	.doc = "Writes C structs for the records of tracepoints, as the kernel's format files describe them, and programs "
	       "of other kinds with what they get: kprobe, kretprobe, ksyscall, kretsyscall, rawtp, tp_btf, fentry, fexit, lsm, "
	       "uprobe, uretprobe, perf_event.\v"
	       "Examples:\n"
	       "  sudo ctxgen -o ctx.h sched/sched_switch netlink/netlink_extack\n"
	       "  sudo ctxgen -o ctx.h 'block/block_rq_*'    all events that match\n"
	       "  ctxgen --from copy sched/sched_switch      from a copy of tracefs\n"
	       "  ctxgen copy/sched/sched_switch/format      from a single file\n"
	       "  sudo ctxgen --check ctx.h                  does ctx.h fit this kernel?\n"
	       "  sudo ctxgen kprobe/vfs_open                a program with its parameters\n"
	       "  ctxgen uprobe/libc.so.6:getenv             one on a library's function\n"
	       "  sudo ctxgen -l 'net*/*'                    events and their fields\n",
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (renamed__key(renamed, key, NULL)) {
	case 'f':
		opt.from = arg;
		return 0;
	case KEY_BTF:
		opt.btf = arg;
		return 0;
	case KEY_CHECK:
		opt.check = true;
		return 0;
	case 'l':
		opt.list = true;
		return 0;
	case 'o':
		opt.output = arg;
		return 0;
	case KEY_HOST:
		usage_error("--host: a header has no rows; name its machine in the file's name (-o ctx-$(hostname).h)");
	case 'h':
	case '?':
		setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
		argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR), (char *)"ctxgen");
		exit(preflight__text_written());
	case KEY_USAGE:
		argp_help(&argp, stdout, ARGP_HELP_USAGE, (char *)"ctxgen");
		exit(preflight__text_written());
	case 'V':
		printf("ctxgen (probelight) %s\n", PROBELIGHT_VERSION);
		exit(preflight__text_written());
	case ARGP_KEY_INIT:
		opt.args = calloc((size_t)state->argc + 1, sizeof(*opt.args));
		return opt.args ? 0 : ENOMEM;
	case ARGP_KEY_ERROR:
		/* what getopt did not like is the word before the next one */
		refuse__option(options, NULL, foreign_options, state->argc, state->argv);
	case ARGP_KEY_ARG:
		opt.args[opt.args_count++] = without_section(arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return !stat(path, &one) && !stat(other, &two) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static void read_options(int argc, char **argv)
{
	if (argp_parse(&argp, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL, NULL))
		usage_error("no memory for the arguments");
	if (opt.check && opt.list)
		usage_error("--check and -l exclude each other");
	if (opt.list && opt.args_count > 1)
		usage_error("-l takes one GLOB (in quotes, or the shell replaces it)");
	for (size_t i = 0; opt.check && opt.output && i < opt.args_count; i++)
		if (is_same_file(opt.args[i], opt.output))
			usage_error("-o \"%s\": is the header that --check reads", opt.output);
	if (!opt.list && !opt.args_count)
		usage_error(opt.check ? "--check needs a HEADER" : "which events? SYSTEM/NAME names one");
}

/* --from names a copy of tracefs, or of its events directory. */
static void use_copy(const char *directory)
{
	static char parent[4096];
	size_t length = strlen(directory);
	char events[4096];

	snprintf(events, sizeof(events), "%s/events", directory);
	if (!access(events, F_OK)) {
		tracefs__use(directory);
		return;
	}
	while (length > 1 && directory[length - 1] == '/')
		length--;
	snprintf(parent, sizeof(parent), "%s/..", directory);
	if (access(directory, F_OK))
		usage_error("--from \"%s\": %s", directory, strerror(errno));
	if (length < 6 || strncmp(directory + length - 6, "events", 6) || (length > 6 && directory[length - 7] != '/'))
		usage_error("--from \"%s\": it is no copy of tracefs, there is no directory events in it", directory);
	tracefs__use(parent);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];

	say__name("ctxgen");
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	read_options(argc, argv);
	if (opt.btf && (opt.list || opt.check || !wants_programs()))
		usage_error("--btf has the types for programs (KIND/NAME); the records of tracepoints are not among them");
	if (preflight__files(!opt.output) || output_file__open(opt.output, &file))
		return TOOL_EXIT_FAILED;
	if (opt.from)
		use_copy(opt.from);
	if (opt.list && begin_output())
		list();
	else if (opt.check && begin_output())
		for (size_t i = 0; i < opt.args_count; i++)
			check_header(opt.args[i]);
	else if (!opt.list && !opt.check && wants_programs())
		write_programs();
	else if (!opt.list && !opt.check)
		write_header();
	end_output();
	free(opt.args);
	return exit_status;
}
