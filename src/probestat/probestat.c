/* SPDX-License-Identifier: BSD-2-Clause */
/* probestat: who is attached to the kernel's functions, and what that made of their code. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/print/json.h"
#include "kcode.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/switches.h"
#include "lib/print/out.h"
#include "lib/print/say.h"
#include "lib/print/screen.h"
#include "lib/probe/blacklist.h"
#include "lib/probe/probed.h"
#include "probed_text.h"
#include "tracepoints.h"
#include "lib/run/exit.h"
#include "lib/run/foreign_options.h"
#include "lib/run/output_file.h"
#include "lib/run/preflight.h"
#include "lib/run/refuse.h"
#include "lib/loop/loop.h"
#include "lib/kernel/tracefs.h"

static struct {
	bool text;
	bool json;
	bool watch;
	const char *output;		/* -o, or NULL: stdout */
	const char *host;		/* --host, or NULL */
	char **patterns;		/* of functions */
	int patterns_count;
	struct tracepoints tracepoints;
} opt;

/* docs/json.md: none */
static const struct out_column columns[] = {
	{ "FUNCTION", -28, NULL, NULL },
	{ "BY", -7, NULL, NULL },
	{ "WHAT", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* docs/json.md: none */
static const struct out_column tracepoint_columns[] = {
	{ "TRACEPOINT", -28, NULL, NULL },
	{ "BY", -7, NULL, NULL },
	{ "WHAT", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char help[] =
	"Usage: probestat [OPTION...] [FUNCTION|TRACEPOINT...]\n"
	"Shows who is attached to kernel functions: kprobes, ftrace, dynamic events,\n"
	"BPF programs and the processes that hold them. FUNCTION is a name or a glob;\n"
	"without one every probed function is shown. A TRACEPOINT, tp:SYSTEM:NAME, has\n"
	"instances of ftrace, perf events, BPF programs and functions of the kernel.\n"
	"\n"
	"      --text         also the function's code as it is in memory now, decoded:\n"
	"                     its first bytes, and what was changed or can be switched\n"
	"  -w, --watch        again each second, until Ctrl-C\n"
	"      --host         a column with the name of this machine\n"
	"  -o, --output=FILE  write to this file instead of stdout\n"
	"  -j, --json         a JSON object for each function\n"
	"  -h, --help         this text\n"
	"      --usage        the options in a few lines\n"
	"  -V, --version      the version\n"
	"\n"
	"Examples:\n"
	"  sudo probestat                       every probed function\n"
	"  sudo probestat --text do_unlinkat    one, and what its code looks like\n"
	"  sudo probestat -w 'vfs_*'            some, each second\n"
	"  sudo probestat tp:sched:sched_switch who is on a tracepoint\n"
	"  sudo probestat 'tp:*'                all tracepoints that are in use\n";

static const char usage[] =
	"Usage: probestat [-wjhV] [-o FILE] [--text] [--watch] [--host] [--output=FILE] [--json] [--help]\n"
	"                 [--usage] [--version] [FUNCTION|TRACEPOINT...]\n";

static const struct foreign_option foreign_options[] = {
	{ "--count", "it shows what is attached now, not events" },
	{ "--hist", "it shows what is attached now, not events" },
	{ "-T", "-j has the time" },
	{ "--timestamp", "-j has the time" },
	{ NULL, NULL },
};

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "text", no_argument, NULL, 't' },
		{ "watch", no_argument, NULL, 'w' },
		{ "host", no_argument, NULL, 'H' },
		{ "output", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "usage", no_argument, NULL, 'U' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "wo:jhV", options, NULL)) != -1) {
		switch (option) {
		case 't': opt.text = true; break;
		case 'w': opt.watch = true; break;
		case 'H': opt.host = output_file__host(); break;
		case 'o': opt.output = optarg; break;
		case 'j': opt.json = true; break;
		case 'h':
			fputs(help, stdout);
			exit(preflight__text_written());
		case 'U':
			fputs(usage, stdout);
			exit(preflight__text_written());
		case 'V':
			puts("probestat (probelight) " PROBELIGHT_VERSION);
			exit(preflight__text_written());
		default:
			if (!strcmp(argv[optind - 1], "-?")) {
				fputs(help, stdout);
				exit(preflight__text_written());
			}
			refuse__word(options, foreign_options, argv[optind - 1], "unknown option, or its value is missing, or it takes none");
		}
	}
	opt.patterns = argv + optind;
	opt.patterns_count = argc - optind;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[");
}

/* FUNCTION, or MODULE:FUNCTION as the rows have it. */
static bool matches(const char *pattern, const char *function, const char *module)
{
	char name[KSYMS_NAME_MAX + KSYMS_MODULE_MAX];

	if (!fnmatch(pattern, function, 0))
		return true;
	if (!module || !strchr(pattern, ':'))
		return false;
	snprintf(name, sizeof(name), "%s:%s", module, function);
	return !fnmatch(pattern, name, 0);
}

static bool is_wanted(void *context, const char *function, const char *module)
{
	(void)context;
	for (int i = 0; i < opt.patterns_count; i++)
		if (matches(opt.patterns[i], function, module))
			return true;
	return !opt.patterns_count;
}

/* The first function that matches, the second and so on where *index is what the call before has left there; or NULL. */
static const struct ksym *next_function(const struct ksyms *ksyms, const char *pattern, size_t *index)
{
	const struct ksym *sym;

	while ((sym = ksyms__get(ksyms, (*index)++)))
		if (matches(pattern, sym->name, sym->module))
			return sym;
	return NULL;
}

/* Code that the kernel freed when it had booted: what is in its place is something else (x86: _sinittext to _einittext). */
static bool is_freed(const struct ksyms *ksyms, uint64_t address)
{
	return address >= ksyms__address(ksyms, NULL, "_sinittext") && address < ksyms__address(ksyms, NULL, "_einittext");
}

/* The kernel's code, and what is known of it. */
struct code {
	struct ksyms *ksyms;
	int kcore;				/* of ktext__open(); -1: without --text */
	struct static_keys keys;		/* empty without --text */
};

/* A function and who is attached to it. */
struct place {
	const char *function, *module;		/* module NULL: the kernel itself */
	const struct probed *probed;
	size_t count;				/* may be 0 */
	uint64_t address;			/* where it begins; 0: not known */
	const char *obstacle;			/* why it cannot be probed; NULL: it can, or nobody knows */
};

/* Where it begins: as its probes say, for there may be two of one name, else the first of that name. */
static uint64_t address_of(const struct ksyms *ksyms, const struct place *place)
{
	for (size_t i = 0; i < place->count; i++)
		if (place->probed[i].address)
			return place->probed[i].address - place->probed[i].offset;
	return ksyms__address(ksyms, place->module, place->function);
}

static void print_row(struct out *out, const struct place *place, const char *by, const char *what)
{
	char name[KSYMS_NAME_MAX + KSYMS_MODULE_MAX];

	snprintf(name, sizeof(name), "%s%s%s", place->module ?: "", place->module ? ":" : "", place->function);
	out__row(out, 0);
	out__string(out, name, strlen(name));
	out__string(out, by, strlen(by));
	out__string(out, what, strlen(what));
	out__end(out);
}

static void print_code_row(struct out *out, const struct place *place, const struct kcode_line *line)
{
	char bytes[KCODE_HEX_SIZE], what[2 * KSYMS_NAME_MAX + 160];
	int used;

	kcode__hex(bytes, line, " ");
	used = snprintf(what, sizeof(what), "+%#-5llx %s", (unsigned long long)line->offset, bytes);
	if (line->insn.kind != KTEXT_OTHER)
		used += snprintf(what + used, sizeof(what) - used, "%*s%s", 3 * 5 + 1 - (int)strlen(bytes), "",
				 ktext_kind__name(line->insn.kind));
	if (line->target && line->target->address == place->address && line->target_offset)
		used += snprintf(what + used, sizeof(what) - used, " to +%#llx", (unsigned long long)line->target_offset);
	else if (line->target)
		used += snprintf(what + used, sizeof(what) - used, " %s%s%s%s", line->target->name,
				 line->target_offset ? " (inside)" : "", *line->handler ? ", which calls " : "", line->handler);
	else if (line->insn.target)
		used += snprintf(what + used, sizeof(what) - used, " %#llx", (unsigned long long)line->insn.target);
	if (line->key)
		snprintf(what + used, sizeof(what) - used, ", switched by %s", line->key);
	print_row(out, place, "text", what);
}

/*
 * All that --text shows of a function: its beginning, the code at each probe inside it, what else was changed, and what static keys switch.
 * keys: of static_keys__load().  The number of lines, or -errno of reading.
 */
#define TEXT_LINES_MAX 512

static int read_text(const struct code *code, const struct place *place, struct kcode_line lines[TEXT_LINES_MAX])
{
	uint64_t size = ksyms__size(place->address);
	int count = kcode__read(code->kcore, code->ksyms, place->address, 0, place->probed, place->count, lines), more = 0;

	for (size_t i = 0; i < place->count && count >= 0; i++) {
		const struct probed *probed = &place->probed[i];

		if (probed->by != PROBED_BY_KPROBE || probed->offset < KCODE_SIZE || (i && probed[-1].offset == probed->offset) ||
		    count + KCODE_SIZE + KCODE_CHANGES + KCODE_SWITCHED > TEXT_LINES_MAX)
			continue;
		more = kcode__read(code->kcore, code->ksyms, place->address + probed->offset, probed->offset, place->probed, place->count,
				   lines + count);
		count = more < 0 ? more : count + more;
	}
	if (count >= 0) {
		more = kcode__find_changes(code->kcore, code->ksyms, place->address, size, place->probed, place->count, lines + count);
		count = more < 0 ? more : count + more;
	}
	if (count >= 0) {
		more = kcode__find_switched(code->kcore, code->ksyms, place->address, size, &code->keys, lines + count);
		count = more < 0 ? more : count + more;
	}
	return count;
}

/* Its rows.  0, or -errno of reading its code. */
static int show_rows(struct out *out, const struct code *code, const struct place *place)
{
	const struct probed *probed = place->probed;
	struct kcode_line lines[TEXT_LINES_MAX];
	char what[2048];
	int count;

	for (size_t i = 0; i < place->count; i++) {
		probed__describe(&probed[i], what, sizeof(what));
		print_row(out, place, probed_by__name(probed[i].by), what);
	}
	if (!place->count) {
		snprintf(what, sizeof(what), "nobody is attached%s%s", place->obstacle ? ", and it cannot be probed: " : "",
			 place->obstacle ?: "");
		print_row(out, place, "-", what);
	}
	if (!opt.text || !place->address)
		return 0;
	if (is_freed(code->ksyms, place->address)) {
		print_row(out, place, "text", "freed after the boot (__init)");
		return 0;
	}
	count = read_text(code, place, lines);
	for (int i = 0; i < count; i++)
		print_code_row(out, place, &lines[i]);
	return count < 0 ? count : 0;
}

/* Its object.  0, or -errno of reading its code. */
static int show_object(struct out *out, const struct code *code, const struct place *place)
{
	struct kcode_line lines[TEXT_LINES_MAX];
	char time_text[WALLCLOCK_SIZE], *json = NULL;
	FILE *to = NULL;
	int count = 0;
	size_t size;

	to = open_memstream(&json, &size);
	if (!to)
		return -ENOMEM;
	wallclock__write_now(time_text);
	fprintf(to, "{\"type\":\"function\",\"tool\":\"probestat\",\"time\":\"%s\"", time_text);
	json__string(to, "function", place->function);
	json__string(to, "module", place->module);
	if (place->obstacle)
		json__string(to, "not_probed", place->obstacle);
	if (place->address)
		fprintf(to, ",\"address\":\"%#llx\"", (unsigned long long)place->address);
	fputs(",\"attached\":[", to);
	for (size_t i = 0; i < place->count; i++) {
		if (i)
			fputc(',', to);
		probed__json(to, &place->probed[i]);
	}
	fputc(']', to);
	if (opt.text && is_freed(code->ksyms, place->address)) {
		fputs(",\"text\":null", to);
	} else if (opt.text) {
		if (place->address)
			count = read_text(code, place, lines);
		fputs(",\"text\":[", to);
		kcode__json(to, lines, count);
		fputc(']', to);
	}
	fputc('}', to);
	if (!fclose(to))
		out__line(out, json, size);
	free(json);
	return count < 0 ? count : 0;
}

static int show(struct out *out, const struct code *code, struct place place)
{
	place.address = address_of(code->ksyms, &place);
	return opt.json ? show_object(out, code, &place) : show_rows(out, code, &place);
}

static bool is_same_function(const struct probed *a, const struct probed *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->module ?: "", b->module ?: "");
}

