/* SPDX-License-Identifier: BSD-2-Clause */
/* credsnoop: tasks that change their user, group, capabilities or user namespace: from what, to what. */
#include <stdio.h>
#include <string.h>

#include "credsnoop.h"
#include "credsnoop.skel.h"
#include "lib/print/capabilities.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"

#define CHANGES_MAX (16 * CAPABILITIES_TEXT_MAX)

#define COLUMNS(before, after) { before, 0, &tool_not_shown, NULL }, { after, 0, &tool_not_shown, NULL }

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CHANGES", 0, NULL, NULL },
	/* in the order of the tables below */
	COLUMNS("UID_OLD", "UID_NEW"),
	COLUMNS("EUID_OLD", "EUID_NEW"),
	COLUMNS("SUID_OLD", "SUID_NEW"),
	COLUMNS("FSUID_OLD", "FSUID_NEW"),
	COLUMNS("GID_OLD", "GID_NEW"),
	COLUMNS("EGID_OLD", "EGID_NEW"),
	COLUMNS("SGID_OLD", "SGID_NEW"),
	COLUMNS("FSGID_OLD", "FSGID_NEW"),
	COLUMNS("SECUREBITS_OLD", "SECUREBITS_NEW"),
	COLUMNS("USERNS_OLD", "USERNS_NEW"),
	COLUMNS("PERMITTED_OLD", "PERMITTED_NEW"),
	COLUMNS("EFFECTIVE_OLD", "EFFECTIVE_NEW"),
	COLUMNS("INHERITABLE_OLD", "INHERITABLE_NEW"),
	COLUMNS("BOUNDING_OLD", "BOUNDING_NEW"),
	COLUMNS("AMBIENT_OLD", "AMBIENT_NEW"),
	{ "GROUPS_CHANGED", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "uid", offsetof(struct cred_state, uid) },	    { "euid", offsetof(struct cred_state, euid) },
	{ "suid", offsetof(struct cred_state, suid) },   { "fsuid", offsetof(struct cred_state, fsuid) },
	{ "gid", offsetof(struct cred_state, gid) },	    { "egid", offsetof(struct cred_state, egid) },
	{ "sgid", offsetof(struct cred_state, sgid) },   { "fsgid", offsetof(struct cred_state, fsgid) },
	{ "securebits", offsetof(struct cred_state, securebits) },
	{ "userns", offsetof(struct cred_state, user_ns) },
}, sets[] = {
	{ "permitted", offsetof(struct cred_state, permitted) },
	{ "effective", offsetof(struct cred_state, effective) },
	{ "inheritable", offsetof(struct cred_state, inheritable) },
	{ "bounding", offsetof(struct cred_state, bounding) },
	{ "ambient", offsetof(struct cred_state, ambient) },
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static uint32_t number_of(const struct cred_state *creds, size_t i)
{
	return *(const uint32_t *)((const char *)creds + numbers[i].offset);
}

static uint64_t set_of(const struct cred_state *creds, size_t i)
{
	return *(const uint64_t *)((const char *)creds + sets[i].offset);
}

/* " effective +kill,bpf", " effective -all"; there is room. */
static char *put_set(char *to, const char *name, char sign, uint64_t set)
{
	char text[CAPABILITIES_TEXT_MAX];

	if (set)
		to += sprintf(to, " %s %c%s", name, sign, capabilities__text(set, text));
	return to;
}

/* "uid 1000>0 euid 1000>0 effective +all", in text; what did not change is not there. */
static void print_changes(struct out *out, const struct cred_event *event)
{
	/* not zeroed: that would cost more than all else */
	char text[CHANGES_MAX], *to = text;
	const char *from = text + 1;

	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint32_t before = number_of(&event->before, i), after = number_of(&event->after, i);

		if (before != after)
			to += sprintf(to, " %s %u>%u", numbers[i].name, before, after);
	}
	if (event->groups_changed)
		to += sprintf(to, " groups");
	for (size_t i = 0; i < COUNT(sets); i++) {
		uint64_t before = set_of(&event->before, i), after = set_of(&event->after, i);

		to = put_set(to, sets[i].name, '+', after & ~before);
		to = put_set(to, sets[i].name, '-', before & ~after);
	}
	/* without the first space; there is an event only where something changed */
	out__string(out, from, to > from ? (size_t)(to - from) : 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct cred_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	print_changes(out, event);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		out__int(out, number_of(&event->before, i));
		out__int(out, number_of(&event->after, i));
	}
	for (size_t i = 0; i < COUNT(sets); i++) {
		out__hex(out, set_of(&event->before, i));
		out__hex(out, set_of(&event->after, i));
	}
	out__bool(out, event->groups_changed);
}

static const struct tool_about about = {
	.name = "credsnoop",
	.summary = "Shows tasks that change their user, group, capabilities or user namespace: from what, to what.",
	.examples = "  sudo credsnoop -T      every change, with its time\n"
		    "  sudo credsnoop -u www  what tasks of one user become\n"
		    "  sudo credsnoop -j | jq 'select(.euid_old != 0 and .euid_new == 0)'\n",
	.columns = columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	RECORDS(credsnoop, sizeof(struct cred_event)),
	.metrics = METRIC_OF_ROWS("credential_changes_total", "Changes of users, groups and capabilities of tasks."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct credsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = credsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		tool__load(&tool);
		attach__kprobe(&attach, skel->progs.commit_creds, &skel->links.commit_creds,
			       (const char *const[]){ "commit_creds", NULL });
	}
	tool__run(&tool, skel, print_event);
	credsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}
