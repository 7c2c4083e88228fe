/* SPDX-License-Identifier: BSD-2-Clause */
#include "lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"
#include "lease_record.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/cache.h"
#include "lib/kernel/file.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/cleaner.h"

#define TEXT_MAX (1 << 24)
#define TRACER "current_tracer"

/* What starts hooks: it is given back before the filters of what it starts. */
static bool is_switch(const char *file)
{
	return !strcmp(file, TRACER) || !strcmp(file, LEASE_STACK_TRACER);
}

/* What a file says changes by itself while the switch is on: lists, when a module is unloaded or a task ends, and the kernel's maximum. */
static bool moves(const char *file, const char *before)
{
	return !*before || !strcmp(file, LEASE_STACK_MAX);
}

/* A switch of the kernel's elsewhere than in tracefs has its whole path. */
static bool is_elsewhere(const char *file)
{
	return *file == '/';
}

static int path_of(char *path, size_t size, const char *file)
{
	if (!is_elsewhere(file))
		return tracefs__path(path, size, file);
	return snprintf(path, size, "%s", file) < (int)size ? 0 : -ENAMETOOLONG;
}

int lease__read(const char *file, char **text, size_t *length)
{
	return is_elsewhere(file) ? file__read(file, TEXT_MAX, text, length) : tracefs__read(file, TEXT_MAX, text, length);
}

