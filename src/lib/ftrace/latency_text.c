/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/shared/event.h"

/* What is still to be read, line by line. */
struct lines {
	const char *at, *end;
};

struct line {
	const char *text;
	size_t length;
};

static bool next_line(struct lines *lines, struct line *line)
{
	const char *newline;

	if (lines->at == lines->end)
		return false;
	newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	line->text = lines->at;
	line->length = (size_t)((newline ? newline : lines->end) - lines->at);
	lines->at = newline ? newline + 1 : lines->end;
	return true;
}

/* What follows prefix in the line; NULL: it does not begin so. */
static const char *behind(const struct line *line, const char *prefix)
{
	size_t length = strlen(prefix);

	return line->length >= length && !memcmp(line->text, prefix, length) ? line->text + length : NULL;
}

/* Reads a number at *at, before end. */
static bool take_number(const char **at, const char *end, uint64_t *number)
{
	const char *from = *at;

	*number = 0;
	while (*at < end && isdigit((unsigned char)**at) && *number < UINT64_MAX / 10 - 9)
		*number = *number * 10 + (uint64_t)(*(*at)++ - '0');
	return *at > from;
}

static bool take_text(const char **at, const char *end, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(end - *at) < length || memcmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

/* "latency: 12 us, #4/9, CPU#2 |": how many of so many records the kernel still has */
static bool parse_head(struct latency_text *latency, const char *at, const char *end)
{
	uint64_t cpu, entries, total;

	if (!take_number(&at, end, &latency->us) || !take_text(&at, end, " us, #") || !take_number(&at, end, &entries) ||
	    !take_text(&at, end, "/") || !take_number(&at, end, &total) || !take_text(&at, end, ", CPU#") ||
	    !take_number(&at, end, &cpu))
		return false;
	latency->cpu = (uint32_t)cpu;
	latency->functions_more = total > entries ? total - entries : 0;
	return true;
}

/* "COMM-PID (uid:": COMM may have anything in it, newlines and such text too, and has 15 bytes at most.  So the last place counts. */
static bool parse_task(struct latency_text *latency, const char *from, const char *end)
{
	size_t limit = (size_t)(end - from) < TASK_COMM_LEN ? (size_t)(end - from) : TASK_COMM_LEN;

	for (size_t length = limit; length-- > 0;) {
		const char *at = from + length;
		uint64_t tid, uid;

		if (!take_text(&at, end, "-") || !take_number(&at, end, &tid) || !take_text(&at, end, " (uid:") ||
		    !take_number(&at, end, &uid))
			continue;
		latency->tid = (uint32_t)tid;
		latency->uid = (uint32_t)uid;
		memcpy(latency->comm, from, length);
		return true;
	}
	return false;
}

/*
 * A symbol as the kernel writes it, "name", "name+0x1a/0x30" or with " [module]" behind it, becomes "module:name+0x1a"; without offset
 * if that is not wanted.  Returns the bytes that it takes, or 0 where it has no room.
 */
static size_t copy_symbol(char *to, size_t size, const char *from, const char *end, bool with_offset)
{
	const char *space = memchr(from, ' ', (size_t)(end - from)), *name_end = space ? space : end, *module = NULL, *cut;
	size_t module_size = 0, name_size;

	if (space && end - space > 3 && space[1] == '[') {
		const char *close = memchr(space, ']', (size_t)(end - space));

		module = space + 2;
		module_size = close ? (size_t)(close - module) : 0;
	}
	cut = memchr(from, with_offset ? '/' : '+', (size_t)(name_end - from));
	name_size = (size_t)((cut ? cut : name_end) - from);
	if (!name_size || name_size + module_size + 2 > size)
		return 0;
	if (module_size) {
		memcpy(to, module, module_size);
		to[module_size++] = ':';
	}
	memcpy(to + module_size, from, name_size);
	to[module_size + name_size] = 0;
	return module_size + name_size;
}

/* The records of functions, of which the first and the last two are the tracer's own marks of begin and end. */
struct functions {
	uint64_t count;
	size_t last[2];		/* where the last two begin in latency->functions */
	uint64_t without_room;
};

/* "  cmd-12  0d..1.   12us+: function <-caller"; cmd may have anything in it */
static void add_function(struct latency_text *latency, struct functions *functions, const struct line *line)
{
	const char *end = line->text + line->length, *at = end, *time, *digits;
	char *to = latency->functions + latency->functions_size;
	size_t size;
	uint64_t us;

	while (at - line->text >= 2 && memcmp(at - 2, ": ", 2))
		at--;
	/* the number, "us", a mark, ": " */
	if (at - line->text < 6 || memcmp(at - 5, "us", 2))
		return;
	for (digits = time = at - 5; digits > line->text && isdigit((unsigned char)digits[-1]);)
		digits--;
	if (!take_number(&digits, time, &us))
		return;
	functions->last[0] = functions->last[1];
	functions->last[1] = latency->functions_size;
	/* the first one is the begin */
	if (!functions->count++)
		return;
	size = copy_symbol(to, sizeof(latency->functions) - latency->functions_size - 32, at, end, false);
	if (!size || functions->without_room) {
		functions->without_room++;
		return;
	}
	latency->functions_size += size + (size_t)sprintf(to + size, "@%lluus", (unsigned long long)us) + 1;
}

static void end_functions(struct latency_text *latency, const struct functions *functions)
{
	latency->functions_size = functions->count >= 3 ? functions->last[0] : 0;
	if (functions->without_room >= 2)
		latency->functions_more += functions->without_room - 2;
}

int latency_text__parse(struct latency_text *latency, const char *text, size_t length)
{
	struct lines lines = { text, text + length };
	struct functions functions = { 0 };
	bool has_head = false, has_task = false, in_stack = false;
	const char *at;
	struct line line;

	*latency = (struct latency_text){ .us = 0 };
	while (next_line(&lines, &line)) {
		const char *end = line.text + line.length;

		if (!has_head) {
			at = behind(&line, "# latency: ");
			if (at && !parse_head(latency, at, end))
				return -EINVAL;
			has_head = at;
		} else if (!has_task) {
			at = behind(&line, "#    | task: ");
			/* to the text's end: a newline may be in the name */
			if (at && !parse_task(latency, at, lines.end))
				return -EINVAL;
			has_task = at;
		} else if ((at = behind(&line, "#  => started at: "))) {
			copy_symbol(latency->from, sizeof(latency->from), at, end, true);
		} else if ((at = behind(&line, "#  => ended at:   "))) {
			copy_symbol(latency->to, sizeof(latency->to), at, end, true);
		} else if (in_stack && (at = behind(&line, " => "))) {
			size_t size = copy_symbol(latency->stack + latency->stack_size, sizeof(latency->stack) - latency->stack_size, at,
						  end, true);

			latency->stack_size += size ? size + 1 : 0;
		} else if (line.length && *line.text != '#' && !in_stack) {
			static const char mark[] = ": <stack trace>";

			in_stack = line.length >= strlen(mark) && !memcmp(end - strlen(mark), mark, strlen(mark));
			if (!in_stack)
				add_function(latency, &functions, &line);
		}
	}
	end_functions(latency, &functions);
	return has_task ? 0 : has_head ? -EINVAL : -ENODATA;
}
