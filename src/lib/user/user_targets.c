/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_targets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/print/near.h"
#include "lib/print/say.h"
#include "lib/print/text_buffer.h"
#include "lib/symbol/deadline.h"
#include "lib/symbol/maps.h"
#include "lib/symbol/root_file.h"
#include "user_own.h"

#define READ_MS 10000	/* for a file's symbols: one of a file system that hangs must not hang us */

/* ---- reading a file */

struct reading {
	int fd;
	const char *function;	/* that it must have; NULL: any file will do */
	struct user_file *file;
	struct fault fault;
};

static int read_file(void *job)
{
	struct reading *reading = job;
	struct user_function function;
	int err;

	if (reading->function && !user_file__mentions(reading->fd, reading->function))
		return -ENOMSG;
	err = user_file__read(reading->fd, user_machine__own(), &reading->file, &reading->fault);
	if (!err && reading->function && !user_file__find(reading->file, reading->function, &function, 1))
		return -ENOMSG;
	return err;
}

static void free_reading(void *job)
{
	struct reading *reading = job;

	user_file__free(reading->file);
	if (reading->fd >= 0)
		close(reading->fd);
	free(reading);
}

/*
 * Takes fd over.  0 and *target, or -errno with one line in fault, which begins behind the file's name; -ENOMSG: it does not have the
 * function.
 */
static int read_target(struct user_target *target, int fd, const char *function, struct fault *fault)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int err;

	if (!reading) {
		close(fd);
		return fault__set(fault, -ENOMEM, "no memory");
	}
	reading->fd = fd;
	reading->function = function;
	err = deadline__call(read_file, free_reading, reading, READ_MS);
	if (err == -ETIMEDOUT)
		return fault__set(fault, err, "it cannot be read within %d seconds: its file system hangs", READ_MS / 1000);
	if (err) {
		if (reading->fault.err)
			*fault = reading->fault;
		else
			fault__set(fault, err, "it cannot be read: %s", strerror(-err));
	} else {
		target->fd = fd;
		target->file = reading->file;
		reading->file = NULL;
		reading->fd = -1;
	}
	free_reading(reading);
	return err;
}

/* ---- the list */

static struct user_target *find(struct user_targets *targets, const struct stat *stat)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->list[i].device == stat->st_dev && targets->list[i].inode == stat->st_ino)
			return &targets->list[i];
	return NULL;
}

static bool is_other(const struct user_targets *targets, const struct stat *stat)
{
	for (size_t i = 0; i < targets->others_count; i++)
		if (targets->others[i].device == stat->st_dev && targets->others[i].inode == stat->st_ino)
			return true;
	return false;
}

/* 0 or -ENOMEM. */
static int add_other(struct user_targets *targets, const struct stat *stat, struct fault *fault)
{
	void *others = reallocarray(targets->others, targets->others_count + 1, sizeof(*targets->others));

	if (!others)
		return fault__set(fault, -ENOMEM, "no memory");
	targets->others = others;
	targets->others[targets->others_count++] = (struct user_inode){ stat->st_dev, stat->st_ino };
	return 0;
}

/* A file that was found (O_PATH). */
struct found {
	int fd;
	struct stat stat;
	const char *path;
	uint32_t pid;		/* whose it is, or 0 */
	const char *function;	/* as in struct reading */
};

/* Adds it, and closes it; one that is there already counts the process, one that is no target was reported.  As user_targets__find(). */
static int add(struct user_targets *targets, const struct found *file, struct fault *fault)
{
	struct user_target target = { .device = file->stat.st_dev, .inode = file->stat.st_ino, .pid = file->pid };
	struct user_target *known = find(targets, &file->stat);
	int fd, err;

	if (known || is_other(targets, &file->stat)) {
		if (known)
			known->processes += file->pid != 0;
		close(file->fd);
		return 0;
	}
	if (targets->count == USER_TARGETS_MAX) {
		close(file->fd);
		return fault__set(fault, -E2BIG, "more than %d different files have that name (name a path, or a process with -p)",
				  USER_TARGETS_MAX);
	}
	fd = root_file__open(file->fd);
	err = fd < 0 ? fault__set(fault, fd, "it cannot be opened: %s", strerror(-fd)) : read_target(&target, fd, file->function, fault);
	if (err)
		return err != -ENOMEM && add_other(targets, &file->stat, fault) ? fault->err : err;
	target.processes = file->pid != 0;
	target.path = strdup(file->path);
	if (!target.path) {
		user_file__free(target.file);
		close(target.fd);
		return fault__set(fault, -ENOMEM, "no memory");
	}
	targets->list[targets->count++] = target;
	return 0;
}

