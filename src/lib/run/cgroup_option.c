/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup_follow.h"
#include "exit.h"
#include "lib/kernel/cgroup_search.h"
#include "lib/kernel/cgroup_tree.h"
#include "lib/kernel/file.h"
#include "lib/print/say.h"
#include "lib/shared/event.h"
#include "task_filter.h"

#define CANDIDATES_SIZE (CGROUP_CANDIDATES * (CGROUP_CANDIDATE_SIZE + 2))

/* What is not on this machine ends the run, as a process of -p does. */
__attribute__((format(printf, 1, 2), noreturn))
static void give_up(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(format, args);
	va_end(args);
	exit(TOOL_EXIT_FAILED);
}

void cgroup_option__set(const char **asked, const char *other, const char *text)
{
	if (*asked || other)
		usage_error("-c, --container: one cgroup only");
	*asked = text;
}

static int open_found(const char *option, const char *text, const struct cgroup_found *found)
{
	char path[CGROUP_PATH_SIZE + 64];
	int fd;

	snprintf(path, sizeof(path), "%s%s", found->mount, found->path);
	fd = task_filter__open_cgroup(path);
	if (fd < 0)
		give_up("%s \"%s\": %s: %s", option, text, path, strerror(-fd));
	return fd;
}

/* "a, b, ..." in text (CANDIDATES_SIZE bytes). Returns text. */
static const char *list_candidates(const struct cgroup_found *found, char *text)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < found->count && i < CGROUP_CANDIDATES; i++)
		used += (size_t)snprintf(text + used, CANDIDATES_SIZE - used, "%s%s", i ? ", " : "", found->candidates[i]);
	if (found->count > CGROUP_CANDIDATES)
		snprintf(text + used, CANDIDATES_SIZE - used, ", ...");
	return text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), length = strlen(end);

	return size > length && !strcmp(text + size - length, end);
}

/*
 * Where systemd makes a unit's cgroup if nobody has said otherwise (systemd.unit(5), Slice=): a service below system.slice, one of a
 * template below a slice for all of these, a slice below those that its name lists.
 */
static const char *default_path(const char *name, char *path, size_t size)
{
	static const char *const units[] = { ".service", ".socket", ".mount", ".swap", ".scope" };
	const char *at = strchr(name, '@');
	size_t used = 0;

	*path = '\0';
	if (ends_with(name, ".slice")) {
		for (const char *dash = strchr(name, '-'); dash && used < size; dash = strchr(dash + 1, '-'))
			used += (size_t)snprintf(path + used, size - used, "%.*s.slice/", (int)(dash - name), name);
		if (used < size)
			snprintf(path + used, size - used, "%s", name);
		return path;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!ends_with(name, units[i]))
			continue;
		used = (size_t)snprintf(path, size, "system.slice/");
		if (at) {
			used += (size_t)snprintf(path + used, size - used, "system-");
			for (const char *letter = name; letter < at && used + 8 < size; letter++)
				used += (size_t)snprintf(path + used, size - used, *letter == '-' ? "\\x2d" : "%c", *letter);
			used += (size_t)snprintf(path + used, size - used, ".slice/");
		}
		snprintf(path + used, size - used, "%s", name);
		return path;
	}
	return name;
}

/* Waits for the cgroup where it will be. */
static void await(struct cgroup_follow *follow, struct task_filter *filter, const char *text)
{
	char path[CGROUP_PATH_SIZE];
	const char *place = strchr(text, '/') ? text : default_path(text, path, sizeof(path));
	int err = cgroup_follow__await(follow, place);

	if (err == -EOPNOTSUPP)
		give_up("-c \"%s\": no such cgroup (--wait needs Linux 5.15, and no cgroup namespace)", text);
	if (err)
		give_up("-c \"%s\": no such cgroup, and --wait cannot wait for %s: the cgroup above it does not exist either", text, place);
	task_filter__await_cgroup(filter);
	say("-c \"%s\": no such cgroup yet; waiting for %s to be created", text, follow->path);
}

/* By its name alone, without the slice and the suffix; -ENOENT: there is none, and found->near is the nearest. */
static int find_unit(const char *text, struct cgroup_found *found)
{
	const char *slash = strrchr(text, '/');
	char candidates[CANDIDATES_SIZE];
	int err = cgroup_search__unit(slash ? slash + 1 : text, found);

	if (err == -ENODEV)
		give_up("-c \"%s\": %s", text, cgroup_tree__why_none());
	if (err || slash || !found->count)
		return -ENOENT;
	if (found->count > 1)
		give_up("-c \"%s\": %u cgroups have that name: %s", text, found->count, list_candidates(found, candidates));
	return open_found("-c", text, found);
}

