/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/elements.h"
#include "lib/format/events.h"
#include "lib/format/kfuncs.h"
#include "lib/format/lsms.h"
#include "lib/format/rawtps.h"
#include "lib/format/watch.h"
#include "lib/kernel/tracefs.h"
#include "lib/shared/returned.h"

void sources__free(struct sources *sources)
{
	rawtps__free(sources->rawtps);
	kfuncs__free(sources->kfuncs);
	*sources = (struct sources){};
}

static int need_rawtps(struct sources *sources, struct fault *fault)
{
	int err = sources->rawtps ? 0 : rawtps__load(&sources->rawtps, RAWTPS_BTF, sources->rawtp_names, sources->rawtp_names_count);

	return err ? fault__set(fault, err, RAWTPS_SYSTEM ": the kernel's BTF (" RAWTPS_BTF ") cannot be read: %s",
				strerror(-err)) : 0;
}

int sources__expect(struct sources *sources, enum request_source source, const char *name)
{
	if (source == REQUEST_RAWTP && sources->rawtp_names_count < RAWTPS_NAMES_MAX)
		sources->rawtp_names[sources->rawtp_names_count++] = name;
	if (!request__is_function(source))
		return 0;
	if (!sources->kfuncs)
		sources->kfuncs = kfuncs__new(KFUNCS_BTF);
	return sources->kfuncs ? kfuncs__expect(sources->kfuncs, name) : -ENOMEM;
}

static int match_rawtps(struct sources *sources, const struct request *request,
			int (*found)(void *context, const char *system, const char *name), void *context, bool *any, struct fault *fault)
{
	int err = need_rawtps(sources, fault);
	const char *name;

	if (!err && (err = rawtps__load_all(sources->rawtps)))
		fault__set(fault, err, RAWTPS_SYSTEM ": the kernel's BTF (" RAWTPS_BTF ") cannot be read: %s",
			   strerror(-err));
	for (size_t i = 0; !err && (name = rawtps__name(sources->rawtps, i)); i++) {
		if (!request__matches(request, RAWTPS_SYSTEM, name))
			continue;
		*any = true;
		err = found(context, RAWTPS_SYSTEM, name);
	}
	return err;
}

static int list_events(struct events *all, struct fault *fault)
{
	int err = events__list(all);

	if (err == -ENOENT || err == -EACCES)
		fault__set(fault, err, "%s", tracefs__why(err));
	else if (err)
		fault__set(fault, err, "the events cannot be listed: %s", strerror(-err));
	if (err)
		*all = (struct events){};
	return err;
}

static int match_tracepoints(const struct request *request, int (*found)(void *context, const char *system, const char *name),
			     void *context, bool *any, struct fault *fault)
{
	struct events all;
	int err = list_events(&all, fault);

	if (err)
		return err;
	for (size_t i = 0; i < all.count && !err; i++) {
		char *slash = strchr(all.names[i], '/');

		*slash = 0;
		if (request__matches(request, all.names[i], slash + 1)) {
			*any = true;
			err = found(context, all.names[i], slash + 1);
		}
		*slash = '/';
	}
	events__free(&all);
	return err;
}

/* ---- system calls */

int sources__need_syscalls(struct sources *sources, struct fault *fault)
{
	int err = sources->knows_syscalls ? 0 : syscall_hooks__read(&sources->syscalls, fault);

	sources->knows_syscalls = !err;
	return err;
}

static int compare_names(const void *name, const void *entry)
{
	return strcmp(name, *(char *const *)entry);
}

/* Whether the kernel has the call, as far as its events tell: calls without one are found by their whole name only. */
static bool has_event(const struct events *all, const char *name)
{
	char event[FORMAT_NAME_MAX + 1];

	snprintf(event, sizeof(event), "syscalls/sys_enter_%s", syscall_format__event(name));
	return bsearch(event, all->names, all->count, sizeof(*all->names), compare_names);
}

