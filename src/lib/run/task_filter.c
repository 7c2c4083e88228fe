/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tasks.h"
#include "lib/print/say.h"
#include "lib/shared/follow.h"
#include "argument.h"
#include "children.h"
#include "exit.h"
#include "task_filter.h"

/* The inode of the initial pid namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO): an ABI since 3.8. */
#define INITIAL_PIDNS_INO 0xEFFFFFFCu

/* By name through /etc/passwd (not NSS: its plugins do not go into a static program). */
static uint32_t parse_user(const char *text)
{
	struct passwd *user;
	FILE *file;

	if (isdigit((unsigned char)*text))
		return (uint32_t)argument__number("-u", text, 0, UINT32_MAX - 1);
	file = fopen("/etc/passwd", "re");
	while (file && (user = fgetpwent(file))) {
		if (!strcmp(user->pw_name, text)) {
			fclose(file);
			return user->pw_uid;
		}
	}
	if (file)
		fclose(file);
	usage_error("-u \"%s\": no such user in /etc/passwd; a number works for any", text);
}

void task_filter__set_user(struct task_filter *filter, const char *text)
{
	if (filter->by_uid)
		usage_error("-u: one user only");
	filter->uid = parse_user(text);
	filter->by_uid = 1;
}

void task_filter__set_comm(struct task_filter *filter, const char *text)
{
	size_t length = strlen(text);
	bool open_ended = length && text[length - 1] == '*';
	char mask[TASK_COMM_LEN] = "", comm[TASK_COMM_LEN] = "";

	if (filter->by_comm)
		usage_error("-n: one name only");
	if (open_ended)
		length--;
	else if (length >= TASK_COMM_LEN)
		length = TASK_COMM_LEN - 1;	/* as the kernel cuts it */
	if ((!length && !open_ended) || length >= TASK_COMM_LEN)
		usage_error("-n \"%s\": a task's name has 1 to %d characters", text, TASK_COMM_LEN - 1);
	if (memchr(text, '*', length))
		usage_error("-n \"%s\": * means any letters only at the end (-n '%.*s*')", text, (int)strcspn(text, "*"), text);
	memcpy(comm, text, length);
	/* up to the 0 byte that ends the name; what follows it in the kernel is not of interest */
	memset(mask, 0xff, length + !open_ended);
	memcpy(filter->comm, comm, sizeof(comm));
	memcpy(filter->comm_mask, mask, sizeof(mask));
	filter->by_comm = length || !open_ended;
}

/* A number, or several with commas between them. */
static void add_ids(const char *option, char *text, uint32_t *ids, uint32_t *count)
{
	char *next;

	do {
		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		if (*count == TASK_FILTER_IDS_MAX)
			usage_error("%s: at most %d of them", option, TASK_FILTER_IDS_MAX);
		ids[(*count)++] = (uint32_t)argument__number(option, text, 1, ARGUMENT_PID_MAX);
		text = next;
	} while (text);
}

void task_filter__add_pids(struct task_filter *filter, char *text)
{
	add_ids("-p", text, filter->pids, &filter->pids_count);
}

void task_filter__add_tids(struct task_filter *filter, char *text)
{
	add_ids("-t", text, filter->tids, &filter->tids_count);
}

/* A directory of a cgroup v2 hierarchy; -ENOTDIR where it is something else. */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return fd;
	close(fd);
	return -ENOTDIR;
}

int task_filter__open_cgroup(const char *text)
{
	char path[4096];
	int as_path = open_cgroup(text), below;

	if (as_path >= 0 || !*text)
		return as_path;
	/* "system.slice/ssh.service", and also "/system.slice/…" and "/" as in /proc/PID/cgroup */
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", text);
	below = open_cgroup(path);
	return below == -ENOENT && as_path == -ENOTDIR ? as_path : below;
}

void task_filter__set_cgroup(struct task_filter *filter, int fd)
{
	struct stat file;

	/* its inode's number is the kernel's id of it (kernfs, since 5.5) */
	if (fstat(fd, &file))
		usage_error("-c: %s", strerror(errno));
	filter->cgroup_id = file.st_ino;
	filter->by_cgroup = 1;
}

