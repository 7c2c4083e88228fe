/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/code_id.h"
#include "lib/kernel/kernel.h"
#include "lib/print/text_buffer.h"
#include "probed.h"

#define TEXT_MAX (64 << 10)	/* some 1,500 functions: who has placed more of them has what is kept */
#define LINES_MAX 1000		/* of the list: the kernel looks up a name for each, which takes 5,000 instructions */

struct function_address_places function_address__places = {
	"/sys/kernel/debug/kprobes/list", "/sys/kernel/notes", CACHE_FOLDER, -1,
};

/* Lines "ADDRESS NAME", each after a newline, as they are kept. */
static struct text_buffer known;
static bool is_read;

static bool are_names_slow(void)
{
	int given = function_address__places.is_slow;

	return given < 0 ? kernel__version() < kernel_version(6, 1, 0) : given;
}

static bool make_key(struct cache_key *key)
{
	if (cache__build_id(key, function_address__places.notes))
		return false;
	key->hash = cache__hash(CACHE_HASH_START, "function addresses 1", sizeof("function addresses 1"));
	return true;
}

static void read_kept(void)
{
	struct cache_key key;
	void *bytes;
	size_t size;

	if (is_read)
		return;
	is_read = true;
	known = text_buffer__growing(TEXT_MAX);
	if (!make_key(&key) || cache__read(function_address__places.cache, &key, &bytes, &size))
		return;
	text_buffer__put(&known, bytes, size);
	free(bytes);
}

static void keep(void)
{
	struct cache_key key;

	if (make_key(&key))
		cache__write(function_address__places.cache, &key, known.text, known.length);
}

uint64_t function_address__known(const char *function)
{
	size_t length = strlen(function);
	const char *line, *end;

	if (!are_names_slow())
		return 0;
	read_kept();
	for (line = known.length ? known.text : ""; *line; line = end + strspn(end, "\n")) {
		end = line + strcspn(line, "\n");
		if ((size_t)(end - line) > length && end[-(ptrdiff_t)length - 1] == ' ' && !strncmp(end - length, function, length))
			return strtoull(line, NULL, 16);
	}
	return 0;
}

/* The address of the only function of that name that the list has; 0: it has none, or several. */
static uint64_t find_in_list(const char *function)
{
	FILE *file = fopen(function_address__places.probes, "re");
	uint64_t found = 0;
	char *line = NULL;
	unsigned int lines = 0;
	bool is_sure = true;
	size_t size = 0;

	if (!file)
		return 0;
	while (is_sure && getline(&line, &size, file) > 0) {
		struct probed probed;

		if (++lines > LINES_MAX)
			is_sure = false;
		if (!strstr(line, function) || !probed__parse_kprobe(line, &probed))
			continue;
		if (!strcmp(probed.function, function)) {
			uint64_t address = probed.address - probed.offset;

			/* a module's function of that name, or one whose code is gone, is another one */
			if (probed.module || strstr(probed.flags, "GONE") || probed.address <= probed.offset || (found && found != address))
				is_sure = false;
			found = address;
		}
		probed__clear(&probed);
	}
	free(line);
	fclose(file);
	return is_sure ? found : 0;
}

void function_address__learn(const char *function)
{
	uint64_t address;

	if (!are_names_slow() || function_address__known(function))
		return;
	address = find_in_list(function);
	if (!address)
		return;
	text_buffer__add(&known, "%llx %s\n", (unsigned long long)address, function);
	if (!known.err)
		keep();
}

/* Of a module that comes and brings it, nothing is kept yet. */
static void read_code(struct code_id *id, const char *function)
{
	code_id__read(id, code_id__question("missing function 1", NULL, function));
}

bool function_address__is_known_missing(const char *function)
{
	struct code_id id;
	char missing;

	if (!are_names_slow())
		return false;
	read_code(&id, function);
	return code_id__get(&id, &missing, sizeof(missing));
}

void function_address__is_none(const char *function)
{
	struct code_id id;

	if (!are_names_slow())
		return;
	read_code(&id, function);
	code_id__put(&id, "", 1);
}

void function_address__forget(void)
{
	text_buffer__free(&known);
	is_read = false;
}
