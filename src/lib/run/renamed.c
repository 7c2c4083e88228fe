/* SPDX-License-Identifier: BSD-2-Clause */
#include "renamed.h"

#include <stddef.h>

#include "lib/print/say.h"

int renamed__key(const struct renamed *table, int key)
{
	for (; table && table->was; table++) {
		if (table->key != key)
			continue;
		say("%s is %s now", table->was, table->now);
		return table->key_now;
	}
	return key;
}
