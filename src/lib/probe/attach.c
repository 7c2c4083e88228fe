/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attach.h"
#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/json.h"
#include "lib/shared/syscalls.h"

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/type"
#define KPROBES_BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define LOCKDOWN "/sys/kernel/security/lockdown"

static const char *const mode_names[] = {
	[ATTACH_AUTO] = "auto",
	[ATTACH_LINK] = "link",
	[ATTACH_PERF] = "perf",
	[ATTACH_LEGACY] = "legacy",
	[ATTACH_MULTI] = "multi",
	[ATTACH_FENTRY] = "fentry",
};
#define MODES_COUNT (sizeof(mode_names) / sizeof(*mode_names))

int attach_mode__parse(const char *text, enum attach_mode *mode)
{
	for (unsigned int i = 0; i < MODES_COUNT; i++) {
		if (!strcmp(text, mode_names[i])) {
			*mode = i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *attach_mode__name(enum attach_mode mode)
{
	return mode_names[mode];
}

/* The first error sticks.  The links there are will be destroyed next: attach__end() comes after that. */
static int __attribute__((format(printf, 3, 4))) fail(struct attach *attach, int err, const char *format, ...)
{
	va_list args;

	if (attach->err)
		return attach->err;
	va_start(args, format);
	vsnprintf(attach->error, sizeof(attach->error), format, args);
	va_end(args);
	attach->err = err;
	attach__before_detach(attach);
	return err;
}

/* Appends to a text in a buffer of size bytes, "; " between parts. */
static void __attribute__((format(printf, 3, 4))) add_part(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	if (length && length + 2 < size) {
		strcpy(text + length, "; ");
		length += 2;
	}
	va_start(args, format);
	vsnprintf(text + length, size - length, format, args);
	va_end(args);
}

/* ---- names */

int attach_name__parse(const char *text, struct attach_name *name)
{
	const char *colon = strchr(text, ':'), *function = colon ? colon + 1 : text, *plus = strchr(function, '+');
	size_t module_length = colon ? (size_t)(colon - text) : 0;
	size_t length = plus ? (size_t)(plus - function) : strlen(function);
	char *end;

	memset(name, 0, sizeof(*name));
	if (module_length >= sizeof(name->module) || length >= sizeof(name->function) || !length || (colon && !module_length))
		return -EINVAL;
	memcpy(name->module, text, module_length);
	memcpy(name->function, function, length);
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.:+$", *at))
			return -EINVAL;
	if (strchr(function, ':'))
		return -EINVAL;
	if (plus) {
		if (!isdigit((unsigned char)plus[1]))
			return -EINVAL;
		errno = 0;
		name->offset = strtoul(plus + 1, &end, 0);
		if (*end || errno)
			return -EINVAL;
	}
	return 0;
}

/* "MODULE:FUNC", as the kernel takes it, without the offset. */
static void kernel_name(const struct attach_name *name, char text[ATTACH_NAME_MAX])
{
	snprintf(text, ATTACH_NAME_MAX, "%s%s%s", name->module, *name->module ? ":" : "", name->function);
}

/* ---- one try */

/* What a program is to be attached to, and how far that got. */
struct attempt {
	struct bpf_program *program;
	bool is_return;
	struct bpf_link *link;
	enum attach_mode mode;		/* being tried, at the end the one that worked */
	char why[256];			/* why no better mode */
	int err;			/* of the last try */
};

static struct bpf_link *attach_legacy(const struct attempt *attempt, const char *function, unsigned long offset)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	LIBBPF_OPTS(bpf_perf_event_opts, options);
	char event[KPROBE_EVENTS_NAME_MAX], where[ATTACH_NAME_MAX + 24];
	struct bpf_link *link = NULL;
	int id, err, perf_fd;

	if (offset)
		snprintf(where, sizeof(where), "%s+%lu", function, offset);
	else
		snprintf(where, sizeof(where), "%s", function);
	err = kprobe_events__add(where, attempt->is_return, event);
	if (err) {
		errno = -err;
		return NULL;
	}
	id = kprobe_events__id(event);
	if (id < 0) {
		err = id;
		goto out;
	}
	attr.config = id;
	/* CPU 0 is where a perf event must live; programs run for the tracepoint on every CPU */
	perf_fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf_fd < 0) {
		err = -errno;
		goto out;
	}
	/* a perf link where there is one: it tells what was missed */
	link = bpf_program__attach_perf_event_opts(attempt->program, perf_fd, &options);
	if (!link) {
		err = -errno;
		close(perf_fd);
	}
out:
	if (!link) {
		kprobe_events__remove(event);
		errno = -err;
	}
	return link;
}

static struct bpf_link *attach_multi(const struct attempt *attempt, const char *function)
{
	const char *plain = strchr(function, ':') ? strchr(function, ':') + 1 : function;
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = attempt->is_return, .cnt = 1);
	struct ksyms_match match;
	unsigned long address;
	char module[KSYMS_MODULE_MAX] = "";
	int err;

	if (plain == function) {
		options.syms = &plain;
		return bpf_program__attach_kprobe_multi_opts(attempt->program, NULL, &options);
	}
	/* kprobe.multi takes no module with a name, but it takes an address */
	memcpy(module, function, plain - 1 - function);
	err = ksyms__find(module, plain, &match);
	if (err || !match.functions) {
		errno = err ? -err : ENOENT;
		return NULL;
	}
	address = match.address;
	options.addrs = &address;
	return bpf_program__attach_kprobe_multi_opts(attempt->program, NULL, &options);
}

