/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/format against libtraceevent: every field of every event of every kernel in tests/data/formats. */
#include "lib/format/format.h"

#include <traceevent/event-parse.h>

#include "check.h"
#include "corpus.h"

static unsigned events, fields;

static void compare_field(const struct corpus_event *event, const struct format_field *ours,
			  const struct tep_format_field *theirs)
{
	bool their_dynamic = theirs->flags & (TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_RELATIVE);
	bool agree = !strcmp(ours->name, theirs->name) && (int)ours->offset == theirs->offset &&
		     (int)ours->size == theirs->size && ours->is_signed == !!(theirs->flags & TEP_FIELD_IS_SIGNED) &&
		     ours->is_array == !!(theirs->flags & TEP_FIELD_IS_ARRAY) &&
		     (ours->loc != FORMAT_PLAIN) == their_dynamic &&
		     (ours->loc == FORMAT_REL_LOC) == !!(theirs->flags & TEP_FIELD_IS_RELATIVE);

	fields++;
	/* Theirs is the number that the brackets start with: 30 for "[30+1]", 0 for "[sizeof(…)]". */
	if (agree && ours->loc == FORMAT_PLAIN && theirs->arraylen && theirs->elementsize)
		agree = ours->array_len == theirs->arraylen || strchr(ours->decl, '+');
	check_report(
		agree, __FILE__, __LINE__,
		"%s/%s: \"%s\" is %s offset %u size %u signed %d array %d [%u], libtraceevent has %s %d %d %d %d [%u]",
		event->system, event->name, ours->decl, ours->name, ours->offset, ours->size, ours->is_signed,
		ours->is_array, ours->array_len, theirs->name, theirs->offset, theirs->size,
		!!(theirs->flags & TEP_FIELD_IS_SIGNED), !!(theirs->flags & TEP_FIELD_IS_ARRAY), theirs->arraylen);
}

static void compare_list(const struct corpus_event *event, const struct format_field *ours, unsigned count,
			 const struct tep_format_field *theirs)
{
	unsigned i;

	for (i = 0; i < count && theirs; i++, theirs = theirs->next)
		compare_field(event, &ours[i], theirs);
	check_report(i == count && !theirs, __FILE__, __LINE__, "%s/%s: the number of fields differs", event->system,
		     event->name);
}

static void compare_event(struct tep_handle *tep, const struct corpus_event *event)
{
	struct format_error error;
	struct tep_event *theirs = NULL;
	struct format *ours;
	char *text;
	int length;

	events++;
	if (format__parse(&ours, event->system, event->text, event->length, &error)) {
		check_report(0, __FILE__, __LINE__, "%s/%s: line %u: %s", event->system, event->name, error.line,
			     error.why);
		return;
	}
	CHECK_STR(ours->name, event->name);
	CHECK_STR(ours->system, event->system);
	/* Its parser of print fmts gives up on some, and takes the event with it; the fields are what counts here. */
	text = malloc(event->length + 32);
	length = (int)(strstr(event->text, "\nprint fmt:") + 1 - event->text);
	length = sprintf(text, "%.*sprint fmt: \"x\"\n", length, event->text);
	if (CHECK_INT(tep_parse_format(tep, &theirs, text, (unsigned long)length, event->system), 0)) {
		CHECK_INT(ours->id, theirs->id);
		compare_list(event, ours->fields, ours->common_count, theirs->format.common_fields);
		compare_list(event, ours->fields + ours->common_count, ours->fields_count - ours->common_count,
			     theirs->format.fields);
	}
	free(text);
	format__free(ours);
}

int main(void)
{
	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		char *corpus = corpus_read(corpora[i]);
		struct tep_handle *tep = tep_alloc();
		const char *pos = corpus;
		struct corpus_event event;

		while (corpus_next(&pos, &event))
			compare_event(tep, &event);
		tep_free(tep);
		free(corpus);
	}
	printf("%u events, %u fields compared\n", events, fields);
	/* The corpora are not empty. */
	CHECK(events > 8000 && fields > 60000);
	return check_done();
}
