/* SPDX-License-Identifier: BSD-2-Clause */
#include "heat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "text_buffer.h"

#define LEFT 200		/* pixels: the rows' edges */
#define WIDTH 1000.0
#define RIGHT 20
#define ROW 16
#define HEAD 40			/* above the first map */
#define MAP_HEAD 26		/* above the rows of each */
#define MAP_FOOT 40		/* below them: times */
#define TICKS 5
#define SVG_MAX (512 << 20)
#define OTHERS "others"

struct column {
	uint64_t begin_ns, end_ns;
};

struct map {
	char *key, *title;
	uint64_t *columns[HEAT_COLUMNS_MAX];	/* HIST_SLOTS rows each; NULL: nothing */
	uint32_t first, end;			/* rows that count something; end is behind the last one */
	uint64_t count;
};

struct heat {
	struct column columns[HEAT_COLUMNS_MAX];
	size_t columns_count;
	uint64_t per_column;			/* intervals that share one */
	uint64_t intervals;
	const struct hist_shape *shape;
	struct map maps[HEAT_MAPS_MAX];
	size_t maps_count;
};

struct heat *heat__new(void)
{
	struct heat *heat = calloc(1, sizeof(*heat));

	if (heat)
		heat->per_column = 1;
	return heat;
}

void heat__free(struct heat *heat)
{
	for (size_t i = 0; heat && i < heat->maps_count; i++) {
		for (size_t column = 0; column < HEAT_COLUMNS_MAX; column++)
			free(heat->maps[i].columns[column]);
		free(heat->maps[i].key);
		free(heat->maps[i].title);
	}
	free(heat);
}

/* Adds the counts of a column to those of an earlier one. */
static void merge(struct map *map, size_t to, size_t from)
{
	uint64_t *counts = map->columns[from];

	if (to == from || !counts)
		return;
	map->columns[from] = NULL;
	if (!map->columns[to]) {
		map->columns[to] = counts;
		return;
	}
	for (size_t row = 0; row < HIST_SLOTS; row++)
		map->columns[to][row] += counts[row];
	free(counts);
}

/* Two columns become one. */
static void halve(struct heat *heat)
{
	for (size_t i = 0; i < HEAT_COLUMNS_MAX; i++) {
		for (size_t map = 0; map < heat->maps_count; map++)
			merge(&heat->maps[map], i / 2, i);
		if (i % 2)
			heat->columns[i / 2].end_ns = heat->columns[i].end_ns;
		else
			heat->columns[i / 2] = heat->columns[i];
	}
	heat->columns_count = HEAT_COLUMNS_MAX / 2;
	heat->per_column *= 2;
}

void heat__column(struct heat *heat, uint64_t begin_ns, uint64_t end_ns)
{
	if (heat->intervals++ % heat->per_column == 0) {
		if (heat->columns_count == HEAT_COLUMNS_MAX)
			halve(heat);
		heat->columns[heat->columns_count++].begin_ns = begin_ns;
	}
	heat->columns[heat->columns_count - 1].end_ns = end_ns;
}

/* The map of a key, which is made if need be; NULL without memory. */
static struct map *map_of(struct heat *heat, const char *key, const char *title)
{
	struct map *map;

	for (size_t i = 0; i < heat->maps_count; i++)
		if (!strcmp(heat->maps[i].key, key))
			return &heat->maps[i];
	/* the last one is kept for those that find no room */
	if (heat->maps_count == HEAT_MAPS_MAX)
		return &heat->maps[HEAT_MAPS_MAX - 1];
	if (heat->maps_count == HEAT_MAPS_MAX - 1)
		key = title = OTHERS;
	map = &heat->maps[heat->maps_count];
	map->key = strdup(key);
	map->title = strdup(title);
	if (!map->key || !map->title) {
		free(map->key);
		free(map->title);
		return NULL;
	}
	map->first = UINT32_MAX;
	heat->maps_count++;
	return map;
}

int heat__add(struct heat *heat, const char *key, const char *title, const struct hist_view *view)
{
	struct map *map = heat->columns_count ? map_of(heat, key ? key : "", title ? title : "") : NULL;
	uint64_t rows[HIST_SLOTS], *counts;
	size_t count = hist_view__rows(view, rows);

	if (!map)
		return -ENOMEM;
	if (!map->columns[heat->columns_count - 1])
		map->columns[heat->columns_count - 1] = calloc(HIST_SLOTS, sizeof(*counts));
	counts = map->columns[heat->columns_count - 1];
	if (!counts)
		return -ENOMEM;
	heat->shape = view->shape;
	for (uint32_t i = 0; i < count; i++) {
		if (!rows[i])
			continue;
		counts[i] += rows[i];
		map->count += rows[i];
		map->first = i < map->first ? i : map->first;
		map->end = i + 1 > map->end ? i + 1 : map->end;
	}
	return 0;
}

/* ---- the picture */

struct drawing {
	const struct heat *heat;
	struct text_buffer *to;
	uint64_t begin_ns, length_ns;	/* of all columns */
	uint64_t y;			/* of the map that is drawn */
	uint64_t largest;		/* count of a cell */
};

static double x_of(const struct drawing *drawing, uint64_t ts_ns)
{
	return LEFT + (double)(ts_ns - drawing->begin_ns) * WIDTH / (double)drawing->length_ns;
}

/* The binary digits of a count: colours go by these, so that few beside many can be seen. */
static unsigned int digits_of(uint64_t count)
{
	return count ? 64 - (unsigned int)__builtin_clzll(count) : 0;
}

