/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/tracefs.h"
#include "lib/layout/events.h"
#include "lib/layout/rawtps.h"

void sources__free(struct sources *sources)
{
	rawtps__free(sources->rawtps);
	*sources = (struct sources){};
}

static int need_rawtps(struct sources *sources, char *why, size_t size)
{
	int err = sources->rawtps ? 0 : rawtps__load(&sources->rawtps, RAWTPS_BTF);

	if (err)
		snprintf(why, size, RAWTPS_SYSTEM ": the kernel's BTF (" RAWTPS_BTF ") cannot be read: %s", strerror(-err));
	return err;
}

static int match_rawtps(struct sources *sources, const struct request *request,
			int (*found)(void *context, const char *system, const char *name), void *context, bool *any, char *why, size_t size)
{
	int err = need_rawtps(sources, why, size);
	const char *name;

	for (size_t i = 0; !err && (name = rawtps__name(sources->rawtps, i)); i++) {
		if (!request__matches(request, RAWTPS_SYSTEM, name))
			continue;
		*any = true;
		err = found(context, RAWTPS_SYSTEM, name);
	}
	return err;
}

static int match_tracepoints(const struct request *request, int (*found)(void *context, const char *system, const char *name),
			     void *context, bool *any, char *why, size_t size)
{
	struct events all;
	int err = events__list(&all);

	if (err == -ENOENT || err == -EACCES)
		snprintf(why, size, "%s", tracefs__why(err));
	else if (err)
		snprintf(why, size, "the events cannot be listed: %s", strerror(-err));
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

int sources__match(struct sources *sources, const struct request *request, int (*found)(void *context, const char *system, const char *name),
		   void *context, bool *any, char *why, size_t size)
{
	*any = false;
	if (request->source == REQUEST_RAWTP)
		return match_rawtps(sources, request, found, context, any, why, size);
	return match_tracepoints(request, found, context, any, why, size);
}

int sources__format(struct sources *sources, enum request_source source, const char *system, const char *name, const char *const *names,
		    size_t count, struct format **format, char *why, size_t size)
{
	int err;

	if (source == REQUEST_TRACEPOINT)
		return events__format(system, name, format, why, size);
	err = need_rawtps(sources, why, size);
	return err ? err : rawtps__format(sources->rawtps, name, names, count, format, why, size);
}

bool source__refuses(enum request_source source, const char *name, char *why, size_t size)
{
	if (source != REQUEST_RAWTP || !rawtps__recurses(name))
		return false;
	snprintf(why, size, RAWTPS_SYSTEM ":%s: the kernel may make this event when a program on it ends, again and again (as tp:SYSTEM:%s "
		 "it is safe)", name, name);
	return true;
}
