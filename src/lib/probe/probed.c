/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "funcname.h"
#include "lib/kernel/link_info.h"
#include "probed.h"
#include "lib/kernel/tracefs.h"

#define KPROBES_LIST "/sys/kernel/debug/kprobes/list"
#define FILE_MAX (64 * 1024 * 1024)

/* ---- lines */

void probed__clear(struct probed *probed)
{
	free(probed->function);
	free(probed->module);
	free(probed->flags);
	free(probed->trampoline);
	free(probed->event);
	free(probed->program);
	free(probed->program_type);
	free(probed->holders);
	memset(probed, 0, sizeof(*probed));
}

/* "name+0x4" becomes "name", and the offset is returned. */
static uint64_t cut_offset(char *name)
{
	char *plus = strrchr(name, '+');

	if (!plus)
		return 0;
	*plus = '\0';
	return strtoull(plus + 1, NULL, 0);
}

bool probed__parse_kprobe(const char *line, struct probed *probed)
{
	char symbol[KSYMS_NAME_MAX], type, flags[64] = "";
	const char *rest;
	uint64_t offset;
	int used = 0;

	memset(probed, 0, sizeof(*probed));
	if (sscanf(line, "%lx %c %511s%n", (unsigned long *)&probed->address, &type, symbol, &used) != 3 || !used)
		return false;
	offset = cut_offset(symbol);
	if (!*symbol)
		return false;
	probed->by = PROBED_BY_KPROBE;
	probed->is_return = type == 'r';
	probed->offset = offset;
	probed->function = strdup(symbol);
	/* then the module, if any, and flags in brackets */
	for (rest = line + used; *rest; rest++) {
		size_t length = strlen(flags);

		if (*rest == '[') {
			size_t flag = strcspn(rest + 1, "]");

			if (length + flag + 2 < sizeof(flags))
				snprintf(flags + length, sizeof(flags) - length, "%s%.*s", length ? " " : "", (int)flag, rest + 1);
			rest += flag;
		} else if (!isspace((unsigned char)*rest) && *rest != ']' && !probed->module) {
			probed->module = strndup(rest, strcspn(rest, " \t\n["));
			rest += strcspn(rest, " \t\n[") - 1;
		}
	}
	probed->flags = strdup(flags);
	return true;
}

/* "kprobe_ftrace_handler+0x0/0x1d0" becomes "kprobe_ftrace_handler", wherever it stands. */
static char *without_sizes(const char *text)
{
	char *copy = strdup(text), *at = copy, *start;

	while (at && (start = strstr(at, "+0x0/0x"))) {
		char *end = start + 7 + strspn(start + 7, "0123456789abcdef");

		memmove(start, end, strlen(end) + 1);
		at = start;
	}
	return copy;
}

bool probed__parse_ftrace(const char *line, struct probed *probed)
{
	const char *open = strstr(line, " ("), *bracket, *letter;
	size_t length = strcspn(line, " ");
	char flags[32] = "";
	char *end;

	memset(probed, 0, sizeof(*probed));
	if (!length || *line == '\t' || *line == '#' || !open || !isdigit((unsigned char)open[2]))
		return false;
	probed->by = PROBED_BY_FTRACE;
	probed->function = strndup(line, length);
	bracket = strstr(line, " [");
	if (bracket && bracket < open)
		probed->module = strndup(bracket + 2, strcspn(bracket + 2, "]"));
	probed->ops = strtoul(open + 2, &end, 10);
	for (letter = end; *letter && *letter != '\t' && *letter != '-'; letter++) {
		size_t used = strlen(flags);

		if (isupper((unsigned char)*letter) && used + 3 < sizeof(flags))
			snprintf(flags + used, sizeof(flags) - used, "%s%c", used ? " " : "", *letter);
	}
	probed->flags = strdup(flags);
	letter += strspn(letter, " \t");
	if (*letter)
		probed->trampoline = without_sizes(letter);
	return true;
}

