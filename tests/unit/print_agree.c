/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many events of the corpora are shown as their print fmt has it, and libtraceevent prints the same of random values.
 *
 * An event is understood if all the arguments of its print fmt are that have a field in them: lib/printfmt/printed.h finds
 * how the argument is printed, and the field is shown by it or by another one of its arguments. Enumerators have the values
 * of tests/data/enums (enum_table.h).
 */
#include <ctype.h>
#include <stdint.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "check.h"
#include "corpus.h"
#include "enum_table.h"
#include "lib/format/ctx.h"
#include "lib/printfmt/print_pointer.h"
#include "lib/printfmt/shown.h"

#define UNDERSTOOD_LEAST 955	/* of 1000 events, in each corpus; docs/anysnoop.md has the figures */

/* The same random numbers at each run. */
static uint64_t random_state = 1;

static uint32_t random_number(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(random_state >> 33);
}

/* ---- what is understood */

static bool has_field(const struct print_piece *piece)
{
	for (const char *at = piece->argument; at < piece->argument_end; at++)
		if (!strncmp(at, "REC", 3) || !strncmp(at, "__get_", 6) || !strncmp(at, "__print_dynamic", 15))
			return true;
	return false;
}

/* The format with a print fmt of this one argument; the text is freed by the caller. */
static char *single(struct format *to, const struct format *format, const struct print_piece *piece)
{
	char *text;

	*to = *format;
	if (asprintf(&text, "\"%%%s%s\", %.*s", piece->size == 8 ? "ll" : "", piece->conversion,
		     (int)(piece->argument_end - piece->argument),
		     piece->argument) < 0)
		exit(1);
	to->print_fmt = text;
	return text;
}

/* How a text in a format's only argument is shown; the field, or NULL where it is not understood. */
static const struct format_field *find(struct printed *printed, const struct format *format, const struct print_piece *piece)
{
	const struct format_field *field;
	struct print_expr *expr;
	bool is_partial;

	*printed = (struct printed){};
	if (print_expr__parse(&expr, format, piece->argument, piece->argument_end))
		return NULL;
	field = print_expr__field(expr);
	is_partial = print_expr__is_partial(expr);
	print_expr__free(expr);
	if (!field || is_partial)
		return NULL;
	CHECK_INT(printed__find(printed, format, field), 0);
	return field;
}

/* Whether what a pointer's conversion prints is shown: the address, the name that the kernel tells for it, an address of the internet. */
static bool is_pointer_known(const struct print_piece *piece, const struct format_field *field, const struct shown *shown)
{
	const char *conversion = piece->conversion;
	bool is_number = ctx__is_scalar(field) && field->loc == FORMAT_PLAIN;

	if (is_number)
		return !conversion[1] || !strcmp(conversion, "px") || shown->kind == SHOWN_SYMBOL;
	if (!strcmp(conversion, "pbl"))
		return shown->kind == SHOWN_CPUS;
	return print_pointer__is_known(conversion, field->loc == FORMAT_PLAIN ? field->size : 0);
}

static bool is_understood(const struct format *format, const struct print_piece *piece)
{
	const struct format_field *field;
	struct ctx_number number = {};
	struct printed printed;
	struct format copy;
	struct shown shown;
	bool is_it = false;
	char *text;

	if (!has_field(piece))
		return true;
	text = single(&copy, format, piece);
	field = find(&printed, &copy, piece);
	if (field) {
		ctx__number(format, field, &number);
		CHECK_INT(shown__make(&shown, format, field, number.size, number.is_signed), 0);
		is_it = printed.kind != PRINTED_NOT || shown.kind == SHOWN_CPUS;
		/* a list of CPUs is one whatever the print fmt does */
		is_it &= *piece->conversion != 'p' || is_pointer_known(piece, field, &shown);
		shown__free(&shown);
	}
	printed__free(&printed);
	free(text);
	return is_it;
}

/* ---- what it agrees with */

static unsigned int compared, skipped;