static bool is_listed(const struct probed_list *list, const char *pattern)
{
	for (size_t i = 0; i < list->count; i++)
		if (matches(pattern, list->all[i].function, list->all[i].module))
			return true;
	return false;
}

/* Why the kernel lets nobody probe a function; NULL: it does, or that cannot be known. */
static const char *obstacle_of(const struct ksyms *ksyms, int kcore, uint64_t address)
{
	uint8_t bytes[KTEXT_BEGIN];
	int fd = kcore >= 0 ? kcore : ktext__open(), err;

	err = fd < 0 ? fd : ktext__read(fd, address, bytes, sizeof(bytes));
	if (fd >= 0 && fd != kcore)
		close(fd);
	if (blacklist__has(address))
		return "it is on the kernel's blacklist, as kprobes themselves run it";
	if (is_freed(ksyms, address))
		return "it is freed after the boot (__init)";
	return !err && ktext__find_hook(bytes) < 0 ? KTEXT_NO_HOOK : NULL;
}

/* Of a pattern that nobody is attached to: the function, or that there is none. */
static int show_nobody(struct out *out, const struct code *code, const char *pattern)
{
	const struct ksym *sym;
	size_t index = 0;

	if (is_glob(pattern)) {
		fprintf(stderr, "probestat: nobody is attached to a function that matches '%s'\n", pattern);
		return 0;
	}
	sym = next_function(code->ksyms, pattern, &index);
	/* its module may have gone since */
	return sym ? show(out, code, (struct place){ .function = sym->name, .module = sym->module,
						     .obstacle = obstacle_of(code->ksyms, code->kcore, sym->address) }) : 0;
}

