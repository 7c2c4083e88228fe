/* SPDX-License-Identifier: BSD-2-Clause */
/* probestat: who is attached to the kernel's functions, and what that made of their code. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/ksyms.h"
#include "lib/ktext.h"
#include "lib/out.h"
#include "lib/probed.h"
#include "lib/tool.h"
#include "lib/tracefs.h"

#define TEXT_SIZE 16		/* bytes shown of a function, and of a probe inside it */

static struct {
	bool text;
	bool json;
	bool watch;
	char **patterns;
	int patterns_count;
} opt;

static const struct out_column columns[] = {
	{ "FUNCTION", -28, NULL, NULL },
	{ "BY", -7, NULL, NULL },
	{ "WHAT", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char help[] =
	"Usage: probestat [OPTION...] [FUNCTION...]\n"
	"Shows who is attached to kernel functions: kprobes, ftrace, dynamic events, BPF programs and the\n"
	"processes that hold them. FUNCTION is a name or a glob; without one every probed function is shown.\n"
	"\n"
	"      --text         also the first bytes of the function as they are in memory now, decoded\n"
	"  -w, --watch        again each second, until Ctrl-C\n"
	"  -j, --json         a JSON object for each function\n"
	"  -h, --help         this text\n"
	"      --version      the version\n"
	"\n"
	"Examples:\n"
	"  sudo probestat                       every probed function\n"
	"  sudo probestat --text do_unlinkat    one, and what its code looks like\n"
	"  sudo probestat -w 'vfs_*'            some, each second\n";

static void usage_error(const char *what, const char *why)
{
	fprintf(stderr, "probestat: %s: %s (see probestat --help)\n", what, why);
	exit(TOOL_EXIT_USAGE);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "text", no_argument, NULL, 't' },
		{ "watch", no_argument, NULL, 'w' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "wjh", options, NULL)) != -1) {
		switch (option) {
		case 't': opt.text = true; break;
		case 'w': opt.watch = true; break;
		case 'j': opt.json = true; break;
		case 'h':
			fputs(help, stdout);
			exit(fflush(stdout) ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE);
		case 'V':
			puts("probestat (probelight) " PROBELIGHT_VERSION);
			exit(fflush(stdout) ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE);
		default:
			usage_error(argv[optind - 1], "unknown option");
		}
	}
	opt.patterns = argv + optind;
	opt.patterns_count = argc - optind;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[");
}

static bool is_wanted(void *context, const char *function)
{
	(void)context;
	for (int i = 0; i < opt.patterns_count; i++)
		if (!fnmatch(opt.patterns[i], function, 0))
			return true;
	return !opt.patterns_count;
}

/* ---- code */

/* The first function of that name, and module where one is given. */
static const struct ksym *find_function(const struct ksyms *ksyms, const char *function, const char *module)
{
	const struct ksym *sym;

	for (size_t i = 0; (sym = ksyms__get(ksyms, i)); i++)
		if (!strcmp(sym->name, function) && (!module || (sym->module && !strcmp(sym->module, module))))
			return sym;
	return NULL;
}

/* Where a function begins: as its probes say, for there may be two of one name, else the first of that name; 0: not known. */
static uint64_t address_of(const struct ksyms *ksyms, const char *function, const char *module, const struct probed *probed,
			   size_t count)
{
	const struct ksym *sym;

	for (size_t i = 0; i < count; i++)
		if (probed[i].address)
			return probed[i].address - probed[i].offset;
	sym = find_function(ksyms, function, module);
	return sym ? sym->address : 0;
}

/* An instruction that ftrace or kprobes care about, and what stands before it as bytes. */
struct text_line {
	uint64_t offset;
	unsigned int size;
	uint8_t bytes[TEXT_SIZE];
	struct ktext_insn insn;
	const struct ksym *target;	/* NULL: not known */
	uint64_t target_offset;
	char handler[128];		/* of a call to one of ftrace's trampolines: what that calls; "": not known */
};

/*
 * What a trampoline of ftrace calls, from the function's row of enabled_functions: "tramp: 0xffffffffc0201000
 * (kprobe_ftrace_handler) ->…", or, where several callbacks share the function, the one behind "->".
 */
