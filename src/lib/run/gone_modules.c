/* SPDX-License-Identifier: BSD-2-Clause */
#include "gone_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/kernel/file.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/link_info.h"
#include "lib/print/say.h"

#define MODULES_MAX 32		/* of more nothing is reported */
#define LIST_MAX (1 << 20)	/* bytes of /proc/modules; a line has some 100 */

static struct watched {
	char name[KSYMS_MODULE_MAX];
	ino_t inode;		/* of its directory, which is made anew each time that it is loaded */
	bool is_gone;
} modules[MODULES_MAX];
static size_t count;
static bool any_gone;
static char *list;		/* /proc/modules, as it was when it was first asked */

/* The inode of the module's directory; 0: it is not loaded. */
static ino_t inode_of(const char *module)
{
	char path[KSYMS_MODULE_MAX + sizeof("/sys/module/")];
	struct stat stat_of;

	snprintf(path, sizeof(path), "/sys/module/%.*s", KSYMS_MODULE_MAX - 1, module);
	return stat(path, &stat_of) ? 0 : stat_of.st_ino;
}

void gone_modules__watch(const char *module)
{
	ino_t inode;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(modules[i].name, module))
			return;
	inode = count < MODULES_MAX ? inode_of(module) : 0;
	if (!inode)
		return;
	modules[count].inode = inode;
	snprintf(modules[count++].name, sizeof(modules->name), "%s", module);
}

/*
 * The module whose code has the address, by the text of /proc/modules (proc_modules(5)): of those that begin before it the last, as the
 * sizes there are of all of a module's memory.  False: none has, or addresses are hidden.
 */
static bool find_module(uint64_t address, char name[KSYMS_MODULE_MAX])
{
	uint64_t best = 0;

	for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char of[KSYMS_MODULE_MAX];
		uint64_t size, begin;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, of, &size, &begin) != 3)
			continue;
		if (begin > best && begin <= address && address - begin < size) {
			best = begin;
			strcpy(name, of);
		}
	}
	return best;
}

void gone_modules__watch_link(int link_fd)
{
	struct link_info info = {};
	char name[KSYMS_MODULE_MAX];
	__u32 size;
	size_t length;

	if (link_info__read(link_fd, &info, &size) || !link_info__tells_missed(size) || info.type != LINK_PERF_EVENT ||
	    (info.perf_event.type != LINK_PERF_KPROBE && info.perf_event.type != LINK_PERF_KRETPROBE) || !info.perf_event.address)
		return;
	if (!list && file__read("/proc/modules", LIST_MAX, &list, &length))
		return;
	if (find_module(info.perf_event.address, name))
		gone_modules__watch(name);
}

bool gone_modules__look(void)
{
	for (size_t i = 0; i < count; i++) {
		if (modules[i].is_gone || inode_of(modules[i].name) == modules[i].inode)
			continue;
		modules[i].is_gone = any_gone = true;
		say("the module %s was unloaded: its functions are not traced any more", modules[i].name);
	}
	return any_gone;
}