/* Functions, once. Returns -errno of reading code. */
static int show_functions(struct out *out, const struct code *code)
{
	struct probed_list list = { 0 };
	int err = 0;

	probed__gather(&list, code->ksyms, is_wanted, NULL);
	for (size_t i = 0, next; i < list.count; i = next) {
		for (next = i + 1; next < list.count && is_same_function(&list.all[i], &list.all[next]); next++)
			;
		err = show(out, code, (struct place){ .function = list.all[i].function, .module = list.all[i].module,
						      .probed = &list.all[i], .count = next - i }) ?: err;
	}
	for (int i = 0; i < opt.patterns_count; i++)
		if (!is_listed(&list, opt.patterns[i]))
			err = show_nobody(out, code, opt.patterns[i]) ?: err;
	if (!list.count && !opt.patterns_count)
		fprintf(stderr, "probestat: nobody is attached to any function (tracepoints: probestat 'tp:*')\n");
	if (switches__kprobes_are_off() > 0)
		fprintf(stderr, "probestat: kprobes are switched off, and see nothing: " SWITCHES_KPROBES " is 0 (echo 1 >" SWITCHES_KPROBES ")\n");
	if (switches__ftrace_is_off())
		fprintf(stderr, "probestat: function hooks are switched off, and see nothing: " SWITCHES_FTRACE " is 0 (sysctl "
			"kernel.ftrace_enabled=1)\n");
	for (size_t i = 0; i < list.notes_count; i++)
		fprintf(stderr, "probestat: %s\n", list.notes[i]);
	probed__free(&list);
	return err;
}

