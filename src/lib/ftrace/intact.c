/* SPDX-License-Identifier: BSD-2-Clause */
#include "intact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/switches.h"

void intact__begin(struct intact *intact, const struct instance *instance, const struct stream *stream)
{
	struct stream_stats stats = { .read = 0 };

	*intact = (struct intact){ .instance = instance, .stream = stream };
	if (stream && !stream__stats(stream, &stats))
		intact->given = stream->records - (stats.read < stream->records ? stats.read : stream->records);
}

void intact__end(struct intact *intact)
{
	hash__free(&intact->known);
	/* what it has found stays */
	intact->instance = NULL;
}

/* What is compared of a file's text, piece by piece. */
struct digest {
	uint64_t hash, line;
	bool by_lines;			/* functions: those of modules go when their module does, and nobody has changed the file */
	size_t length;			/* of the line so far */
	bool is_of_module;
};

static void digest__add(struct digest *digest, const char *text, size_t size)
{
	if (!digest->by_lines) {
		digest->hash = cache__hash(digest->hash, text, size);
		return;
	}
	for (size_t i = 0; i < size; i++) {
		digest->line = cache__hash(digest->line, &text[i], 1);
		/* set_graph_function keeps the function of a module that is gone, as an address */
		digest->is_of_module |= text[i] == '[' || (!digest->length && text[i] == '0');
		digest->length++;
		if (text[i] != '\n')
			continue;
		if (!digest->is_of_module)
			digest->hash = cache__hash(digest->hash, (const char *)&digest->line, sizeof(digest->line));
		digest->line = CACHE_HASH_START;
		digest->length = 0;
		digest->is_of_module = false;
	}
}

static bool is_list(const char *file, const char *of)
{
	return !strncmp(file, "set_ftrace_", 11) && strstr(file, of);
}

static bool lists_functions(const char *file)
{
	return is_list(file, "_filter") || is_list(file, "_notrace") || !strncmp(file, "set_graph_", 10);
}

/* The hash of what a file says, up to INTACT_TEXT_MAX.  0 or -errno. */
static int hash_file(const struct intact *intact, const char *file, uint64_t *hash)
{
	struct digest digest = {
		.hash = CACHE_HASH_START, .line = CACHE_HASH_START, .by_lines = lists_functions(file),
	};
	int fd = instance__open(intact->instance, file, O_RDONLY);
	size_t all = 0;
	char text[4096];
	ssize_t got;

	if (fd < 0)
		return fd;
	while (all < INTACT_TEXT_MAX && ((got = read(fd, text, sizeof(text))) > 0 || (got < 0 && errno == EINTR))) {
		if (got < 0)
			continue;
		/* threads come and go in it by themselves (options/function-fork): all of them, or these */
		if (is_list(file, "_pid") && !all && ((size_t)got < strlen("no pid") || strncmp(text, "no pid", strlen("no pid"))))
			break;
		digest__add(&digest, text, (size_t)got);
		all += (size_t)got;
	}
	close(fd);
	*hash = digest.hash;
	return 0;
}

static int add(struct intact *intact, const char *file, uint64_t hash)
{
	struct intact_file *to = &intact->files[intact->files_count];

	if (intact->files_count == INTACT_FILES || strlen(file) >= sizeof(to->name))
		return -ENOSPC;
	strcpy(to->name, file);
	to->hash = hash;
	intact->files_count++;
	return 0;
}

int intact__add(struct intact *intact, const char *file)
{
	uint64_t hash;
	int err = hash_file(intact, file, &hash);

	if (err == -ENOENT || err == -EACCES || err == -EPERM)
		return 0;
	return err ? err : add(intact, file, hash);
}

int intact__add_text(struct intact *intact, const char *file, const char *text)
{
	return add(intact, file, cache__hash(CACHE_HASH_START, text, strlen(text)));
}

int intact__add_tracer(struct intact *intact)
{
	static const char *const files[] = {
		"current_tracer", "set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid", "set_ftrace_notrace_pid", "tracing_cpumask",
		"trace_clock", "tracing_thresh",
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !err; i++)
		err = intact__add(intact, files[i]);
	intact->has_hooks = true;
	return err ? err : intact__add_text(intact, "tracing_on", "1\n");
}

int intact__add_graph(struct intact *intact)
{
	/* the last three are there at the top alone */
	static const char *const files[] = {
		"options/sleep-time", "options/funcgraph-irqs", "set_graph_function", "set_graph_notrace", "max_graph_depth",
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !err; i++)
		err = intact__add(intact, files[i]);
	return err;
}

/* The kernel counts what is read; when somebody empties the buffers, it begins anew. */
static bool is_emptied(const struct intact *intact)
{
	struct stream_stats stats;

	return intact->stream && !stream__stats(intact->stream, &stats) && stats.read < intact->stream->records - intact->given;
}

static int fail(struct intact *intact, const char *what, const char *how)
{
	const char *path = intact->instance->path;
	bool is_top = *path == '.';
	const char *or_else = strcmp(what, "set_event") ? "" : ", or a module that has an event was unloaded";

	return fault__set(&intact->fault, -ESTALE,
			  "somebody has %s %s in tracefs%s%s%s: what was recorded since then is not what was asked for",
			  how, what, is_top ? "" : "/", is_top ? "" : path, or_else);
}

static int look(struct intact *intact)
{
	uint64_t before_ns = now_ns(), hash;

	for (size_t i = 0; i < intact->files_count; i++) {
		const struct intact_file *file = &intact->files[i];
		int err = hash_file(intact, file->name, &hash);

		/* a tool that is not root's may not open it any more after it has dropped its capabilities: nobody can tell */
		if (err == -EACCES || err == -EPERM)
			continue;
		if (err || hash != file->hash)
			return fail(intact, file->name, err == -ENOENT ? "removed" : "changed");
	}
	if (is_emptied(intact))
		return fail(intact, "the ring buffers", "emptied");
	if (intact->has_hooks && switches__ftrace_is_off())
		return fault__set(&intact->fault, -ESTALE, "function hooks were switched off while it ran: kernel.ftrace_enabled is 0");
	intact->until_ns = before_ns;
	return 0;
}

int intact__check(struct intact *intact, struct fault *fault)
{
	if (intact->instance && !intact->fault.err && !intact->is_finished)
		look(intact);
	if (intact->fault.err)
		*fault = intact->fault;
	return intact->fault.err;
}

void intact__finish(struct intact *intact)
{
	if (!intact->instance || intact->is_finished)
		return;
	if (!intact->fault.err && !look(intact))
		intact->until_ns = UINT64_MAX;
	intact->is_finished = true;
}

/* ---- addresses */

bool intact__look_up(struct intact *intact, uint64_t address, uint64_t time_ns)
{
	if (!hash__find(&intact->known, address)) {
		if (intact->fault.err || (time_ns > intact->until_ns && look(intact)))
			return false;
		/* without memory each of its records asks again */
		if (!hash__add(&intact->known, address))
			return true;
	}
	intact->last = address;
	return true;
}
