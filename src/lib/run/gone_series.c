/* SPDX-License-Identifier: BSD-2-Clause */
#include "gone_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/cgroup_parts.h"
#include "lib/kernel/cgroup_tree.h"
#include "lib/kernel/clock.h"
#include "metric_totals.h"

#define LABELS 4
#define LABEL_MAX 4096		/* bytes of one */

static const char *const names[LABELS] = { "unit", "slice", "container_id", "pod_uid" };

/* The label as it stands in a series, `unit="cron.service"`; size: of it.  NULL: the series has none of that name. */
static const char *label_in(const char *labels, const char *name, size_t *size)
{
	size_t length = strlen(name);

	while (*labels) {
		const char *at = labels + strcspn(labels, "=");

		if (!*at)
			return NULL;
		/* to the quote that ends the value */
		for (at += 2; *at && *at != '"'; at++)
			at += *at == '\\' && at[1];
		*size = (size_t)(at + 1 - labels);
		if (!strncmp(labels, name, length) && labels[length] == '=')
			return labels;
		labels = *at ? at + 1 : at;
		labels += *labels == ',';
	}
	return NULL;
}

/* Whether it is of cgroups, which may be gone; "(unknown)" stays. */
static bool is_of_cgroup(const char *labels)
{
	static const char unknown[] = "=\"(unknown)\"";
	size_t size;

	for (size_t i = 0; i < LABELS; i++) {
		const char *label = label_in(labels, names[i], &size);

		if (label)
			return strncmp(label + strlen(names[i]), unknown, sizeof(unknown) - 1);
	}
	return false;
}

/* Series that may be gone, until a cgroup is found that they fit. */
struct candidates {
	struct metric_totals *totals;
	size_t left;
	bool has_no_memory;
};

/* Whether each of these labels that the series has is one of the cgroup. */
static bool fits(const char *labels, char of_cgroup[LABELS][LABEL_MAX])
{
	for (size_t i = 0; i < LABELS; i++) {
		size_t size;
		const char *label = label_in(labels, names[i], &size);

		if (label && (strlen(of_cgroup[i]) != size || memcmp(of_cgroup[i], label, size)))
			return false;
	}
	return true;
}

static bool keep_those_of(void *ctx, const char *path, uint64_t id)
{
	static char of_cgroup[LABELS][LABEL_MAX];
	struct candidates *candidates = ctx;
	struct cgroup_parts parts;
	const char *const values[LABELS] = { parts.unit, parts.slice, parts.container_id, parts.pod_uid };

	(void)id;
	cgroup_parts__of(path, &parts);
	for (size_t i = 0; i < LABELS; i++) {
		struct text_buffer text = text_buffer__fixed(of_cgroup[i], LABEL_MAX);

		if (*values[i])
			prometheus__add_label(&text, names[i], values[i], strlen(values[i]));
	}
	for (size_t i = 0; i < candidates->totals->count; i++) {
		struct metric_series *series = &candidates->totals->list[i];

		for (size_t number = 0; number < series->counts.count; number++)
			if (series->states[number] == SERIES_MAY_BE_GONE && fits(series->counts.list[number].key, of_cgroup)) {
				series->states[number] = SERIES_IDLE;
				candidates->left--;
			}
	}
	return candidates->left;
}

/* Marks the series that may be gone; how many. */
static size_t mark(struct metric_totals *totals)
{
	size_t count = 0;

	for (size_t i = 0; i < totals->count; i++) {
		struct metric_series *series = &totals->list[i];

		for (size_t number = 0; number < series->counts.count; number++)
			if (series->states[number] == SERIES_IDLE && is_of_cgroup(series->counts.list[number].key)) {
				series->states[number] = SERIES_MAY_BE_GONE;
				count++;
			}
	}
	return count;
}

static void unmark(struct metric_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++)
		for (size_t number = 0; number < totals->list[i].counts.count; number++)
			if (totals->list[i].states[number] == SERIES_MAY_BE_GONE)
				totals->list[i].states[number] = SERIES_IDLE;
}

/* The cgroups that are there: 0, or an error, with which nobody knows. */
static int look(struct candidates *candidates)
{
	const char *mount;
	int hierarchy = cgroup_tree__open(&mount), err;

	if (hierarchy < 0)
		return hierarchy;
	err = cgroup_tree__walk(hierarchy, keep_those_of, candidates);
	close(hierarchy);
	return err;
}

int gone_series__fold(struct metric_totals *totals)
{
	static int64_t next_look_ns;
	struct candidates candidates = { .totals = totals };
	int64_t begin_ns = now_ns(), end_ns;
	int err = 0;

	if (begin_ns < next_look_ns)
		return 0;
	candidates.left = mark(totals);
	if (!candidates.left)
		return 0;
	if (look(&candidates)) {
		unmark(totals);
		return 0;
	}
	end_ns = now_ns();
	next_look_ns = end_ns + 9 * (end_ns - begin_ns);
	for (size_t i = 0; i < totals->count && !err; i++)
		err = metric_series__fold(&totals->list[i]);
	return err;
}