/* All of it once.  0 or -errno, which is told. */
static int show_all(struct out *out, const struct code *code)
{
	struct fault fault;
	int err = 0;

	if (opt.patterns_count || !opt.tracepoints.count) {
		err = show_functions(out, code);
		if (err)
			fprintf(stderr, "probestat: code cannot be read from /proc/kcore: %s\n", strerror(-err));
	}
	if (opt.tracepoints.count && tracepoints__show(&opt.tracepoints, out, opt.json, code->ksyms, &fault)) {
		fprintf(stderr, "probestat: %s\n", fault.text);
		err = fault.err;
	}
	if (!err || opt.patterns_count)
		out__flush(out);
	return err;
}

/* Of an address: the function that is there has a name.  Ends the program. */
static void fail_on_address(const struct ksyms *ksyms, const char *pattern)
{
	uint64_t offset, address = strtoull(pattern, NULL, 16);
	const struct ksym *sym = ksyms__at(ksyms, address, &offset);

	/* behind the last function of the kernel, or of a module, everything is far from it */
	if (sym && offset < KCODE_FUNCTION_MAX)
		fprintf(stderr, "probestat: '%s' is an address, and in the function '%s' at +%#llx (take that name)\n", pattern, sym->name,
			(unsigned long long)offset);
	else
		fprintf(stderr, "probestat: no function of this kernel is at the address '%s'\n", pattern);
	exit(TOOL_EXIT_FAILED);
}

