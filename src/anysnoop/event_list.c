/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_events.h"
#include "user_events.h"
#include "user_usdt.h"
#include "lib/format/format.h"
#include "lib/format/lsms.h"
#include "lib/format/signature.h"
#include "lib/format/watch.h"
#include "lib/gen/source.h"
#include "lib/print/say.h"
#include "lib/print/text.h"
#include "lib/print/text_buffer.h"
#include "lib/run/preflight.h"

static void list_fields(const struct format *format)
{
	for (unsigned i = format->common_count; i < format->fields_count; i++) {
		const char *decl = format->fields[i].decl;
		char *escaped = malloc(TEXT_ESCAPED_MAX(strlen(decl)) + 1);
		size_t characters;

		if (!escaped)
			continue;
		*text__escape(escaped, decl, strlen(decl), &characters) = 0;
		printf("    %s\n", escaped);
		free(escaped);
	}
}

/* How a program on the event declares what it gets, as ctxgen writes it; nothing where the format does not tell that. */
static void list_program(enum request_source source, const char *name, const struct format *format)
{
	static const struct { const char *macro, *suffix; bool at_return; } kinds[REQUEST_SOURCES] = {
		[REQUEST_RAWTP] = { "BPF_PROG", "", false }, [REQUEST_CALL] = { "BPF_KPROBE", "_enter", false },
		[REQUEST_CALL_RETURN] = { "BPF_KRETPROBE", "_exit", true }, [REQUEST_SYSCALL] = { "BPF_KSYSCALL", "_enter", false },
		[REQUEST_SYSCALL_RETURN] = { "BPF_KRETPROBE", "_exit", true },
	};
	const char *function = strrchr(name, ':') ? strrchr(name, ':') + 1 : name;
	struct signature signature = {};
	struct text_buffer text = text_buffer__growing(1 << 16);
	char *line;

	if (!kinds[source].macro || format->note)
		return;
	for (unsigned i = format->common_count; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];

		if (kinds[source].at_return ? !strcmp(field->name, "ret") : !field->is_extra)
			signature__add(&signature, field);
	}
	text_buffer__add(&text, "    %s(%s%s", kinds[source].macro, function, kinds[source].suffix);
	signature__put_params(&signature, &text);
	line = text_buffer__take(&text);
	if (line)
		printf("%s)\n", line);
	free(line);
}

/* The same for a hook of the security modules: what was answered before comes last, where the hook has an answer. */
static void list_hook_program(const char *hook)
{
	char function[FORMAT_NAME_MAX + sizeof(LSMS_PREFIX)];
	struct signature_source source = { .what = hook, .name = function };
	struct text_buffer text = text_buffer__growing(1 << 16);
	struct signature signature;
	struct rawbtf *raw;
	char *line = NULL;

	if (rawbtf__open(&raw, LSMS_BTF))
		return;
	snprintf(function, sizeof(function), LSMS_PREFIX "%.*s", FORMAT_NAME_MAX, hook);
	if (!signature__find(&signature, raw, &source, NULL)) {
		text_buffer__add(&text, "    BPF_PROG(%s", hook);
		signature__put_params(&signature, &text);
		line = text_buffer__take(&text);
	}
	if (line)
		printf("%s%s)\n", line, *signature.result.type ? ", int ret" : "");
	free(line);
	rawbtf__free(raw);
}

struct listing {
	struct sources sources;
	const struct request *request;
	enum request_source source;
	bool any;
};

static int list_event(void *context, const char *system, const char *name)
{
	struct listing *listing = context;
	struct format *format;
	struct fault fault;

	printf("%s:%s\n", system, name);
	/* one that a module takes away meanwhile has no fields */
	if (!sources__format(&listing->sources, listing->source, system, name, NULL, 0, &format, &fault)) {
		list_fields(format);
		list_program(listing->source, name, format);
		if (listing->source == REQUEST_LSM)
			list_hook_program(name);
		format__free(format);
	}
	return 0;
}