/* Tries one mode on one name.  0 or -errno, also in attempt->err. */
static int try_mode(struct attempt *attempt, enum attach_mode mode, const struct attach_name *name)
{
	LIBBPF_OPTS(bpf_kprobe_opts, options, .retprobe = attempt->is_return, .offset = name->offset);
	char function[ATTACH_NAME_MAX];

	kernel_name(name, function);
	errno = 0;
	switch (mode) {
	case ATTACH_LINK:
	case ATTACH_PERF:
		options.attach_mode = mode == ATTACH_LINK ? PROBE_ATTACH_MODE_LINK : PROBE_ATTACH_MODE_PERF;
		attempt->link = bpf_program__attach_kprobe_opts(attempt->program, function, &options);
		break;
	case ATTACH_LEGACY:
		attempt->link = attach_legacy(attempt, function, name->offset);
		break;
	case ATTACH_MULTI:
		attempt->link = attach_multi(attempt, function);
		break;
	default:
		attempt->link = NULL;
		errno = EINVAL;
	}
	attempt->mode = mode;
	attempt->err = attempt->link ? 0 : errno ? -errno : -EINVAL;
	return attempt->err;
}

/* ---- modes that a kernel may lack */

static bool has_pmu(void)
{
	return !access(KPROBE_PMU, R_OK);
}

/* NULL where there are kprobe events, else why not. */
static const char *lacks_kprobe_events(void)
{
	char path[512];

	if (tracefs__path(path, sizeof(path), "kprobe_events") || (access(path, W_OK) && errno == ENOENT))
		return "no kprobe_events in tracefs (CONFIG_KPROBE_EVENTS)";
	if (!access(path, W_OK))
		return NULL;
	return errno == EROFS ? "tracefs is mounted read-only (mount -o remount,rw /sys/kernel/tracing)" :
				"kprobe_events in tracefs may not be written";
}

/*
 * kprobe.multi with a name that cannot be: -ESRCH where the kernel can do it, -EOPNOTSUPP without CONFIG_FPROBE,
 * -EINVAL before 5.18.
 */
static int probe_multi(const struct bpf_program *program)
{
	const char *none = "-";
	LIBBPF_OPTS(bpf_link_create_opts, options, .kprobe_multi.syms = &none, .kprobe_multi.cnt = 1);
	int fd = bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_KPROBE_MULTI, &options);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	return -errno;
}

/*
 * No names are -EINVAL.  One that cannot be would cost 120 M instructions (7.3): the kernel looks through all it has.
 */
static bool has_multi(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	int fd, err;

	/* before, -EINVAL is the answer to everything */
	if (kernel__version() < kernel_version(5, 18, 0))
		return false;
	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "Dual BSD/GPL", nothing, 2, &options);
	if (fd < 0)
		return false;
	err = bpf_link_create(fd, 0, BPF_TRACE_KPROBE_MULTI, NULL) < 0 ? -errno : 0;
	close(fd);
	return err == -EINVAL;
}