/* Ends the program, with the likest names. */
static void fail_to_find(const struct ksyms *ksyms, const char *pattern)
{
	const char *colon = strchr(pattern, ':'), *separator = " (nearest: ";
	char module[KSYMS_MODULE_MAX], path[KSYMS_MODULE_MAX + 16];
	struct ksyms_match match;

	if (!strncmp(pattern, "0x", 2))
		fail_on_address(ksyms, pattern);
	snprintf(module, sizeof(module), "%.*s", colon ? (int)(colon - pattern) : 0, pattern);
	snprintf(path, sizeof(path), "/sys/module/%s", module);
	if (*module && !is_glob(pattern) && access(path, F_OK)) {
		fprintf(stderr, "probestat: no function '%s' in this kernel: the module '%s' is not loaded (modprobe %s)\n", pattern,
			module, module);
		exit(TOOL_EXIT_FAILED);
	}
	if (is_glob(pattern) || ksyms__find(colon ? module : NULL, colon ? colon + 1 : pattern, &match))
		match.nearest_count = 0;
	fprintf(stderr, is_glob(pattern) ? "probestat: no function in this kernel matches '%s'" :
					   "probestat: no function '%s' in this kernel", pattern);
	for (unsigned int i = 0; i < match.nearest_count; i++, separator = ", ")
		fprintf(stderr, "%s'%s%s%s'", separator, module, colon ? ":" : "", match.nearest[i]);
	fprintf(stderr, "%s\n", match.nearest_count ? ")" : "");
	exit(TOOL_EXIT_FAILED);
}

/* One more word that means tracepoints; they have room for all. */
static void take_tracepoint(const char **tracepoints, char *pattern)
{
	tracepoints[opt.tracepoints.count++] = pattern;
	opt.tracepoints.patterns = tracepoints;
}

/*
 * Which words mean functions, and which tracepoints: "tp:…", "rawtp:…", and what no function is called.  A name that nothing has is a mistake, and
 * better said than "nobody is attached"; one that several functions have, too.
 */
