/* SPDX-License-Identifier: BSD-2-Clause */
#include "saved_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct saved_name *left = a, *right = b;

	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

/* Makes a name of a line, if it is one. */
static void add(struct saved_names *names, char *line)
{
	char *space;
	unsigned long tid = strtoul(line, &space, 10);

	if (space == line || *space != ' ' || tid > UINT32_MAX)
		return;
	names->list[names->count++] = (struct saved_name){ .tid = (uint32_t)tid, .comm = space + 1 };
}

int saved_names__take(struct saved_names *names, char *text, size_t size)
{
	size_t lines = 1;

	*names = (struct saved_names){ .text = text };
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	names->list = malloc(lines * sizeof(*names->list));
	if (!names->list) {
		saved_names__free(names);
		return -ENOMEM;
	}
	for (char *line = text, *end; line < text + size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + size - line));
		if (!end)
			end = text + size;
		*end = '\0';
		add(names, line);
	}
	qsort(names->list, names->count, sizeof(*names->list), compare);
	return 0;
}

void saved_names__free(struct saved_names *names)
{
	free(names->list);
	free(names->text);
	*names = (struct saved_names){ .count = 0 };
}

const char *saved_names__find(const struct saved_names *names, uint32_t tid)
{
	const struct saved_name wanted = { .tid = tid }, *found = NULL;

	if (names->count)
		found = bsearch(&wanted, names->list, names->count, sizeof(wanted), compare);
	return found ? found->comm : NULL;
}
