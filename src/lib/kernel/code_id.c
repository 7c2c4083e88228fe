/* SPDX-License-Identifier: BSD-2-Clause */
#include "code_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define MODULES_MAX (1 << 20)	/* bytes of /proc/modules; a line has some 100 */
#define WORDS 6			/* in a line that are looked at: name, size, users, their names, state, address */

struct code_id_places code_id__places = { "/sys/kernel/notes", "/proc/modules", "/sys/module", CACHE_FOLDER };

static __u64 add(__u64 hash, const char *text)
{
	return cache__hash(hash, text, strlen(text) + 1);
}

/* A module: how often it is used does not matter. */
static int add_module(__u64 *hash, bool *hides, char *line)
{
	enum { NAME, SIZE, STATE = 4, ADDRESS };
	char *words[WORDS], *rest = NULL, path[256];
	struct cache_key id;
	struct stat stat_of;
	int err;

	for (int i = 0; i < WORDS; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &rest);
		if (!words[i])
			return -EINVAL;
	}
	if (strcmp(words[STATE], "Live"))
		return -EBUSY;
	snprintf(path, sizeof(path), "%s/%s/notes/.note.gnu.build-id", code_id__places.module_folder, words[NAME]);
	err = cache__build_id(&id, path);
	if (err)
		return err;
	/* sysfs gives no number twice (kernfs_ino()) */
	if (stat(path, &stat_of))
		return -errno;
	*hides |= !strtoull(words[ADDRESS], NULL, 16);
	*hash = add(add(add(*hash, words[NAME]), words[SIZE]), words[ADDRESS]);
	*hash = cache__hash(*hash, &stat_of.st_ino, sizeof(stat_of.st_ino));
	*hash = cache__hash(*hash, id.build_id, sizeof(id.build_id));
	return 0;
}

static int kept = -1;

void code_id__keep_open(void)
{
	if (kept < 0)
		kept = open(code_id__places.modules, O_RDONLY | O_CLOEXEC);
}

static int read_modules(char **text, size_t *size)
{
	if (kept < 0)
		return file__read(code_id__places.modules, MODULES_MAX, text, size);
	return lseek(kept, 0, SEEK_SET) < 0 ? -errno : file__read_fd(kept, MODULES_MAX, text, size);
}

/* A kernel that cannot load modules does not have the file. */
static int hash_modules(__u64 *hash, bool *hides)
{
	char *text, *line, *rest = NULL;
	size_t size;
	int err = read_modules(&text, &size);

	*hash = CACHE_HASH_START;
	*hides = false;
	if (err)
		return err == -ENOENT ? 0 : err;
	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest))
		err = add_module(hash, hides, line);
	free(text);
	return err;
}

void code_id__read(struct code_id *id, __u64 question)
{
	id->known = !cache__build_id(&id->key, code_id__places.notes) && !hash_modules(&id->modules, &id->hides);
	id->key.hash = question;
}

int code_id__read_kept(const struct code_id *id, char **bytes, size_t *size)
{
	int err = id->known ? cache__read(code_id__places.cache, &id->key, (void **)bytes, size) : -ENOENT;

	if (err)
		return err;
	if (*size > sizeof(id->modules) && !memcmp(*bytes, &id->modules, sizeof(id->modules)))
		return 0;
	free(*bytes);
	return -ENOENT;
}

bool code_id__wants_kept(const struct code_id *id)
{
	__u64 modules;

	if (!id->known || !cache__may_write(code_id__places.cache))
		return false;
	return cache__read_begin(code_id__places.cache, &id->key, &modules, sizeof(modules)) || modules != id->modules;
}

void code_id__keep(const struct code_id *id, char *bytes, size_t size)
{
	bool hides;
	__u64 now;

	if (!id->known || hash_modules(&now, &hides) || now != id->modules)
		return;
	memcpy(bytes, &now, sizeof(now));
	cache__write(code_id__places.cache, &id->key, bytes, size);
}

__u64 code_id__question(const char *what, const char *module, const char *name)
{
	__u64 hash = cache__hash(CACHE_HASH_START, what, strlen(what) + 1);

	if (module)
		hash = cache__hash(hash, module, strlen(module) + 1);
	return cache__hash(hash, name, strlen(name) + 1);
}

bool code_id__get(const struct code_id *id, void *answer, size_t size)
{
	size_t kept_size;
	bool known;
	char *bytes;

	if (code_id__read_kept(id, &bytes, &kept_size))
		return false;
	known = kept_size == CODE_ID_SIZE + size;
	if (known)
		memcpy(answer, bytes + CODE_ID_SIZE, size);
	free(bytes);
	return known;
}

void code_id__put(const struct code_id *id, const void *answer, size_t size)
{
	char bytes[CODE_ID_SIZE + CODE_ID_ANSWER_MAX];

	if (size > CODE_ID_ANSWER_MAX)
		return;
	memcpy(bytes + CODE_ID_SIZE, answer, size);
	code_id__keep(id, bytes, CODE_ID_SIZE + size);
}
