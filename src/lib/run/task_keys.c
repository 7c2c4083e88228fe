/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intervals.h"
#include "lib/kernel/cgroup_tree.h"
#include "lib/kernel/cgroups.h"
#include "lib/kernel/containers.h"
#include "lib/print/near.h"
#include "lib/print/others.h"
#include "lib/print/text.h"
#include "row_counts.h"

#define UNKNOWN "(unknown)"
#define NOT_IN_ONE "(none)"
#define JSON_MAX (64 << 10)	/* bytes of a key */

/* What a cgroup stands for, by the words of --by. */
enum part { PART_CGROUP, PART_UNIT, PART_SLICE, PART_CONTAINER, PART_POD };
#define IN(part) (1u << PART_##part)

/* What is said of it, in the order of the columns: by which words, and which of these are what "(unknown)" stands for. */
enum member { MEMBER_CGROUP, MEMBER_UNIT, MEMBER_SLICE, MEMBER_CONTAINER, MEMBER_CONTAINER_ID, MEMBER_POD, MEMBER_POD_UID, MEMBERS };
static const struct {
	const char *key;
	unsigned int parts, unknown_parts;
} members[MEMBERS] = {
	[MEMBER_CGROUP] = { "cgroup", IN(CGROUP), IN(CGROUP) },
	[MEMBER_UNIT] = { "unit", IN(CGROUP) | IN(UNIT), IN(CGROUP) | IN(UNIT) },
	[MEMBER_SLICE] = { "slice", IN(CGROUP) | IN(SLICE), IN(SLICE) },
	[MEMBER_CONTAINER] = { "container", IN(CONTAINER), IN(CONTAINER) },
	[MEMBER_CONTAINER_ID] = { "container_id", IN(CGROUP) | IN(CONTAINER), IN(CONTAINER) },
	[MEMBER_POD] = { "pod", IN(CONTAINER) | IN(POD), IN(POD) },
	[MEMBER_POD_UID] = { "pod_uid", IN(CGROUP) | IN(CONTAINER) | IN(POD), IN(POD) },
};

/* What rows are added up in. */
struct group {
	char *values[MEMBERS];	/* NULL: not asked for, or there is none */
	char *shown;		/* as text has it, without what a terminal must not get */
	char *json;		/* the key */
};

static const struct {
	const char *word;
	enum task_key_kind kind;
	enum part part;
} words[] = {
	{ "process", TASK_KEY_PROCESS, 0 }, { "thread", TASK_KEY_THREAD, 0 }, { "comm", TASK_KEY_COMM, 0 },
	{ "cgroup", TASK_KEY_CGROUP, PART_CGROUP }, { "unit", TASK_KEY_CGROUP, PART_UNIT }, { "slice", TASK_KEY_CGROUP, PART_SLICE },
	{ "container", TASK_KEY_CGROUP, PART_CONTAINER }, { "pod", TASK_KEY_CGROUP, PART_POD },
};
#define WORDS (sizeof(words) / sizeof(*words))

/* A process is one tool. */
static enum task_key_kind kind;
static enum part part;
static char asked[32];		/* as it was typed: "-P", "--by unit" */
static struct group *groups;
static size_t groups_count;
static struct row_counts numbers;	/* of the groups, by their JSON */
struct task_keys_shown task_keys_shown;

/* ---- the command line */

static const char *word_of(enum task_key_kind wanted, enum part wanted_part)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].kind == wanted && words[i].part == wanted_part)
			return words[i].word;
	return "pidns";
}

static void set(enum task_key_kind wanted, enum part wanted_part, const char *typed)
{
	if (kind && (kind != wanted || part != wanted_part))
		usage_error("%s and %s exclude each other", asked, typed);
	snprintf(asked, sizeof(asked), "%s", typed);
	kind = wanted;
	part = wanted_part;
	task_keys_shown = (struct task_keys_shown){
		.pid = kind == TASK_KEY_PROCESS || kind == TASK_KEY_THREAD, .tid = kind == TASK_KEY_THREAD,
		.comm = kind == TASK_KEY_PROCESS || kind == TASK_KEY_THREAD || kind == TASK_KEY_COMM,
		.cgroup = kind == TASK_KEY_CGROUP && part == PART_CGROUP, .unit = kind == TASK_KEY_CGROUP && part == PART_UNIT,
		.slice = kind == TASK_KEY_CGROUP && part == PART_SLICE, .pod = kind == TASK_KEY_CGROUP && part == PART_POD,
		.container = kind == TASK_KEY_CGROUP && part == PART_CONTAINER,
	};
}

void task_keys__set(enum task_key_kind wanted, const char *typed)
{
	set(wanted, PART_CGROUP, typed);
}

static bool is_own(const struct tool *tool, const char *word)
{
	for (const struct by_word *own = tool->about->by; own && own->word; own++)
		if (!strcmp(own->word, word))
			return true;
	return false;
}