bool probed__parse_event(const char *line, struct probed *probed)
{
	char event[160], where[FUNCNAME_MAX], *percent;
	struct funcname name;

	memset(probed, 0, sizeof(*probed));
	if (sscanf(line, "%*[prf0-9]:%159s %607s", event, where) != 2)
		return false;
	percent = strchr(where, '%');
	if (percent)
		*percent = '\0';
	if (funcname__parse(where, &name))
		return false;
	probed->by = PROBED_BY_EVENT;
	probed->is_return = *line == 'r' || percent;
	if (*line == 'f')
		probed->how = percent ? "fprobe at return" : "fprobe";
	else
		probed->how = *line == 'r' ? "kretprobe" : "kprobe";
	probed->event = strdup(event);
	probed->function = strdup(name.function);
	probed->module = *name.module ? strdup(name.module) : NULL;
	probed->offset = name.offset;
	return true;
}

/* ---- the list */

/* While it is filled. */
struct gather {
	struct probed_list *list;
	const struct ksyms *ksyms;
	probed_wanted wanted;
	void *context;
	bool counts_runs;	/* of BPF programs */
	struct btf *vmlinux;	/* once a program on a trampoline was met */
};

static void __attribute__((format(printf, 2, 3))) note(struct gather *gather, const char *format, ...)
{
	struct probed_list *list = gather->list;
	char **notes, *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	for (size_t i = 0; i < list->notes_count; i++) {
		if (!strcmp(list->notes[i], text)) {
			free(text);
			return;
		}
	}
	notes = realloc(list->notes, (list->notes_count + 1) * sizeof(*notes));
	if (!notes) {
		free(text);
		return;
	}
	list->notes = notes;
	list->notes[list->notes_count++] = text;
}

/* Takes over what is in probed, or frees it where it is not wanted.  NULL then. */
static struct probed *add(struct gather *gather, struct probed *probed)
{
	struct probed_list *list = gather->list;

	if (!probed->function || !gather->wanted(gather->context, probed->function, probed->module)) {
		probed__clear(probed);
		return NULL;
	}
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		struct probed *all = realloc(list->all, room * sizeof(*all));

		if (!all) {
			probed__clear(probed);
			return NULL;
		}
		list->all = all;
		list->room = room;
	}
	list->all[list->count] = *probed;
	return &list->all[list->count++];
}

/* ---- the kernel's files */

static char *next_line(char **rest)
{
	char *line = *rest, *newline;

	if (!*line)
		return NULL;
	newline = strchr(line, '\n');
	if (newline)
		*newline = '\0';
	*rest = newline ? newline + 1 : line + strlen(line);
	return line;
}

static void gather_kprobes(struct gather *gather)
{
	FILE *file = fopen(KPROBES_LIST, "re");
	struct probed probed;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		note(gather, "the list of kprobes cannot be read: " KPROBES_LIST ": %s (mount -t debugfs debugfs /sys/kernel/debug)",
		     strerror(errno));
		return;
	}
	while (getline(&line, &size, file) > 0)
		if (probed__parse_kprobe(line, &probed))
			add(gather, &probed);
	free(line);
	fclose(file);
}

static void gather_ftrace(struct gather *gather)
{
	struct probed probed, *last = NULL;
	char *text, *rest, *line;
	size_t size;
	int err;

	err = tracefs__read("enabled_functions", FILE_MAX, &text, &size);
	if (err) {
		note(gather, "ftrace's callbacks cannot be read: enabled_functions: %s", strerror(-err));
		return;
	}
	for (rest = text; (line = next_line(&rest));) {
		if (*line == '\t' && last) {
			char *joined, *more = without_sizes(line + strspn(line, "\t"));

			if (more && asprintf(&joined, "%s%s%s", last->trampoline ?: "", last->trampoline ? " " : "", more) > 0) {
				free(last->trampoline);
				last->trampoline = joined;
			}
			free(more);
		} else if (probed__parse_ftrace(line, &probed)) {
			last = add(gather, &probed);
		}
	}
	free(text);
}