int user_targets__check_debugged(uint32_t pid, struct fault *fault)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file__read_small(path, text, sizeof(text)) < 0)
		return 0;
	line = strstr(text, "\nTracerPid:\t");
	if (!line || !strtoul(line + 12, NULL, 10))
		return 0;
	return fault__set(fault, -EBUSY, "process %u is traced by process %lu (a debugger or strace), which may kill it when it meets a probe "
			  "(--force)", pid, strtoul(line + 12, NULL, 10));
}

void user_targets__free(struct user_targets *targets)
{
	for (size_t i = 0; i < targets->count; i++) {
		user_file__free(targets->list[i].file);
		close(targets->list[i].fd);
		free(targets->list[i].path);
	}
	free(targets->others);
	*targets = (struct user_targets){ 0 };
}

/* ---- by path */

/* Puts the name in front of what is wrong with the file. */
static int explain(struct fault *fault, const char *path, int err)
{
	struct fault why = *fault;

	return fault__set(fault, err, "%.256s: %.640s", path, why.text);
}

static int find_path(struct user_targets *targets, const char *path, uint32_t pid, struct fault *fault);

/* A path from the current directory, which is ours. */
static int find_relative(struct user_targets *targets, const char *path, uint32_t pid, struct fault *fault)
{
	char here[PATH_MAX], whole[2 * PATH_MAX];

	if (pid)
		return fault__set(fault, -EINVAL, "%.256s: with -p, a path is looked up in the root directory of the process (/...)", path);
	if (!getcwd(here, sizeof(here)))
		return fault__set(fault, -errno, "the current directory is not known: %s", strerror(errno));
	if (snprintf(whole, sizeof(whole), "%s/%s", here, path) >= (int)sizeof(whole))
		return fault__set(fault, -ENAMETOOLONG, "%.256s: %s", path, strerror(ENAMETOOLONG));
	return find_path(targets, whole, 0, fault);
}

static int find_path(struct user_targets *targets, const char *path, uint32_t pid, struct fault *fault)
{
	struct found found = { .path = path };
	struct root_id id;
	int root, err;

	if (*path != '/')
		return find_relative(targets, path, pid, fault);
	root = root_file__root(pid ? pid : (uint32_t)getpid(), &id);
	if (root < 0)
		return fault__set(fault, root, "the root directory of process %u cannot be opened: %s", pid, strerror(-root));
	found.fd = root_file__find(root, path, true, &found.stat);
	close(root);
	if (found.fd == -EPERM)
		return fault__set(fault, found.fd, "%.256s: it is no regular file", path);
	if (found.fd < 0)
		return fault__set(fault, found.fd, "%.256s: %s", path, strerror(-found.fd));
	/* the process is counted if it has the file mapped */
	err = add(targets, &found, fault);
	return err ? explain(fault, path, err) : 0;
}

/* ---- by name */

/* What is looked for. */
struct search {
	struct user_targets *targets;
	const char *name;
	struct near near;
	struct fault skipped;	/* of the first file that cannot be probed */
	bool has_skipped;
	bool is_again;		/* the nearest names are not asked for */
};

/* The part of a path behind the last slash, without the mark of a file that is deleted. */
static void name_of(const char *path, char *name, size_t size)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	size_t length;

	snprintf(name, size, "%s", slash ? slash + 1 : path);
	length = strlen(name);
	if (length >= sizeof(deleted) && !strcmp(name + length - (sizeof(deleted) - 1), deleted))
		name[length - (sizeof(deleted) - 1)] = 0;
}

/* The file that a process executes at these addresses: that one, also where it is deleted, or another file has its path. */
static int add_mapped(struct search *search, uint32_t pid, const struct map *map)
{
	struct found found = { .path = map->path, .pid = pid };
	char path[96];
	struct fault fault;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)map->start, (unsigned long long)map->end);
	found.fd = open(path, O_PATH | O_CLOEXEC);
	if (found.fd < 0)
		return 0;	/* the process has unmapped it, or is gone */
	if (fstat(found.fd, &found.stat) || !S_ISREG(found.stat.st_mode)) {
		close(found.fd);
		return 0;
	}
	err = add(search->targets, &found, &fault);
	if (!err)
		return 0;
	explain(&fault, map->path, err);
	if (!search->has_skipped)
		search->skipped = fault;
	search->has_skipped = true;
	return err == -E2BIG ? err : 0;
}

static bool are_file(const struct user_targets *targets, const struct stat *file)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->list[i].device == file->st_dev && targets->list[i].inode == file->st_ino)
			return true;
	return false;
}

bool user_targets__are_used(const struct user_targets *targets, uint32_t pid)
{
	bool is_used = false;
	struct maps maps;
	ino_t last = 0;

	if (maps__read(&maps, pid))
		return true;
	for (size_t i = 0; i < maps.count && !is_used; i++) {
		const struct map *map = &maps.list[i];
		struct stat file;
		char path[96];

		if (!map->inode || map->inode == last)
			continue;
		last = map->inode;
		snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)map->start, (unsigned long long)map->end);
		/* the numbers in the maps may be those of the file below, on overlayfs; who may not ask does not know */
		is_used = stat(path, &file) ? errno != ENOENT : are_file(targets, &file);
	}
	maps__free(&maps);
	return is_used;
}

