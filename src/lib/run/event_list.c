/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gen/source.h"
#include "lib/layout/format.h"
#include "lib/print/text.h"
#include "preflight.h"

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

struct listing {
	struct sources sources;
	const struct request *request;
};

static int list_event(void *context, const char *system, const char *name)
{
	struct listing *listing = context;
	struct format *format;
	char why[512];

	printf("%s:%s\n", system, name);
	/* one that a module takes away meanwhile has no fields */
	if (!sources__format(&listing->sources, listing->request->source, system, name, NULL, 0, &format, why, sizeof(why))) {
		list_fields(format);
		format__free(format);
	}
	return 0;
}

int event_list__print(struct tool *tool, const char *pattern)
{
	struct requests wanted = {};
	struct listing listing = { .request = &wanted.list[0] };
	char why[512];
	bool any = false;
	int err = requests__take(&wanted, pattern, why, sizeof(why));

	if (err || wanted.count != 1 || wanted.list[0].fields_count) {
		requests__free(&wanted);
		usage_error("-l \"%s\": no pattern of events, such as 'sched:*'", pattern);
	}
	err = sources__match(&listing.sources, listing.request, list_event, &listing, &any, why, sizeof(why));
	if (err)
		tool__fail(tool, err, "%s", why);
	else if (!any)
		tool__fail(tool, -ENOENT, "no event matches \"%s\"", pattern);
	requests__free(&wanted);
	sources__free(&listing.sources);
	return tool->err ? TOOL_EXIT_FAILED : preflight__text_written();
}
