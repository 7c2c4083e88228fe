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

#include "budget.h"
#include "debug_file.h"
#include "elf_symbols.h"
#include "lib/kernel/clock.h"
#include "perf_map.h"
#include "root_file.h"
#include "user_names.h"
#include "vdso.h"

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

#define HANG_NS 60000000000ULL	/* how long files of a file system that hangs are not asked for */

void modules__init(struct modules *modules)
{
	*modules = (struct modules){ .vdso_fd = vdso__copy() };
}

void modules__free(struct modules *modules)
{
	if (modules->vdso_fd >= 0)
		close(modules->vdso_fd);
	struct module *next;

	for (struct module *module = modules->list; module; module = next) {
		next = module->next;
		free_module(module);
	}
	*modules = (struct modules){ .vdso_fd = -1 };
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
	int root;			/* the process' root directory, or negative */
	struct root_id root_id;
	struct stat stat;
	struct elf_symbols *symbols;
	bool is_of_root;		/* they are for processes with that root directory alone */
};

static void free_file_job(void *data)
{
	struct file_job *job = data;

	if (job->fd >= 0)
		close(job->fd);
	if (job->root >= 0)
		close(job->root);
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
				  .device = map->device, .fd = -1, .root = -1 };
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
	job->root = root_file__root(job->pid, &job->root_id);
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
	int err = elf_symbols__read(job->fd, &job->symbols), own;
	struct root_id id;

	if (err)
		return err;
	own = root_file__root((uint32_t)getpid(), &id);
	job->is_of_root = debug_file__read(job->symbols, own, job->root, job->path);
	if (own >= 0)
		close(own);
	return 0;
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

/* The file's, as a process with that root directory may see it. */
static struct module *module_of_file(const struct modules *modules, const struct stat *stat, const struct root_id *root)
{
	for (struct module *module = modules->list; module; module = module->next) {
		if (!module->is_file || module->inode != stat->st_ino || module->device != stat->st_dev || module->size != stat->st_size ||
		    module->changed.tv_sec != stat->st_ctim.tv_sec || module->changed.tv_nsec != stat->st_ctim.tv_nsec)
			continue;
		if (!module->is_of_root || root_id__is_same(&module->root, root))
			return module;
	}
	return NULL;
}

/* ---- file systems that hang */

static void remember_hang(struct modules *modules, dev_t device)
{
	modules->hung[modules->hung_next] = (struct modules_hang){ .device = device, .ns = now_ns() };
	modules->hung_next = (modules->hung_next + 1) % MODULES_HUNG_MAX;
}

/* Whether a file of that file system has not answered a short time ago. */
static bool is_hung(const struct modules *modules, dev_t device)
{
	for (size_t i = 0; i < MODULES_HUNG_MAX; i++)
		if (modules->hung[i].ns && modules->hung[i].device == device && now_ns() - modules->hung[i].ns < HANG_NS)
			return true;
	return false;
}

/*
 * What stands for all files of a path that cannot be read, or not now: names in them are not known, their name and offsets are.
 */
static struct module *module_without_names(struct modules *modules, const char *path, int err)
{
	struct module *module;

	for (module = modules->list; module; module = module->next)
		if (!module->is_file && !module->is_reason && module->err == err && !strcmp(module->path, path))
			return module;
	module = modules__add(modules, path);
	if (module)
		module->err = err;
	return module;
}

/* ---- modules of mappings */

/*
 * Reads the symbols of a file that is open.  The module, or NULL: *err says why, or there is no memory.  The job is
 * done with.
 */
static struct module *read_module(struct modules *modules, struct file_job *job, const char *path, int *err)
{
	struct stat stat = job->stat;
	struct root_id root = job->root_id;
	struct module *module;

	*err = budget__call(read_file, free_file_job, job, MODULES_LIMIT_MS);
	module = *err == -EAGAIN ? NULL : modules__add(modules, path);
	if (module) {
		module->is_file = true;
		module->device = stat.st_dev;
		module->inode = stat.st_ino;
		module->size = stat.st_size;
		module->changed = stat.st_ctim;
		module->root = root;
		module->err = *err;
		if (!*err) {
			module->symbols = job->symbols;
			module->is_of_root = job->is_of_root;
			job->symbols = NULL;
		}
	}
	/* else it is the thread's */
	if (*err != -ETIMEDOUT)
		free_file_job(job);
	return module;
}

/* That of a mapping without a file. */
static struct module *module_of_no_file(struct modules *modules, const struct map *map)
{
	/* the vDSO of 32-bit processes is another one */
	const char *text = vdso__is_in(map) ? "[vdso]" : !strcmp(map->path, "[vdso]") ? "[vdso32]" : *map->path ? map->path : "[anon]";
	struct module *module = modules__of_text(modules, text, false);

	if (module && vdso__is_in(map) && !module->symbols && modules->vdso_fd >= 0 && module->err == -ENOENT)
		module->err = elf_symbols__read(modules->vdso_fd, &module->symbols);
	return module;
}

struct module *modules__of_map(struct modules *modules, uint32_t pid, const struct process_identity *identity, struct map *map)
{
	struct module *module = NULL;
	struct file_job *job;
	int err;

	if (map->module)
		return map->module;
	if (!map->inode) {
		map->module = module_of_no_file(modules, map);
		return map->module;
	}
	if (is_hung(modules, map->device))
		return module_without_names(modules, map->path, -ETIMEDOUT);
	job = new_file_job(pid, identity, map);
	if (!job)
		return NULL;
	err = budget__call(open_file, free_file_job, job, MODULES_LIMIT_MS);
	if (!err)
		module = module_of_file(modules, &job->stat, &job->root_id);
	if (!err && !module) {
		module = read_module(modules, job, map->path, &err);
	} else if (err != -ETIMEDOUT) {
		/* one that could not be opened is not looked for again in this process, and is in another one */
		free_file_job(job);
	}
	if (err == -ETIMEDOUT)
		remember_hang(modules, map->device);
	if (err == -EAGAIN)
		return module_without_names(modules, map->path, err);
	if (err && !module)
		module = module_without_names(modules, map->path, err);
	map->module = module;
	return module;
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
		err = asprintf(&text, "%s (%.*s+0x%" PRIx64 ")", module->err == -ETIMEDOUT ? "[timed out]" :
			       module->err == -EFBIG ? "[symbols too large]" : "[unknown]", length, name, offset);
	return err < 0 ? NULL : text;
}
