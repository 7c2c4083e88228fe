/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "elf_symbols.h"
#include "maps.h"

#define PROCESSES 256		/* whose mappings are kept; a power of two */
#define MAPS_MANY 5000		/* the mappings of a process with more are read at most once a second */
#define FRAMES_MIN 256

/* A file that is mapped somewhere, or what stands for a mapping of no file or a reason. */
struct module {
	struct module *next;
	bool is_file;
	dev_t device;
	ino_t inode;
	struct timespec changed;
	off_t size;
	char *path;
	struct elf_symbols *symbols;	/* NULL: err says why */
	int err;
	bool is_reason;			/* path is why nothing is known */
	bool is_no_code;		/* which is that nothing is there */
};

struct process {
	uint32_t pid;			/* 0: a free slot */
	struct process_identity identity;
	struct maps maps;
	int err;			/* of reading them */
	int64_t read_ms;
};

struct slot {
	const struct module *module;	/* NULL: free */
	uint64_t offset;
	struct user_frame *frame;
};

struct user_names {
	struct process processes[PROCESSES];
	struct module *modules;
	struct slot *slots;		/* a hash: at most half of it is taken */
	size_t room, count;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct user_names *user_names__new(void)
{
	struct user_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->room = FRAMES_MIN;
	names->slots = calloc(names->room, sizeof(*names->slots));
	if (!names->slots) {
		free(names);
		return NULL;
	}
	return names;
}

static void free_frame(struct user_frame *frame)
{
	if (frame && !frame->is_named)
		free((char *)frame->name);
	free(frame);
}

void user_names__free(struct user_names *names)
{
	struct module *next;

	if (!names)
		return;
	for (size_t i = 0; i < names->room; i++)
		free_frame(names->slots[i].frame);
	free(names->slots);
	for (size_t i = 0; i < PROCESSES; i++)
		maps__free(&names->processes[i].maps);
	for (struct module *module = names->modules; module; module = next) {
		next = module->next;
		elf_symbols__free(module->symbols);
		free(module->path);
		free(module);
	}
	free(names);
}

/* ---- files */

/* Opens a mapped file; then reads its symbols.  By themselves in memory: the thread that does it may be given up. */
struct file_job {
	uint32_t pid;
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

static struct file_job *new_file_job(uint32_t pid, const struct map *map)
{
	struct file_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	*job = (struct file_job){ .pid = pid, .start = map->start, .end = map->end, .inode = map->inode, .device = map->device, .fd = -1 };
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
	int found = find_file(job);
	char path[64];

	if (found < 0)
		return found;
	if (!S_ISREG(job->stat.st_mode)) {
		close(found);
		return -ENOEXEC;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	job->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	found = job->fd < 0 ? (close(found), -errno) : close(found);
	return job->fd < 0 ? found : 0;
}

static int read_file(void *data)
{
	struct file_job *job = data;

	return elf_symbols__read(job->fd, &job->symbols);
}

/* Makes one, without symbols.  NULL without memory. */
static struct module *add_module(struct user_names *names, const char *path)
{
	struct module *module = calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->path = strdup(path);
	if (!module->path) {
		free(module);
		return NULL;
	}
	module->next = names->modules;
	names->modules = module;
	return module;
}

/* That of a mapping of no file, or of a reason. */
static struct module *module_of_text(struct user_names *names, const char *text, bool is_reason)
{
	struct module *module;

	for (module = names->modules; module; module = module->next)
		if (!module->is_file && module->is_reason == is_reason && !strcmp(module->path, text))
			return module;
	module = add_module(names, text);
	if (module) {
		module->is_reason = is_reason;
		module->err = -ENOENT;
	}
	return module;
}

static struct module *module_of_stat(const struct user_names *names, const struct stat *stat)
{
	for (struct module *module = names->modules; module; module = module->next)
		if (module->is_file && module->inode == stat->st_ino && module->device == stat->st_dev && module->size == stat->st_size &&
		    module->changed.tv_sec == stat->st_ctim.tv_sec && module->changed.tv_nsec == stat->st_ctim.tv_nsec)
			return module;
	return NULL;
}

/* The module of a file that was opened, or could not be; the job is done with, or the thread's. */
static struct module *module_of_job(struct user_names *names, struct file_job *job, const char *path, int err)
{
	struct module *module = err ? NULL : module_of_stat(names, &job->stat);

	if (err == -ETIMEDOUT)
		job = NULL;
	if (!module)
		module = add_module(names, path);
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
	module->err = deadline__call(read_file, free_file_job, job, USER_NAMES_LIMIT_MS);
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

static struct module *module_of_map(struct user_names *names, uint32_t pid, struct map *map)
{
	struct file_job *job;
	int err;

	if (map->module)
		return map->module;
	if (!map->inode) {
		map->module = module_of_text(names, *map->path ? map->path : "[anon]", false);
		return map->module;
	}
	job = new_file_job(pid, map);
	if (!job)
		return NULL;
	err = deadline__call(open_file, free_file_job, job, USER_NAMES_LIMIT_MS);
	map->module = module_of_job(names, job, map->path, err);
	return map->module;
}

/* ---- frames */

static struct slot *find_slot(const struct user_names *names, const struct module *module, uint64_t offset)
{
	uint64_t hash = (offset ^ (uintptr_t)module >> 4) * 0x9e3779b97f4a7c15ULL;
	size_t at = (size_t)(hash >> 32) & (names->room - 1);

