/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands around the rows of an interval. */
#include <stdlib.h>

#include "intervals.h"
#include "lib/print/screen.h"
#include "tally.h"

#define SCREEN_EXTRA 4		/* lines besides rows: when it ended early, header, others, where the cursor is */

/* --refresh: a full interval takes the place of the one before.  What Ctrl-C cuts short comes below it. */
static bool clear_screen(struct tool *tool, const struct interval *interval, bool on_screen)
{
	size_t lines = on_screen ? screen__lines(&tool->out) : 0;

	if (!on_screen || interval->partial)
		return false;
	screen__clear(&tool->out);
	if (!tool->options.rows_asked && tool->columns && lines)
		tool->options.rows_max = lines > SCREEN_EXTRA ? (uint32_t)(lines - SCREEN_EXTRA) : 1;
	return true;
}

void interval__heading(struct tool *tool, const struct interval *interval, bool on_screen)
{
	struct text_buffer text = text_buffer__growing(1024);
	char begin[WALLCLOCK_SIZE], end[WALLCLOCK_SIZE];
	bool is_cleared = clear_screen(tool, interval, on_screen);

	if (tool->out.json || tool->bare)
		return;
	if (interval->number > 1 && !is_cleared)
		out__line(&tool->out, "", 0);
	if (interval->partial || (tool->out.time && !tool->columns)) {
		int begin_size = (int)wallclock__format(&tool->out.clock, begin, interval->begin_ns);
		int end_size = (int)wallclock__format(&tool->out.clock, end, interval->end_ns);

		out__new_day(&tool->out);
		text_buffer__add(&text, "%.*s - %.*s", begin_size, begin, end_size, end);
		if (interval->partial)
			text_buffer__add(&text, " partial: %.3f s",
					 (double)(interval->end_ns - interval->begin_ns) / 1e9);
		interval__text(tool, &text);
	}
	/* the first one's stands since the start */
	if (tool->columns && (interval->number > 1 || is_cleared))
		out__header(&tool->out);
}

void interval__accounting(struct tool *tool, const struct interval *interval, const struct tally *tally)
{
	struct text_buffer text = text_buffer__growing(4096);
	char numbers[TALLY_TEXT_SIZE];

	tally__json(tally, numbers);
	text_buffer__add(&text, "{\"type\":\"interval\",\"tool\":\"%s\",\"interval\":{\"n\":%llu", tool->about->name,
			 (unsigned long long)interval->number);
	interval__add_time(&text, tool, "begin", interval->begin_ns);
	interval__add_time(&text, tool, "end", interval->end_ns);
	text_buffer__add(&text, ",\"partial\":%s,%s}", interval->partial ? "true" : "false", numbers + 1);
	interval__text(tool, &text);
}