/* Word number i that the tool has, its own ones first; NULL: there are no more. */
static const char *word_at(const struct tool *tool, size_t i)
{
	for (const struct by_word *own = tool->about->by; own && own->word; own++)
		if (!i--)
			return own->word;
	for (size_t j = 0; j < WORDS && tool->about->by_task; j++)
		if (!is_own(tool, words[j].word) && !i--)
			return words[j].word;
	return NULL;
}

const char *task_keys__doc(const struct tool *tool)
{
	static char doc[200];
	struct text_buffer text = text_buffer__fixed(doc, sizeof(doc));

	text_buffer__add(&text, "a count for each");
	for (size_t i = 0; word_at(tool, i); i++)
		text_buffer__add(&text, "%s %s", !i ? "" : word_at(tool, i + 1) ? "," : " or", word_at(tool, i));
	return doc;
}

static void refuse(const struct tool *tool, const char *word)
{
	struct text_buffer text = text_buffer__growing(1024);
	struct near near;

	near__init(&near, 2, 1);
	for (size_t i = 0; word_at(tool, i); i++)
		near__add(&near, word_at(tool, i), near__edits(word_at(tool, i), word, near__limit(&near)));
	near__put(&near, &text);
	for (size_t i = 0; word_at(tool, i); i++)
		text_buffer__add(&text, "%s %s", i ? "," : "; there are", word_at(tool, i));
	usage_error("--by \"%s\": %s does not count by it%s", word, tool->about->name, text.text);
}

void task_keys__parse(const struct tool *tool, char *text, struct argp_state *state)
{
	char *word, typed[sizeof(asked)];

	while ((word = strsep(&text, ","))) {
		const struct by_word *own = tool->about->by;
		size_t i = 0;

		while (own && own->word && strcmp(own->word, word))
			own++;
		if (own && own->word) {
			tool->about->parse(own->key, NULL, state);
			continue;
		}
		while (i < WORDS && strcmp(words[i].word, word))
			i++;
		if (i == WORDS || !tool->about->by_task)
			refuse(tool, word);
		snprintf(typed, sizeof(typed), "--by %s", word);
		set(words[i].kind, words[i].part, typed);
	}
}

void task_keys__check(const struct tool *tool)
{
	if (kind && tool->shape && tool->shape->linear_count)
		usage_error("--linear and %s exclude each other", asked);
}

enum task_key_kind task_keys__kind(void)
{
	return kind;
}

int task_keys__find_names(struct tool *tool)
{
	const char *mount;
	int hierarchy = kind == TASK_KEY_CGROUP ? cgroup_tree__open(&mount) : -1;

	if (kind != TASK_KEY_CGROUP)
		return 0;
	if (hierarchy < 0)
		return tool__fail(tool, hierarchy, "%s: cgroups have no names here: %s", asked, cgroup_tree__why_none());
	close(hierarchy);
	return 0;
}

bool task_keys__are_cgroups(void)
{
	return kind == TASK_KEY_CGROUP;
}

/* ---- groups */

static void free_group(struct group *group)
{
	for (size_t i = 0; i < MEMBERS; i++)
		free(group->values[i]);
	free(group->shown);
	free(group->json);
}

void task_keys__free(void)
{
	for (size_t i = 0; i < groups_count; i++)
		free_group(&groups[i]);
	free(groups);
	groups = NULL;
	groups_count = 0;
	row_counts__clear(&numbers);
}

static void set_value(struct group *group, enum member member, const char *value)
{
	if (members[member].parts & (1u << part) && value)
		group->values[member] = strdup(value);
}

static void set_values(struct group *group, const struct cgroup_names *names)
{
	set_value(group, MEMBER_CGROUP, names->path);
	set_value(group, MEMBER_UNIT, names->unit);
	set_value(group, MEMBER_SLICE, names->slice);
	set_value(group, MEMBER_CONTAINER_ID, names->container_id);
	set_value(group, MEMBER_POD_UID, names->pod_uid);
	set_value(group, MEMBER_CONTAINER, names->container);
	set_value(group, MEMBER_POD, names->pod);
}

/* What text shows of it. */
static const char *shown_of(const struct group *group, const char *path, char buffer[CONTAINER_SHOWN_SIZE])
{
	const char *const *values = (const char *const *)group->values, *shown;
	struct container container;

	switch (part) {
	case PART_CONTAINER:
		if (!container__in_path(path, &container))
			return NOT_IN_ONE;
		snprintf(container.name, sizeof(container.name), "%s", values[MEMBER_CONTAINER] ? values[MEMBER_CONTAINER] : "");
		snprintf(container.pod, sizeof(container.pod), "%s", values[MEMBER_POD] ? values[MEMBER_POD] : "");
		return container__show(&container, buffer);
	case PART_POD:
		shown = values[MEMBER_POD] ? values[MEMBER_POD] : values[MEMBER_POD_UID];
		break;
	case PART_UNIT:
		shown = values[MEMBER_UNIT];
		break;
	case PART_SLICE:
		shown = values[MEMBER_SLICE];
		break;
	default:
		shown = path;
	}
	return shown ? shown : NOT_IN_ONE;
}