/* 0 also where the process has gone. */
static int search_process(void *context, uint32_t pid)
{
	struct search *search = context;
	struct maps maps;
	ino_t last = 0;
	int err = maps__read(&maps, pid);

	if (err)
		return 0;
	for (size_t i = 0; i < maps.count && !err; i++) {
		char name[NAME_MAX + 32];

		if (!maps.list[i].inode || maps.list[i].inode == last)
			continue;
		last = maps.list[i].inode;
		name_of(maps.list[i].path, name, sizeof(name));
		/* without a name it is all files of a process */
		if (!*search->name || user_own__is_meant(name, search->name))
			err = add_mapped(search, pid, &maps.list[i]);
		else if (!search->is_again)
			near__add(&search->near, name, near__typed(name, search->name, near__limit(&search->near)));
	}
	maps__free(&maps);
	return err;
}

/* Calls visit() for each process until it returns something else than 0, which is returned. */
static int each_process(int (*visit)(void *context, uint32_t pid), void *context)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	while (proc && !err && (entry = readdir(proc))) {
		unsigned long pid = strtoul(entry->d_name, NULL, 10);

		if (pid)
			err = visit(context, (uint32_t)pid);
	}
	if (proc)
		closedir(proc);
	return err;
}

static int find_name(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault)
{
	struct search search = { .targets = targets, .name = name };
	struct text_buffer text;
	char own[PATH_MAX];
	int err;

	near__init(&search.near, near__typed_limit(name), NEAR_MAX);
	err = pid ? search_process(&search, pid) : each_process(search_process, &search);
	if (!err && !pid && user_own__find(name, own, sizeof(own))) {
		err = find_path(targets, own, 0, fault);
		/* others may do */
		if (err && !search.has_skipped)
			search.skipped = *fault;
		search.has_skipped |= err != 0;
		err = 0;
	}
	if (err || (!targets->count && search.has_skipped)) {
		*fault = search.skipped;
		return fault->err;
	}
	if (search.has_skipped)
		say("%s: skipped", search.skipped.text);
	if (targets->count)
		return 0;
	text = fault__begin(fault, -ENOENT);
	if (pid && !*name)
		text_buffer__add(&text, "process %u executes no file, or is gone", pid);
	else if (pid)
		text_buffer__add(&text, "process %u executes no file of the name \"%.128s\"", pid, name);
	else
		text_buffer__add(&text, "no process executes a file of the name \"%.128s\", and this machine has none (a path has a slash)", name);
	near__put(&search.near, &text);
	return fault->err;
}

int user_targets__find(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault)
{
	return strchr(name, '/') ? find_path(targets, name, pid, fault) : find_name(targets, name, pid, fault);
}

/* Files of that name that have come since. */
static int find_more(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault)
{
	struct search search = { .targets = targets, .name = name, .is_again = true };
	char own[PATH_MAX];
	int err = pid ? search_process(&search, pid) : each_process(search_process, &search);

	if (search.has_skipped)
		*fault = search.skipped;
	if (!err && !search.has_skipped && !pid && user_own__find(name, own, sizeof(own)))
		err = find_path(targets, own, 0, fault);
	return search.has_skipped ? fault->err : err;
}

int user_targets__look_again(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault)
{
	int err = strchr(name, '/') ? find_path(targets, name, pid, fault) : find_more(targets, name, pid, fault);

	return err == -ENOENT ? 0 : err;
}

/* ---- programs with a function */

struct programs {
	struct user_targets *targets;
	const char *function;
	struct fault *fault;
};

/* The program that a process executes; a thread of the kernel executes none. */
static int take_program(void *context, uint32_t pid)
{
	struct programs *programs = context;
	char link[64], path[PATH_MAX];
	struct found found = { .path = path, .pid = pid, .function = programs->function };
	ssize_t length;
	int err;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return 0;
	path[length] = 0;
	found.fd = open(link, O_PATH | O_CLOEXEC);
	if (found.fd < 0)
		return 0;
	if (fstat(found.fd, &found.stat) || !S_ISREG(found.stat.st_mode)) {
		close(found.fd);
		return 0;
	}
	err = add(programs->targets, &found, programs->fault);
	return err == -E2BIG || err == -ENOMEM ? err : 0;
}

int user_targets__find_programs(struct user_targets *targets, const char *function, struct fault *fault)
{
	struct programs programs = { .targets = targets, .function = function, .fault = fault };

	return each_process(take_program, &programs);
}