/* The argument with its enumerators as numbers, which libtraceevent does not know by name; the caller frees it. */
static char *with_numbers(const struct corpus_event *event, const struct print_piece *piece)
{
	size_t size = 2 * (size_t)(piece->argument_end - piece->argument) + 64, used = 0, length;
	char *text = malloc(size);

	for (const char *at = piece->argument; text && at < piece->argument_end; at += length) {
		struct enum_constant constant;

		length = *at == '"' ? (size_t)(print_fmt__skip_quoted(at) - at) : 1;
		if (isalpha((unsigned char)*at) || *at == '_') {
			length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
			if (enums__find(event->name, piece->argument, at, length, &constant)) {
				used += (size_t)snprintf(text + used, size - used, "%lld", (long long)constant.value);
				continue;
			}
		}
		used += (size_t)snprintf(text + used, size - used, "%.*s", (int)length, at);
	}
	return text;
}

/* The text of a format file whose event has only this argument; numbers have 0x or 0 before them as they are shown. */
static char *make_format_file(const struct corpus_event *event, const struct print_piece *piece)
{
	const char *fields_end = memmem(event->text, event->length, "\nprint fmt:", 11);
	bool is_pointer = *piece->conversion == 'p', is_text = *piece->conversion == 's';
	char *text, *argument = with_numbers(event, piece);

	if (!argument || asprintf(&text, "%.*s\nprint fmt: \"%s%%%s%s\", %s\n", (int)(fields_end - event->text), event->text,
		     tolower(*piece->conversion) == 'x' ? "0x" : *piece->conversion == 'o' ? "0" : "",
		     is_pointer || is_text || *piece->conversion == 'c' ? "" : piece->size == 8 ? "ll" :
		     piece->size == 2 ? "h" : piece->size == 1 ? "hh" : "",
		     *piece->conversion == 'X' ? "x" : piece->conversion, argument) < 0)
		exit(1);
	free(argument);
	return text;
}

/* A number that flags and values of the kernel may have: libtraceevent reckons with 64 bits where C has 32, so it is a small one. */
static uint32_t some_value(void)
{
	switch (random_number() % 4) {
	case 0:
		return random_number() % 16;
	case 1:
		return 1U << random_number() % 15;
	case 2:
		return random_number() % 0x10000;
	default:
		return random_number() % 256 & random_number();
	}
}

/* What libtraceevent 1.7 does otherwise than the kernel, or does not know. */
static bool is_excused(const struct corpus_event *event, const struct print_piece *piece, const char *ours, const char *theirs)
{
	static const char *const events[] = {
		"mm_page_alloc_extfrag", "spi_setup",	/* the precedence of < before ?:, of | in parentheses after & */
		"amd_pstate_epp_perf",			/* (bool)2 is 1 */
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(event->name, events[i]))
			return true;
	return strstr(theirs, "[FAILED TO PARSE]") || strstr(theirs, "ARG TYPE NOT") || !strcmp(theirs, ">c<") ||
	       /* of no flag at all it prints all names; a name for 0 it never prints (iomap: BH, without buffer heads) */
	       !*ours || (!strcmp(event->system, "iomap") && memmem(piece->argument, 16, "__print_flags(", 14)) ||
	       /* it has no addresses of sockets by themselves */
	       (!strncmp(piece->conversion, "pIS", 3) && !*theirs);
}

