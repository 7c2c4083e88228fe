/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_search.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "containers.h"

#define NO_MATCH UINT_MAX

struct search {
	const char *wanted;
	struct cgroup_found *found;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Keeps shown among the candidates, of which there were count, if it is one of the first. */
static void add_candidate(struct cgroup_found *found, unsigned int count, const char *shown)
{
	unsigned int kept = count < CGROUP_CANDIDATES ? count : CGROUP_CANDIDATES, at = kept;

	while (at && strcmp(found->candidates[at - 1], shown) > 0)
		at--;
	if (at == CGROUP_CANDIDATES)
		return;
	if (kept == CGROUP_CANDIDATES)
		kept--;
	memmove(found->candidates[at + 1], found->candidates[at], (kept - at) * sizeof(*found->candidates));
	snprintf(found->candidates[at], sizeof(found->candidates[at]), "%s", shown);
}

/* A cgroup that matches, by its rank. shown: as the user may type it. */
static void add(struct cgroup_found *found, unsigned int rank, const char *path, size_t path_size, const char *shown)
{
	if (rank > found->rank)
		return;
	if (rank < found->rank) {
		found->rank = rank;
		found->count = 0;
	}
	/* the containers of one pod come one after the other */
	if (found->count && strlen(found->path) == path_size && !memcmp(found->path, path, path_size))
		return;
	snprintf(found->path, sizeof(found->path), "%.*s", (int)path_size, path);
	add_candidate(found, found->count++, shown);
}

#define FARTHEST 8	/* of names that are equally like the wanted one, those that are less far come first */

/* A name to tell where nothing matches: shown, if the name (size bytes) is like the wanted one. far: less than FARTHEST. */
static void add_near(struct search *search, const char *name, size_t size, unsigned int far, const char *shown)
{
	unsigned int limit = near__limit(&search->found->near) / FARTHEST + 1;
	char text[256];

	if (!size || size >= sizeof(text))
		return;
	memcpy(text, name, size);
	text[size] = '\0';
	near__add(&search->found->near, shown, near__typed(text, search->wanted, limit) * FARTHEST + far);
}

static const char *const suffixes[] = { ".service", ".scope", ".slice", ".socket", ".mount", ".swap" };
#define SUFFIXES (sizeof(suffixes) / sizeof(*suffixes))

/* How well a directory's name matches: from 0 on; NO_MATCH. */
static unsigned int rank_of_unit(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	if (strncmp(name, wanted, length))
		return NO_MATCH;
	if (!name[length])
		return 0;
	for (unsigned int i = 0; i < SUFFIXES; i++)
		if (!strcmp(name + length, suffixes[i]))
			return i + 1;
	return NO_MATCH;
}

/* How many units a path is in, not counting its last directory. */
static unsigned int units_above(const char *path)
{
	unsigned int count = 0;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
		count += !strncmp(slash - strlen(".service"), ".service", strlen(".service")) ||
			 !strncmp(slash - strlen(".scope"), ".scope", strlen(".scope"));
	return count;
}

static bool see_unit(void *ctx, const char *path, uint64_t id)
{
	struct search *search = ctx;
	const char *name = base_name(path), *dot = strrchr(name, '.');
	unsigned int rank = rank_of_unit(name, search->wanted), above = units_above(path);

	(void)id;
	if (!path[1])
		return true;
	if (rank != NO_MATCH)
		add(search->found, rank + above * (SUFFIXES + 1), path, strlen(path), path + 1);
	above = above < FARTHEST ? above : FARTHEST - 1;
	add_near(search, name, strlen(name), above, path + 1);
	if (dot)
		add_near(search, name, (size_t)(dot - name), above, path + 1);
	return true;
}

static void begin(struct cgroup_found *found, const char *wanted)
{
	memset(found, 0, sizeof(*found));
	found->rank = NO_MATCH;
	near__init(&found->near, near__typed_limit(wanted) * FARTHEST, 1);
}

int cgroup_search__unit(const char *name, struct cgroup_found *found)
{
	struct search search = { name, found };
	int fd, err;

	begin(found, name);
	fd = cgroup_tree__open(&found->mount);
	if (fd < 0)
		return fd;
	err = cgroup_tree__walk(fd, see_unit, &search);
	close(fd);
	return err;
}

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

/* How well a container matches, and whether it is its pod that is meant. */
static unsigned int rank_of_container(const struct container *container, const char *wanted, bool *is_pod)
{
	char shown[CONTAINER_SHOWN_SIZE];
	const char *of_engine = wanted;
	size_t engine = strlen(container->engine);

	*is_pod = *container->pod && !strcmp(container->pod, wanted);
	if (*is_pod || !strcmp(container__show(container, shown), wanted))
		return 0;
	if (*container->name && !strcmp(container->name, wanted))
		return 1;
	*is_pod = *container->pod && !strcmp(base_name(container->pod), wanted);
	if (*is_pod)
		return 2;
	if (!strncmp(wanted, container->engine, engine) && wanted[engine] == ':')
		of_engine = wanted + engine + 1;
	return *container->id && *of_engine && begins_with(container->id, of_engine) ? 3 : NO_MATCH;
}

/* The cgroup of the pod that a container's is in; the container's own where the one above is not the pod's alone. */
static size_t path_of_pod(const char *path)
{
	size_t size = (size_t)(base_name(path) - path), begin = size ? size - 1 : 0;

	while (begin && path[begin - 1] != '/')
		begin--;
	for (size_t i = begin; i + strlen("/") < size; i++)
		if (begins_with(path + i, "pod"))
			return size - 1;
	return strlen(path);
}

static bool see_container(void *ctx, const char *path, uint64_t id)
{
	struct search *search = ctx;
	char shown[CONTAINER_SHOWN_SIZE], candidate[CONTAINER_SHOWN_SIZE + CONTAINER_ID_SIZE + 4];
	struct container container;
	unsigned int rank;
	bool is_pod;

	(void)id;
	if (container__in_path(path, &container) != strlen(path) || container.is_monitor)
		return true;
	container__read_names(&container);
	container__show(&container, shown);
	rank = rank_of_container(&container, search->wanted, &is_pod);
	if (rank != NO_MATCH) {
		if (is_pod)
			snprintf(candidate, sizeof(candidate), "%s", container.pod);
		else
			snprintf(candidate, sizeof(candidate), *container.id && *container.name ? "%s (%.*s)" : "%s", shown,
				 CONTAINER_ID_SHOWN, container.id);
		add(search->found, rank, path, is_pod ? path_of_pod(path) : strlen(path), candidate);
	}
	add_near(search, container.name, strlen(container.name), 0, shown);
	add_near(search, container.pod, strlen(container.pod), 0, container.pod);
	return true;
}

int cgroup_search__container(const char *name, struct cgroup_found *found)
{
	struct search search = { name, found };
	char unit[256];
	int fd, err;

	if (container__unit_of_machine(name, unit, sizeof(unit)) && !cgroup_search__unit(unit, found) && found->count)
		return 0;
	begin(found, name);
	fd = cgroup_tree__open(&found->mount);
	err = fd < 0 ? fd : cgroup_tree__walk(fd, see_container, &search);
	if (fd >= 0)
		close(fd);
	for (unsigned int n = 0; !found->count && (fd = cgroup_tree__open_v1(n, &found->mount)) >= 0; n++) {
		err = cgroup_tree__walk(fd, see_container, &search);
		found->is_v1 = true;
		close(fd);
	}
	return err;
}
