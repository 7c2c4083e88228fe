/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/events.h"
#include "lib/ftrace/functions.h"
#include "lib/gen/fetch_args.h"
#include "lib/probe/attempt.h"
#include "lib/probe/kprobe_events.h"

static int explain(const struct plan *plan, int err, struct fault *fault)
{
	const char *lacks = attempt__lacks_kprobe_events();

	if (lacks)
		fault__set(fault, err, "%s", lacks);
	else if ((err == -ENOENT || err == -EINVAL) && !strchr(plan->format->name, '+'))
		functions__explain(NULL, plan->format->name, fault);
	else if (err == -EADDRNOTAVAIL)
		fault__set(fault, err, "%s is the name of several functions: a probe cannot distinguish them", plan->format->name);
	else
		fault__set(fault, err, "%s cannot be probed: %s", plan->format->name, strerror(-err));
	return err;
}

int probe_records__define(const struct plan *plan, struct format **raw, struct fault *fault)
{
	const struct format_field *field;
	char name[KPROBE_EVENTS_NAME_MAX], *line;
	int err = fetch_args__line(plan->format, &line, &field);

	*raw = NULL;
	if (err == -E2BIG)
		fault__set(fault, err, "%s: the way to %s is longer than kprobe_events takes", plan->name, field->name);
	else if (err == -EOPNOTSUPP)
		fault__set(fault, err, "%s: the kernel's own probes cannot fetch %s (--via bpf can)", plan->name, field->name);
	else if (err)
		fault__set(fault, err, "no memory");
	if (!err) {
		err = kprobe_events__add_with(plan->format->name, false, line, name);
		if (err)
			explain(plan, err, fault);
	}
	free(line);
	return err ? err : events__format(KPROBE_EVENTS_GROUP, name, raw, fault);
}