static int match_syscalls(const struct request *request, int (*found)(void *context, const char *system, const char *name), void *context,
			  bool *any, struct fault *fault)
{
	bool returns = request->source == REQUEST_SYSCALL_RETURN;
	struct events all;
	int err = list_events(&all, fault);

	for (size_t i = 0; i < SYSCALL_FORMAT_NAMES && !err; i++) {
		const char *name = syscall_format__name(i);

		if (!name || (returns && !syscall_format__returns(name)) || !request__matches(request, request->system, name) ||
		    !has_event(&all, name))
			continue;
		*any = true;
		err = found(context, request->system, name);
	}
	events__free(&all);
	return err;
}

int sources__match(struct sources *sources, const struct request *request,
		   int (*found)(void *context, const char *system, const char *name),
		   void *context, bool *any, struct fault *fault)
{
	*any = false;
	if (request->source == REQUEST_WATCH || request->source == REQUEST_LSM)
		return fault__set(fault, -EINVAL, "%s:%s: one is named at a time, without a pattern", request->system, request->name);
	if (request->source == REQUEST_RAWTP)
		return match_rawtps(sources, request, found, context, any, fault);
	if (request->source == REQUEST_SYSCALL || request->source == REQUEST_SYSCALL_RETURN)
		return match_syscalls(request, found, context, any, fault);
	return match_tracepoints(request, found, context, any, fault);
}

/* How a number is asked for: 'x' where "flags/x" is among the names, 'o', or 0. */
static char form_of(const char *name, const char *const *names, size_t count)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < count; i++)
		if (!strncmp(names[i], name, length) && (!strcmp(names[i] + length, "/x") || !strcmp(names[i] + length, "/o")))
			return names[i][length + 1];
	return 0;
}

static int syscall_fields(const char *system, const char *name, const char *const *names, size_t count,
			  struct format **format, struct fault *fault)
{
	struct syscall_places places = {
		.args = offsetof(struct returned, args), .ret = offsetof(struct returned, ret),
		.duration = offsetof(struct returned, duration_ns),
	};
	int err;

	/* of one that begins, nothing but the arguments is there */
	if (!strcmp(system, SYSCALL_ENTER))
		places.args = 0;
	err = syscall_format__make(format, system, name, &places, fault);
	for (unsigned i = 0; !err && i < (*format)->fields_count; i++) {
		/* it is ours until it is given away */
		struct format_field *field = (struct format_field *)&(*format)->fields[i];
		char form = field->loc == FORMAT_PLAIN ? form_of(field->name, names, count) : 0;

		field->is_octal = form == 'o';
		field->is_hex = form ? form == 'x' : field->is_hex;
	}
	return err;
}

const struct kfuncs_places returned_places = {
	.args = offsetof(struct returned, args), .ret = offsetof(struct returned, ret), .duration = offsetof(struct returned, duration_ns),
	.registers = offsetof(struct returned, registers),
};

int sources__format(struct sources *sources, enum request_source source, const char *system, const char *name, const char *const *names,
		    size_t count, struct format **format, struct fault *fault)
{
	int err;

	switch (source) {
	case REQUEST_RAWTP:
		err = need_rawtps(sources, fault);
		return err ? err : rawtps__format(sources->rawtps, name, names, count, format, fault);
	case REQUEST_CALL:
	case REQUEST_CALL_RETURN:
		err = sources__expect(sources, source, name);
		return err ? err : kfuncs__format(sources->kfuncs, name, source == REQUEST_CALL ? NULL : &returned_places, names, count,
						  format, fault);
	case REQUEST_WATCH:
		return watch__format(name, names, count, format, fault);
	case REQUEST_LSM:
		return lsms__format(name, names, count, format, fault);
	case REQUEST_SYSCALL:
	case REQUEST_SYSCALL_RETURN:
		return syscall_fields(system, name, names, count, format, fault);
	default:
		err = events__format(system, name, format, fault);
		if (err)
			return err;
		if (sources->opens_tails)
			format__open_tail(*format);
		err = elements__add(format, names, count, fault);
		if (err)
			format__free(*format);
		return err;
	}
}

bool source__refuses(enum request_source source, const char *name, struct fault *fault)
{
	if (source != REQUEST_RAWTP || !rawtps__recurses(name))
		return false;
	fault__set(fault, -EDEADLK, RAWTPS_SYSTEM ":%s: the kernel may make this event when a program on it ends, again and again "
		   "(as tp:SYSTEM:%s it is safe)", name, name);
	return true;
}
