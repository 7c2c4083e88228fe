/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace_dat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/format.h"

/* Limits of what is believed. */
#define EVENTS_MAX 65536
#define TEXTS_MAX (64u << 20)	/* bytes of all format files; a kernel has 2 MB of them */
#define NAMES_MAX (16u << 20)
#define LANES_MAX 4096
#define SECTIONS_MAX 1024	/* of options */
#define STRING_MAX 256

enum { SECTION_COMPRESSED = 1, SECTION_HEADER = 16 };

/* Options of both versions, and those of version 7 that say where a section is. */
enum {
	OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_TRACECLOCK = 4,
	OPTION_HEADER_INFO = 16, OPTION_FTRACE_EVENTS = 17, OPTION_EVENT_FORMATS = 18, OPTION_CMDLINES = 21,
};

/* Reads on from a place in the file until something fails; then all that follows fails as well. */
struct cursor {
	struct trace_dat *dat;
	uint64_t at;
	int err;		/* -ENODATA: the file ends */
};

static bool take(struct cursor *cursor, void *to, size_t size)
{
	int64_t got;

	if (cursor->err)
		return false;
	got = cursor->dat->bytes.read_at(cursor->dat->bytes.ctx, cursor->at, to, size);
	if (got != (int64_t)size)
		cursor->err = got < 0 ? (int)got : -ENODATA;
	cursor->at += size;
	return !cursor->err;
}

static void skip(struct cursor *cursor, uint64_t size)
{
	if (size > UINT64_MAX / 2 || cursor->at > UINT64_MAX / 2)
		cursor->err = cursor->err ?: -ENODATA;
	else
		cursor->at += size;
}

/* A number of size bytes; 0 where there is none. */
static uint64_t take_number(struct cursor *cursor, size_t size)
{
	uint64_t number = 0;

	/* x86-64 and arm64 are little-endian, and so are the files that are read */
	return take(cursor, &number, size) ? number : 0;
}