static void find_handler(struct text_line *line, const struct probed *probed, size_t count)
{
	char address[32];

	snprintf(address, sizeof(address), "%#llx (", (unsigned long long)line->insn.target);
	for (size_t i = 0; i < count; i++) {
		const char *handler;

		if (probed[i].by != PROBED_BY_FTRACE || !probed[i].trampoline)
			continue;
		handler = strstr(probed[i].trampoline, address);
		if (handler)
			handler += strlen(address);
		else if (line->target && !strncmp(line->target->name, "ftrace_", 7) && (handler = strstr(probed[i].trampoline, "->")))
			handler += 2;
		if (handler)
			snprintf(line->handler, sizeof(line->handler), "%.*s", (int)strcspn(handler, " )+"), handler);
	}
}

/*
 * What stands at an address of a function: up to TEXT_SIZE bytes, the instructions that are known one by one, the rest as
 * one.  Returns the number of lines, or -errno.
 */
static int read_text(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t offset, const struct probed *probed,
		     size_t probed_count, struct text_line lines[TEXT_SIZE])
{
	uint8_t bytes[TEXT_SIZE];
	unsigned int at = 0;
	int count = 0, err;

	err = ktext__read(kcore, address, bytes, sizeof(bytes));
	if (err)
		return err;
	while (at < sizeof(bytes)) {
		struct text_line *line = &lines[count++];

		line->insn = ktext__decode(bytes + at, sizeof(bytes) - at, address + at);
		line->offset = offset + at;
		line->size = line->insn.size ? line->insn.size : sizeof(bytes) - at;
		memcpy(line->bytes, bytes + at, line->size);
		line->target = line->insn.target ? ksyms__at(ksyms, line->insn.target, &line->target_offset) : NULL;
		line->handler[0] = '\0';
		if (line->insn.kind == KTEXT_CALL)
			find_handler(line, probed, probed_count);
		at += line->size;
	}
	return count;
}

static void format_bytes(char *text, const struct text_line *line, const char *between)
{
	for (unsigned int i = 0; i < line->size; i++)
		text += sprintf(text, "%s%02x", i ? between : "", line->bytes[i]);
}

/* ---- the table */

static void print_row(struct out *out, const char *function, const char *module, const char *by, const char *what)
{
	char name[KSYMS_NAME_MAX + KSYMS_MODULE_MAX];

	snprintf(name, sizeof(name), "%s%s%s", module ? module : "", module ? ":" : "", function);
	out__row(out, 0);
	out__string(out, name, strlen(name));
	out__string(out, by, strlen(by));
	out__string(out, what, strlen(what));
	out__end(out);
}

/* What a row says, in buffer. */
static void describe(const struct probed *probed, char *what, size_t size)
{
	int used;

	switch (probed->by) {
	case PROBED_BY_KPROBE:
		snprintf(what, size, "%s at +%#llx%s%s", probed->is_return ? "kretprobe" : "kprobe",
			 (unsigned long long)probed->offset, *probed->flags ? ", " : "", probed->flags);
		break;
	case PROBED_BY_FTRACE:
		snprintf(what, size, "%u callback%s, flags %s%s%s", probed->ops, probed->ops == 1 ? "" : "s",
			 *probed->flags ? probed->flags : "none", probed->trampoline ? ", " : "", probed->trampoline ?: "");
		break;
	case PROBED_BY_EVENT:
		used = snprintf(what, size, "%s, %s at +%#llx", probed->event, probed->is_return ? "kretprobe" : "kprobe",
				(unsigned long long)probed->offset);
		if (probed->hits_known)
			snprintf(what + used, size - used, ", hits %llu, misses %llu", (unsigned long long)probed->hits,
				 (unsigned long long)probed->misses);
		break;
	case PROBED_BY_BPF:
		used = snprintf(what, size, "%s, program %u %s (%s)", probed->how, probed->program_id, probed->program ?: "?",
				probed->program_type ?: "?");
		if (probed->link_id)
			used += snprintf(what + used, size - used, ", link %u", probed->link_id);
		used += snprintf(what + used, size - used, ", held by %s", probed->holders ?: "no process (pinned)");
		if (probed->hits_known && probed->hits)
			used += snprintf(what + used, size - used, ", ran %llu times, %llu ns each",
					 (unsigned long long)probed->hits, (unsigned long long)(probed->run_ns / probed->hits));
		if (probed->misses_known && probed->misses)
			snprintf(what + used, size - used, ", missed %llu", (unsigned long long)probed->misses);
	}
}

