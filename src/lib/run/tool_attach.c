/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching a tool's programs: those whose SEC names say where, and a look at all others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "return_conflict.h"
#include "lib/kernel/rights.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/probe/attach.h"
#include "lib/probe/attached.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "lib/probe/tracepoint.h"
#include "tool.h"

/*
 * What a section names behind its kind: "do_unlinkat" of "kprobe/do_unlinkat"; NULL: the section is of another kind, or
 * names nothing.
 */
static const char *target_of(const struct bpf_program *program, const char *kind)
{
	const char *section = bpf_program__section_name(program);
	size_t length = strlen(kind);

	return !strncmp(section, kind, length) && section[length] == '/' ? section + length + 1 : NULL;
}

/* The function, or the system call, of a program whose section names one; NULL: it does not. */
static const char *function_of(const struct bpf_program *program)
{
	const char *function = target_of(program, "kprobe");

	return function ? function : target_of(program, "kretprobe");
}

static const char *syscall_of(const struct bpf_program *program)
{
	const char *call = target_of(program, "ksyscall");

	return call ? call : target_of(program, "kretsyscall");
}

int tool__prepare_attach(struct tool *tool)
{
	static struct attach by_section;
	struct bpf_program *program;

	bpf_object__for_each_program(program, *tool->skeleton->obj)
		if (!tool->attach && bpf_program__autoload(program) && (function_of(program) || syscall_of(program)))
			tool->attach = &by_section;
	if (!tool->attach)
		return 0;
	tool->attach->may_link = return_conflict__may_link;
	tool->attach->tool = tool;
	if (!attach__prepare(tool->attach, *tool->skeleton->obj))
		return 0;
	return tool__fail(tool, tool->attach->err, "%s", tool->attach->error);
}

void tool__note_attached(const struct bpf_program *program, const char *event)
{
	const char *section = bpf_program__section_name(program), *slash = strchr(section, '/');
	size_t kind = slash ? (size_t)(slash - section) : strlen(section);

	if (!event)
		event = slash ? slash + 1 : NULL;
	attached__note_kind(bpf_program__name(program), section, kind, event);
}

char *tool__attached_json(const struct tool *tool)
{
	char *probes = tool->attach ? attach__json(tool->attach) : strdup(",\"probes\":[]"), *text;
	const char *others = attached__json();
	size_t size = probes ? strlen(probes) : 0;

	if (!size || !*others)
		return probes;
	/* in the place of the bracket that ends the list */
	probes[size - 1] = '\0';
	if (asprintf(&text, "%s%s]", probes, others + (probes[size - 2] == '[')) < 0)
		text = NULL;
	free(probes);
	return text;
}

int tool__fail_to_attach(struct tool *tool, int err, const char *where)
{
	struct fault fault;

	switch (-err) {
	case E2BIG:	/* BPF_TRACE_MAX_PROGS in kernel/trace/bpf_trace.c */
		return tool__fail(tool, err, "%s: 64 BPF programs are attached to it already, the kernel takes no more "
				  "(bpftool link)", where);
	case EBUSY:
		switches__explain(&fault, err, "cannot be attached to");
		return tool__fail(tool, err, "%s: %s", where, fault.text);
	case ENOENT:
	case EACCES:
		if (!tracefs__mount_point())
			return tool__fail(tool, err, "%s: %s", where, tracefs__why(errno));
		if (err == -ENOENT)
			return tool__fail(tool, err, "%s: this kernel does not have it", where);
		/* a program on a tracepoint is one of a perf event: perf_trace_event_perm() in kernel/trace/trace_event_perf.c */
		return tool__fail(tool, err, "%s: cannot be attached to: %s (%s)", where, strerror(-err), rights__perf_advice());
	default:
		return tool__fail(tool, err, "%s: cannot be attached to: %s", where, strerror(-err));
	}
}

int tool__fail_perf_events(struct tool *tool, int err)
{
	return tool__fail(tool, err, "perf events are not allowed: %s (%s)", strerror(-err), rights__perf_advice());
}

