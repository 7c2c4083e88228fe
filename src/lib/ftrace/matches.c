/* SPDX-License-Identifier: BSD-2-Clause */
#include "matches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/file.h"
#include "lib/print/text_buffer.h"

#define MODULES_MAX (1 << 20)	/* bytes of /proc/modules; a line has some 100 */
#define TEXT_MAX (4 << 20)	/* bytes; what lib/kernel/cache reads */
#define WORDS 6			/* in a line that are looked at: name, size, users, their names, state, address */

struct matches_places matches__places = { "/sys/kernel/notes", "/proc/modules", "/sys/module", CACHE_FOLDER };

static __u64 add(__u64 hash, const char *text)
{
	return cache__hash(hash, text, strlen(text) + 1);
}

/* A module: how often it is used does not matter. */
static int add_module(__u64 *hash, char *line)
{
	enum { NAME, SIZE, STATE = 4, ADDRESS };
	char *words[WORDS], *rest = NULL, path[256];
	struct cache_key id;
	int err;

	for (int i = 0; i < WORDS; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &rest);
		if (!words[i])
			return -EINVAL;
	}
	if (strcmp(words[STATE], "Live"))
		return -EBUSY;
	snprintf(path, sizeof(path), "%s/%s/notes/.note.gnu.build-id", matches__places.module_folder, words[NAME]);
	err = cache__build_id(&id, path);
	if (err)
		return err;
	*hash = add(add(add(*hash, words[NAME]), words[SIZE]), words[ADDRESS]);
	*hash = cache__hash(*hash, id.build_id, sizeof(id.build_id));
	return 0;
}

/* A kernel that cannot load modules does not have the file. */
static int add_modules(__u64 *hash)
{
	char *text, *line, *rest = NULL;
	size_t size;
	int err = file__read(matches__places.modules, MODULES_MAX, &text, &size);

	if (err)
		return err == -ENOENT ? 0 : err;
	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest))
		err = add_module(hash, line);
	free(text);
	return err;
}

/* What the functions that there are depend on. */
static int hash_kernel(__u64 *hash)
{
	*hash = CACHE_HASH_START;
	return add_modules(hash);
}

static struct cache_key make_key(const char *module, const char *const *patterns, size_t count, const struct cache_key *kernel)
{
	struct cache_key key = *kernel;

	key.hash = add(add(CACHE_HASH_START, "matches 1"), module ?: "");
	for (size_t i = 0; i < count; i++)
		key.hash = add(key.hash, patterns[i]);
	return key;
}

int matches__read(struct matches *matches, struct functions *functions, const char *module, const char *const *patterns, size_t count)
{
	struct cache_key kernel;
	char *bytes = NULL;
	size_t size;
	int err;

	*matches = (struct matches){ .has_key = false };
	if (cache__build_id(&kernel, matches__places.notes) || hash_kernel(&matches->modules))
		return -ENOENT;
	matches->has_key = true;
	matches->key = make_key(module, patterns, count, &kernel);
	err = cache__read(matches__places.cache, &matches->key, (void **)&bytes, &size);
	if (!err && (size <= sizeof(matches->modules) || memcmp(bytes, &matches->modules, sizeof(matches->modules)) || bytes[size - 1]))
		err = -ENOENT;
	if (!err)
		err = functions__parse(functions, bytes + sizeof(matches->modules));
	free(bytes);
	if (!err && functions->count)
		return 0;
	functions__free(functions);
	return -ENOENT;
}

void matches__keep(const struct matches *matches, const struct functions *functions)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	__u64 now;

	if (!matches->has_key || functions->unmatched || hash_kernel(&now) || now != matches->modules)
		return;
	/* has no 0 byte as a rule: room for the hash, which is put there below */
	text_buffer__put(&text, "modules:", sizeof(now));
	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->list[i];

		text_buffer__add(&text, "%s%s%s%s\n", function->name, function->module ? " [" : "", function->module ?: "",
				 function->module ? "]" : "");
	}
	if (!text.err) {
		memcpy(text.text, &now, sizeof(now));
		cache__write(matches__places.cache, &matches->key, text.text, text.length + 1);
	}
	text_buffer__free(&text);
}