bool attach__may_all(const struct attach *attach)
{
	return (attach->wanted == ATTACH_AUTO || attach->wanted == ATTACH_MULTI) && has_multi();
}

/* Why the kernel lacks a mode, or NULL where the error is about the function.  err is that of try_mode(). */
static const char *lacking(enum attach_mode mode, const struct bpf_program *program, int err)
{
	switch (mode) {
	case ATTACH_LINK:
	case ATTACH_PERF:
		if (err != -ENOTSUP && err != -ENOENT)
			return NULL;
		if (!has_pmu())
			return "no kprobe PMU (CONFIG_KPROBE_EVENTS, since Linux 4.17)";
		return err == -ENOTSUP ? "no BPF perf link before Linux 5.15" : NULL;
	case ATTACH_LEGACY:
		return lacks_kprobe_events();
	case ATTACH_MULTI:
		if (err != -EOPNOTSUPP && err != -EINVAL)
			return NULL;
		switch (probe_multi(program)) {
		case -EOPNOTSUPP:
			return "this kernel was built without CONFIG_FPROBE";
		case -EINVAL:
			return "no kprobe.multi before Linux 5.18";
		default:
			return NULL;
		}
	default:
		return NULL;
	}
}

/* Whether an error of try_mode() is one that another name might not meet. */
static bool is_about_name(int err)
{
	return err == -ENOENT || err == -EADDRNOTAVAIL || err == -EINVAL || err == -ESRCH || err == -EILSEQ ||
	       err == -EOPNOTSUPP;
}

/* All modes wanted, the best first, on one name; the loop ends at the first that the kernel has.  0 or -errno. */
static int try_modes(const struct attach *attach, struct attempt *attempt, const struct attach_name *name)
{
	static const enum attach_mode entry[] = { ATTACH_LINK, ATTACH_PERF, ATTACH_LEGACY };
	static const enum attach_mode at_return[] = { ATTACH_LINK, ATTACH_LEGACY, ATTACH_PERF };
	const enum attach_mode *best_first = attempt->is_return ? at_return : entry;
	bool is_multi = bpf_program__expected_attach_type(attempt->program) == BPF_TRACE_KPROBE_MULTI;

	attempt->why[0] = '\0';
	if (attach->wanted != ATTACH_AUTO)
		return try_mode(attempt, attach->wanted, name);
	if (is_multi) {
		/* attach__prepare() found nothing else */
		add_part(attempt->why, sizeof(attempt->why), "%s", lacks_kprobe_events() ?: "no kprobe PMU");
		return try_mode(attempt, ATTACH_MULTI, name);
	}
	for (size_t i = 0; i < sizeof(entry) / sizeof(*entry); i++) {
		const char *lacks;

		if (!try_mode(attempt, best_first[i], name))
			return 0;
		lacks = lacking(best_first[i], attempt->program, attempt->err);
		if (!lacks)
			break;
		/* link and perf need the same PMU: once is enough */
		if (!strstr(attempt->why, lacks))
			add_part(attempt->why, sizeof(attempt->why), "%s: %s", mode_names[best_first[i]], lacks);
	}
	return attempt->err;
}

/* ---- why not */

/* Whether an address is in /sys/kernel/debug/kprobes/blacklist: "0xSTART-0xEND\tNAME" lines. */
static bool is_blacklisted(uint64_t address)
{
	FILE *file = fopen(KPROBES_BLACKLIST, "re");
	unsigned long long start, end;
	bool found = false;
	char line[1024];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx-%llx", &start, &end) == 2)
			found = address && address >= start && address < end;
	fclose(file);
	return found;
}

/* Whether a function is in a file of tracefs with a line "NAME …" or "NAME [MODULE] …" for each: 1, 0 or -errno. */
static int is_listed(const char *file, const char *module, const char *function)
{
	char *text, *line, *rest = NULL;
	size_t size, length = strlen(function);
	bool found = false;
	int err;

	err = tracefs__read(file, 64 << 20, &text, &size);
	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, function, length))
			continue;
		if (!*module)
			found = !line[length] || line[length] == ' ';
		else
			found = line[length] == ' ' && strstr(line + length, module);
	}
	free(text);
	return found;
}

