/* SPDX-License-Identifier: BSD-2-Clause */
#include "modules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deadline.h"
#include "debug_file.h"
#include "elf_symbols.h"
#include "perf_map.h"
#include "root_file.h"
#include "user_names.h"

static void free_frame(void *ctx, uint64_t offset, void *value)
{
	struct user_frame *frame = *(struct user_frame **)value;

	(void)ctx;
	(void)offset;
	if (frame)
		free(frame->own);
	free(frame);
}

static void free_module(struct module *module)
{
	hash__free(&module->frames);
	elf_symbols__free(module->symbols);
	free(module->path);
	free(module);
}

void modules__free(struct modules *modules)
{
	struct module *next;

	for (struct module *module = modules->list; module; module = next) {
		next = module->next;
		free_module(module);
	}
	*modules = (struct modules){ 0 };
}

size_t modules__drop_frames(struct modules *modules)
{
	size_t left = 0;

	for (struct module *module = modules->list; module; module = module->next) {
		struct user_frame **frame;
		uint64_t offset;
		size_t at = 0;

		while ((frame = hash__next(&module->frames, &at, &offset))) {
			if ((*frame)->is_kept)
				continue;
			free_frame(NULL, offset, frame);
			hash__remove(&module->frames, offset);
			at--;
		}
		/* not before: a removal may move one to a place that comes later */
		for (at = 0; (frame = hash__next(&module->frames, &at, &offset));)
			(*frame)->is_kept = false;
		left += module->frames.count;
		if (!module->frames.count)
			hash__free(&module->frames);
	}
	return left;
}

void modules__drop(struct modules *modules)
{
	for (struct module **at = &modules->list, *module; (module = *at);) {
		if (!module->is_kept && !module->frames.count) {
			*at = module->next;
			modules->count--;
			free_module(module);
			continue;
		}
		module->is_kept = false;
		at = &module->next;
	}
}

/* Opens a mapped file; then reads its symbols.  By themselves in memory: the thread that does it may be given up. */
struct file_job {
	uint32_t pid;
	struct process_identity identity;
	uint64_t start, end, inode;
	dev_t device;
	char *path;
	int fd;				/* -1: not open */
	struct stat stat;
	struct elf_symbols *symbols;
};

static void free_file_job(void *data)
{
	struct file_job *job = data;

	if (job->fd >= 0)
		close(job->fd);
	elf_symbols__free(job->symbols);
	free(job->path);
	free(job);
}

static struct file_job *new_file_job(uint32_t pid, const struct process_identity *identity, const struct map *map)
{
	struct file_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	*job = (struct file_job){ .pid = pid, .identity = *identity, .start = map->start, .end = map->end, .inode = map->inode,
				  .device = map->device, .fd = -1 };
	job->path = strdup(map->path);
	if (!job->path) {
		free(job);
		return NULL;
	}
	return job;
}

/* O_PATH: not even a device is told of it. */
static int find_file(struct file_job *job)
{
	char *path;
	int fd;

	if (asprintf(&path, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, job->pid, job->start, job->end) < 0)
		return -ENOMEM;
	fd = open(path, O_PATH | O_CLOEXEC);
	free(path);
	if (fd >= 0)
		return fstat(fd, &job->stat) ? close(fd), -EBADF : fd;
	if (asprintf(&path, "/proc/%u/root%s", job->pid, job->path) < 0)
		return -ENOMEM;
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &job->stat) || job->stat.st_ino != job->inode || job->stat.st_dev != job->device) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

static int open_file(void *data)
{
	struct file_job *job = data;
	int found = find_file(job), err;

	if (found < 0)
		return found;
	/* another program may have a file at the same addresses */
	err = process_identity__check_again(&job->identity, job->pid);
	if (err) {
		close(found);
		return err;
	}
	if (!S_ISREG(job->stat.st_mode)) {
		close(found);
		return -ENOEXEC;
	}
	found = root_file__open(found);
	if (found < 0)
		return found;
	job->fd = found;
	return 0;
}