const struct lease_file lease_graph_files[] = {
	{ "set_graph_function", "#### all functions enabled ####", "", NULL },
	{ "set_graph_notrace", "#### no functions disabled ####", NULL, NULL },
	{ "max_graph_depth", "0", NULL, NULL },
	{ "tracing_thresh", "0", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

/* Some files take one word a write(2), and some look at what was written when they are closed (set_graph_function). */
static int write_file(const char *file, const char *text, int flags)
{
	size_t length = strlen(text);
	ssize_t written = 0;
	char path[512];
	int fd, err = path_of(path, sizeof(path), file);

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return -errno;
	for (; length && !err; text += written, length -= (size_t)written) {
		written = write(fd, text, length);
		if (written <= 0) {
			err = written ? -errno : -EIO;
			written = 0;
		}
	}
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The first line that an idle file does not have; NULL: it is idle. */
static const char *find_use(const char *text, const char *idle)
{
	size_t length = strlen(idle);

	if (strncmp(text, idle, length))
		return text;
	text += length;
	text += length && *text == '\n';
	return *text ? text : NULL;
}

int lease__check(const struct lease_file *files, struct fault *fault)
{
	for (; files->file; files++) {
		const char *line;
		char *text;
		size_t length;
		int err;

		if (!files->idle)
			continue;
		err = lease__read(files->file, &text, &length);
		if (err == -ENOENT)
			continue;
		if (err)
			return fault__set(fault, err, "%s%s cannot be read: %s", files->file,
					  is_elsewhere(files->file) ? "" : " in tracefs", strerror(-err));
		line = find_use(text, files->idle);
		if (line && files->also_idle)
			line = find_use(text, files->also_idle);
		if (line)
			err = fault__set(fault, -EBUSY, "%s%s is in use: it says '%.*s', and is one for the whole system",
					 files->file, is_elsewhere(files->file) ? "" : " in tracefs",
					 (int)strcspn(line, "\n") < 100 ? (int)strcspn(line, "\n") : 100, line);
		free(text);
		if (err)
			return err;
	}
	return 0;
}

static void digest_of(const char *text, size_t length, char digest[LEASE_DIGEST_MAX])
{
	snprintf(digest, LEASE_DIGEST_MAX, "%zu:%016llx", length, (unsigned long long)cache__hash(CACHE_HASH_START, text, length));
}

/* What a file says, as digest, and in short: its word in brackets ("[local] global"), or its first line.  0 or -errno. */
static int look_at(const char *file, char digest[LEASE_DIGEST_MAX], char now[LEASE_TEXT_MAX])
{
	const char *from, *to;
	char *text;
	size_t length;
	int err = lease__read(file, &text, &length);

	if (err)
		return err;
	digest_of(text, length, digest);
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to) {
		from = text - 1;
		to = text + strcspn(text, "\n");
	}
	snprintf(now, LEASE_TEXT_MAX, "%.*s", (int)(to - from - 1), from + 1);
	free(text);
	return 0;
}

/* ---- giving back */

enum { OTHERS, RESTORED, IS_BACK };

/* RESTORED, OTHERS where the file says something else by now, IS_BACK where that is what it said before, or -errno. */
static int restore_file(const char *file, const char *before, const char *digest)
{
	char text[LEASE_TEXT_MAX + 1], now[LEASE_DIGEST_MAX], says[LEASE_TEXT_MAX];
	int err = look_at(file, now, says);

	if (err)
		return err == -ENOENT ? IS_BACK : err;
	if (strcmp(digest, "?") && strcmp(digest, now))
		return strcmp(says, before) ? OTHERS : IS_BACK;
	snprintf(text, sizeof(text), "%s%s", before, *before ? "\n" : "");
	err = write_file(file, text, O_TRUNC);
	return err ? err : RESTORED;
}

/*
 * The tracer cannot be stopped while somebody has trace_pipe open (EBUSY), and must not be left with an empty filter, which is every
 * function: it traces one that a machine calls once, into buffers that are off.
 */
static void leave_harmless(int folder_fd, struct lease_record *record)
{
	static const struct lease_file parked[] = { { "tracing_on", "1", "0\n", NULL }, { "set_ftrace_filter", "", INSTANCE_IDLE_FILTER, NULL } };
	char digest[LEASE_DIGEST_MAX], says[LEASE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(parked) / sizeof(*parked); i++)
		for (size_t j = 0; j < record->count; j++)
			if (!strcmp(record->files[j].file, parked[i].file) && !write_file(parked[i].file, parked[i].restore, O_TRUNC) &&
			    !look_at(parked[i].file, digest, says))
				lease_record__note(folder_fd, parked[i].file, record->files[j].before, digest);
}

/*
 * A tracer is stopped before its filter goes.  0 or -errno.
 *
 * Some files say something else, too, without anybody's doing (moves()).  So whoever has had the files until now gives them back in any
 * case, if nobody else has a tracer on them; and the next start those of a tracer that still was what had been written.
 */
static int restore(int folder_fd, struct lease_record *record, bool had_until_now)
{
	int err = 0, held = disarming__begin();
	bool was_ours = false;

	if (held < 0)
		return held;
	for (size_t i = 0; i < record->count; i++) {
		int found;

		if (!is_switch(record->files[i].file))
			continue;
		found = restore_file(record->files[i].file, record->files[i].before, record->files[i].digest);
		if (found < 0) {
			if (had_until_now)
				leave_harmless(folder_fd, record);
			disarming__end();
			return found;
		}
		was_ours = found == RESTORED;
		had_until_now &= found != OTHERS;
	}
	for (size_t i = 0; i < record->count; i++) {
		const char *file = record->files[i].file;
		bool is_of_switch = !strncmp(file, "set_ftrace_", 11) || !strncmp(file, "stack_", 6);
		bool in_any_case = moves(file, record->files[i].before) && (had_until_now || (was_ours && is_of_switch));
		const char *digest = in_any_case ? "?" : record->files[i].digest;
		int found = is_switch(file) ? 0 : restore_file(file, record->files[i].before, digest);

		if (found < 0 && !err)
			err = found;
	}
	disarming__end();
	return err;
}

/* Under the lock. */
static int restore_all(int folder_fd, struct lease_record *record, bool had_until_now)
{
	int err = restore(folder_fd, record, had_until_now);

	return err ? err : lease_record__remove(folder_fd);
}

/* The cleaner's job. */
struct lease_job {
	char folder[128];
	struct owner owner;
};

static struct lease_job job_of(const struct lease *lease)
{
	struct lease_job job = { .owner = lease->owner };

	snprintf(job.folder, sizeof(job.folder), "%s", lease->folder);
	return job;
}

/* For the cleaner, and for this process where that was killed.  Files that could not be given back are the next start's. */
static int undo(void *context)
{
	const struct lease_job *job = context;
	int folder_fd = lease_record__lock(job->folder), err = 0;
	struct lease_record record;

	if (folder_fd < 0)
		return folder_fd;
	/* by now the next start may have given it back, and somebody else has it */
	if (lease_record__read(folder_fd, &record) && owner__is_same(&record.owner, &job->owner))
		err = restore_all(folder_fd, &record, true);
	close(folder_fd);
	return err;
}

void lease__sweep(const char *folder)
{
	struct lease_record record;
	char record_path[256], new_path[256];
	int folder_fd;

	snprintf(record_path, sizeof(record_path), "%s/" LEASE_RECORD, folder);
	snprintf(new_path, sizeof(new_path), "%s/" LEASE_RECORD ".new", folder);
	if (file__may(record_path, F_OK) && file__may(new_path, F_OK))
		return;
	folder_fd = lease_record__lock(folder);
	if (folder_fd < 0)
		return;
	lease_record__sweep(folder_fd);
	if (lease_record__read(folder_fd, &record) && owner__is_known_dead(&record.owner))
		restore_all(folder_fd, &record, false);
	close(folder_fd);
}

/* Under the lock. */
static int take(struct lease *lease, int folder_fd, struct fault *fault)
{
	static const struct cleaner_work work = { .undo = undo };
	struct lease_record record;
	struct lease_job job;
	char who[64];
	int err;

	if (lease_record__read(folder_fd, &record)) {
		if (!owner__is_known_dead(&record.owner)) {
			owner__describe(&record.owner, who, sizeof(who));
			return fault__set(fault, -EBUSY, "%s has %s in tracefs, which one tool at a time can have", who,
					  record.count ? record.files[0].file : lease->files[0].file);
		}
		/* it and its cleaner were killed */
		err = restore_all(folder_fd, &record, false);
		if (err) {
			owner__describe(&record.owner, who, sizeof(who));
			return fault__set(fault, err, "what %s left in tracefs cannot be taken away: %s%s", who,
					  strerror(-err), err == -EBUSY ? " (does somebody read trace_pipe?)" : "");
		}
	}
	err = lease__check(lease->files, fault);
	if (err)
		return err;
	err = lease_record__make(folder_fd);
	if (err)
		return fault__set(fault, err, "%s/%s cannot be written: %s", lease->folder, LEASE_RECORD, strerror(-err));
	lease->owner = owner__self();
	job = job_of(lease);
	lease->job = cleaner__add(&work, &job, sizeof(job));
	if (lease->job > 0)
		return 0;
	err = lease->job;
	lease_record__remove(folder_fd);
	return fault__set(fault, err, "no process can be started that gives tracefs back: %s", strerror(-err));
}

int lease__take(struct lease *lease, const char *folder, const struct lease_file *files, struct fault *fault)
{
	int folder_fd, err;

	*lease = (struct lease){ .files = files, .folder = folder };
	folder_fd = lease_record__lock(folder);
	if (folder_fd < 0)
		return fault__set(fault, folder_fd, "%s cannot be used to keep who has tracefs: %s%s", folder, strerror(-folder_fd),
				  folder_fd == -EPERM ? " (it must be root's, and nobody else may write to it)" :
				  folder_fd == -EROFS || folder_fd == -ENOENT ? " (mount a tmpfs on /run)" : "");
	err = take(lease, folder_fd, fault);
	lease->held = !err;
	close(folder_fd);
	return err;
}

int lease__give_back(struct lease *lease)
{
	struct lease_job job;
	int err;

	if (!lease->held)
		return 0;
	err = cleaner__undo(lease->job);
	/* somebody has killed the cleaner: this process may still be permitted */
	if (err == -ESRCH) {
		job = job_of(lease);
		err = undo(&job);
	}
	lease->held = false;
	return err;
}

/* ---- writing */

const char lease_as_before[] = "";

static int note_file(int folder_fd, const struct lease_file *file, const struct lease_record *record, bool settled)
{
	char digest[LEASE_DIGEST_MAX], says[LEASE_TEXT_MAX];
	const char *before;
	int err = look_at(file->file, digest, says);

	if (err)
		return err == -ENOENT ? 0 : err;
	before = file->restore == lease_as_before ? says : file->restore;
	for (size_t i = 0; i < record->count; i++)
		if (!strcmp(record->files[i].file, file->file))
			before = record->files[i].before;
	return lease_record__note(folder_fd, file->file, before, settled ? digest : "?");
}

int lease__note_all(const struct lease *lease, bool settled)
{
	int folder_fd = open(lease->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = 0;
	struct lease_record record;

	if (folder_fd < 0)
		return -errno;
	if (!lease_record__read(folder_fd, &record))
		err = -ENOENT;
	for (const struct lease_file *file = lease->files; file->file && !err; file++)
		if (file->restore)
			err = note_file(folder_fd, file, &record, settled);
	close(folder_fd);
	return err;
}

static const char *find_restore(const struct lease *lease, const char *file)
{
	for (const struct lease_file *at = lease->files; at->file; at++)
		if (!strcmp(at->file, file))
			return at->restore;
	return NULL;
}

/* What was there before is noted before it is written over, and what is there then afterwards.  A kernel without the file: -ENOENT. */
static int write_noted(const struct lease *lease, const char *file, const char *text, int flags)
{
	int folder_fd = open(lease->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;
	char digest[LEASE_DIGEST_MAX], says[LEASE_TEXT_MAX], before[LEASE_TEXT_MAX];
	const char *restore = find_restore(lease, file);
	struct lease_record record;

	if (folder_fd < 0)
		return -errno;
	err = look_at(file, digest, says);
	snprintf(before, sizeof(before), "%s", restore == lease_as_before ? says : restore ? restore : "");
	if (!err && !lease_record__read(folder_fd, &record))
		err = -ENOENT;
	for (size_t i = 0; !err && i < record.count; i++)
		if (!strcmp(record.files[i].file, file))
			memcpy(before, record.files[i].before, sizeof(before));
	if (!err)
		err = lease_record__note(folder_fd, file, before, "?");
	if (!err)
		err = write_file(file, text, flags);
	if (!err)
		err = look_at(file, digest, says);
	if (!err)
		err = lease_record__note(folder_fd, file, before, digest);
	close(folder_fd);
	return err;
}

int lease__write(const struct lease *lease, const char *file, const char *text)
{
	return write_noted(lease, file, text, O_TRUNC);
}

int lease__append(const struct lease *lease, const char *file, const char *text)
{
	return write_noted(lease, file, text, O_APPEND);
}