/* Fails with what the kernel has under a name that it has, in view of the error it gave. */
static int fail_existing(struct attach *attach, const struct attempt *attempt, const struct attach_name *name,
			 const struct ksyms_match *match)
{
	int err = attempt->err;

	if (match->functions > 1)
		return fail(attach, -EADDRNOTAVAIL, "'%s' is the name of %u functions: a probe cannot tell which (take "
			    "MODULE:%s for one in a module, or another function)", name->function, match->functions,
			    name->function);
	if (is_blacklisted(match->address))
		return fail(attach, err, "'%s' is on the kernel's blacklist: kprobes themselves run it (probe one of its "
			    "callers)", name->function);
	if (err == -EILSEQ)
		return fail(attach, err, "'%s+%#lx' is not the start of an instruction", name->function, name->offset);
	if (!is_listed("available_filter_functions", *name->module ? name->module : match->module, name->function))
		return fail(attach, err, "'%s' is not traceable: it was compiled without ftrace's hook (notrace), and the "
			    "kernel refuses to probe such functions", name->function);
	if (name->offset && err == -EINVAL)
		return fail(attach, err, "'%s+%#lx' may not be probed: the kernel changes the code there itself",
			    name->function, name->offset);
	return fail(attach, err, "'%s' cannot be probed: %s", name->function, strerror(-err));
}

static void quote_list(char *text, size_t size, const char *const *names, unsigned int count, const char *between)
{
	*text = '\0';
	for (unsigned int i = 0; i < count; i++) {
		size_t length = strlen(text);

		snprintf(text + length, size - length, "%s'%s'", i ? between : "", names[i]);
	}
}

static int fail_missing(struct attach *attach, const struct attach_name *name, const char *const *functions,
			unsigned int count, const struct ksyms_match *match)
{
	char names[512], nearest[600];
	const char *list[KSYMS_NEAREST];

	if (*name->module) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/module/%s", name->module);
		if (access(path, F_OK))
			return fail(attach, -ENOENT, "'%s:%s': the module '%s' is not loaded (modprobe %s)", name->module,
				    name->function, name->module, name->module);
	}
	quote_list(names, sizeof(names), functions, count, " or ");
	for (unsigned int i = 0; i < match->nearest_count; i++)
		list[i] = match->nearest[i];
	quote_list(nearest, sizeof(nearest), list, match->nearest_count, ", ");
	if (*name->module)
		return fail(attach, -ENOENT, "no function %s in that module%s%s%s", names, *nearest ? " (nearest: " : "",
			    nearest, *nearest ? ")" : "");
	return fail(attach, -ENOENT, "no function %s in this kernel%s%s%s", names, *nearest ? " (nearest: " : "", nearest,
		    *nearest ? ")" : " (it may be inlined everywhere)");
}

/* Reasons that have nothing to do with the function. */
static int fail_general(struct attach *attach, int err)
{
	char lockdown[128];

	if (file__read_small(LOCKDOWN, lockdown, sizeof(lockdown)) > 0 && strstr(lockdown, "[confidentiality]"))
		return fail(attach, err, "probes are not permitted: the kernel is locked down (confidentiality)");
	if (err == -EPERM || err == -EACCES)
		return fail(attach, err, "probes are not permitted: %s (run it with sudo)", strerror(-err));
	return fail(attach, err, "a probe cannot be made: %s", strerror(-err));
}

/* Fails if the last try did for a reason that another name would meet as well.  Returns attach->err. */
static int fail_unless_name(struct attach *attach, const struct attempt *attempt)
{
	const char *lacks = lacking(attempt->mode, attempt->program, attempt->err);

	if (lacks && attach->wanted == ATTACH_AUTO)
		return fail(attach, attempt->err, "no way to attach a probe: %s%s%s", attempt->why,
			    strstr(attempt->why, lacks) ? "" : "; multi: ", strstr(attempt->why, lacks) ? "" : lacks);
	if (lacks)
		return fail(attach, attempt->err, "--attach %s is not possible: %s (leave --attach out, and it takes what there "
			    "is)", mode_names[attach->wanted], lacks);
	return is_about_name(attempt->err) ? 0 : fail_general(attach, attempt->err);
}

