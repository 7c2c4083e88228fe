/* SPDX-License-Identifier: BSD-2-Clause */
#include "tasks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

/* Threads that are known at most.  Of one that is forgotten and lives /proc tells again. */
#define TASKS_MAX (1 << 18)

int tasks__set(struct tasks *tasks, uint32_t tid, uint32_t pid, const char *comm)
{
	struct task *task;

	if (!tid)
		return 0;
	/* it may be the next one's place then */
	tasks->asked = NULL;
	tasks->table.value_size = sizeof(*task);
	tasks->table.bound = TASKS_MAX;
	task = hash__get(&tasks->table, tid);
	if (!task)
		return -ENOMEM;
	*task = (struct task){ .tid = tid, .pid = pid };
	memcpy(task->comm, comm, strnlen(comm, TASK_COMM_LEN));
	return 0;
}

const struct task *tasks__find(const struct tasks *tasks, uint32_t tid)
{
	return hash__find(&tasks->table, tid);
}

void tasks__end(struct tasks *tasks, uint32_t tid)
{
	uint32_t *place = &tasks->ended[tasks->next_ended];
	struct task *task = hash__find(&tasks->table, tid);

	if (!task)
		return;
	task->has_ended = true;
	tasks->asked = NULL;
	tasks->next_ended = (tasks->next_ended + 1) % TASKS_ENDED;
	/* the number may be that of another thread by now */
	task = *place ? hash__find(&tasks->table, *place) : NULL;
	if (task && task->has_ended && *place != tid)
		hash__remove(&tasks->table, *place);
	*place = tid;
}

void tasks__cut_worker(char *comm)
{
	static const char prefix[] = "kworker/";
	char *end;

	if (strncmp(comm, prefix, strlen(prefix)))
		return;
	comm += strlen(prefix);
	/* a rescuer, since 6.9: "kworker/R-writeback" */
	if (!strncmp(comm, "R-", 2))
		comm += 2;
	end = strpbrk(comm, "+-");
	if (end)
		*end = 0;
}

/* Adds a thread as /proc has it. 0, -ENOMEM, or -errno: it has ended. */
static int add(struct tasks *tasks, uint32_t pid, uint32_t tid)
{
	char path[64], comm[80];
	int length;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	length = file__read_small(path, comm, sizeof(comm));
	if (length <= 0)
		return length ? length : -ESRCH;
	if (comm[length - 1] == '\n')
		comm[length - 1] = 0;
	tasks__cut_worker(comm);
	comm[TASK_COMM_LEN - 1] = 0;
	return tasks__set(tasks, tid, pid, comm);
}

/* The number that a directory of /proc is named after; 0: it is no task's. */
static uint32_t number_of(const struct dirent *entry)
{
	char *end;
	unsigned long number = strtoul(entry->d_name, &end, 10);

	return *entry->d_name >= '0' && *entry->d_name <= '9' && !*end ? (uint32_t)number : 0;
}

/* All threads of a process. 0 or -ENOMEM: one that ends meanwhile is no error. */
static int add_process(struct tasks *tasks, uint32_t pid)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && err != -ENOMEM && (entry = readdir(dir))) {
		uint32_t tid = number_of(entry);

		if (tid)
			err = add(tasks, pid, tid);
	}
	if (dir)
		closedir(dir);
	return err == -ENOMEM ? err : 0;
}

int tasks__scan(struct tasks *tasks)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		uint32_t pid = number_of(entry);

		if (pid)
			err = add_process(tasks, pid);
	}
	closedir(dir);
	return err;
}

void tasks__free(struct tasks *tasks)
{
	hash__free(&tasks->table);
	*tasks = (struct tasks){ .asked = NULL };
}

const struct task *tasks__look_up_other(struct tasks *tasks, uint32_t tid)
{
	char path[64], status[1024];
	const char *at;

	tasks->asked = tasks__find(tasks, tid);
	if (tasks->asked || !tid)
		return tasks->asked;
	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file__read_small(path, status, sizeof(status));
	at = strstr(status, "\nTgid:\t");
	if (!at || add(tasks, (uint32_t)strtoul(at + strlen("\nTgid:\t"), NULL, 10), tid))
		return NULL;
	return tasks->asked = tasks__find(tasks, tid);
}

uint32_t *tasks__threads(const uint32_t *pids, size_t pids_count, size_t *count)
{
	uint32_t *threads = NULL, *larger;

	*count = 0;
	for (size_t i = 0; i < pids_count; i++) {
		struct dirent *entry;
		char path[64];
		DIR *dir;

		snprintf(path, sizeof(path), "/proc/%u/task", pids[i]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir))) {
			unsigned long tid = strtoul(entry->d_name, NULL, 10);

			/* "." and ".." */
			if (!tid)
				continue;
			/* grown by powers of two */
			larger = *count & (*count - 1) ? threads : realloc(threads, (*count ? 2 * *count : 1) * sizeof(*threads));
			if (!larger)
				break;
			threads = larger;
			threads[(*count)++] = (uint32_t)tid;
		}
		if (dir)
			closedir(dir);
	}
	return threads;
}
