/* SPDX-License-Identifier: BSD-2-Clause */
#include "aliases.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/print/syscall_names.h"
#include "lib/shared/syscalls.h"

/* What the names of system calls' functions begin with, for calls of the architecture's own ABI and of the 32-bit one. */
static const struct {
	const char *text;
	bool compat;
} prefixes[] = {
	{ SYSCALL_PREFIX, false },
#ifdef __x86_64__
	{ SYSCALL32_PREFIX, true },
#endif
};

bool alias__find(struct names *names, const char *module, const char *name, char found[NAMES_NAME_MAX])
{
	uint64_t address = names__address(names, module, name);
	size_t length = strlen(name);

	if (!address)
		return false;
	names__of(names, address, found);
	/* not "0x…", of an address without a name */
	return (strncmp(found, name, length) || (found[length] && found[length] != ' ')) && strncmp(found, "0x", 2);
}

int aliases__each(const char *pattern, int (*each)(void *ctx, char *found), void *ctx)
{
	char name[KSYMS_NAME_MAX], found[NAMES_NAME_MAX];
	struct names names = { .question = NULL };
	bool is_open = false;
	int result = 0;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(pattern, prefixes[i].text, strlen(prefixes[i].text)))
			continue;
		for (unsigned int number = 0; number < SYSCALL_NUMBERS && !result; number++) {
			const char *call = syscall_name(number, prefixes[i].compat);

			snprintf(name, sizeof(name), "%s%s", prefixes[i].text, call ? call : "");
			if (!call || fnmatch(pattern, name, 0))
				continue;
			if (!is_open)
				names__open(&names, false);
			is_open = true;
			if (alias__find(&names, NULL, name, found))
				result = each(ctx, found);
		}
	}
	if (is_open)
		names__close(&names);
	return result;
}
