/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_records.h"

#include <stdlib.h>

#include "lib/format/events.h"
#include "lib/gen/user_fetch.h"
#include "lib/user/user_attach.h"
#include "run_events.h"
#include "user_events.h"

int user_records__define(const struct plan *plan, const char *filter, struct format **raw, struct fault *fault)
{
	struct user_places places = {};
	char name[UPROBE_EVENTS_NAME_MAX], *line = NULL;
	int err = user_fetch__line(&plan->record, filter, &line, fault);

	*raw = NULL;
	if (!err)
		err = user_events__add_places(&places, run_events__number(plan), plan->source == REQUEST_USER_RETURN, fault);
	if (!err)
		err = user_places__define(&places, line, name, fault);
	user_places__free(&places);
	free(line);
	return err ? err : events__format(EVENTS_OWN_SYSTEM, name, raw, fault);
}