/* From yellow to dark red. */
static void put_colour(const struct drawing *drawing, uint64_t count)
{
	unsigned int most = digits_of(drawing->largest), part = most > 1 ? (digits_of(count) - 1) * 100 / (most - 1) : 100;

	text_buffer__add(drawing->to, "rgb(%u,%u,%u)", 255 - part * 130 / 100, 235 - part * 225 / 100, 150 - part * 120 / 100);
}

static void draw_cell(const struct drawing *drawing, const struct map *map, size_t column, uint32_t row)
{
	const struct column *time = &drawing->heat->columns[column];
	double x = x_of(drawing, time->begin_ns);
	uint64_t count = map->columns[column][row];
	char edges[HIST_EDGES_SIZE];

	hist_shape__edges(drawing->heat->shape, row, edges);
	text_buffer__add(drawing->to, "<rect class=\"c\" data-n=\"%" PRIu64 "\" x=\"%.3f\" y=\"%" PRIu64 "\" width=\"%.3f\" height=\"%d\" fill=\"",
			 count, x, drawing->y + (uint64_t)(map->end - 1 - row) * ROW, x_of(drawing, time->end_ns) - x, ROW - 1);
	put_colour(drawing, count);
	text_buffer__add(drawing->to, "\"><title>%s %s: %" PRIu64 ", %.3f s - %.3f s</title></rect>\n", edges,
			 hist_shape__unit(drawing->heat->shape), count, (double)(time->begin_ns - drawing->begin_ns) / 1e9,
			 (double)(time->end_ns - drawing->begin_ns) / 1e9);
}

static void draw_edges(const struct drawing *drawing, const struct map *map)
{
	char edges[HIST_EDGES_SIZE];

	for (uint32_t row = map->first; row < map->end; row++) {
		hist_shape__edges(drawing->heat->shape, row, edges);
		text_buffer__add(drawing->to, "<text class=\"e\" x=\"%d\" y=\"%" PRIu64 "\">%s</text>\n", LEFT - 8,
				 drawing->y + (uint64_t)(map->end - 1 - row) * ROW + 12, edges);
	}
}

/* Seconds since the beginning. */
static void draw_times(const struct drawing *drawing, uint64_t y)
{
	for (unsigned int i = 0; i <= TICKS; i++) {
		uint64_t ts_ns = drawing->begin_ns + drawing->length_ns / TICKS * i;

		text_buffer__add(drawing->to, "<text class=\"t\" x=\"%.1f\" y=\"%" PRIu64 "\">%.1f s</text>\n", x_of(drawing, ts_ns), y,
				 (double)(ts_ns - drawing->begin_ns) / 1e9);
	}
}

/* Moves drawing->y below it. */
static void draw_map(struct drawing *drawing, const struct map *map)
{
	text_buffer__add(drawing->to, "<g class=\"m\" data-n=\"%" PRIu64 "\"><text x=\"10\" y=\"%" PRIu64 "\">", map->count,
			 drawing->y + 16);
	svg__add_name(drawing->to, map->title, 160);
	text_buffer__add(drawing->to, "%s%" PRIu64 " events</text>\n", *map->title ? ": " : "", map->count);
	drawing->y += MAP_HEAD;
	draw_edges(drawing, map);
	for (size_t column = 0; column < drawing->heat->columns_count; column++)
		for (uint32_t row = map->first; row < map->end && map->columns[column]; row++)
			if (map->columns[column][row])
				draw_cell(drawing, map, column, row);
	drawing->y += (uint64_t)(map->end - map->first) * ROW;
	draw_times(drawing, drawing->y + 14);
	text_buffer__add(drawing->to, "</g>\n");
	drawing->y += MAP_FOOT;
}

static uint64_t find_largest(const struct heat *heat)
{
	uint64_t largest = 1;

	for (size_t i = 0; i < heat->maps_count; i++)
		for (size_t column = 0; column < heat->columns_count; column++)
			for (size_t row = 0; row < HIST_SLOTS && heat->maps[i].columns[column]; row++)
				if (heat->maps[i].columns[column][row] > largest)
					largest = heat->maps[i].columns[column][row];
	return largest;
}

int heat__write(const struct heat *heat, int fd, const char *title)
{
	struct text_buffer text = text_buffer__growing(SVG_MAX);
	struct drawing drawing = { .heat = heat, .to = &text, .length_ns = 1, .y = HEAD, .largest = find_largest(heat) };
	uint64_t height = HEAD;

	if (heat->columns_count) {
		drawing.begin_ns = heat->columns[0].begin_ns;
		drawing.length_ns = heat->columns[heat->columns_count - 1].end_ns - drawing.begin_ns;
		drawing.length_ns += !drawing.length_ns;
	}
	for (size_t i = 0; i < heat->maps_count; i++)
		height += MAP_HEAD + MAP_FOOT + (heat->maps[i].count ? (uint64_t)(heat->maps[i].end - heat->maps[i].first) * ROW : 0);
	text_buffer__add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu64 "\" viewBox=\"0 0 %d %" PRIu64 "\">\n"
			 "<style>text { font: 12px monospace } .e { text-anchor: end } .t { text-anchor: middle }\n"
			 ".c:hover { stroke: #000 }</style>\n"
			 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
			 "<text x=\"10\" y=\"24\">%s: %" PRIu64 " intervals%s%s, at most %" PRIu64 " events in a cell</text>\n",
			 LEFT + (int)WIDTH + RIGHT, height, LEFT + (int)WIDTH + RIGHT, height, title, heat->intervals,
			 heat->shape ? ", " : "", heat->shape ? hist_shape__unit(heat->shape) : "", drawing.largest);
	for (size_t i = 0; i < heat->maps_count; i++)
		if (heat->maps[i].count)
			draw_map(&drawing, &heat->maps[i]);
	text_buffer__add(&text, "</svg>\n");
	return svg__write(&text, fd);
}