/* The function that an address is in; fills function, module and offset. */
static void place(const struct gather *gather, struct probed *probed)
{
	const struct ksym *sym;
	uint64_t offset;

	if (!probed->address)
		return;
	sym = ksyms__at(gather->ksyms, probed->address, &offset);
	if (!sym)
		return;
	free(probed->function);
	free(probed->module);
	probed->function = strdup(sym->name);
	probed->module = sym->module ? strdup(sym->module) : NULL;
	probed->offset = offset;
}

/* Where a function begins; 0 where it is not known. */
/*
 * An event may be defined by another symbol and an offset ("_text+3647536", as perf-probe(1) writes it), or by an address, which
 * the kernel then shows as a hash: 32 bits of it.
 */
static void place_event(struct gather *gather, struct probed *probed)
{
	char *end;
	uint64_t address = strtoull(probed->function, &end, 0);

	if (!*end && address <= UINT32_MAX)
		note(gather, "the kernel hides the address that event %s is at", probed->event);
	else if (!*end)
		probed->address = address;
	else if (probed->offset && (address = ksyms__address(gather->ksyms, probed->module, probed->function)))
		probed->address = address + probed->offset;
	place(gather, probed);
}

/* The lines of kprobe_profile come in the order of kprobe_events' ones. */
static void gather_events(struct gather *gather)
{
	char *events, *profile, *events_rest, *profile_rest, *line;
	struct probed probed;
	size_t size;
	int err;

	err = tracefs__read("kprobe_events", FILE_MAX, &events, &size);
	if (err) {
		note(gather, "dynamic events cannot be read: kprobe_events: %s", strerror(-err));
		return;
	}
	if (tracefs__read("kprobe_profile", FILE_MAX, &profile, &size))
		profile = NULL;
	events_rest = events;
	profile_rest = profile;
	while ((line = next_line(&events_rest))) {
		char *counts = profile ? next_line(&profile_rest) : NULL, name[160];
		unsigned long long hits, misses;

		if (!probed__parse_event(line, &probed))
			continue;
		if (counts && sscanf(counts, "%159s %llu %llu", name, &hits, &misses) == 3 && strchr(probed.event, '/') &&
		    !strcmp(strchr(probed.event, '/') + 1, name)) {
			probed.hits_known = probed.misses_known = true;
			probed.hits = hits;
			probed.misses = misses;
		}
		place_event(gather, &probed);
		add(gather, &probed);
	}
	free(events);
	free(profile);
}

/* Events on fprobes (since 6.5) are in the list of all dynamic events only. */
static void gather_fprobes(struct gather *gather)
{
	char *events, *rest, *line;
	struct probed probed;
	size_t size;

	if (tracefs__read("dynamic_events", FILE_MAX, &events, &size))
		return;
	for (rest = events; (line = next_line(&rest));)
		if (*line == 'f' && probed__parse_event(line, &probed))
			add(gather, &probed);
	free(events);
}

/* ---- BPF: who holds what */

struct holding {
	int pid;
	char comm[32];
	uint32_t link_id, program_id;	/* one of both, or, with function set, the program of a perf event */
	char *function;
	bool is_return;
	uint64_t offset, address;
};

struct holdings {
	struct holding *all;
	size_t count;
};

static void add_holding(struct holdings *holdings, const struct holding *holding)
{
	struct holding *all = realloc(holdings->all, (holdings->count + 1) * sizeof(*all));

	if (!all) {
		free(holding->function);
		return;
	}
	holdings->all = all;
	all[holdings->count++] = *holding;
}

