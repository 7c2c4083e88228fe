/* SPDX-License-Identifier: BSD-2-Clause */
#include "renamed.h"

#include <stdio.h>

#include "lib/print/say.h"

int renamed__key(const struct renamed *table, int key, char **arg)
{
	static char value[64];

	for (; table && table->was; table++) {
		if (table->key != key)
			continue;
		say("%s is %s now", table->was, table->now);
		if (table->unit) {
			snprintf(value, sizeof(value), "%s%s", *arg, table->unit);
			*arg = value;
		}
		return table->key_now;
	}
	return key;
}