static const char *by_name(enum probed_by by)
{
	static const char *const names[] = { "kprobes", "ftrace", "event", "bpf" };

	return names[by];
}

static void print_text_rows(struct out *out, const char *function, const char *module, const struct text_line *lines,
			    int count)
{
	for (int i = 0; i < count; i++) {
		char bytes[3 * TEXT_SIZE + 1], what[KSYMS_NAME_MAX + 160];
		int used;

		format_bytes(bytes, &lines[i], " ");
		used = snprintf(what, sizeof(what), "+%#-5llx %s", (unsigned long long)lines[i].offset, bytes);
		if (lines[i].insn.kind != KTEXT_OTHER)
			used += snprintf(what + used, sizeof(what) - used, "%*s%s", 3 * 5 + 1 - (int)strlen(bytes), "",
					 ktext_kind__name(lines[i].insn.kind));
		if (lines[i].target)
			snprintf(what + used, sizeof(what) - used, " %s%s%s%s", lines[i].target->name,
				 lines[i].target_offset ? " (inside)" : "", *lines[i].handler ? ", which calls " : "",
				 lines[i].handler);
		else if (lines[i].insn.target)
			snprintf(what + used, sizeof(what) - used, " %#llx", (unsigned long long)lines[i].insn.target);
		print_row(out, function, module, "text", what);
	}
}

/* ---- JSON */

static void json_string(FILE *to, const char *key, const char *value)
{
	char *quoted = value ? malloc(strlen(value) * 6 + 3) : NULL;

	fprintf(to, ",\"%s\":", key);
	if (quoted) {
		*out__json_quote(quoted, value, strlen(value)) = '\0';
		fputs(quoted, to);
	} else {
		fputs("null", to);
	}
	free(quoted);
}

static void json_probed(FILE *to, const struct probed *probed)
{
	fprintf(to, "{\"by\":\"%s\"", by_name(probed->by));
	switch (probed->by) {
	case PROBED_BY_KPROBE:
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu", probed->is_return ? "kretprobe" : "kprobe",
			(unsigned long long)probed->offset);
		json_string(to, "flags", probed->flags);
		break;
	case PROBED_BY_FTRACE:
		fprintf(to, ",\"callbacks\":%u", probed->ops);
		json_string(to, "flags", probed->flags);
		json_string(to, "trampoline", probed->trampoline);
		break;
	case PROBED_BY_EVENT:
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu", probed->is_return ? "kretprobe" : "kprobe",
			(unsigned long long)probed->offset);
		json_string(to, "event", probed->event);
		break;
	case PROBED_BY_BPF:
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu,\"program_id\":%u", probed->how,
			(unsigned long long)probed->offset, probed->program_id);
		json_string(to, "program", probed->program);
		json_string(to, "program_type", probed->program_type);
		if (probed->link_id)
			fprintf(to, ",\"link_id\":%u", probed->link_id);
		else
			fputs(",\"link_id\":null", to);
		json_string(to, "held_by", probed->holders);
		if (probed->hits_known)
			fprintf(to, ",\"run_ns\":%llu", (unsigned long long)probed->run_ns);
	}
	if (probed->hits_known)
		fprintf(to, ",\"hits\":%llu", (unsigned long long)probed->hits);
	if (probed->misses_known)
		fprintf(to, ",\"misses\":%llu", (unsigned long long)probed->misses);
	fputc('}', to);
}

