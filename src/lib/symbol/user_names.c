/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "demangle.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/file.h"
#include "lib/kernel/hash.h"
#include "maps.h"
#include "modules.h"
#include "perf_map.h"

#define PROCESSES 256		/* whose mappings are kept */
#define JIT_PERIOD_MS 1000	/* a perf map is read again at most so often */
#define JIT_HANGS INT64_MAX
#define MAPS_MANY 5000		/* the mappings of a process with more are read at most once a second */
#define FRAMES_MANY 4096		/* user_names__are_many() */
#define MODULES_MANY 128

/* What a JIT compiler told of its code. */
struct jit {
	struct perf_map *map;
	struct module *module;		/* of the map; a new one each time, as frames are kept by module */
	int64_t read_ms;		/* 0: never; JIT_HANGS: it did not answer */
	unsigned int round;		/* user_names's when it was read */
	struct timespec changed;
	off_t size;
};

struct process {
	uint32_t pid;
	struct process_identity identity;
	struct maps maps;
	int err;			/* of reading them */
	int64_t read_ms;
	unsigned int in_vain;		/* how often in a row they were read anew and were the same */
	struct jit jit;
};

struct user_names {
	struct hash processes;		/* struct process by number */
	struct modules modules;		/* with the frames that are in them */
	unsigned int round;		/* user_names__look_again() */
	size_t frames;
	size_t frames_left;		/* by the last sweep */
	size_t modules_left;
};

static int64_t now_ms(void)
{
	return (int64_t)(now_ns() / 1000000);
}

static void forget_jit(struct jit *jit)
{
	if (jit->module)
		jit->module->jit = NULL;
	perf_map__free(jit->map);
	*jit = (struct jit){ 0 };
}

static void free_process(void *names, uint64_t pid, void *value)
{
	struct process *process = value;

	(void)names;
	(void)pid;
	maps__free(&process->maps);
	forget_jit(&process->jit);
}

struct user_names *user_names__new(void)
{
	struct user_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	modules__init(&names->modules);
	names->processes = (struct hash){ .value_size = sizeof(struct process), .bound = PROCESSES, .evicted = free_process };
	return names;
}

void user_names__free(struct user_names *names)
{
	if (!names)
		return;
	hash__free(&names->processes);
	modules__free(&names->modules);
	free(names);
}

/* ---- frames */

/* The frame of a place, which is made when it is asked for first.  NULL without memory. */
static struct user_frame *frame_at(struct user_names *names, struct module *module, uint64_t offset)
{
	struct user_frame **place = hash__get(&module->frames, offset), *frame;

	if (!place || *place)
		return place ? *place : NULL;
	frame = calloc(1, sizeof(*frame));
	if (frame) {
		frame->offset = offset;
		frame->file = module->is_reason ? NULL : module->path;
		frame->name = module__function(module, offset);
		frame->is_named = frame->name;
		frame->is_no_code = module->is_no_code;
		frame->own = frame->name ? demangle(frame->name) : module__unknown(module, offset);
		/* what a JIT compiler told may be read anew */
		if (!frame->own && module->jit)
			frame->own = strdup(frame->name);
		if (frame->own)
			frame->name = frame->own;
	}
	if (!frame || !frame->name) {
		free(frame);
		hash__remove(&module->frames, offset);
		return NULL;
	}
	*place = frame;
	names->frames++;
	return frame;
}

bool user_names__are_many(const struct user_names *names)
{
	return names->frames > names->frames_left * 5 / 4 + FRAMES_MANY ||
	       names->modules.count > names->modules_left * 5 / 4 + MODULES_MANY;
}

void user_names__look_again(struct user_names *names)
{
	names->round++;
}

void user_names__keep(const struct user_frame *frame)
{
	((struct user_frame *)frame)->is_kept = true;
}

void user_names__sweep(struct user_names *names)
{
	struct process *process;
	size_t at = 0;
	uint64_t pid;

	names->frames = modules__drop_frames(&names->modules);
	while ((process = hash__next(&names->processes, &at, &pid))) {
		for (size_t i = 0; i < process->maps.count; i++)
			if (process->maps.list[i].module)
				((struct module *)process->maps.list[i].module)->is_kept = true;
		if (process->jit.module)
			process->jit.module->is_kept = true;
	}
	modules__drop(&names->modules);
	names->frames_left = names->frames;
	names->modules_left = names->modules.count;
}