static int fail_ftrace_off(struct attach *attach)
{
	return fail(attach, -EBUSY, "function hooks are switched off: %s is 0 (sysctl kernel.ftrace_enabled=1)",
		    SWITCHES_FTRACE);
}

static int fail_kprobes_off(struct attach *attach)
{
	return fail(attach, -EBUSY, "kprobes are switched off: %s is 0 (echo 1 >%s)", SWITCHES_KPROBES, SWITCHES_KPROBES);
}

/* Before anything is attached: the kernel takes a hook also while it is switched off, and is damaged by it (switches.h). */
static int check_switches(struct attach *attach, bool is_kprobe)
{
	int off;

	if (switches__ftrace_is_off())
		return fail_ftrace_off(attach);
	if (!is_kprobe || attach->kprobes_work)
		return 0;
	off = switches__kprobes_are_off();
	if (off > 0)
		return fail_kprobes_off(attach);
	attach->kprobes_work = !off;
	return 0;
}

/* CONFIG_KPROBES_ON_FTRACE: on x86-64 wherever ftrace lists functions at all. */
#if defined(__x86_64__)
#define KPROBES_ON_FTRACE 1
#else
#define KPROBES_ON_FTRACE 0
#endif

/*
 * After a link was made.  Somebody may have thrown the switch since it was read: then the link goes again, with the switch
 * on.  Where kprobes/enabled cannot be read, the first probe tells: it uses ftrace's hook, and ftrace lists the functions
 * that are hooked.
 */
static int check_attached(struct attach *attach, const struct attempt *attempt, const struct attach_name *name)
{
	bool is_kprobe = attempt->mode != ATTACH_MULTI && attempt->mode != ATTACH_FENTRY;
	int held;

	if (switches__ftrace_is_off()) {
		held = switches__hold_ftrace();
		bpf_link__destroy(attempt->link);
		if (held >= 0)
			switches__release_ftrace();
		return fail_ftrace_off(attach);
	}
	if (!is_kprobe || attach->kprobes_work || name->offset || !KPROBES_ON_FTRACE)
		return 0;
	if (!is_listed("enabled_functions", name->module, name->function) &&
	    is_listed("available_filter_functions", name->module, name->function) == 1) {
		bpf_link__destroy(attempt->link);
		return fail_kprobes_off(attach);
	}
	attach->kprobes_work = true;
	return 0;
}

/* ---- attaching */

static struct attach_probe *add_probe(struct attach *attach)
{
	struct attach_probe *probes = realloc(attach->probes, (attach->probes_count + 1) * sizeof(*probes));

	if (!probes)
		return NULL;
	attach->probes = probes;
	probes += attach->probes_count;
	memset(probes, 0, sizeof(*probes));
	return probes;
}

static int done(struct attach *attach, struct attempt *attempt, const struct attach_name *name, const char *remark,
		struct bpf_link **link)
{
	struct attach_probe *probe;
	int err;

	err = check_attached(attach, attempt, name);
	if (err)
		return err;
	probe = add_probe(attach);
	if (!probe) {
		bpf_link__destroy(attempt->link);
		return fail(attach, -ENOMEM, "no memory");
	}
	probe->program = bpf_program__name(attempt->program);
	probe->is_return = attempt->is_return;
	probe->mode = attempt->mode;
	kernel_name(name, probe->function);
	if (name->offset)
		sprintf(probe->function + strlen(probe->function), "+%#lx", name->offset);
	snprintf(probe->why, sizeof(probe->why), "%s", attempt->why);
	if (*remark)
		add_part(probe->why, sizeof(probe->why), "%s", remark);
	attach->probes_count++;
	attach->links_count++;
	*link = attempt->link;
	return 0;
}

/*
 * No name worked as it stands, or names are to be checked first: looks them up.  Finds what the compiler renamed, and
 * says what is wrong with a name that the kernel has.
 */
