/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identifies the code of the running kernel: its build id and, of every module, name, size, address, build id and the number of its file in
 * sysfs, which is another one each time it is loaded.  Facts about its functions hold as long as it is the same, and can be kept for the
 * next start.
 */
#ifndef PROBELIGHT_CODE_ID_H
#define PROBELIGHT_CODE_ID_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "cache.h"

struct code_id {
	struct cache_key key;	/* the kernel, and a hash of the question */
	/* a hash of the modules; kept with the answer, so that the next one replaces it when a module comes or goes */
	__u64 modules;
	bool hides;		/* the modules' addresses are hidden from this user */
	bool known;		/* false: a module has no build id, or is being loaded or unloaded; then nothing is read or kept */
};

/*
 * Opens /proc/modules now, for who reads the identity when capabilities are dropped: whether it shows addresses is decided when it is
 * opened (modules_open() in kernel/module/procfs.c).  Not for more than one reader at a time.
 */
void code_id__keep_open(void);

/* Reads the identity, for answers to a question (any hash, see cache__hash()). */
void code_id__read(struct code_id *id, __u64 question);

/*
 * Reads the answer that was kept for the same code.  The caller frees *bytes, which begin with CODE_ID_SIZE bytes that are not part of the
 * answer.  0 or -errno; -ENOENT: none is kept.
 */
int code_id__read_kept(const struct code_id *id, char **bytes, size_t *size);
#define CODE_ID_SIZE sizeof(__u64)

/* Whether the next start would want one to be kept: none is, and it can be. */
bool code_id__wants_kept(const struct code_id *id);

/*
 * Keeps an answer, unless a module has come or gone since code_id__read().  It overwrites the first CODE_ID_SIZE bytes.  Errors are
 * ignored: the next start asks again.
 */
void code_id__keep(const struct code_id *id, char *bytes, size_t size);

/* The hash of a question about a function, for code_id__read(): what is asked, of which module (NULL: any), about which name. */
__u64 code_id__question(const char *what, const char *module, const char *name);

/* The same as the two above for answers of one size, up to CODE_ID_ANSWER_MAX bytes: fills in *answer; false: none is kept. */
bool code_id__get(const struct code_id *id, void *answer, size_t size);
void code_id__put(const struct code_id *id, const void *answer, size_t size);
#define CODE_ID_ANSWER_MAX 256

/* The files that are read, and the cache directory; tests replace them. */
struct code_id_places {
	const char *notes;		/* /sys/kernel/notes */
	const char *modules;		/* /proc/modules: proc_modules(5) */
	const char *module_folder;	/* /sys/module, with MODULE/notes/.note.gnu.build-id */
	const char *cache;		/* CACHE_FOLDER */
};
extern struct code_id_places code_id__places;

#endif
