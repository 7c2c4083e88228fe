/* SPDX-License-Identifier: BSD-2-Clause */
#include "shared_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/cpus.h"
#include "lib/kernel/file.h"
#include "lib/kernel/ksyms.h"
#include "lib/print/text_buffer.h"

#define SEEN_ROOM (1 << 18)	/* hashes of names; a kernel has some 100,000 functions */
#define TEXT_MAX (1 << 20)

struct shared_names_places shared_names__places = { "/sys/bus/event_source/devices/kprobe", "/sys/kernel/notes", CACHE_FOLDER };

/* ---- by asking the kernel */

/* The number in "TEXTnumber" in a file of the kprobe PMU, or -ENOENT. */
static int read_number(const char *file, const char *format)
{
	char path[256], text[64];
	int number;

	snprintf(path, sizeof(path), "%s/%s", shared_names__places.probes, file);
	return file__read_small(path, text, sizeof(text)) > 0 && sscanf(text, format, &number) == 1 ? number : -ENOENT;
}

/*
 * What the kernel says of a return probe behind the start of a function: it refuses it in any case, so nothing is ever
 * attached.  -EADDRNOTAVAIL for a name of several functions, if it looks (validate_probe_symbol() in
 * kernel/trace/trace_kprobe.c), which it does first.
 */
static int try_probe(const char *name)
{
	int type = read_number("type", "%d"), bit = read_number("format/retprobe", "config:%d");
	struct perf_event_attr attr = { .size = sizeof(attr), .type = (uint32_t)type, .probe_offset = 1 };
	int fd;

	if (type < 0 || bit < 0)
		return -ENOENT;
	attr.config = 1ull << bit;
	attr.kprobe_func = (uintptr_t)name;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpus__first_online(), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* ---- by all names */

/* Which names were seen, by their hashes: one that is taken for another one only makes a name count as shared. */
struct list {
	uint64_t *seen;
	size_t count;
	struct text_buffer text;	/* "\nNAME\nNAME…\n" */
};

static int add_name(void *context, const struct ksym *sym)
{
	struct list *list = context;
	uint64_t hash;
	size_t at;

	if (sym->module || !ksym__is_function(sym))
		return 0;
	hash = cache__hash(CACHE_HASH_START, sym->name, strlen(sym->name)) | 1;
	for (at = hash >> 32 & (SEEN_ROOM - 1); list->seen[at]; at = (at + 1) & (SEEN_ROOM - 1)) {
		if (list->seen[at] != hash)
			continue;
		text_buffer__add(&list->text, "%s\n", sym->name);
		return list->text.err;
	}
	if (++list->count > SEEN_ROOM / 4 * 3)
		return -ENOSPC;
	list->seen[at] = hash;
	return 0;
}

/* All shared names, for the caller to free, or NULL with errno set. */
static char *find_shared(void)
{
	struct list list = { .seen = calloc(SEEN_ROOM, sizeof(*list.seen)), .text = text_buffer__growing(TEXT_MAX) };
	int err;

	if (!list.seen)
		return NULL;
	text_buffer__put(&list.text, "\n", 1);
	err = ksyms__each(add_name, &list) ?: list.text.err;
	free(list.seen);
	if (!err)
		return list.text.text;
	text_buffer__free(&list.text);
	errno = -err;
	return NULL;
}

static bool make_key(struct cache_key *key)
{
	if (cache__build_id(key, shared_names__places.notes))
		return false;
	key->hash = cache__hash(CACHE_HASH_START, "namesakes 1", sizeof("namesakes 1"));
	return true;
}

/* All shared names as an earlier start has kept them, which only kernels have that cannot be asked; NULL: none has. */
static const char *read_kept(void)
{
	static char *kept;
	static bool tried;
	struct cache_key key;
	size_t size;

	if (tried)
		return kept;
	tried = true;
	if (!make_key(&key) || cache__read(shared_names__places.cache, &key, (void **)&kept, &size))
		return NULL;
	if (size > 1 && !kept[size - 1])
		return kept;
	free(kept);
	kept = NULL;
	return NULL;
}

/* The same, read now and kept for the next start; NULL with errno set. */
static const char *find_and_keep(void)
{
	static char *found;
	struct cache_key key;

	if (!found)
		found = find_shared();
	if (found && make_key(&key))
		cache__write(shared_names__places.cache, &key, found, strlen(found) + 1);
	return found;
}

bool shared_names__are_refused(void)
{
	/* each kernel of the matrix has several of at least two of these; any kernel that has several of one is known by it */
	static const char *const usual[] = { "type_show", "init_once", "name_show", "state_show" };
	static bool asked, refused;

	/* what follows takes 5.10 some 30 M instructions */
	if (read_kept())
		return false;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && !asked && !refused; i++)
		refused = try_probe(usual[i]) == -EADDRNOTAVAIL;
	asked = true;
	return refused;
}

int shared_names__has(const char *name)
{
	char line[KSYMS_NAME_MAX + 2];
	const char *shared = read_kept();

	if (!shared && shared_names__are_refused())
		return try_probe(name) == -EADDRNOTAVAIL;
	if (!shared)
		shared = find_and_keep();
	if (!shared)
		return -errno;
	snprintf(line, sizeof(line), "\n%.*s\n", KSYMS_NAME_MAX - 1, name);
	return strstr(shared, line) != NULL;
}