static int attach_looked_up(struct attach *attach, struct attempt *attempt, const char *const *functions,
			    unsigned int count, struct bpf_link **link)
{
	struct ksyms_match match, first_match = {};
	struct attach_name name, first_name = {};
	int err;

	for (unsigned int i = 0; i < count; i++) {
		char remark[KSYMS_NAME_MAX + 64] = "";

		attach_name__parse(functions[i], &name);
		err = ksyms__find(*name.module ? name.module : NULL, name.function, &match);
		if (err)
			return fail(attach, err, "/proc/kallsyms cannot be read: %s", strerror(-err));
		if (!i) {
			first_match = match;
			first_name = name;
		}
		if (match.functions > 1)
			return fail_existing(attach, attempt, &name, &match);
		if (!match.functions && match.variants_count > 1 && !strcmp(match.variants[0], match.variants[1]))
			return fail(attach, -EADDRNOTAVAIL, "'%s' is the name of %u functions: a probe cannot tell which (take "
				    "another function)", match.variants[0], match.variants_count);
		if (!match.functions && match.variants_count > 1) {
			const char *list[KSYMS_VARIANTS];
			char variants[KSYMS_VARIANTS * 80];
			unsigned int known = match.variants_count < KSYMS_VARIANTS ? match.variants_count : KSYMS_VARIANTS;

			for (unsigned int j = 0; j < known; j++)
				list[j] = match.variants[j];
			quote_list(variants, sizeof(variants), list, known, ", ");
			return fail(attach, -EADDRNOTAVAIL, "the compiler has split '%s' into %s%s (take one of these names)",
				    name.function, variants, known < match.variants_count ? ", …" : "");
		}
		if (!match.functions && match.variants_count) {
			memcpy(name.function, match.variants[0], sizeof(name.function));
			snprintf(remark, sizeof(remark), "%s", strstr(name.function, ".part.") ?
				 "only this part of the function is not inlined" : "renamed by the compiler");
			match.functions = 1;
			match.address = 0;
		}
		if (!match.functions)
			continue;
		if (name.offset && match.address) {
			uint64_t size = ksyms__size(match.address);

			if (size && name.offset >= size)
				return fail(attach, -EINVAL, "'%s+%#lx' is beyond the end of the function, which has %#llx bytes",
					    name.function, name.offset, (unsigned long long)size);
		}
		if (!try_modes(attach, attempt, &name))
			return done(attach, attempt, &name, remark, link);
		if (fail_unless_name(attach, attempt))
			return attach->err;
		return fail_existing(attach, attempt, &name, &match);
	}
	return fail_missing(attach, &first_name, functions, count, &first_match);
}

/* Checks what the name says by itself.  0 or the error. */
static int check_name(struct attach *attach, const struct attempt *attempt, const char *function, struct attach_name *name)
{
	if (attach_name__parse(function, name))
		return fail(attach, -EINVAL, "'%s' is not the name of a function ([MODULE:]FUNC[+OFFSET])", function);
	if (attempt->is_return && name->offset)
		return fail(attach, -EINVAL, "'%s': a return probe takes no offset", function);
	if (name->offset && bpf_program__expected_attach_type(attempt->program) == BPF_TRACE_KPROBE_MULTI)
		return fail(attach, -EINVAL, "'%s': mode multi attaches to the start of a function only (try --attach link)",
			    function);
	if (*name->module) {
		char path[128];

		/* kprobe_events would accept it and wait for the module */
		snprintf(path, sizeof(path), "/sys/module/%s", name->module);
		if (access(path, F_OK))
			return fail_missing(attach, name, &function, 1, &(struct ksyms_match){});
	}
	return 0;
}

int attach__kprobe(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		   const char *const *functions)
{
	struct attempt attempt = {
		.program = program,
		.is_return = !strncmp(bpf_program__section_name(program), "kret", 4),
	};
	bool look_up = attach->check_names;
	struct attach_name name;
	unsigned int count;

	if (attach->err || bpf_program__fd(program) < 0)
		return attach->err;
	for (count = 0; functions[count]; count++) {
		if (check_name(attach, &attempt, functions[count], &name))
			return attach->err;
		look_up |= name.offset;
	}
	if (check_switches(attach, bpf_program__expected_attach_type(program) != BPF_TRACE_KPROBE_MULTI))
		return attach->err;
	for (unsigned int i = 0; i < count && !look_up; i++) {
		attach_name__parse(functions[i], &name);
		if (!try_modes(attach, &attempt, &name))
			return done(attach, &attempt, &name, "", link);
		if (fail_unless_name(attach, &attempt))
			return attach->err;
	}
	return attach_looked_up(attach, &attempt, functions, count, link);
}