static void check_patterns(const struct ksyms *ksyms)
{
	const char **tracepoints = calloc((size_t)opt.patterns_count + 1, sizeof(*tracepoints));
	int functions = 0;

	if (!tracepoints)
		exit(TOOL_EXIT_FAILED);
	for (int i = 0; i < opt.patterns_count; i++) {
		char *pattern = opt.patterns[i];
		unsigned int count = 0;
		size_t index = 0;

		if (!strncmp(pattern, "tp:", 3) || !strncmp(pattern, "rawtp:", 6)) {
			take_tracepoint(tracepoints, pattern);
			continue;
		}
		while (next_function(ksyms, pattern, &index))
			count++;
		if (!count && !tracepoints__exist(pattern))
			fail_to_find(ksyms, pattern);
		if (!count)
			take_tracepoint(tracepoints, pattern);
		else
			opt.patterns[functions++] = pattern;
		if (count > 1 && !is_glob(pattern))
			fprintf(stderr, "probestat: '%s' is the name of %u functions: the kernel does not always report which of them "
				"a probe is in\n", pattern, count);
	}
	opt.patterns_count = functions;
	if (!opt.tracepoints.count)
		free(tracepoints);
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* The kernel's symbols; what is missing for them, and for the rest, is reported, and ends the program. */
static struct ksyms *load_symbols(void)
{
	struct ksyms *ksyms;

	if (geteuid()) {
		fprintf(stderr, "probestat: the kernel shows this to root only (run it with sudo)\n");
		exit(TOOL_EXIT_FAILED);
	}
	if (!tracefs__mount_point()) {
		fprintf(stderr, "probestat: %s\n", tracefs__why(errno));
		exit(TOOL_EXIT_FAILED);
	}
	/* without memory for it the file is read each time */
	ksyms__keep_text();
	ksyms = ksyms__load();
	if (!ksyms) {
		fprintf(stderr, "probestat: /proc/kallsyms cannot be used: %s%s\n", strerror(errno),
			errno == EPERM ? " (the addresses are hidden: sysctl kernel.kptr_restrict=1)" : "");
		exit(TOOL_EXIT_FAILED);
	}
	return ksyms;
}

/* /proc/kcore, or the end.  A kernel whose static keys cannot be read has none. */
static void open_code(struct code *code)
{
	int err;

	code->kcore = ktext__open();
	if (code->kcore < 0) {
		fprintf(stderr, "probestat: --text is not possible: /proc/kcore: %s%s\n", strerror(-code->kcore),
			code->kcore == -EPERM ? " (lockdown; cat /sys/kernel/security/lockdown)" : "");
		exit(TOOL_EXIT_FAILED);
	}
	err = static_keys__load(&code->keys);
	if (err)
		fprintf(stderr, "probestat: the kernel's static keys are not shown: %s%s\n", strerror(-err),
			err == -EPERM ? " (/proc/kallsyms hides where they are: sysctl kernel.kptr_restrict=1)" : "");
}

int main(int argc, char **argv)
{
	struct out out = { .sink = { .fd = STDOUT_FILENO, .should_stop = loop__is_stopping }, .columns = columns };
	const struct loop loop = { .out = &out };
	struct code code = { .kcore = -1 };
	const char *error;
	int err;

	say__name("probestat");
	parse(argc, argv);
	out.json = opt.json;
	out.host = opt.host;
	if (preflight__files(!opt.output) || output_file__open(opt.output, &out.sink))
		return TOOL_EXIT_FAILED;
	libbpf_set_print(silent);
	loop__catch_signals();
	code.ksyms = load_symbols();
	check_patterns(code.ksyms);
	if (opt.tracepoints.count && !opt.patterns_count)
		out.columns = tracepoint_columns;
	if (opt.text)
		open_code(&code);
	if (out__open(&out)) {
		fprintf(stderr, "probestat: no memory\n");
		return TOOL_EXIT_FAILED;
	}
	if (output_file__begin(&out.sink))
		return TOOL_EXIT_FAILED;
	for (;;) {
		/* top of the screen; a file or a pipe gets one table after the other */
		if (opt.watch && screen__is_there(&out))
			screen__clear(&out);
		if (!opt.json)
			out__header(&out);
		err = show_all(&out, &code);
		if (!opt.watch || out.error)
			break;
		loop__sleep(&loop, -1, 1000);
		if (loop__is_over(&loop))
			break;
		/* modules and trampolines come and go */
		ksyms__free(code.ksyms);
		code.ksyms = load_symbols();
	}
	error = out__error(&out);
	if (error) {
		fprintf(stderr, "probestat: %s\n", error);
		err = out.error;
	}
	out__free(&out);
	if (output_file__close(&out.sink) && !err)
		err = -EIO;
	ksyms__free(code.ksyms);
	ksyms__drop_text();
	static_keys__free(&code.keys);
	if (code.kcore >= 0)
		close(code.kcore);
	return err ? TOOL_EXIT_FAILED : TOOL_EXIT_DONE;
}