static void json_text(FILE *to, const struct text_line *lines, int count)
{
	for (int i = 0; i < count; i++) {
		char bytes[2 * TEXT_SIZE + 1];

		format_bytes(bytes, &lines[i], "");
		fprintf(to, "%s{\"offset\":%llu,\"bytes\":\"%s\"", i ? "," : "", (unsigned long long)lines[i].offset, bytes);
		json_string(to, "insn", lines[i].insn.kind == KTEXT_OTHER ? NULL : ktext_kind__name(lines[i].insn.kind));
		if (lines[i].insn.target) {
			fprintf(to, ",\"target_address\":\"%#llx\"", (unsigned long long)lines[i].insn.target);
			json_string(to, "target", lines[i].target ? lines[i].target->name : NULL);
			json_string(to, "handler", *lines[i].handler ? lines[i].handler : NULL);
		}
		fputc('}', to);
	}
}

/* ---- a function */

/* Its rows, or its object; count may be 0.  Returns -errno of reading its code. */
static int show(struct out *out, const struct ksyms *ksyms, int kcore, const char *function, const char *module,
		const struct probed *probed, size_t count)
{
	uint64_t address = address_of(ksyms, function, module, probed, count);
	struct text_line lines[TEXT_SIZE];
	int lines_count = 0;
	time_t now = time(NULL);
	char time_text[32], *json = NULL;
	FILE *to = NULL;
	size_t size;

	if (opt.text && address)
		lines_count = read_text(kcore, ksyms, address, 0, probed, count, lines);
	if (!opt.json) {
		char what[2048];

		for (size_t i = 0; i < count; i++) {
			describe(&probed[i], what, sizeof(what));
			print_row(out, function, module, by_name(probed[i].by), what);
		}
		if (!count)
			print_row(out, function, module, "-", "nobody is attached");
		print_text_rows(out, function, module, lines, lines_count);
		/* a probe inside the function changes the code there */
		for (size_t i = 0; i < count && opt.text && address; i++) {
			if (probed[i].by == PROBED_BY_KPROBE && probed[i].offset >= TEXT_SIZE &&
			    (!i || probed[i - 1].offset != probed[i].offset))
				print_text_rows(out, function, module, lines,
						read_text(kcore, ksyms, address + probed[i].offset, probed[i].offset,
							  probed, count, lines));
		}
		return lines_count < 0 ? lines_count : 0;
	}
	to = open_memstream(&json, &size);
	if (!to)
		return -ENOMEM;
	strftime(time_text, sizeof(time_text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	fprintf(to, "{\"time\":\"%s\"", time_text);
	json_string(to, "function", function);
	json_string(to, "module", module);
	if (address)
		fprintf(to, ",\"address\":\"%#llx\"", (unsigned long long)address);
	fputs(",\"attached\":[", to);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(',', to);
		json_probed(to, &probed[i]);
	}
	fputc(']', to);
	if (opt.text) {
		fputs(",\"text\":[", to);
		json_text(to, lines, lines_count);
		fputc(']', to);
	}
	fputc('}', to);
	if (!fclose(to))
		out__line(out, json, size);
	free(json);
	return lines_count < 0 ? lines_count : 0;
}

static bool is_same_function(const struct probed *a, const struct probed *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->module ?: "", b->module ?: "");
}

static bool is_listed(const struct probed_list *list, const char *function)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->all[i].function, function))
			return true;
	return false;
}

/* All of it once. Returns -errno of reading code. */
static int show_all(struct out *out, const struct ksyms *ksyms, int kcore)
{
	struct probed_list list = { 0 };
	int err = 0;

	probed__gather(&list, ksyms, is_wanted, NULL);
	for (size_t i = 0, next; i < list.count; i = next) {
		for (next = i + 1; next < list.count && is_same_function(&list.all[i], &list.all[next]); next++)
			;
		err = show(out, ksyms, kcore, list.all[i].function, list.all[i].module, &list.all[i], next - i) ?: err;
	}
	for (int i = 0; i < opt.patterns_count; i++)
		if (!is_glob(opt.patterns[i]) && !is_listed(&list, opt.patterns[i]))
			err = show(out, ksyms, kcore, opt.patterns[i], NULL, NULL, 0) ?: err;
	out__flush(out);
	if (!list.count && !opt.patterns_count)
		fprintf(stderr, "probestat: nobody is attached to any function\n");
	for (size_t i = 0; i < list.notes_count; i++)
		fprintf(stderr, "probestat: %s\n", list.notes[i]);
	probed__free(&list);
	return err;
}