int attach__all(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *const *functions)
{
	struct attempt attempt = {
		.program = program,
		.is_return = !strncmp(bpf_program__section_name(program), "kret", 4),
		.mode = ATTACH_MULTI,
	};
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = attempt.is_return, .syms = (const char **)functions);
	struct attach_name first;
	char names[512], others[sizeof(names) + sizeof("and on ")];

	if (attach->err || bpf_program__fd(program) < 0)
		return attach->err;
	while (functions[options.cnt])
		options.cnt++;
	if (check_name(attach, &attempt, functions[0], &first) || check_switches(attach, false))
		return attach->err;
	attempt.link = bpf_program__attach_kprobe_multi_opts(program, NULL, &options);
	if (!attempt.link) {
		quote_list(names, sizeof(names), functions, options.cnt, ", ");
		return fail(attach, -errno, "%s: cannot be attached to all of %s: %s (try --attach link)",
			    bpf_program__name(program), names, errno == ESRCH ? "one is missing" : strerror(errno));
	}
	quote_list(names, sizeof(names), functions + 1, options.cnt - 1, ", ");
	snprintf(others, sizeof(others), "and on %s", names);
	return done(attach, &attempt, &first, options.cnt > 1 ? others : "", link);
}

/* Takes back an error that was none before the call, and what it did. */
static int as_optional(struct attach *attach, int err, char *why, size_t size)
{
	if (!err)
		return 0;
	snprintf(why, size, "%s", attach->error);
	attach->err = 0;
	if (attach->holds_switch)
		switches__release_ftrace();
	attach->holds_switch = false;
	return err;
}

int attach__optional(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		     const char *const *functions, char *why, size_t size)
{
	*why = '\0';
	return attach->err ? attach->err : as_optional(attach, attach__kprobe(attach, program, link, functions), why, size);
}

int attach__optional_all(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
			 const char *const *functions, char *why, size_t size)
{
	*why = '\0';
	return attach->err ? attach->err : as_optional(attach, attach__all(attach, program, link, functions), why, size);
}

int attach__ksyscall(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *syscall)
{
	char with_prefix[128], plain[128];
	const char *const functions[] = { with_prefix, plain, NULL };

	snprintf(with_prefix, sizeof(with_prefix), SYSCALL_PREFIX "%s", syscall);
	snprintf(plain, sizeof(plain), "__se_sys_%s", syscall);
	return attach__kprobe(attach, program, link, functions);
}

