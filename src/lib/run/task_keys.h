/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose events a tool that counts keeps apart: --by, and the options that are short for one of its words.  A tool with about.by_task has a
 * table (table.bpf.h) whose keys begin with a struct task_key, which its programs fill by task_key_set() (lib/bpf/task_key.bpf.h).
 *
 * Programs know a cgroup by its number alone.  What it is called, and which unit, slice, container or pod it is of, is known here:
 * at each cut the rows of all cgroups of one are added up (task_keys__fold()).  A cgroup without a name that can be read, as it was
 * gone before or is not below what is mounted here, counts as "(unknown)": a number would be a key for ever.
 */
#ifndef PROBELIGHT_TASK_KEYS_H
#define PROBELIGHT_TASK_KEYS_H

#include <argp.h>
#include <stdbool.h>

#include "lib/print/out.h"
#include "lib/shared/task_key.h"

struct interval_key;
struct table;
struct tool;

/* Names of labels (struct metric) for all of them. */
#define TASK_KEY_LABELS "unit,slice,container_id,pod_uid,comm"

/* A word of --by that means one of the tool's own options: "disk" is -D.  A table of them ends with one without a word. */
struct by_word {
	const char *word;
	int key;	/* of the option */
};

/* Columns of rows that have such a key, and those that stand behind the others, as they are of any width; the functions below fill them. */
#define TASK_KEY_COLUMNS \
	{ "PID", -7, &task_keys_shown.pid, NULL }, \
	{ "TID", -7, &task_keys_shown.tid, NULL }, \
	{ "COMM", -16, &task_keys_shown.comm, NULL }
#define TASK_KEY_CGROUP_COLUMNS \
	{ "CGROUP", 0, &task_keys_shown.cgroup, NULL }, \
	{ "UNIT", 0, &task_keys_shown.unit, NULL }, \
	{ "SLICE", 0, &task_keys_shown.slice, NULL }, \
	{ "CONTAINER", 0, &task_keys_shown.container, NULL }, \
	{ "CONTAINER_ID", 0, &tool_not_shown, NULL }, \
	{ "POD", 0, &task_keys_shown.pod, NULL }, \
	{ "POD_UID", 0, &tool_not_shown, NULL }

extern struct task_keys_shown {
	bool pid, tid, comm, cgroup, unit, slice, container, pod;
} task_keys_shown;

/* -P, -L and their kin; typed: as the user has typed it.  Refuses a second one that differs. */
void task_keys__set(enum task_key_kind kind, const char *typed);

/* For --help: what --by may be. */
const char *task_keys__doc(const struct tool *tool);

/* --by WORD,…: refuses words that the tool does not have. */
void task_keys__parse(const struct tool *tool, char *words, struct argp_state *state);

/* Once the command line is read: refuses what does not go together. */
void task_keys__check(const struct tool *tool);

/* TASK_KEY_NONE: tasks are not kept apart. */
enum task_key_kind task_keys__kind(void);

/* Before anything is attached: whether cgroups have names here, if these are asked for.  0, or -errno in tool->err. */
int task_keys__find_names(struct tool *tool);

/* Whether the names of cgroups are asked for. */
bool task_keys__are_cgroups(void);

/*
 * After a cut: adds up the rows of one unit, slice, container or pod, whose keys get its number.  Values are words that add.  0 or
 * -ENOMEM.
 */
int task_keys__fold(struct table *table);

/* Fills it, for interval__hists(); key: what begins with a struct task_key. */
void task_keys__describe(const struct tool *tool, const void *key, struct interval_key *to);

/* The values of TASK_KEY_COLUMNS and TASK_KEY_CGROUP_COLUMNS; NULL: of the others. */
void task_keys__columns(struct out *out, const struct task_key *key);
void task_keys__cgroup_columns(struct out *out, const struct task_key *key);

/* Frees what is kept. */
void task_keys__free(void);

#endif
