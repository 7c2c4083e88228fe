/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/probe/attach_why.h"
#include "lib/probe/tracing.h"
#include "lib/run/return_conflict.h"

void session__ask(struct session *session, struct traced *traced)
{
	size_t count = traced->functions.count;
	bool has_functions = tracing__has_multi(TRACING_FSESSION_MULTI);

	/* fsession.multi is harmless beside a function_graph */
	*session = (struct session){ .has_probes = tracing__has_multi(TRACING_KPROBE_SESSION) && !return_conflict__find() };
	if (!has_functions)
		snprintf(session->why, sizeof(session->why), "this kernel has no fsession.multi");
	else if (count > TRACED_IDS_MAX)
		snprintf(session->why, sizeof(session->why), "more than %d functions", TRACED_IDS_MAX);
	if (!has_functions && !session->has_probes)
		return;
	/* either scan also finds the functions that the programs call */
	if ((*session->why ? tracing__find_ids(NULL, 0, false, NULL) : traced__find_ids(traced, &session->others)) ||
	    !tracing__has_session_functions())
		return;
	if (!*session->why && session->others < count && (!session->others || session->has_probes)) {
		session->kind = SESSION_FUNCTIONS;
		return;
	}
	if (!*session->why)
		snprintf(session->why, sizeof(session->why), "the kernel's BTF has none of the functions");
	if (session->has_probes)
		session->kind = SESSION_PROBES;
}

bool session__take_ids(struct session *session, struct traced *traced, const uint32_t *ids)
{
	if (!tracing__has_session_functions() || !tracing__has_multi(TRACING_FSESSION_MULTI))
		return false;
	*session = (struct session){ .kind = SESSION_FUNCTIONS };
	for (size_t i = 0; i < traced->functions.count; i++)
		traced->functions.list[i].btf_id = ids[i];
	return true;
}

int session__prepare(struct session *session, struct bpf_program *on_probes, struct bpf_program *on_functions)
{
	int err = 0;

	session->on_probes = on_probes;
	session->on_functions = on_functions;
	if (session->kind == SESSION_FUNCTIONS)
		err = tracing__target(on_functions, TRACING_FSESSION_MULTI, 0);
	if (session->has_probes && !err)
		err = tracing__target(on_probes, TRACING_KPROBE_SESSION, 0);
	return err;
}

int session__attach(struct session *session, const struct traced *traced, struct tool *tool)
{
	struct fault fault;
	int err;

	if (session->kind == SESSION_PROBES)
		return traced__attach_addresses(traced, tool, session->on_probes, NULL, true);
	err = traced__attach_ids(traced, tool, session->on_functions);
	if (tool->err || tool->attach->err)
		return err;
	if (!err)
		return traced__attach_addresses(traced, tool, session->on_probes, NULL, false);
	/* of one function nothing was matched */
	if (!session->has_probes && traced->functions.count == 1 && (err == -ENOENT || err == -EBUSY || err == -EINVAL)) {
		functions__explain(NULL, traced->functions.list[0].name, &fault);
		return attach__fail(tool->attach, err, "%s", fault.text);
	}
	if (!session->has_probes)
		return attach__fail(tool->attach, err, "fsession.multi cannot be attached: %s", strerror(-err));
	snprintf(session->why, sizeof(session->why), "the kernel refuses fsession.multi on one of the functions: %s", strerror(-err));
	session->kind = SESSION_PROBES;
	return traced__attach_addresses(traced, tool, session->on_probes, NULL, true);
}

const char *session__name(const struct session *session)
{
	if (session->kind != SESSION_FUNCTIONS)
		return "kprobe.session";
	return session->others ? "fsession.multi, and kprobe.session for functions that it does not take" : "fsession.multi";
}
