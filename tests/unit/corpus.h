/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format files of real kernels: tests/data/formats/KERNEL.txt.gz, each a run of "== PATH" lines, the file's text
 * behind each.  Tests run with the repository's root as their working directory.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define CORPUS_DIR "tests/data/formats/"

static const char *const corpora[] = { "5.10", "5.10-rt", "6.1", "6.12", "6.12-lat-with-sample-module", "7.2" };
#define CORPORA_COUNT (sizeof(corpora) / sizeof(*corpora))

/* The whole corpus, a 0 byte behind it; the caller frees it.  Exits where it cannot be read. */
static inline char *corpus_read(const char *kernel)
{
	size_t room = 4 << 20, used = 0;
	char path[256], *text = malloc(room);
	gzFile file;
	int got;

	snprintf(path, sizeof(path), CORPUS_DIR "%s.txt.gz", kernel);
	file = gzopen(path, "rb");
	if (!file || !text) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	while ((got = gzread(file, text + used, (unsigned)(room - used - 1))) > 0)
		used += (size_t)got;
	if (got < 0 || used == room - 1) {
		fprintf(stderr, "%s: is damaged, or too large\n", path);
		exit(1);
	}
	gzclose(file);
	text[used] = 0;
	return text;
}

struct corpus_event {
	char system[64], name[128];
	const char *text;
	size_t length;
};

/* The next format file behind *pos, which starts as what corpus_read() gave; 0 at the end. */
static inline int corpus_next(const char **pos, struct corpus_event *event)
{
	while (*pos && **pos) {
		const char *line_end = strchr(*pos, '\n'), *next;
		char extra;
		int fields;

		if (strncmp(*pos, "== ", 3) || !line_end) {
			fprintf(stderr, "the corpus is damaged at \"%.40s\"\n", *pos);
			exit(1);
		}
		fields = sscanf(*pos, "== events/%63[^/]/%127[^/]/forma%c", event->system, event->name, &extra);
		event->text = line_end + 1;
		next = strstr(line_end, "\n== ");
		event->length = next ? (size_t)(next + 1 - event->text) : strlen(event->text);
		*pos = next ? next + 1 : NULL;
		if (fields == 3 && extra == 't')
			return 1;
	}
	return 0;
}

static inline void corpus_mkdir(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
}

/*
 * Writes events of a corpus as files below dir, "dir/events/SYSTEM/NAME/format".  wanted ends with NULL: "SYSTEM" takes
 * all events of it, "SYSTEM/NAME" one.
 */
static inline void corpus_unpack(const char *kernel, const char *dir, const char *const *wanted)
{
	char *text = corpus_read(kernel), path[512];
	const char *pos = text;
	struct corpus_event event;

	corpus_mkdir(dir);
	snprintf(path, sizeof(path), "%s/events", dir);
	corpus_mkdir(path);
	while (corpus_next(&pos, &event)) {
		const char *const *want = wanted;
		size_t length;
		FILE *file;

		for (; *want; want++) {
			length = strlen(event.system);
			if (!strncmp(*want, event.system, length) &&
			    (!(*want)[length] || ((*want)[length] == '/' && !strcmp(*want + length + 1, event.name))))
				break;
		}
		if (!*want)
			continue;
		snprintf(path, sizeof(path), "%s/events/%s", dir, event.system);
		corpus_mkdir(path);
		snprintf(path, sizeof(path), "%s/events/%s/%s", dir, event.system, event.name);
		corpus_mkdir(path);
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", dir, event.system, event.name);
		file = fopen(path, "w");
		if (!file || fwrite(event.text, 1, event.length, file) != event.length || fclose(file)) {
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
			exit(1);
		}
	}
	free(text);
}

static inline int corpus_remove_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Removes a folder with all that is in it. */
static inline void corpus_remove(const char *dir)
{
	nftw(dir, corpus_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
