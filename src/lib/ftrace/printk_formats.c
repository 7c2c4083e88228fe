/* SPDX-License-Identifier: BSD-2-Clause */
#include "printk_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/tracefs.h"

#define FILE_MAX (4 << 20)

static int compare(const void *a, const void *b)
{
	uint64_t first = ((const struct printk_format *)a)->address, second = ((const struct printk_format *)b)->address;

	return first < second ? -1 : first > second;
}

/* Undoes t_show()'s escapes (kernel/trace/trace_printk.c) in place, up to the quote at the end. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at && *at != '"'; at++) {
		char letter = *at;

		if (letter == '\\' && at[1]) {
			at++;
			letter = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
		}
		*to++ = letter;
	}
	*to = 0;
}

int printk_formats__load(struct printk_formats *formats)
{
	size_t size, lines = 0;
	int err = tracefs__read("printk_formats", FILE_MAX, &formats->file, &size);

	if (err)
		return err;
	for (const char *at = formats->file; (at = strchr(at, '\n')); at++)
		lines++;
	formats->all = malloc((lines + 1) * sizeof(*formats->all));
	if (!formats->all) {
		printk_formats__free(formats);
		return -ENOMEM;
	}
	/* 0xffffffff82349b30 : "CPU_ON" */
	for (char *line = formats->file, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *text;
		uint64_t address = strtoull(line, &text, 16);

		*end = 0;
		if (strncmp(text, " : \"", 4))
			continue;
		unescape(text + 4);
		formats->all[formats->count++] = (struct printk_format){ address, text + 4 };
	}
	qsort(formats->all, formats->count, sizeof(*formats->all), compare);
	return 0;
}

const char *printk_formats__find(const struct printk_formats *formats, uint64_t address)
{
	const struct printk_format key = { .address = address };
	const struct printk_format *found = formats->count ?
		bsearch(&key, formats->all, formats->count, sizeof(key), compare) : NULL;

	return found ? found->text : NULL;
}

void printk_formats__free(struct printk_formats *formats)
{
	free(formats->file);
	free(formats->all);
	*formats = (struct printk_formats){ 0 };
}
