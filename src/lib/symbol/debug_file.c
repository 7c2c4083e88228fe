/* SPDX-License-Identifier: BSD-2-Clause */
#include "debug_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_symbols.h"
#include "root_file.h"

/* Whether the file at a path from a process' root directory is the right one; then it was taken. */
static bool take(struct elf_symbols *symbols, int root, const char *path, enum elf_found found)
{
	struct stat stat;
	int at = root < 0 ? root : root_file__find(root, path, found == ELF_BY_BUILD_ID, &stat);
	int fd = at < 0 ? at : root_file__open(at), err;

	if (fd < 0)
		return false;
	err = elf_symbols__read_debug(symbols, fd, found);
	close(fd);
	return !err;
}

static bool find_by_id(struct elf_symbols *symbols, int root)
{
	const char *id = elf_symbols__build_id(symbols);
	char path[64 + 2 * ELF_BUILD_ID_MAX];

	if (strlen(id) < 4)
		return false;
	snprintf(path, sizeof(path), "usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	return take(symbols, root, path, ELF_BY_BUILD_ID);
}

/* before, then the directory of a path with its slash, then between, then the link's name.  NULL without memory. */
static char *join(const char *before, const char *path, const char *between, const char *link)
{
	int directory = (int)(strrchr(path, '/') - path);
	char *joined;

	return asprintf(&joined, "%s%.*s%s%s", before, directory, path + 1, between, link) < 0 ? NULL : joined;
}

static void find_by_link(struct elf_symbols *symbols, int own, int root, const char *path)
{
	const char *link = elf_symbols__debug_link(symbols);
	const struct { int root; const char *before, *between; } places[] = {
		{ root, "", "" }, { root, "", ".debug/" }, { own, "usr/lib/debug/", "" }, { root, "usr/lib/debug/", "" },
	};
	bool taken = false;

	if (!*link || *path != '/')
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !taken; i++) {
		char *joined = join(places[i].before, path, places[i].between, link);

		taken = joined && take(symbols, places[i].root, joined, ELF_BY_LINK);
		free(joined);
	}
}

bool debug_file__read(struct elf_symbols *symbols, int own, int root, const char *path)
{
	if ((!*elf_symbols__build_id(symbols) && !*elf_symbols__debug_link(symbols)) || find_by_id(symbols, own))
		return false;
	if (!find_by_id(symbols, root))
		find_by_link(symbols, own, root, path);
	return root >= 0;
}
