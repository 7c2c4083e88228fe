/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flame graph: stacks of calls as a picture.  Each function is as wide as the share of the stacks that it is in, and stands on the
 * one that called it.
 *
 *	struct flame *flame = flame__new();
 *
 *	flame__add(flame, frames, count, 12);			for each stack
 *	flame__write(flame, fd, "profile", "samples");
 *	flame__free(flame);
 *
 * The SVG needs nothing but itself: no font, no other file, no network.  A little script zooms (click) and searches (Ctrl-F); without
 * scripts it is a picture with tooltips.  Names are untrusted bytes: what is written is escaped twice, as text and as XML.
 */
#ifndef PROBELIGHT_FLAME_H
#define PROBELIGHT_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "svg.h"

enum flame_kind {
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_REMARK,		/* "[truncated]", "[unknown] (x+0x12)": no function's name */
};

struct flame_frame {
	const char *name;	/* ended by a 0 byte; its first FLAME_NAME_MAX bytes are taken */
	enum flame_kind kind;
};

#define FLAME_NAME_MAX SVG_NAME_MAX

struct flame;

/* NULL without memory. */
struct flame *flame__new(void);

/* Takes NULL. */
void flame__free(struct flame *flame);

/*
 * Adds a stack of that weight, the outermost function first.  frames need not outlive the call.  0 or -ENOMEM.
 */
int flame__add(struct flame *flame, const struct flame_frame *frames, size_t count, uint64_t weight);

/* Writes the SVG.  title and unit ("samples") are trusted words.  0 or -errno of write(2), -ENOMEM. */
int flame__write(const struct flame *flame, int fd, const char *title, const char *unit);

#endif
