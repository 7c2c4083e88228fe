/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept_names.h"

#include <stddef.h>
#include <string.h>

#define PLACES 256		/* a power of two */

static struct kept_name places[PLACES];
static uint32_t lists;

uint32_t kept_names__new_list(void)
{
	return lists == UINT32_MAX ? 0 : ++lists;
}

static struct kept_name *place_of(uint32_t list, uint64_t value)
{
	/* the upper half of a product has all bits of the value; neighbouring lists have different places for the same one */
	return &places[(value * 0x9e3779b97f4a7c15 >> 32 ^ list * 61) & (PLACES - 1)];
}

const struct kept_name *kept_names__find(uint32_t list, uint64_t value)
{
	const struct kept_name *place = place_of(list, value);

	return place->list == list && place->value == value ? place : NULL;
}

void kept_names__keep(uint32_t list, uint64_t value, const char *text, int length, bool is_unnamed)
{
	struct kept_name *place = place_of(list, value);

	if (length > KEPT_NAME_MAX)
		return;
	*place = (struct kept_name){ .value = value, .list = list, .length = length, .is_unnamed = is_unnamed };
	if (length > 0)
		memcpy(place->text, text, (size_t)length);
}