/* A member of /proc/PID/fdinfo/FD, or 0. */
static uint32_t read_fdinfo(int pid, const char *fd, const char *member)
{
	char path[64], line[128];
	uint32_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!value && fgets(line, sizeof(line), file))
		if (!strncmp(line, member, strlen(member)) && line[strlen(member)] == ':')
			value = strtoul(line + strlen(member) + 1, NULL, 10);
	fclose(file);
	return value;
}

/* What a program that was set on a perf event is attached to (BPF_TASK_FD_QUERY, since 4.18). */
static void query_event(struct holdings *holdings, struct holding *holding, const char *fd)
{
	__u32 size, program, type;
	char name[KSYMS_NAME_MAX] = "";
	__u64 offset = 0, address = 0;

	size = sizeof(name);
	if (bpf_task_fd_query(holding->pid, atoi(fd), 0, name, &size, &program, &type, &offset, &address))
		return;
	if (type != BPF_FD_TYPE_KPROBE && type != BPF_FD_TYPE_KRETPROBE)
		return;
	holding->program_id = program;
	holding->is_return = type == BPF_FD_TYPE_KRETPROBE;
	holding->function = strdup(name);
	holding->offset = offset;
	holding->address = address;
	if (holding->function)
		add_holding(holdings, holding);
}

static void look_at_process(struct holdings *holdings, int pid)
{
	struct holding holding = { .pid = pid };
	char path[64], target[128];
	struct dirent *entry;
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(holding.comm, sizeof(holding.comm), file))
		strcpy(holding.comm, "?");
	if (file)
		fclose(file);
	holding.comm[strcspn(holding.comm, "\n")] = '\0';
	while ((entry = readdir(dir))) {
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (length < 0)
			continue;
		target[length] = '\0';
		holding.link_id = holding.program_id = 0;
		holding.function = NULL;
		if (!strcmp(target, "anon_inode:bpf_link")) {
			holding.link_id = read_fdinfo(pid, entry->d_name, "link_id");
			if (holding.link_id)
				add_holding(holdings, &holding);
		} else if (!strcmp(target, "anon_inode:bpf-prog")) {
			holding.program_id = read_fdinfo(pid, entry->d_name, "prog_id");
			if (holding.program_id)
				add_holding(holdings, &holding);
		} else if (!strcmp(target, "anon_inode:[perf_event]")) {
			query_event(holdings, &holding, entry->d_name);
		}
	}
	closedir(dir);
}

static void look_at_processes(struct holdings *holdings)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at_process(holdings, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

/* "comm[pid], comm[pid]" of those that hold the link, or, where none does, the program. */
static char *holders_of(const struct holdings *holdings, uint32_t link_id, uint32_t program_id)
{
	char *text = NULL;

	for (int by_link = 1; by_link >= 0 && !text; by_link--) {
		int last_pid = 0;

		for (size_t i = 0; i < holdings->count; i++) {
			const struct holding *holding = &holdings->all[i];
			char *longer;

			if (by_link ? !link_id || holding->link_id != link_id : holding->program_id != program_id)
				continue;
			if (holding->pid == last_pid)
				continue;
			last_pid = holding->pid;
			if (asprintf(&longer, "%s%s%s[%d]", text ? text : "", text ? ", " : "", holding->comm, holding->pid) < 0)
				break;
			free(text);
			text = longer;
		}
	}
	return text;
}

/* ---- BPF: what is attached where */

/* The same by name, "[MODULE:]FUNC", where there is no address. */
static void place_by_name(struct probed *probed, const char *name, uint64_t offset)
{
	struct funcname parts;

	if (funcname__parse(name, &parts))
		return;
	probed->function = strdup(parts.function);
	probed->module = *parts.module ? strdup(parts.module) : NULL;
	probed->offset = offset;
}

static void describe_program(const struct gather *gather, struct probed *probed)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(probed->program_id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size)) {
		probed->program = strdup(info.name);
		probed->program_type = strdup(libbpf_bpf_prog_type_str(info.type) ?: "?");
		probed->hits_known = gather->counts_runs || info.run_cnt;
		probed->hits = info.run_cnt;
		probed->run_ns = info.run_time_ns;
		probed->misses += info.recursion_misses;
	}
	close(fd);
}