static int read_file(void *data)
{
	struct file_job *job = data;
	int err = elf_symbols__read(job->fd, &job->symbols);

	if (!err)
		debug_file__read(job->symbols, job->pid, job->path);
	return err;
}

struct module *modules__add(struct modules *modules, const char *path)
{
	struct module *module = calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->path = strdup(path);
	if (!module->path) {
		free(module);
		return NULL;
	}
	module->frames = (struct hash){ .value_size = sizeof(struct user_frame *), .evicted = free_frame };
	module->next = modules->list;
	modules->list = module;
	modules->count++;
	return module;
}

struct module *modules__of_text(struct modules *modules, const char *text, bool is_reason)
{
	struct module *module;

	for (module = modules->list; module; module = module->next)
		if (!module->is_file && module->is_reason == is_reason && !strcmp(module->path, text))
			return module;
	module = modules__add(modules, text);
	if (module) {
		module->is_reason = is_reason;
		module->err = -ENOENT;
	}
	return module;
}

static struct module *module_of_stat(const struct modules *modules, const struct stat *stat)
{
	for (struct module *module = modules->list; module; module = module->next)
		if (module->is_file && module->inode == stat->st_ino && module->device == stat->st_dev && module->size == stat->st_size &&
		    module->changed.tv_sec == stat->st_ctim.tv_sec && module->changed.tv_nsec == stat->st_ctim.tv_nsec)
			return module;
	return NULL;
}

/* The module of a file that was opened, or could not be; the job is done with, or the thread's. */
static struct module *module_of_job(struct modules *modules, struct file_job *job, const char *path, int err)
{
	struct module *module = err ? NULL : module_of_stat(modules, &job->stat);

	if (err == -ETIMEDOUT)
		job = NULL;
	if (!module)
		module = modules__add(modules, path);
	else
		goto out;
	if (!module)
		goto out;
	module->err = err;
	/* one that could not be opened is not looked for again in this process, and is in another one */
	if (err)
		goto out;
	module->is_file = true;
	module->device = job->stat.st_dev;
	module->inode = job->stat.st_ino;
	module->size = job->stat.st_size;
	module->changed = job->stat.st_ctim;
	module->err = deadline__call(read_file, free_file_job, job, MODULES_LIMIT_MS);
	if (module->err == -ETIMEDOUT) {
		job = NULL;
	} else {
		module->symbols = job->symbols;
		job->symbols = NULL;
	}
out:
	if (job)
		free_file_job(job);
	return module;
}

struct module *modules__of_map(struct modules *modules, uint32_t pid, const struct process_identity *identity, struct map *map)
{
	struct file_job *job;
	int err;

	if (map->module)
		return map->module;
	if (!map->inode) {
		map->module = modules__of_text(modules, *map->path ? map->path : "[anon]", false);
		return map->module;
	}
	job = new_file_job(pid, identity, map);
	if (!job)
		return NULL;
	err = deadline__call(open_file, free_file_job, job, MODULES_LIMIT_MS);
	map->module = module_of_job(modules, job, map->path, err);
	return map->module;
}

/* ---- names */

const char *module__function(const struct module *module, uint64_t offset)
{
	uint64_t into;

	if (module->jit)
		return perf_map__at(module->jit, offset);
	return module->symbols ? elf_symbols__at(module->symbols, offset, &into) : NULL;
}

/* "libc.so.6" of "/usr/lib/libc.so.6 (deleted)": where it begins, and its length. */
static const char *short_name(const char *path, int *length)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	size_t size;

	path = slash ? slash + 1 : path;
	size = strlen(path);
	if (size > strlen(deleted) && !strcmp(path + size - strlen(deleted), deleted))
		size -= strlen(deleted);
	*length = (int)size;
	return path;
}

char *module__unknown(const struct module *module, uint64_t offset)
{
	char *text;
	int length, err;
	const char *name = short_name(module->path, &length);

	if (module->is_reason)
		err = asprintf(&text, "[unknown] (%s)", module->path);
	else
		err = asprintf(&text, "%s (%.*s+0x%" PRIx64 ")", module->err == -ETIMEDOUT ? "[timed out]" : "[unknown]", length, name, offset);
	return err < 0 ? NULL : text;
}