void task_filter__await_cgroup(struct task_filter *filter)
{
	filter->cgroup_id = FOLLOW_NO_CGROUP;
	filter->by_cgroup = 1;
}

/* The thread group of a thread, from /proc; 0 where there is no such thread. */
static uint32_t process_of(uint32_t tid)
{
	char path[64], line[128];
	uint32_t process = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &process) == 1)
			break;
	fclose(file);
	return process;
}

/* A filter that can match nothing is a mistake, and nobody should wait for its rows. */
static void check_ids(const struct task_filter *filter)
{
	if ((filter->pids_count || filter->tids_count) && access("/proc/self/status", F_OK)) {
		say("-p and -t need /proc, which is not mounted (mount -t proc proc /proc)");
		exit(TOOL_EXIT_FAILED);
	}
	for (uint32_t i = 0; i < filter->pids_count; i++) {
		uint32_t process = process_of(filter->pids[i]);

		if (!process) {
			say("-p %u: no such process (it may have ended)", filter->pids[i]);
			exit(TOOL_EXIT_FAILED);
		}
		if (process != filter->pids[i])
			usage_error("-p %u: that is a thread of process %u; use -t %u, or -p %u",
				    filter->pids[i], process, filter->pids[i], process);
	}
	for (uint32_t i = 0; i < filter->tids_count; i++) {
		uint32_t process = process_of(filter->tids[i]);
		bool found = !filter->pids_count;

		if (!process) {
			say("-t %u: no such thread (it may have ended)", filter->tids[i]);
			exit(TOOL_EXIT_FAILED);
		}
		for (uint32_t j = 0; j < filter->pids_count; j++)
			found |= filter->pids[j] == process;
		if (!found)
			usage_error("-p and -t exclude each other: thread %u belongs to process %u",
				    filter->tids[i], process);
	}
}

/* The pids on the command line and in the rows are those that the caller sees. */
static void find_pid_namespace(struct task_filter *filter)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == INITIAL_PIDNS_INO)
		return;
	filter->pidns_dev = ns.st_dev;
	filter->pidns_ino = ns.st_ino;
	filter->pidns_below = kernel__has_btf();
}

void task_filter__complete(struct task_filter *filter)
{
	filter->self = (uint32_t)getpid();
	filter->active = filter->pids_count || filter->tids_count || filter->by_uid || filter->by_comm || filter->by_cgroup;
	find_pid_namespace(filter);
	check_ids(filter);
}

static bool has_id(const uint32_t *ids, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return !count;
}

uint32_t *task_filter__threads(const struct task_filter *filter, size_t *count, bool *new_threads)
{
	*new_threads = filter->pids_count != 0;
	*count = 0;
	if (filter->pidns_ino)
		return NULL;
	if (filter->tids_count) {
		uint32_t *tids = malloc(filter->tids_count * sizeof(*tids));

		*new_threads = false;
		if (tids)
			memcpy(tids, filter->tids, (*count = filter->tids_count) * sizeof(*tids));
		return tids;
	}
	return tasks__threads(filter->pids, filter->pids_count, count);
}

/* Whether a process passes -p and -f; not in a pid namespace, where events come from programs alone. */
static bool process_passes(const struct task_filter *filter, uint32_t pid)
{
	return filter->follows ? children__follow(pid) : has_id(filter->pids, filter->pids_count, pid);
}

bool task_filter__passes(const struct task_filter *filter, const struct event_task *task)
{
	uint64_t comm[TASK_COMM_LEN / 8];

	if (!process_passes(filter, task->pid) || !has_id(filter->tids, filter->tids_count, task->tid))
		return false;
	memcpy(comm, task->comm, sizeof(comm));
	return !filter->by_comm || ((comm[0] & filter->comm_mask[0]) == filter->comm[0] &&
				    (comm[1] & filter->comm_mask[1]) == filter->comm[1]);
}
