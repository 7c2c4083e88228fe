/* SPDX-License-Identifier: BSD-2-Clause */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "out.h"

#define WIDE 16			/* characters; addresses have 15, and are read as a whole */

static struct winsize size_of(const struct out *out)
{
	struct winsize size = { 0 };

	if (out->json || ioctl(out->sink.fd, TIOCGWINSZ, &size))
		size = (struct winsize){ 0 };
	return size;
}

size_t terminal__columns(const struct out *out)
{
	return size_of(out).ws_col;
}

/* The width of the table: of the last column only what its header takes, unless it is a wide one. */
static size_t width_of(const struct out *out)
{
	size_t width = out__width_before(out), last = 0;

	for (size_t i = 0; out->columns[i].name; i++) {
		const struct out_slot *slot = &out->slots[i + 1];
		size_t name = strlen(out->columns[i].name);

		if (slot->hidden)
			continue;
		width += last;
		last = (slot->width > name ? slot->width : name) + 1;
		if (!out->columns[i + 1].name || slot->width <= 1)
			last = slot->right || slot->width > WIDE ? last : name + 1;
	}
	return width + last ? width + last - 1 : 0;
}

/* Of the text columns that are shown, the widest one. NULL: none has more than TERMINAL_NARROWEST characters. */
static struct out_slot *widest(const struct out *out)
{
	struct out_slot *found = NULL;

	for (size_t i = 0; out->columns[i].name; i++) {
		struct out_slot *slot = &out->slots[i + 1];
		bool is_wide = abs(out->columns[i].width) >= WIDE && slot->width > TERMINAL_NARROWEST &&
			       slot->width > strlen(out->columns[i].name);

		if (!slot->hidden && !slot->right && is_wide && (!found || slot->width > found->width))
			found = slot;
	}
	return found;
}

static void drop(struct out *out, const char *name)
{
	for (size_t i = 0; out->columns[i].name; i++)
		if (!strcmp(out->columns[i].name, name))
			out->slots[i + 1].hidden = out->slots[i + 1].is_dropped = true;
}

void terminal__fit(struct out *out)
{
	size_t columns = terminal__columns(out);
	struct out_slot *slot;

	if (!columns)
		return;
	while (width_of(out) > columns && (slot = widest(out)))
		slot->width--;
	for (const char *const *name = out->spare; name && *name && width_of(out) > columns; name++)
		drop(out, *name);
	/* a dropped column may leave room for whole names */
	for (size_t i = 0; out->columns[i].name; i++) {
		slot = &out->slots[i + 1];
		while (!slot->hidden && !slot->right && slot->width < (size_t)abs(out->columns[i].width) && width_of(out) < columns)
			slot->width++;
	}
}

void terminal__repeat_header(struct out *out)
{
	size_t lines = size_of(out).ws_row;

	if (out->rows_pending && lines > 2 && out->lines_since >= lines - 1) {
		out->error = sink__write(&out->sink, out->header, out->header_size);
		out->lines_since = 1;
	}
	for (size_t i = 0; i < out->used; i++)
		out->lines_since += out->buffer[i] == '\n';
}
