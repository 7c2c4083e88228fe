/* SPDX-License-Identifier: BSD-2-Clause */
#include "gone_modules.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/kernel/ksyms.h"
#include "lib/print/say.h"

#define MODULES_MAX 32		/* of more nothing is reported */

static struct watched {
	char name[KSYMS_MODULE_MAX];
	ino_t inode;		/* of its directory, which is made anew each time that it is loaded */
	bool is_gone;
} modules[MODULES_MAX];
static size_t count;
static bool any_gone;

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