static void compare_values(const struct corpus_event *event, struct tep_handle *tep, const struct printed *printed,
			   const struct format_field *field, const struct format *format, const struct print_piece *piece)
{
	for (int i = 0; i < 8; i++) {
		char record[1024] = {}, ours[PRINTED_MAX + 1];
		unsigned int size = field->size;
		uint64_t value = some_value() & (size && size < 4 ? (1U << (8 * size - 1)) - 1 : ~0U);
		struct print_field value_field;
		struct trace_seq seq;
		bool is_unnamed;
		int length;

		if (field->offset + 64 > sizeof(record) || field->size > 512)
			return;
		if (ctx__is_scalar(field) && field->loc == FORMAT_PLAIN) {
			memcpy(record + field->offset, &value, size);
		} else {
			for (unsigned int at = 0; at < size; at++)
				record[field->offset + at] = (char)random_number();
			/* the family of a socket's address */
			if (!strncmp(piece->conversion, "pIS", 3))
				memcpy(record + field->offset, (uint16_t[]){ i % 2 ? 2 : 10 }, 2);
		}
		memcpy(record, &format->id, 2);
		value_field = (struct print_field){ .bytes = record + field->offset, .size = size, .total = size,
						   .is_signed = field->is_signed };
		length = printed__text(printed, &value_field, ours, &is_unnamed);
		if (length < 0) {
			skipped++;
			continue;
		}
		ours[length] = 0;
		trace_seq_init(&seq);
		tep_print_event(tep, &seq, &(struct tep_record){ .data = record, .size = sizeof(record) }, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&seq);
		if (is_excused(event, piece, ours, seq.buffer)) {
			skipped++;
			trace_seq_destroy(&seq);
			continue;
		}
		compared++;
		check_report(!strcmp(ours, seq.buffer), __FILE__, __LINE__,
			     "%s/%s: %s of %.*s, value %llu: \"%s\", libtraceevent has \"%s\"",
			     event->system, event->name, piece->conversion, (int)(piece->argument_end - piece->argument), piece->argument,
			     (unsigned long long)value, ours, seq.buffer);
		trace_seq_destroy(&seq);
	}
}

static void compare(const struct corpus_event *event, const struct format *format, const struct print_piece *piece)
{
	const struct format_field *field;
	struct tep_event *theirs = NULL;
	struct tep_handle *tep;
	struct printed printed;
	struct format copy;
	char *text, *file;

	text = single(&copy, format, piece);
	field = find(&printed, &copy, piece);
	if (field && printed.kind != PRINTED_NOT && field->loc == FORMAT_PLAIN && 
	    (*piece->conversion != 'p' || print_pointer__is_known(piece->conversion, 0))) {
		tep = tep_alloc();
		file = make_format_file(event, piece);
		if (!tep_parse_format(tep, &theirs, file, strlen(file), event->system) && theirs)
			compare_values(event, tep, &printed, field, format, piece);
		free(file);
		tep_free(tep);
	}
	printed__free(&printed);
	free(text);
}

/* Whether this argument of this event was not there before: most are the same on all kernels. */
static bool is_new(const struct corpus_event *event, const struct print_piece *piece)
{
	static uint64_t seen[1 << 16];
	uint64_t hash = 14695981039346656037ULL;
	size_t at;

	for (const char *c = event->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
	for (const char *c = piece->argument; c < piece->argument_end; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
	for (at = hash >> 48; seen[at] && seen[at] != hash; at = (at + 1) % (1 << 16))
		;
	if (seen[at])
		return false;
	seen[at] = hash;
	return true;
}

int main(void)
{
	unsigned int all = 0, all_understood = 0;

	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		unsigned int events = 0, understood = 0;
		char *corpus = corpus_read(corpora[i]);
		const char *pos = corpus;
		struct corpus_event event;

		enum_table_use(corpora[i]);
		while (corpus_next(&pos, &event)) {
			struct format_error error;
			struct print_piece piece;
			struct print_fmt fmt = {};
			struct format *format;
			bool is_it = true;

			if (!CHECK_INT(format__parse(&format, event.system, event.text, event.length, &error), 0))
				continue;
			fmt.print_fmt = format->print_fmt;
			while (print_fmt__next(&fmt, &piece)) {
				bool is_known = is_understood(format, &piece);

				if (!is_known && getenv("V"))
					printf("%s/%s: %s %.*s\n", event.system, event.name, piece.conversion,
					       (int)(piece.argument_end - piece.argument), piece.argument);
				is_it &= is_known;
				if (is_known && has_field(&piece) && is_new(&event, &piece))
					compare(&event, format, &piece);
			}
			events++;
			understood += is_it;
			format__free(format);
		}
		free(corpus);
		all += events;
		all_understood += understood;
		printf("%s: %u of %u events understood, %.1f %%\n", corpora[i], understood, events, 100.0 * understood / events);
		CHECK(events > 500 && understood * 1000ULL >= events * UNDERSTOOD_LEAST);
	}
	printf("all: %u of %u events understood, %.1f %%\n", all_understood, all, 100.0 * all_understood / all);
	enum_table_end();
	printf("%u values compared\n", compared);
	CHECK(compared > 10000);
	return check_done();
}