int attach__fentry_target(struct attach *attach, struct bpf_program *program, const char *const *functions)
{
	char names[512];
	unsigned int count = 0;

	if (attach->err)
		return attach->err;
	bpf_program__set_autoload(program, attach->wanted == ATTACH_FENTRY);
	if (attach->wanted != ATTACH_FENTRY)
		return 0;
	for (; functions[count]; count++) {
		struct attach_probe *probe;

		if (bpf_program__set_attach_target(program, 0, functions[count]))
			continue;
		probe = add_probe(attach);
		if (!probe)
			return fail(attach, -ENOMEM, "no memory");
		probe->program = bpf_program__name(program);
		probe->mode = ATTACH_FENTRY;
		probe->is_return = bpf_program__expected_attach_type(program) == BPF_TRACE_FEXIT;
		snprintf(probe->function, sizeof(probe->function), "%s", functions[count]);
		attach->probes_count++;
		return 0;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return fail(attach, -ENOENT, "--attach fentry is not possible: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	quote_list(names, sizeof(names), functions, count, " or ");
	return fail(attach, -ENOENT, "--attach fentry is not possible: no function %s in the kernel's BTF (leave --attach out, "
		    "and it takes what there is)", names);
}

int attach__prepare(struct attach *attach, struct bpf_object *object)
{
	bool is_multi = attach->wanted == ATTACH_MULTI ||
			(attach->wanted == ATTACH_AUTO && !has_pmu() && lacks_kprobe_events());
	struct bpf_program *program;

	if (attach->err)
		return attach->err;
	if (attach->wanted == ATTACH_FENTRY && !attach->probes_count)
		return fail(attach, -ENOTSUP, "--attach fentry is not possible: this tool has no program for it");
	/*
	 * BPF_KSYSCALL() takes LINUX_HAS_SYSCALL_WRAPPER from libbpf, which finds it out at load time: it puts a kprobe on
	 * __x64_sys_bpf and removes it.
	 */
	if (bpf_object__find_map_by_name(object, ".kconfig") && switches__ftrace_is_off())
		return fail_ftrace_off(attach);
	attach->swept = kprobe_events__sweep();
	bpf_object__for_each_program(program, object) {
		if (bpf_program__type(program) != BPF_PROG_TYPE_KPROBE)
			continue;
		if (attach->wanted == ATTACH_FENTRY)
			bpf_program__set_autoload(program, false);
		else if (is_multi)
			bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
	}
	return 0;
}

int attach__fentry(struct attach *attach, struct bpf_program *program, struct bpf_link **link)
{
	struct attempt attempt = { .program = program, .mode = ATTACH_FENTRY };

	if (attach->err || bpf_program__fd(program) < 0 || check_switches(attach, false))
		return attach->err;
	attempt.link = bpf_program__attach_trace(program);
	if (attempt.link) {
		if (check_attached(attach, &attempt, &(struct attach_name){}))
			return attach->err;
		attach->links_count++;
		*link = attempt.link;
		return 0;
	}
	switch (errno) {
	case E2BIG:
		return fail(attach, -errno, "%s: its function has as many programs as it takes (BPF_MAX_TRAMP_LINKS, 38)",
			    bpf_program__name(program));
	case EBUSY:
		return fail(attach, -errno, "%s: something else has changed the start of its function (live patch, or "
			    "ftrace is switched off)", bpf_program__name(program));
	default:
		return fail(attach, -errno, "%s cannot be attached: %s", bpf_program__name(program), strerror(errno));
	}
}

int attach__before_detach(struct attach *attach)
{
	int held;

	if (attach->holds_switch || !attach->links_count)
		return 0;
	held = switches__hold_ftrace();
	attach->holds_switch = held >= 0;
	return held;
}

void attach__await_switch(struct attach *attach)
{
	while (attach__before_detach(attach) < 0)
		usleep(100000);
}

void attach__end(struct attach *attach)
{
	kprobe_events__end();
	if (attach->holds_switch)
		switches__release_ftrace();
	attach->holds_switch = false;
	free(attach->probes);
	attach->probes = NULL;
	attach->probes_count = attach->links_count = 0;
}

/* ---- telling it */

static const char *kind(const struct attach_probe *probe)
{
	if (probe->mode == ATTACH_FENTRY)
		return probe->is_return ? "fexit" : "fentry";
	return probe->is_return ? "kretprobe" : "kprobe";
}

void attach_probe__describe(const struct attach_probe *probe, char *line, size_t size)
{
	snprintf(line, size, "%s: %s on %s, mode %s%s%s%s", probe->program, kind(probe), probe->function,
		 mode_names[probe->mode], *probe->why ? " (" : "", probe->why, *probe->why ? ")" : "");
}

char *attach__json(const struct attach *attach)
{
	size_t size = 32;
	char *text, *at;

	for (size_t i = 0; i < attach->probes_count; i++) {
		const struct attach_probe *probe = &attach->probes[i];

		size += 128 + 6 * (strlen(probe->program) + strlen(probe->function) + strlen(probe->why));
	}
	text = malloc(size);
	if (!text)
		return NULL;
	at = stpcpy(text, ",\"probes\":[");
	for (size_t i = 0; i < attach->probes_count; i++) {
		const struct attach_probe *probe = &attach->probes[i];

		at = stpcpy(at, i ? ",{\"program\":" : "{\"program\":");
		at = json__quote(at, probe->program, strlen(probe->program));
		at += sprintf(at, ",\"kind\":\"%s\",\"function\":", kind(probe));
		at = json__quote(at, probe->function, strlen(probe->function));
		at += sprintf(at, ",\"mode\":\"%s\",\"why\":", mode_names[probe->mode]);
		at = *probe->why ? json__quote(at, probe->why, strlen(probe->why)) : stpcpy(at, "null");
		*at++ = '}';
	}
	strcpy(at, "]");
	return text;
}
