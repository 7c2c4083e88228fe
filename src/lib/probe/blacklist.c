/* SPDX-License-Identifier: BSD-2-Clause */
#include "blacklist.h"

#include <stdio.h>

#define KPROBES_BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

bool blacklist__has(uint64_t address)
{
	FILE *file = fopen(KPROBES_BLACKLIST, "re");
	unsigned long long start, end;
	bool found = false;
	char line[1024];

	if (!file)
		return false;
	/* "0xSTART-0xEND\tNAME" */
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx-%llx", &start, &end) == 2)
			found = address && address >= start && address < end;
	fclose(file);
	return found;
}