static int list_hook(void *context, const char *hook)
{
	struct listing *listing = context;

	listing->any = true;
	return list_event(listing, LSMS_SYSTEM, hook);
}

/* A place that is watched, one in a function, or a hook; refused with the reason.  0, or -errno with one line in fault. */
static int list_one(struct listing *listing, const struct request *request, struct fault *fault)
{
	struct format *format;
	int err = sources__format(&listing->sources, request->source, request->system, request->name, NULL, 0, &format, fault);

	if (err)
		return err;
	format__free(format);
	if (request__is_function(request->source) && (err = call_events__check(request, fault)))
		return err;
	listing->any = true;
	list_event(listing, request->system, request->name);
	if (request->source == REQUEST_WATCH)
		printf("    takes " WATCH_TAKES "\n");
	else if (request__is_function(request->source))
		printf("    arguments are not known inside a function; takes %%REG, $stackN, @SYMBOL, +OFFSET(FETCH)\n");
	return 0;
}

/* All that match in one source. 0 or tool->err; optional: a source that cannot be read is only reported. */
static int list_source(struct tool *tool, struct listing *listing, enum request_source source, bool optional)
{
	struct request request = *listing->request;
	struct fault fault;
	bool any = false;
	int err;

	listing->source = request.source = source;
	if (request__system(source))
		request.system = (char *)request__system(source);
	if (source == REQUEST_USDT)
		err = user_usdt__list(&request, &any, &fault);
	else if (request__is_user(source))
		err = user_events__list(&request, &any, &fault);
	else if (source == REQUEST_LSM && request__has_pattern(&request))
		err = lsms__match(request.name, list_hook, listing, &fault);
	else if (source == REQUEST_WATCH || source == REQUEST_LSM || (request__is_function(source) && strchr(request.name, '+')))
		err = list_one(listing, &request, &fault);
	else
		err = (request__is_function(source) ? call_events__match : sources__match)(&listing->sources, &request, list_event,
											   listing, &any, &fault);
	listing->any |= any;
	if (err && optional)
		say("%s", fault.text);
	return err && !optional ? tool__fail(tool, err, "%s", fault.text) : 0;
}

/* Whether a pattern is a part of names in any source: neither a source nor a system is before it, and it is not just "all". */
static bool is_for_all(const struct request *request)
{
	return request->source == REQUEST_TRACEPOINT && !strcmp(request->system, "*") && request->name[strspn(request->name, "*")];
}

int event_list__print(struct tool *tool, const char *pattern)
{
	/* functions are many more: only where the pattern says so */
	static const enum request_source others[] = { REQUEST_RAWTP, REQUEST_SYSCALL, REQUEST_SYSCALL_RETURN };
	struct requests wanted = {};
	struct listing listing = { .request = &wanted.list[0] };
	struct fault fault;
	int err = requests__take(&wanted, pattern, &fault);

	if (err || wanted.count != 1 || wanted.list[0].fields_count) {
		requests__free(&wanted);
		if (!strncmp(pattern, WATCH_SYSTEM ":", 2))
			usage_error("-l \"%s\": one place is named at a time: " WATCH_TAKES, pattern);
		usage_error("-l \"%s\": no pattern of events, such as 'sched:*'", pattern);
	}
	/* an address is the function that is there */
	if (call_events__resolve(&wanted.list[0], &fault))
		tool__fail(tool, fault.err, "%s", fault.text);
	else
		list_source(tool, &listing, listing.request->source, false);
	for (size_t i = 0; !tool->err && is_for_all(listing.request) && i < sizeof(others) / sizeof(*others); i++)
		list_source(tool, &listing, others[i], true);
	if (!tool->err && !listing.any)
		tool__fail(tool, -ENOENT, "no event matches \"%s\"", pattern);
	requests__free(&wanted);
	sources__free(&listing.sources);
	return tool->err ? TOOL_EXIT_FAILED : preflight__text_written();
}
