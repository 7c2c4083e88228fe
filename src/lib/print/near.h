/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names nearest to one that is not there: collected while all names go by, by a distance that the caller measures.
 * Two measures are here: letters that differ, for words that were mistyped, and letter pairs in common, for names whose
 * parts were reordered or renamed.
 */
#ifndef PROBELIGHT_NEAR_H
#define PROBELIGHT_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define NEAR_MAX 4
#define NEAR_NAME_MAX 512	/* KSYM_NAME_LEN since 6.1; longer names are cut */

struct text_buffer;

struct near {
	unsigned int limit;			/* only a smaller distance is near */
	unsigned int max;			/* how many names to keep, up to NEAR_MAX */
	unsigned int count;			/* how many there are */
	unsigned int distances[NEAR_MAX];
	char names[NEAR_MAX][NEAR_NAME_MAX];	/* the nearest first, the earlier of two that are equally near */
};

void near__init(struct near *near, unsigned int limit, unsigned int max);

/* From which distance on a name is not added any more: measuring may stop there. */
unsigned int near__limit(const struct near *near);

/* Adds a name if it is near enough, and not there already. */
void near__add(struct near *near, const char *name, unsigned int distance);

/* Appends "; the nearest is NAME", or "; the nearest are NAME, NAME"; nothing where none is near. */
void near__put(const struct near *near, struct text_buffer *to);

/* The least number of letters to change, add or remove that makes a into b; `limit` stands for all that is not less. */
unsigned int near__edits(const char *a, const char *b, unsigned int limit);

/*
 * For a word that somebody typed: 0 where name has it as a part, from 3 letters on; else near__edits().
 * near__typed_limit() is the limit for near__init(): a word of few letters is near to nothing that it shares few with.
 */
unsigned int near__typed(const char *name, const char *word, unsigned int limit);
unsigned int near__typed_limit(const char *word);

/* Pairs of neighbouring letters in a name, as a set.  Of NEAR_NAME_MAX pairs, the later ones are left out. */
struct near_pairs {
	const char *name;
	size_t length;
	uint16_t places[128 * 128];	/* of each pair, from 1 on; 0: it is not in the name */
	unsigned int count;
};

#define NEAR_UNLIKE 2000	/* the largest distance by letter pairs */

/* name must live as long as pairs. */
void near_pairs__init(struct near_pairs *pairs, const char *name);

/*
 * How unlike a name is: 1000 to NEAR_UNLIKE by the letter pairs in common, 1000 less if the letters are the same but for
 * one, in whatever order, as a slip of the fingers makes.
 */
unsigned int near_pairs__distance(const struct near_pairs *pairs, const char *name);

#endif