/* ---- code that is made while a process runs */

/* A job, as the file may be on a file system that hangs. */
struct jit_job {
	uint32_t pid, number;
	struct process_identity identity;
	struct timespec changed;
	off_t size;
	struct perf_map *map;
};

static void free_jit_job(void *data)
{
	struct jit_job *job = data;

	perf_map__free(job->map);
	free(job);
}

/* -EALREADY: it is as it was. */
static int read_jit(void *data)
{
	struct jit_job *job = data;
	int fd = perf_map__open(job->pid, &job->number), err = 0;
	struct stat stat;
	char *text;
	size_t size;

	if (fd < 0)
		return fd;
	if (fstat(fd, &stat))
		err = -EBADF;
	else if (stat.st_size == job->size && stat.st_mtim.tv_sec == job->changed.tv_sec && stat.st_mtim.tv_nsec == job->changed.tv_nsec)
		err = -EALREADY;
	if (!err)
		err = file__read_fd(fd, PERF_MAP_SIZE_MAX, &text, &size);
	close(fd);
	if (err)
		return err;
	/* another program may have written what it made at the same addresses */
	err = process_identity__check_again(&job->identity, job->pid);
	if (!err) {
		job->size = stat.st_size;
		job->changed = stat.st_mtim;
		job->map = perf_map__parse(text, size);
		err = job->map ? 0 : -ENOMEM;
	}
	free(text);
	return err;
}

static void take_jit(struct user_names *names, struct jit *jit, struct jit_job *job)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", job->number);
	forget_jit(jit);
	jit->module = modules__add(&names->modules, path);
	if (!jit->module)
		return;
	jit->map = job->map;
	jit->module->jit = jit->map;
	jit->changed = job->changed;
	jit->size = job->size;
	job->map = NULL;
}

/* The module of code that a JIT compiler told of; NULL: nothing is known of it. */
static struct module *jit_module(struct user_names *names, struct process *process, uint64_t address)
{
	struct jit *jit = &process->jit;
	struct jit_job *job;
	int err;

	if (jit->map && perf_map__at(jit->map, address))
		return jit->module;
	if (jit->read_ms == JIT_HANGS ||
	    (jit->read_ms && jit->round == names->round && now_ms() - jit->read_ms < JIT_PERIOD_MS))
		return NULL;
	job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	*job = (struct jit_job){ .pid = process->pid, .identity = process->identity, .changed = jit->changed,
				 .size = jit->map ? jit->size : -1 };
	err = budget__call(read_jit, free_jit_job, job, USER_NAMES_LIMIT_MS);
	if (!err)
		take_jit(names, jit, job);
	if (err != -ETIMEDOUT)
		free_jit_job(job);
	/* one that did not answer is not asked again */
	jit->read_ms = err == -ETIMEDOUT ? JIT_HANGS : now_ms();
	jit->round = names->round;
	return jit->map && perf_map__at(jit->map, address) ? jit->module : NULL;
}

/* Whether a mapping may have code that was made while the process ran: of no file, or of one without a name. */
static bool may_be_jit(const struct map *map)
{
	return (!map->inode && (*map->path != '[' || !strncmp(map->path, "[anon", 5))) || !strncmp(map->path, "/memfd:", 7) ||
		!strncmp(map->path, "/dev/zero", 9);
}

/* ---- processes */

struct maps_job {
	uint32_t pid;
	struct process_identity identity;
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
	int err = maps__read(&job->maps, job->pid);

	return err ? err : process_identity__check_again(&job->identity, job->pid);
}

/* Reads the mappings anew.  Without success those of before stay: they are of the same program. */
static void refresh(struct process *process)
{
	struct maps_job *job = calloc(1, sizeof(*job));

	process->read_ms = now_ms();
	process->err = -ENOMEM;
	if (!job)
		return;
	job->pid = process->pid;
	job->identity = process->identity;
	process->err = budget__call(read_maps, free_maps_job, job, USER_NAMES_LIMIT_MS);
	if (process->err == -ETIMEDOUT)
		return;
	/* the same mappings stay, with what is known of their files */
	if (!process->err && maps__are_same(&process->maps, &job->maps)) {
		process->in_vain++;
	} else if (!process->err) {
		maps__free(&process->maps);
		process->maps = job->maps;
		job->maps = (struct maps){ 0 };
		process->in_vain = 0;
	}
	free_maps_job(job);
}