/* A name that no function has is a mistake, and better said than "nobody is attached". */
static void check_patterns(const struct ksyms *ksyms)
{
	struct ksyms_match match;

	for (int i = 0; i < opt.patterns_count; i++) {
		if (is_glob(opt.patterns[i]) || find_function(ksyms, opt.patterns[i], NULL))
			continue;
		if (ksyms__find(NULL, opt.patterns[i], &match))
			match.nearest_count = 0;
		fprintf(stderr, "probestat: no function '%s' in this kernel", opt.patterns[i]);
		for (unsigned int j = 0; j < match.nearest_count; j++)
			fprintf(stderr, "%s'%s'", j ? ", " : " (nearest: ", match.nearest[j]);
		fprintf(stderr, "%s\n", match.nearest_count ? ")" : "");
		exit(TOOL_EXIT_FAILED);
	}
}

static volatile sig_atomic_t stopping;

static void on_signal(int signal)
{
	(void)signal;
	stopping = true;
}

static bool is_stopping(void)
{
	return stopping;
}

/* A second, or less where a signal comes: blocked between the look at `stopping` and the sleep, so that none is missed. */
static void sleep_a_second(void)
{
	struct timespec second = { .tv_sec = 1 };
	sigset_t signals, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (!stopping && sigtimedwait(&signals, NULL, &second) > 0)
		stopping = true;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int main(int argc, char **argv)
{
	struct out out = { .fd = STDOUT_FILENO, .columns = columns, .give_up = is_stopping };
	struct sigaction action = { .sa_handler = on_signal };
	struct ksyms *ksyms;
	int kcore = -1, err;

	parse(argc, argv);
	libbpf_set_print(silent);
	if (geteuid()) {
		fprintf(stderr, "probestat: the kernel tells this to root only (run it with sudo)\n");
		return TOOL_EXIT_FAILED;
	}
	if (!tracefs__mount_point()) {
		fprintf(stderr, "probestat: %s\n", tracefs__why(errno));
		return TOOL_EXIT_FAILED;
	}
	ksyms = ksyms__load();
	if (!ksyms) {
		fprintf(stderr, "probestat: /proc/kallsyms cannot be used: %s%s\n", strerror(errno),
			errno == EPERM ? " (the addresses are hidden: sysctl kernel.kptr_restrict=1)" : "");
		return TOOL_EXIT_FAILED;
	}
	check_patterns(ksyms);
	if (opt.text) {
		kcore = ktext__open();
		if (kcore < 0) {
			fprintf(stderr, "probestat: --text is not possible: /proc/kcore: %s%s\n", strerror(-kcore),
				kcore == -EPERM ? " (lockdown; cat /sys/kernel/security/lockdown)" : "");
			return TOOL_EXIT_FAILED;
		}
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (out__open(&out)) {
		fprintf(stderr, "probestat: no memory\n");
		return TOOL_EXIT_FAILED;
	}
	do {
		/* top of the screen; a file or a pipe gets one table after the other */
		if (opt.watch && !opt.json && isatty(STDOUT_FILENO))
			out__line(&out, "\033[H\033[J", 6);
		if (!opt.json)
			out__header(&out);
		err = show_all(&out, ksyms, kcore);
		if (err)
			fprintf(stderr, "probestat: code cannot be read from /proc/kcore: %s\n", strerror(-err));
		if (opt.watch && !out.error)
			sleep_a_second();
	} while (opt.watch && !stopping && !out.error);
	if (out.error && out.error != -EPIPE) {
		fprintf(stderr, "probestat: stdout cannot be written: %s\n", strerror(-out.error));
		err = out.error;
	}
	out__free(&out);
	ksyms__free(ksyms);
	if (kcore >= 0)
		close(kcore);
	return err ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE;
}