static int find_cgroup(const struct cgroup_option *option, struct task_filter *filter, struct cgroup_follow *follow)
{
	struct cgroup_found *found;
	const char *text = option->cgroup;
	int fd = task_filter__open_cgroup(text);

	if (fd >= 0)
		return fd;
	if (!*text || (fd != -ENOENT && strchr(text, '/')))
		usage_error("-c \"%s\": %s", text, !*text ? "not a cgroup" :
			    fd == -ENOTDIR ? "not a directory of a cgroup v2 hierarchy" : strerror(-fd));
	found = malloc(sizeof(*found));
	if (!found)
		give_up("-c \"%s\": %s", text, strerror(ENOMEM));
	fd = find_unit(text, found);
	if (fd < 0 && option->wait)
		await(follow, filter, text);
	else if (fd < 0 && found->near.count)
		give_up("-c \"%s\": no such cgroup; the nearest is %s (--wait waits for it to be created)", text, found->near.names[0]);
	else if (fd < 0)
		give_up("-c \"%s\": no such cgroup (--wait waits for it to be created)", text);
	free(found);
	return fd < 0 ? -1 : fd;
}

/* The kernel's filter is for cgroup v2; the processes can still be named. */
__attribute__((noreturn))
static void refuse_v1(const char *text, const struct cgroup_found *found)
{
	char path[CGROUP_PATH_SIZE + 128], pids[600] = "", *procs = NULL;
	size_t size, used = 0, count = 0;

	snprintf(path, sizeof(path), "%s%s/cgroup.procs", found->mount, found->path);
	if (!file__read(path, 1 << 20, &procs, &size)) {
		for (char *pid = strtok(procs, "\n"); pid; pid = strtok(NULL, "\n"))
			if (count++ < TASK_FILTER_IDS_MAX && used + strlen(pid) + 2 < sizeof(pids))
				used += (size_t)snprintf(pids + used, sizeof(pids) - used, "%s%s", used ? "," : "", pid);
	}
	free(procs);
	if (count && count <= TASK_FILTER_IDS_MAX)
		give_up("--container \"%s\": %s is in cgroup v1 only, which the kernel's filter does not know; these are its processes now: -p %s", text,
			found->candidates[0], pids);
	give_up("--container \"%s\": %s is in cgroup v1 only (%s%s), which the kernel's filter does not know", text, found->candidates[0],
		found->mount, found->path);
}

static int find_container(const char *text)
{
	const char *hint = geteuid() ? " (names of containers are in files that only root may read: run it with sudo)" : "";
	struct cgroup_found *found = malloc(sizeof(*found));
	char candidates[CANDIDATES_SIZE];
	int fd = -1;

	if (!*text)
		usage_error("--container \"\": not a name");
	if (!found)
		give_up("--container \"%s\": %s", text, strerror(ENOMEM));
	cgroup_search__container(text, found);
	if (found->count > 1)
		give_up("--container \"%s\": %u containers match: %s", text, found->count, list_candidates(found, candidates));
	if (found->count && found->is_v1)
		refuse_v1(text, found);
	if (!found->count && found->near.count)
		give_up("--container \"%s\": no such container runs; the nearest is %s", text, found->near.names[0]);
	if (!found->count)
		give_up("--container \"%s\": no such container runs%s", text, hint);
	fd = open_found("--container", text, found);
	free(found);
	return fd;
}

int cgroup_option__resolve(const struct cgroup_option *option, struct task_filter *filter, struct cgroup_follow *follow)
{
	int fd;

	if (option->wait && !option->cgroup)
		usage_error("--wait: it goes with -c: %s", option->container ?
			    "where a container's cgroup will be is not known before it runs" :
			    "it waits for that cgroup to be created");
	if (option->container)
		fd = find_container(option->container);
	else if (option->cgroup)
		fd = find_cgroup(option, filter, follow);
	else
		return -1;
	if (fd < 0)
		return -1;
	task_filter__set_cgroup(filter, fd);
	cgroup_follow__find(follow, fd);
	return fd;
}