/* {"key":"value",…}, with null where there is none. */
static char *json_of(const struct group *group)
{
	struct text_buffer json = text_buffer__growing(JSON_MAX);

	for (size_t i = 0; i < MEMBERS; i++) {
		const char *value = group->values[i];
		char *quoted = value ? malloc(TEXT_QUOTED_MAX(strlen(value))) : NULL;
		bool is_valid;

		if (!(members[i].parts & (1u << part)))
			continue;
		text_buffer__add(&json, "%c\"%s\":", json.length ? ',' : '{', members[i].key);
		if (quoted)
			text_buffer__put(&json, quoted, (size_t)(text__quote(quoted, value, strlen(value), &is_valid) - quoted));
		else
			text_buffer__put(&json, "null", 4);
		free(quoted);
	}
	text_buffer__put(&json, "}", 1);
	return text_buffer__take(&json);
}

/* What a cgroup is of.  false: there is no memory. */
static bool make_group(struct group *group, uint64_t id)
{
	const struct cgroup_names *names = cgroups__names(id);
	char buffer[CONTAINER_SHOWN_SIZE];
	const char *shown = UNKNOWN;
	size_t characters;

	memset(group, 0, sizeof(*group));
	if (names->path) {
		set_values(group, names);
		shown = shown_of(group, names->path, buffer);
	}
	for (size_t i = 0; i < MEMBERS && !names->path; i++)
		if (members[i].unknown_parts & (1u << part))
			group->values[i] = strdup(UNKNOWN);
	group->shown = malloc(TEXT_ESCAPED_MAX(strlen(shown)) + 1);
	if (group->shown)
		*text__escape(group->shown, shown, strlen(shown), &characters) = 0;
	group->json = json_of(group);
	return group->shown && group->json;
}

/* The number of the group that a cgroup is of, from 0; -ENOMEM. */
static int64_t group_of(uint64_t id)
{
	struct row_count *place;
	struct group group;

	if (!make_group(&group, id)) {
		free_group(&group);
		return -ENOMEM;
	}
	place = row_counts__at(&numbers, group.json, strlen(group.json));
	/* there is room for all rows of the table, so that this is memory alone */
	if (place == &numbers.others) {
		free_group(&group);
		return -ENOMEM;
	}
	if (place->number < groups_count)
		free_group(&group);
	else
		groups[groups_count++] = group;
	return (int64_t)place->number;
}

int task_keys__fold(struct table *table)
{
	if (kind != TASK_KEY_CGROUP)
		return 0;
	task_keys__free();
	numbers.keys_max = table->count;
	groups = calloc(table->count + 1, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++) {
		struct task_key *key = (struct task_key *)(table->keys + i * table->key_size);
		int64_t number = group_of(key->cgroup_id);

		if (number < 0)
			return (int)number;
		key->cgroup_id = (uint64_t)number;
	}
	return table__add_up(table);
}

/* ---- what is printed */

void task_keys__describe(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct task_key *key = data;

	(void)tool;
	switch (kind) {
	case TASK_KEY_CGROUP:
		snprintf(to->text, sizeof(to->text), "%s = ", word_of(kind, part));
		to->text_more = groups[key->cgroup_id].shown;
		to->json_more = groups[key->cgroup_id].json;
		break;
	case TASK_KEY_PIDNS:
		snprintf(to->text, sizeof(to->text), "pidns = %llu", (unsigned long long)key->pidns);
		snprintf(to->json, sizeof(to->json), "{\"pidns\":%llu}", (unsigned long long)key->pidns);
		break;
	case TASK_KEY_COMM:
		interval_key__comm(to, key->comm);
		break;
	default:
		interval_key__task(to, key->pid, key->tid, key->comm);
	}
}

static void put(struct out *out, const char *string)
{
	if (string)
		out__string(out, string, strlen(string));
	else
		out__none(out);
}

/* The member that text shows. */
static enum member shown_member(void)
{
	static const enum member shown[] = { MEMBER_CGROUP, MEMBER_UNIT, MEMBER_SLICE, MEMBER_CONTAINER, MEMBER_POD };

	return shown[part];
}

static void put_group(struct out *out, const struct group *group)
{
	for (enum member i = 0; i < MEMBERS; i++) {
		const char *value = group ? group->values[i] : OTHERS;

		/* "docker:web" for web, and what stands for none */
		if (group && i == shown_member() && !out->json)
			value = group->shown;
		put(out, group || i == shown_member() ? value : NULL);
	}
}

void task_keys__columns(struct out *out, const struct task_key *key)
{
	bool has_comm = task_keys_shown.comm;

	if (key && task_keys_shown.pid)
		out__int(out, key->pid);
	else
		out__none(out);
	if (key && task_keys_shown.tid)
		out__int(out, key->tid);
	else
		out__none(out);
	if (key && has_comm)
		out__string(out, key->comm, sizeof(key->comm));
	else
		put(out, has_comm ? OTHERS : NULL);
}

void task_keys__cgroup_columns(struct out *out, const struct task_key *key)
{
	if (kind == TASK_KEY_CGROUP) {
		put_group(out, key ? &groups[key->cgroup_id] : NULL);
		return;
	}
	for (size_t i = 0; i < MEMBERS; i++)
		out__none(out);
}