static void add_program(struct gather *gather, const struct holdings *holdings, struct probed *probed)
{
	probed->by = PROBED_BY_BPF;
	/* not for the price of a system call where nobody wants to know */
	if (!probed->function || !gather->wanted(gather->context, probed->function, probed->module)) {
		probed__clear(probed);
		return;
	}
	describe_program(gather, probed);
	probed->holders = holders_of(holdings, probed->link_id, probed->program_id);
	add(gather, probed);
}

static void add_multi(struct gather *gather, const struct holdings *holdings, int fd, struct link_info *info, __u32 size)
{
	__u32 count = info->kprobe_multi.count;
	uint64_t *addresses;

	if (!count) {
		note(gather, "kprobe.multi links do not tell their functions before Linux 6.6");
		return;
	}
	addresses = calloc(count, sizeof(*addresses));
	if (!addresses)
		return;
	info->kprobe_multi.addrs = (__u64)(unsigned long)addresses;
	if (!link_info__read(fd, info, &size)) {
		for (__u32 i = 0; i < count; i++) {
			struct probed probed = {
				.address = addresses[i], .link_id = info->id, .program_id = info->prog_id,
				.is_return = info->kprobe_multi.flags & 1,
				.how = info->kprobe_multi.flags & 1 ? "kretprobe.multi" : "kprobe.multi",
				.misses_known = link_info__tells_missed(size), .misses = info->kprobe_multi.missed,
			};

			if (probed.address) {
				place(gather, &probed);
				add_program(gather, holdings, &probed);
			} else {
				note(gather, "a kprobe.multi link hides its functions (kernel.kptr_restrict)");
			}
		}
	}
	free(addresses);
}

static void add_tracing(struct gather *gather, const struct holdings *holdings, const struct link_info *info)
{
	struct probed probed = { .link_id = info->id, .program_id = info->prog_id, .misses_known = true };
	const struct btf_type *type;
	struct btf *module = NULL;
	const char *name;

	switch (info->tracing.attach_type) {
	case BPF_TRACE_FENTRY:
		probed.how = "fentry";
		break;
	case BPF_TRACE_FEXIT:
		probed.how = "fexit";
		probed.is_return = true;
		break;
	case BPF_MODIFY_RETURN:
		probed.how = "fmod_ret";
		break;
	default:
		return;		/* raw tracepoints with BTF, LSM hooks, other programs */
	}
	if (!info->tracing.btf_id) {
		note(gather, "links of fentry and fexit programs do not tell their functions before Linux 5.13");
		return;
	}
	if (!gather->vmlinux)
		gather->vmlinux = btf__load_vmlinux_btf();
	if (!gather->vmlinux) {
		note(gather, "the functions of fentry and fexit programs are not known without the kernel's BTF");
		return;
	}
	type = btf__type_by_id(gather->vmlinux, info->tracing.btf_id);
	/* beyond the kernel's own types it is a module's, whose numbers go on from there */
	if (!type || info->tracing.btf_id >= btf__type_cnt(gather->vmlinux)) {
		module = btf__load_from_kernel_by_id_split(info->tracing.object_id, gather->vmlinux);
		type = module ? btf__type_by_id(module, info->tracing.btf_id) : NULL;
	}
	name = type ? btf__name_by_offset(module ? module : gather->vmlinux, type->name_off) : NULL;
	if (name)
		probed.function = strdup(name);
	btf__free(module);
	add_program(gather, holdings, &probed);
}

/* A perf link's program whose function only its event tells: kernels 5.15 to 6.5. */
struct silent_link {
	uint32_t link_id, program_id;
};

struct silent_links {
	struct silent_link *all;
	size_t count;
};

