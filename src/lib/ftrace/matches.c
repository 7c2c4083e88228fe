/* SPDX-License-Identifier: BSD-2-Clause */
#include "matches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"

#define TEXT_MAX (4 << 20)	/* bytes; what lib/kernel/cache reads */

static __u64 add(__u64 hash, const char *text)
{
	return cache__hash(hash, text, strlen(text) + 1);
}

static __u64 hash_question(const char *module, const char *const *patterns, size_t count)
{
	__u64 hash = add(add(CACHE_HASH_START, "matches 1"), module ?: "");

	for (size_t i = 0; i < count; i++)
		hash = add(hash, patterns[i]);
	return hash;
}

int matches__read(struct matches *matches, struct functions *functions, const char *module, const char *const *patterns, size_t count)
{
	char *bytes = NULL;
	size_t size;
	int err;

	code_id__read(&matches->id, hash_question(module, patterns, count));
	if (code_id__read_kept(&matches->id, &bytes, &size))
		return -ENOENT;
	err = bytes[size - 1] ? -ENOENT : functions__parse(functions, bytes + CODE_ID_SIZE);
	free(bytes);
	if (!err && functions->count)
		return 0;
	functions__free(functions);
	return -ENOENT;
}

void matches__keep(const struct matches *matches, const struct functions *functions)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);

	if (functions->unmatched)
		return;
	text_buffer__put(&text, "modules:", CODE_ID_SIZE);
	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->list[i];

		text_buffer__add(&text, "%s%s%s%s\n", function->name, function->module ? " [" : "", function->module ?: "",
				 function->module ? "]" : "");
	}
	if (!text.err)
		code_id__keep(&matches->id, text.text, text.length + 1);
	text_buffer__free(&text);
}
