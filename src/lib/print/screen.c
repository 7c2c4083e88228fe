/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "out_row.h"

bool screen__is_there(const struct out *out)
{
	const char *term = getenv("TERM");

	return !out->json && term && *term && strcmp(term, "dumb") && isatty(out->sink.fd);
}

void screen__clear(struct out *out)
{
	/* to the upper left corner, and all from there on (ECMA-48: CUP, ED), which every terminal that is in use knows */
	static const char clear[] = "\033[H\033[J";

	out->row_start = out->used;
	out_row__put(out, clear, sizeof(clear) - 1);
	out->row_start = out->used;
}

size_t screen__lines(const struct out *out)
{
	struct winsize size;

	return ioctl(out->sink.fd, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}