	while (names->slots[at].module && (names->slots[at].module != module || names->slots[at].offset != offset))
		at = (at + 1) & (names->room - 1);
	return &names->slots[at];
}

static int grow(struct user_names *names)
{
	struct user_names larger = { .room = names->room * 2 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < names->room; i++)
		if (names->slots[i].module)
			*find_slot(&larger, names->slots[i].module, names->slots[i].offset) = names->slots[i];
	free(names->slots);
	names->slots = larger.slots;
	names->room = larger.room;
	return 0;
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

static char *describe_unknown(const struct module *module, uint64_t offset)
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

/* The frame of a place, which is made when it is asked for first.  NULL without memory. */
static const struct user_frame *frame_at(struct user_names *names, const struct module *module, uint64_t offset)
{
	struct slot *slot = find_slot(names, module, offset);
	struct user_frame *frame;
	uint64_t into;

	if (slot->frame)
		return slot->frame;
	if ((names->count + 1) * 2 > names->room) {
		if (grow(names))
			return NULL;
		slot = find_slot(names, module, offset);
	}
	frame = calloc(1, sizeof(*frame));
	if (!frame)
		return NULL;
	frame->offset = offset;
	frame->file = module->is_reason ? NULL : module->path;
	frame->name = module->symbols ? elf_symbols__at(module->symbols, offset, &into) : NULL;
	frame->is_named = frame->name;
	frame->is_no_code = module->is_no_code;
	if (!frame->name)
		frame->name = describe_unknown(module, offset);
	if (!frame->name) {
		free(frame);
		return NULL;
	}
	*slot = (struct slot){ module, offset, frame };
	names->count++;
	return frame;
}

/* ---- processes */

struct maps_job {
	uint32_t pid;
	struct maps maps;
};

static void free_maps_job(void *data)
{
	struct maps_job *job = data;

	maps__free(&job->maps);
	free(job);
}

static int read_maps(void *data)
{
	struct maps_job *job = data;

	return maps__read(&job->maps, job->pid);
}

static void refresh(struct process *process)
{
	struct maps_job *job = calloc(1, sizeof(*job));

	maps__free(&process->maps);
	process->read_ms = now_ms();
	process->err = -ENOMEM;
	if (!job)
		return;
	job->pid = process->pid;
	process->err = deadline__call(read_maps, free_maps_job, job, USER_NAMES_LIMIT_MS);
	if (process->err == -ETIMEDOUT)
		return;
	process->maps = job->maps;
	job->maps = (struct maps){ 0 };
	free_maps_job(job);
}

static bool is_same(const struct process_identity *a, const struct process_identity *b)
{
	return a->start_time == b->start_time && a->code == b->code && a->stack == b->stack;
}

/* The process as it is now, or as it was last seen; its err says if nothing is known. */
static struct process *look_at(struct user_names *names, uint32_t pid)
{
	struct process *process = &names->processes[pid & (PROCESSES - 1)];
	struct process_identity identity;
	int err = process_identity__read(&identity, pid);

	if (process->pid == pid && (err || is_same(&identity, &process->identity)))
		return process;
	maps__free(&process->maps);
	process->pid = pid;
	process->identity = identity;
	process->err = err;
	if (!err)
		refresh(process);
	return process;
}

static const char *why_unknown(int err)
{
	switch (err) {
	case -ENOENT:
	case -ESRCH:
		return "process ended";
	case -EACCES:
	case -EPERM:
		return "not permitted";
	case -ETIMEDOUT:
		return "timed out";
	default:
		return "its mappings cannot be read";
	}
}

static const struct user_frame *name(struct user_names *names, struct process *process, uint64_t address, bool *may_refresh)
{
	struct map *map = process ? maps__at(&process->maps, address) : NULL;
	struct module *module;

	/* a library that was loaded since */
	if (!map && process && !process->err && *may_refresh) {
		*may_refresh = false;
		refresh(process);
		map = maps__at(&process->maps, address);
	}
	if (map)
		module = module_of_map(names, process->pid, map);
	else if (!process)
		module = module_of_text(names, "process not in this pid namespace", true);
	else if (process->err)
		module = module_of_text(names, why_unknown(process->err), true);
	else	/* one that has ended, and nobody waited for, has no mappings */
		module = module_of_text(names, process->maps.count ? "no code there" : why_unknown(-ESRCH), true);
	if (!module)
		return NULL;
	if (!map && process && !process->err && process->maps.count)
		module->is_no_code = true;
	return frame_at(names, module, map ? address - map->start + map->offset : address);
}

int user_names__stack(struct user_names *names, uint32_t pid, const uint64_t *addresses, size_t count,
		      const struct user_frame **frames)
{
	struct process *process = pid ? look_at(names, pid) : NULL;
	bool may_refresh = process && (process->maps.count < MAPS_MANY || now_ms() - process->read_ms >= 1000);

	for (size_t i = 0; i < count; i++) {
		frames[i] = name(names, process, addresses[i] - (i > 0), &may_refresh);
		if (!frames[i])
			return -ENOMEM;
	}
	return 0;
}