/*
 * Finds the process of a stack, as it is now or as it was last seen; its err says if nothing is known.  0; -ESTALE or -ESRCH: the program
 * of the stack is gone, and nothing is known of it; or why nothing is known of the process.
 */
static int look_at(struct user_names *names, uint32_t pid, const struct stack_program *program, struct process **result)
{
	struct process *process = hash__find(&names->processes, pid);
	struct process_identity identity;
	int err;

	*result = process;
	/* of this very program its mappings are known: the process need not be asked, and may be another one by now */
	if (process && process_identity__executes(&process->identity, program))
		return 0;
	err = process_identity__read(&identity, pid);
	if (err && process && !program->stack)
		return 0;
	if (!err)
		err = process_identity__check(&identity, program);
	/* what is kept stays: other stacks may be of that program */
	if (err)
		return err;
	if (process && process_identity__is_same(&identity, &process->identity))
		return 0;
	if (process)
		free_process(NULL, pid, process);
	else
		process = hash__add(&names->processes, pid);
	*result = process;
	if (!process)
		return -ENOMEM;
	process->pid = pid;
	process->identity = identity;
	process->in_vain = 0;
	refresh(process);
	return 0;
}

static const char *why_unknown(int err)
{
	switch (err) {
	case -ENOENT:
	case -ESRCH:
		return "process ended";
	case -ESTALE:
		return "now another program";
	case -EACCES:
	case -EPERM:
		return "not permitted";
	case -ETIMEDOUT:
		return "timed out";
	case -EAGAIN:
		return "no time left to look";
	default:
		return "its mappings cannot be read";
	}
}

/* The frame of all addresses of which nothing is known for a reason: by address they would be as many as ever come. */
static const struct user_frame *name_not(struct user_names *names, const char *reason)
{
	struct module *module = modules__of_text(&names->modules, reason, true);

	return module ? frame_at(names, module, 0) : NULL;
}

/*
 * Whether the mappings are read anew for an outermost frame that is in none of them.  Such a one is mostly no code at all: a function
 * without a frame pointer (glibc's first one) leaves there what it likes.  So the pauses become longer, up to a second.
 */
static bool is_worth_reading(const struct process *process)
{
	return now_ms() - process->read_ms >= (process->in_vain < 10 ? 1 << process->in_vain : 1000);
}

static const struct user_frame *name(struct user_names *names, struct process *process, uint64_t address, bool is_outermost,
				     bool *may_refresh)
{
	struct map *map = maps__at(&process->maps, address);
	struct user_frame *frame;
	struct module *module;

	/* a library that was loaded since */
	if (!map && (!process->err || process->err == -EAGAIN) && *may_refresh &&
	    (!is_outermost || is_worth_reading(process))) {
		*may_refresh = false;
		refresh(process);
		map = maps__at(&process->maps, address);
	}
	if (map && may_be_jit(map)) {
		module = jit_module(names, process, address);
		if (module)
			return frame_at(names, module, address);
	}
	if (map)
		module = modules__of_map(&names->modules, process->pid, &process->identity, map);
	else if (process->err)
		return name_not(names, why_unknown(process->err));
	else	/* one that has ended, and nobody waited for, has no mappings */
		module = modules__of_text(&names->modules, process->maps.count ? "no code there" : why_unknown(-ESRCH), true);
	if (!module)
		return NULL;
	if (!map && process->maps.count)
		module->is_no_code = true;
	frame = frame_at(names, module, map ? address - map->start + map->offset : 0);
	if (frame && map && may_be_jit(map) && !frame->is_named)
		frame->is_late = true;
	return frame;
}

int user_names__stack(struct user_names *names, uint32_t pid, const struct stack_program *program, const uint64_t *addresses,
		      size_t count, const struct user_frame **frames)
{
	struct process *process = NULL;
	int err = pid ? look_at(names, pid, program, &process) : 0;
	const char *reason = !pid ? "process not in this pid namespace" : err ? why_unknown(err) : NULL;
	bool may_refresh = !reason && (process->maps.count < MAPS_MANY || now_ms() - process->read_ms >= 1000);

	for (size_t i = 0; i < count; i++) {
		uint64_t address = addresses[i] - (i > 0);

		frames[i] = reason ? name_not(names, reason) : name(names, process, address, i > 0 && i == count - 1, &may_refresh);
		if (!frames[i])
			return -ENOMEM;
	}
	return 0;
}