static void add_silent(struct silent_links *links, const struct link_info *info)
{
	struct silent_link *all = realloc(links->all, (links->count + 1) * sizeof(*all));

	if (!all)
		return;
	links->all = all;
	all[links->count++] = (struct silent_link){ .link_id = info->id, .program_id = info->prog_id };
}

static void gather_links(struct gather *gather, const struct holdings *holdings, struct silent_links *silent)
{
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		char name[KSYMS_NAME_MAX] = "";
		struct link_info info = {};
		int fd = bpf_link_get_fd_by_id(id);
		__u32 size;

		if (fd < 0)
			continue;	/* gone in between */
		if (link_info__read(fd, &info, &size)) {
			close(fd);
			continue;
		}
		if (info.type == LINK_KPROBE_MULTI) {
			add_multi(gather, holdings, fd, &info, size);
		} else if (info.type == LINK_TRACING) {
			add_tracing(gather, holdings, &info);
		} else if (info.type == LINK_PERF_EVENT && !info.perf_event.type) {
			add_silent(silent, &info);
		} else if (info.type == LINK_PERF_EVENT) {
			struct probed probed = {
				.link_id = info.id, .program_id = info.prog_id,
				.is_return = info.perf_event.type == LINK_PERF_KRETPROBE,
				.how = info.perf_event.type == LINK_PERF_KRETPROBE ? "kretprobe" : "kprobe",
				.misses_known = link_info__tells_missed(size),
			};

			if (info.perf_event.type == LINK_PERF_KPROBE || info.perf_event.type == LINK_PERF_KRETPROBE) {
				info.perf_event.name = (__u64)(unsigned long)name;
				info.perf_event.name_size = sizeof(name);
				if (!link_info__read(fd, &info, &size)) {
					probed.address = info.perf_event.address;
					probed.misses = probed.misses_known ? info.perf_event.missed : 0;
					place_by_name(&probed, name, info.perf_event.offset);
					place(gather, &probed);
					add_program(gather, holdings, &probed);
				}
			}
		}
		close(fd);
	}
	if (errno == EPERM)
		note(gather, "BPF links and programs cannot be listed: %s", strerror(errno));
	else if (errno == EINVAL)
		note(gather, "this kernel has no BPF links (before Linux 5.8)");
}

/* Whether a link has told of this program on this function already. */
static bool is_known(const struct probed_list *list, const struct probed *probed)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct probed *other = &list->all[i];

		if (other->by == PROBED_BY_BPF && other->program_id == probed->program_id &&
		    other->is_return == probed->is_return && probed->function && !strcmp(other->function, probed->function))
			return true;
	}
	return false;
}

/* The links of a program that do not tell; *link_id is the last one's. */
static size_t count_silent(const struct silent_links *silent, uint32_t program_id, uint32_t *link_id)
{
	size_t count = 0;

	for (size_t i = 0; i < silent->count; i++) {
		if (silent->all[i].program_id == program_id) {
			*link_id = silent->all[i].link_id;
			count++;
		}
	}
	return count;
}

static bool is_same_place(const struct holding *a, const struct holding *b)
{
	return a->program_id == b->program_id && a->is_return == b->is_return && a->offset == b->offset &&
	       !strcmp(a->function, b->function);
}

/* The perf events that a program is on, or the places of these: an event may be held by several processes. */
static size_t count_events(const struct holdings *holdings, uint32_t program_id, bool places)
{
	size_t count = 0;

	for (size_t i = 0; i < holdings->count; i++) {
		const struct holding *holding = &holdings->all[i];
		size_t j = i;

		if (!holding->function || holding->program_id != program_id)
			continue;
		for (j = 0; places && j < i; j++)
			if (holdings->all[j].function && is_same_place(&holdings->all[j], holding))
				break;
		count += !places || j == i;
	}
	return count;
}