int tool__attach_tracepoint(struct tool *tool, const struct bpf_program *program, struct bpf_link **link, const char *event,
			    __u64 cookie)
{
	struct fault fault;
	int err;

	if (tool->err)
		return tool->err;
	err = layout__check_event(tool->layout, program, event, &fault);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	*link = tracepoint__attach_with(program, event, cookie);
	if (!*link)
		return tool__fail_to_attach(tool, -errno, event);
	tool__note_attached(program, event);
	return 0;
}

/* Whether the probes of the tool itself are attached, and how. */
static int check_probes(struct tool *tool)
{
	char line[1024];

	if (!tool->attach)
		return 0;
	if (tool->attach->err)
		return tool__fail(tool, tool->attach->err, "%s", tool->attach->error);
	for (size_t i = 0; i < tool->attach->probes_count; i++) {
		attach_probe__describe(&tool->attach->probes[i], line, sizeof(line));
		tool__debug(tool, "attached %s", line);
	}
	return 0;
}

void tool__needs_no_link(struct tool *tool, const struct bpf_program *program)
{
	const struct bpf_program **list = realloc(tool->without_link, (tool->without_link_count + 1) * sizeof(*list));

	if (!list) {
		tool__fail(tool, -ENOMEM, "no memory");
		return;
	}
	tool->without_link = list;
	list[tool->without_link_count++] = program;
}

static bool needs_link(const struct tool *tool, const struct bpf_program *program)
{
	/* run by bpf(BPF_PROG_TEST_RUN) */
	if (!bpf_program__autoload(program) || bpf_program__type(program) == BPF_PROG_TYPE_SYSCALL)
		return false;
	for (size_t i = 0; i < tool->without_link_count; i++)
		if (tool->without_link[i] == program)
			return false;
	return true;
}

/* A program that nothing runs would be a tool that sees nothing, and says that it missed nothing. */
static int check_links(struct tool *tool)
{
	for (int i = 0; i < tool->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, i);

		if (needs_link(tool, *entry->prog) && links__fd(entry) < 0)
			return tool__fail(tool, -ENOTCONN,
					  "program %s is attached to nothing: SEC(\"%s\") does not name what to attach it to, "
					  "and %s does not attach it (attach__kprobe() in lib/probe/attach.h does)",
					  entry->name, bpf_program__section_name(*entry->prog), tool->about->name);
	}
	return 0;
}

/* Attaches one program by its section.  0 or -errno, which is in tool->err, or of lib/probe/attach.h in tool->attach. */
static int attach_by_section(struct tool *tool, struct bpf_program *program, struct bpf_link **link)
{
	const char *function = function_of(program), *call = syscall_of(program), *event = tracepoint__of(program);

	if (function)
		return attach__kprobe(tool->attach, program, link, (const char *const[]){ function, NULL });
	if (call)
		return attach__ksyscall(tool->attach, program, link, call);
	*link = event ? tracepoint__attach(program, event) : bpf_program__attach(program);
	if (!*link)
		return tool__fail_to_attach(tool, -errno, bpf_program__section_name(program));
	tool__note_attached(program, event);
	return 0;
}

int tool__attach(struct tool *tool)
{
	if (tool->err || (tool->attach && tool->attach->err))
		return tool->err ?: check_probes(tool);
	for (int i = 0; i < tool->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, i);
		struct bpf_program *program = *entry->prog;

		/* others have no name in their section: the tool has attached them */
		if (!bpf_program__autoload(program) || !strchr(bpf_program__section_name(program), '/') || *entry->link)
			continue;
		if (attach_by_section(tool, program, entry->link))
			break;
	}
	if (!tool->err && tool->attach_own)
		tool->attach_own(tool);
	if (!tool->err && !check_probes(tool) && !check_links(tool))
		missed__prepare(tool->skeleton);
	return tool->err;
}