/* A text of size bytes, and a 0 byte behind them, which the caller frees; NULL where there is none. */
static char *take_text(struct cursor *cursor, uint64_t size, uint64_t size_max)
{
	char *text;

	if (size > size_max)
		cursor->err = cursor->err ?: -EFBIG;
	if (cursor->err)
		return NULL;
	text = malloc(size + 1);
	if (!text) {
		cursor->err = -ENOMEM;
		return NULL;
	}
	if (!take(cursor, text, size)) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

/* A text that ends with a 0 byte. */
static void take_string(struct cursor *cursor, char text[STRING_MAX])
{
	for (size_t i = 0; i < STRING_MAX; i++)
		if (!take(cursor, &text[i], 1) || !text[i]) {
			text[i] = '\0';
			return;
		}
	text[STRING_MAX - 1] = '\0';
	cursor->err = -EINVAL;
}

static void expect(struct cursor *cursor, const char *bytes, size_t size)
{
	char text[16];

	if (take(cursor, text, size) && memcmp(text, bytes, size))
		cursor->err = -EINVAL;
}

/* ---- what describes the records */

static void parse_header_info(struct cursor *cursor)
{
	uint64_t size;
	char *text;

	expect(cursor, "header_page", sizeof("header_page"));
	size = take_number(cursor, 8);
	text = take_text(cursor, size, 4096);
	if (text && page_layout__parse(&cursor->dat->layout, text, size))
		cursor->err = -EINVAL;
	free(text);
	expect(cursor, "header_event", sizeof("header_event"));
	skip(cursor, take_number(cursor, 8));
}

/* Copies the word behind "KEY: " at the begin of a line.  Whether there is one. */
static bool find_word(const char *text, const char *key, char word[STRING_MAX])
{
	const char *at = strstr(text, key);
	size_t length;

	if (!at || (at != text && at[-1] != '\n'))
		return false;
	at += strlen(key);
	length = strcspn(at, " \t\n");
	if (!length || length >= STRING_MAX)
		return false;
	memcpy(word, at, length);
	word[length] = '\0';
	return true;
}

/* Takes a format file's text.  One that has no good name is left out: nothing can ask for it. */
static void add_event(struct cursor *cursor, const char *system, char *text, size_t size)
{
	struct trace_dat *dat = cursor->dat;
	char name[STRING_MAX], id[STRING_MAX], *both = NULL;
	struct trace_dat_event *more;

	if (!format__is_name(system) || !find_word(text, "name: ", name) || !format__is_name(name) || !find_word(text, "ID: ", id)) {
		free(text);
		return;
	}
	more = realloc(dat->events, (dat->events_count + 1) * sizeof(*more));
	if (more)
		dat->events = more;
	if (!more || asprintf(&both, "%s/%s", system, name) < 0) {
		cursor->err = -ENOMEM;
		free(text);
		return;
	}
	more[dat->events_count++] = (struct trace_dat_event){
		.name = both, .text = text, .size = size, .id = (unsigned int)strtoul(id, NULL, 10),
	};
}

/* `count` format files. */
static void parse_formats(struct cursor *cursor, const char *system)
{
	uint64_t count = take_number(cursor, 4);

	for (uint64_t i = 0; i < count && !cursor->err; i++) {
		uint64_t size = take_number(cursor, 8);
		char *text;

		if (cursor->dat->events_count == EVENTS_MAX || size > TEXTS_MAX - cursor->dat->text_size)
			cursor->err = cursor->err ?: -EFBIG;
		text = take_text(cursor, size, FORMAT_SIZE_MAX);
		if (!text)
			return;
		cursor->dat->text_size += size;
		add_event(cursor, system, text, size);
	}
}

static void parse_events(struct cursor *cursor)
{
	uint64_t systems = take_number(cursor, 4);
	char system[STRING_MAX];

	for (uint64_t i = 0; i < systems && !cursor->err; i++) {
		take_string(cursor, system);
		parse_formats(cursor, system);
	}
}

static void parse_names(struct cursor *cursor)
{
	uint64_t size = take_number(cursor, 8);
	char *text = take_text(cursor, size, NAMES_MAX);

	if (!text)
		return;
	saved_names__free(&cursor->dat->names);
	cursor->err = saved_names__take(&cursor->dat->names, text, size);
}

/* "[local] global …" or "local" */
static void set_clock(struct trace_dat *dat, const char *text)
{
	const char *open = strchr(text, '[');
	size_t length;

	text = open ? open + 1 : text;
	length = strcspn(text, "] \n");
	if (length >= sizeof(dat->clock))
		length = 0;
	memcpy(dat->clock, text, length);
	dat->clock[length] = '\0';
}

static void parse_clock(struct cursor *cursor, uint64_t size)
{
	char *text = take_text(cursor, size, 4096);

	if (text)
		set_clock(cursor->dat, text);
	free(text);
}

/* ---- where the pages are */

static void add_lane(struct cursor *cursor, uint32_t cpu, uint64_t offset, uint64_t size, uint32_t page_size)
{
	struct trace_dat *dat = cursor->dat;
	struct trace_dat_lane *more;

	if (cursor->err || !size)
		return;
	if (dat->lanes_count == LANES_MAX || page_size < dat->layout.data || page_size > FTRACE_PAGE_MAX || offset > UINT64_MAX / 2 ||
	    size > UINT64_MAX / 2) {
		cursor->err = -EINVAL;
		return;
	}
	more = realloc(dat->lanes, (dat->lanes_count + 1) * sizeof(*more));
	if (!more) {
		cursor->err = -ENOMEM;
		return;
	}
	dat->lanes = more;
	more[dat->lanes_count++] = (struct trace_dat_lane){ .cpu = cpu, .at = offset, .end = offset + size, .page_size = page_size };
}

/* Version 6: "flyrecord", and a line for each CPU. */
static void parse_flyrecord(struct cursor *cursor, uint64_t cpus)
{
	for (uint64_t i = 0; i < cpus && !cursor->err; i++) {
		uint64_t offset = take_number(cursor, 8), size = take_number(cursor, 8);

		add_lane(cursor, (uint32_t)i, offset, size, cursor->dat->layout.size);
	}
}

/* Version 6: the buffer of an instance, which is described where the option says. */
static void parse_buffer_6(struct cursor *cursor, uint64_t cpus)
{
	struct cursor at = { .dat = cursor->dat, .at = take_number(cursor, 8) };

	if (cursor->err)
		return;
	expect(&at, "flyrecord", 10);
	parse_flyrecord(&at, cpus);
	cursor->err = at.err;
}

/* Version 7: the option has all. */
static void parse_buffer_7(struct cursor *cursor)
{
	struct cursor section = { .dat = cursor->dat, .at = take_number(cursor, 8) };
	char text[STRING_MAX];
	uint64_t cpus;
	uint32_t page_size;

	take_string(cursor, text);
	take_string(cursor, text);
	if (*text)
		set_clock(cursor->dat, text);
	page_size = (uint32_t)take_number(cursor, 4);
	cpus = take_number(cursor, 4);
	skip(&section, 2);
	if (cpus && take_number(&section, 2) & SECTION_COMPRESSED)
		cursor->err = cursor->err ?: -EOPNOTSUPP;
	for (uint64_t i = 0; i < cpus && !cursor->err; i++) {
		uint32_t cpu = (uint32_t)take_number(cursor, 4);
		uint64_t offset = take_number(cursor, 8), size = take_number(cursor, 8);

		add_lane(cursor, cpu, offset, size, page_size);
	}
}

/* ---- the two versions */

static void parse_6(struct cursor *cursor)
{
	uint64_t cpus, buffers[64];
	size_t buffers_count = 0;
	char tag[10] = "";

	parse_header_info(cursor);
	parse_formats(cursor, "ftrace");
	parse_events(cursor);
	skip(cursor, take_number(cursor, 4));	/* kallsyms */
	skip(cursor, take_number(cursor, 4));	/* printk_formats */
	parse_names(cursor);
	cpus = take_number(cursor, 4);
	take(cursor, tag, sizeof(tag));
	while (!cursor->err && !memcmp(tag, "options  ", sizeof(tag))) {
		uint64_t id = take_number(cursor, 2), size = id ? take_number(cursor, 4) : 0, at = cursor->at;

		if (id == OPTION_TRACECLOCK)
			parse_clock(cursor, size);
		else if (id == OPTION_BUFFER && buffers_count < sizeof(buffers) / sizeof(*buffers))
			buffers[buffers_count++] = at;
		cursor->at = at;
		skip(cursor, size);
		if (!id)
			take(cursor, tag, sizeof(tag));
	}
	if (!cursor->err && memcmp(tag, "flyrecord", sizeof(tag)))
		cursor->err = memcmp(tag, "latency  ", sizeof(tag)) ? -EINVAL : -EOPNOTSUPP;
	parse_flyrecord(cursor, cpus);
	for (size_t i = 0; i < buffers_count && !cursor->err; i++) {
		cursor->at = buffers[i];
		parse_buffer_6(cursor, cpus);
	}
}

/* A section that an option points to. */
static void parse_section(struct cursor *option, void (*parse)(struct cursor *))
{
	struct cursor section = { .dat = option->dat, .at = take_number(option, 8) };

	if (option->err)
		return;
	skip(&section, 2);
	if (take_number(&section, 2) & SECTION_COMPRESSED)
		section.err = -EOPNOTSUPP;
	skip(&section, SECTION_HEADER - 4);
	if (!section.err)
		parse(&section);
	option->err = section.err;
}

static void parse_ftrace_formats(struct cursor *cursor)
{
	parse_formats(cursor, "ftrace");
}

static void parse_option_7(struct cursor *cursor, uint64_t id, uint64_t size)
{
	switch (id) {
	case OPTION_HEADER_INFO: parse_section(cursor, parse_header_info); break;
	case OPTION_FTRACE_EVENTS: parse_section(cursor, parse_ftrace_formats); break;
	case OPTION_EVENT_FORMATS: parse_section(cursor, parse_events); break;
	case OPTION_CMDLINES: parse_section(cursor, parse_names); break;
	case OPTION_TRACECLOCK: parse_clock(cursor, size); break;
	case OPTION_BUFFER: parse_buffer_7(cursor); break;
	default: break;
	}
}

static void parse_7(struct cursor *cursor)
{
	uint64_t next;
	char text[STRING_MAX];

	take_string(cursor, text);	/* how it is compressed, and the version of that */
	take_string(cursor, text);
	next = take_number(cursor, 8);
	for (int section = 0; next && !cursor->err; section++) {
		bool done = false;

		if (section == SECTIONS_MAX)
			cursor->err = -EINVAL;
		cursor->at = next;
		skip(cursor, 2);
		if (take_number(cursor, 2) & SECTION_COMPRESSED)
			cursor->err = cursor->err ?: -EOPNOTSUPP;
		skip(cursor, SECTION_HEADER - 4);
		while (!cursor->err && !done) {
			uint64_t id = take_number(cursor, 2), size = take_number(cursor, 4), at = cursor->at;

			done = id == OPTION_DONE;
			next = done ? take_number(cursor, 8) : next;
			parse_option_7(cursor, id, size);
			cursor->at = at;
			skip(cursor, size);
		}
	}
}

static int explain(int err, struct fault *fault)
{
	if (err == -ENODATA)
		return fault__set(fault, err, "the file is cut off before its records");
	if (err == -EOPNOTSUPP)
		return fault__set(fault, err, "the file is compressed, or has text instead of records (trace-cmd record --compression none)");
	if (err == -EINVAL || err == -EFBIG)
		return fault__set(fault, err, "no trace.dat of trace-cmd, or a damaged one");
	return fault__set(fault, err, "%s", strerror(-err));
}

int trace_dat__open(struct trace_dat *dat, const struct trace_dat_bytes *bytes, struct fault *fault)
{
	struct cursor cursor = { .dat = dat };
	char version[STRING_MAX];
	uint64_t endian, word;

	*dat = (struct trace_dat){ .bytes = *bytes };
	expect(&cursor, "\x17\x08\x44tracing", 10);
	take_string(&cursor, version);
	endian = take_number(&cursor, 1);
	word = take_number(&cursor, 1);
	skip(&cursor, 4);	/* the page size; a buffer's pages may have another one */
	if (cursor.err)
		return fault__set(fault, cursor.err, "no trace.dat of trace-cmd");
	if (endian || word != 8)
		return fault__set(fault, -EOPNOTSUPP, "a recording of a %s machine", endian ? "big-endian" : "32-bit");
	if (strcmp(version, "6") && strcmp(version, "7"))
		return fault__set(fault, -EOPNOTSUPP, "a trace.dat of version %.8s (6 and 7 are read)", version);
	if (*version == '6')
		parse_6(&cursor);
	else
		parse_7(&cursor);
	if (!cursor.err && !dat->layout.size)
		cursor.err = -EINVAL;
	return cursor.err ? explain(cursor.err, fault) : 0;
}