/*
 * Programs on perf events, of links that do not tell, and of no link at all (mode perf).  A link goes with its program's event
 * where there is one of each; of several nobody says which is which.
 */
static void gather_perf_events(struct gather *gather, const struct holdings *holdings, const struct silent_links *silent)
{
	uint32_t link_id = 0;
	size_t unseen = 0;

	for (size_t i = 0; i < holdings->count; i++) {
		const struct holding *holding = &holdings->all[i];
		struct probed probed = {
			.program_id = holding->program_id, .is_return = holding->is_return,
			.how = holding->is_return ? "kretprobe" : "kprobe",
		};
		size_t links, places;

		if (!holding->function)
			continue;
		probed.address = holding->address;
		place_by_name(&probed, holding->function, holding->offset);
		place(gather, &probed);
		if (is_known(gather->list, &probed)) {
			probed__clear(&probed);
			continue;
		}
		links = count_silent(silent, holding->program_id, &link_id);
		places = count_events(holdings, holding->program_id, true);
		if (links == 1 && places == 1)
			probed.link_id = link_id;
		else if (links)
			note(gather, "program %u has %zu perf link(s) and is at %zu places: before Linux 6.6 a link does not tell its own",
			     holding->program_id, links, places);
		add_program(gather, holdings, &probed);
	}
	for (size_t i = 0; i < silent->count; i++) {
		uint32_t program_id = silent->all[i].program_id;
		size_t links = count_silent(silent, program_id, &link_id), events = count_events(holdings, program_id, false);

		/* once for each program */
		if (link_id == silent->all[i].link_id && links > events)
			unseen += links - events;
	}
	if (unseen)
		note(gather, "perf links do not tell their functions before Linux 6.6, and %zu of them not by their process either",
		     unseen);
}

static bool stats_are_on(void)
{
	char on = '0';
	int fd = open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, &on, 1) != 1)
			on = '0';
		close(fd);
	}
	return on == '1';
}

static int compare(const void *a, const void *b)
{
	const struct probed *x = a, *y = b;
	int order = strcmp(x->function, y->function);

	if (!order)
		order = strcmp(x->module ?: "", y->module ?: "");
	if (!order)
		order = (int)x->by - (int)y->by;
	if (!order)
		order = x->offset < y->offset ? -1 : x->offset > y->offset;
	if (!order)
		order = (int)x->is_return - (int)y->is_return;
	if (!order)
		order = x->program_id < y->program_id ? -1 : x->program_id > y->program_id;
	return order;
}

void probed__gather(struct probed_list *list, const struct ksyms *ksyms, probed_wanted wanted, void *context)
{
	struct gather gather = {
		.list = list, .ksyms = ksyms, .wanted = wanted, .context = context, .counts_runs = stats_are_on(),
	};
	struct holdings holdings = { 0 };
	struct silent_links silent = { 0 };
	bool programs = false;

	gather_kprobes(&gather);
	gather_ftrace(&gather);
	gather_events(&gather);
	gather_fprobes(&gather);
	look_at_processes(&holdings);
	gather_links(&gather, &holdings, &silent);
	gather_perf_events(&gather, &holdings, &silent);
	for (size_t i = 0; i < list->count; i++)
		programs |= list->all[i].by == PROBED_BY_BPF;
	if (programs && !gather.counts_runs)
		note(&gather, "how often BPF programs ran is not counted (sysctl kernel.bpf_stats_enabled=1)");
	for (size_t i = 0; i < holdings.count; i++)
		free(holdings.all[i].function);
	free(holdings.all);
	free(silent.all);
	btf__free(gather.vmlinux);
	if (list->count)
		qsort(list->all, list->count, sizeof(*list->all), compare);
}

void probed__free(struct probed_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		probed__clear(&list->all[i]);
	free(list->all);
	for (size_t i = 0; i < list->notes_count; i++)
		free(list->notes[i]);
	free(list->notes);
	memset(list, 0, sizeof(*list));
}
