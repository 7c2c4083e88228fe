/* SPDX-License-Identifier: BSD-2-Clause */
#include "metric_sums.h"

#include <stdio.h>
#include <string.h>

#include "counting.h"
#include "metrics.h"

#define TOTAL "_total"
#define NAME_SIZE 192

/* The last one ends every key. */
static const struct metric_unit units[] = {
	{ "_ns", "_seconds", 1, true }, { "_us", "_seconds", 1000, true }, { "_ms", "_seconds", 1000000, true },
	{ "_s", "_seconds", 1000000000, true }, { "_kb", "_bytes", 1024, false }, { "", "", 1, false },
};

const struct metric_unit *metric_unit__of(const char *key)
{
	const struct metric_unit *unit = units;

	while (strlen(key) <= strlen(unit->end) || strcmp(key + strlen(key) - strlen(unit->end), unit->end))
		unit++;
	return unit;
}

/* A field of the kernel's may have any letters. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if (!((*name | 0x20) >= 'a' && (*name | 0x20) <= 'z') && !(*name >= '0' && *name <= '9'))
			*name = '_';
}

static struct metric describe(const struct metric *rows, const struct counting_number *number)
{
	static struct {
		char name[NAME_SIZE], help[NAME_SIZE];
	} texts[COUNTING_NUMBERS_MAX], *text;
	static size_t used;
	const struct metric_unit *unit = metric_unit__of(number->key);

	text = &texts[used++];
	snprintf(text->name, sizeof(text->name), "%.*s_%.*s%s" TOTAL, (int)(strlen(rows->name) - strlen(TOTAL)), rows->name,
		 (int)(strlen(number->key) - strlen(unit->end)), number->key, unit->base);
	make_plain(text->name);
	snprintf(text->help, sizeof(text->help), "The sum of %.*s over these: %s", (int)(strlen(number->key) - strlen(unit->end)), number->key,
		 rows->help);
	return (struct metric){ text->name, text->help, METRIC_SUM, number->column.key, NULL };
}

const struct metric *metric_sums__make(const struct metric *rows, const struct counting *counting)
{
	static struct metric list[COUNTING_NUMBERS_MAX + 2];

	list[0] = *rows;
	for (size_t i = 0; i < counting->numbers_count; i++)
		list[i + 1] = describe(rows, &counting->numbers[i]);
	return list;
}
