/* SPDX-License-Identifier: BSD-2-Clause */
#include "flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "text_buffer.h"

#define WIDTH 1200.0		/* pixels */
#define ROW 17
#define HEAD 40			/* above the highest row */
#define CHARACTER 7.0		/* of 12 px monospace, and some more */
#define NARROWEST 0.05		/* narrower ones are not drawn, their parent shows the gap */
#define SVG_MAX (256 << 20)

struct node {
	char *name;
	enum flame_kind kind;
	uint64_t weight;
	struct node **children;		/* by name */
	size_t count, room;
};

struct flame {
	struct node root;
	size_t depth;			/* of the highest stack */
};

struct flame *flame__new(void)
{
	return calloc(1, sizeof(struct flame));
}

/* A stack has at most some 260 frames, so this goes no deeper. */
static void free_children(struct node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		free_children(node->children[i]);
		free(node->children[i]->name);
		free(node->children[i]);
	}
	free(node->children);
}

void flame__free(struct flame *flame)
{
	if (flame)
		free_children(&flame->root);
	free(flame);
}

static int compare(const struct node *node, const struct flame_frame *frame)
{
	int order = strncmp(node->name, frame->name, FLAME_NAME_MAX);

	return order ? order : (int)node->kind - (int)frame->kind;
}

/* The child of that name, which is made if need be; NULL without memory. */
static struct node *child_of(struct node *parent, const struct flame_frame *frame)
{
	size_t low = 0, high = parent->count;
	struct node *child, **children;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(parent->children[middle], frame);

		if (!order)
			return parent->children[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (parent->count == parent->room) {
		size_t room = parent->room ? parent->room * 2 : 2;

		children = realloc(parent->children, room * sizeof(*children));
		if (!children)
			return NULL;
		parent->children = children;
		parent->room = room;
	}
	child = calloc(1, sizeof(*child));
	if (!child)
		return NULL;
	child->name = strndup(frame->name, FLAME_NAME_MAX);
	if (!child->name) {
		free(child);
		return NULL;
	}
	child->kind = frame->kind;
	memmove(&parent->children[low + 1], &parent->children[low], (parent->count - low) * sizeof(*parent->children));
	parent->children[low] = child;
	parent->count++;
	return child;
}

int flame__add(struct flame *flame, const struct flame_frame *frames, size_t count, uint64_t weight)
{
	struct node *node = &flame->root;

	node->weight += weight;
	for (size_t i = 0; i < count; i++) {
		node = child_of(node, &frames[i]);
		if (!node)
			return -ENOMEM;
		node->weight += weight;
	}
	if (count > flame->depth)
		flame->depth = count;
	return 0;
}

/* ---- the picture */

/* The same name has the same colour in every picture: user functions are warm, the kernel's blue, remarks grey. */
static void colour_of(const struct node *node, unsigned int colour[3])
{
	uint32_t hash = 2166136261u;

	for (const char *at = node->name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	switch (node->kind) {
	case FLAME_USER:
		colour[0] = 215 + hash % 40;
		colour[1] = 90 + (hash >> 8) % 120;
		colour[2] = 50 + (hash >> 16) % 40;
		break;
	case FLAME_KERNEL:
		colour[0] = 100 + hash % 50;
		colour[1] = 150 + (hash >> 8) % 50;
		colour[2] = 215 + (hash >> 16) % 40;
		break;
	default:
		colour[0] = colour[1] = colour[2] = 190 + hash % 30;
	}
}

struct drawing {
	struct text_buffer *to;
	const char *unit;
	uint64_t total;
	size_t depth;
};

/* first: the weight of all that stands to the left. */
static void draw(const struct drawing *drawing, const struct node *node, uint64_t first, size_t depth)
{
	double x = (double)first * WIDTH / (double)drawing->total, width = (double)node->weight * WIDTH / (double)drawing->total;
	unsigned int colour[3], y = (unsigned int)(HEAD + (drawing->depth - depth) * ROW);

	if (width < NARROWEST)
		return;
	colour_of(node, colour);
	text_buffer__add(drawing->to, "<g class=\"f\" data-x=\"%" PRIu64 "\" data-n=\"%" PRIu64 "\" data-d=\"%zu\"><title>", first,
			 node->weight, depth);
	svg__add_name(drawing->to, node->name, 2000);
	text_buffer__add(drawing->to, " (%" PRIu64 " %s, %.2f %%)</title><rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%d\" "
			 "fill=\"rgb(%u,%u,%u)\"/><text x=\"%.3f\" y=\"%u\">", node->weight, drawing->unit,
			 (double)node->weight * 100 / (double)drawing->total, x, y, width, ROW - 1, colour[0], colour[1], colour[2], x + 3,
			 y + 12);
	if (width > 4 * CHARACTER)
		svg__add_name(drawing->to, node->name, (size_t)(width / CHARACTER));
	text_buffer__add(drawing->to, "</text></g>\n");
	for (size_t i = 0; i < node->count; i++) {
		draw(drawing, node->children[i], first, depth + 1);
		first += node->children[i]->weight;
	}
}

/*
 * Names go from one text node to another one and into no markup.  A frame's place in the picture comes from its numbers: data-x and
 * data-n, the weight to its left and its own.
 */
static const char script[] =
	"<script><![CDATA[\n"
	"(function () {\n"
	"  'use strict';\n"
	"  var all = Array.prototype.slice.call(document.querySelectorAll('g.f')), width = 1200, character = 7;\n"
	"  var total = +all[0].dataset.n, wanted = '';\n"
	"  var reset = document.getElementById('reset'), found = document.getElementById('found');\n"
	"  function name(g) { return g.firstChild.textContent.replace(/ \\([0-9]+ [a-z]+, [0-9.]+ %\\)$/, ''); }\n"
	"  function show(g, x, w) {\n"
	"    var rect = g.childNodes[1], text = g.childNodes[2], n = name(g), room = Math.floor(w / character);\n"
	"    g.style.display = '';\n"
	"    rect.setAttribute('x', x); rect.setAttribute('width', w); text.setAttribute('x', x + 3);\n"
	"    text.textContent = room <= 4 ? '' : n.length > room ? n.slice(0, room - 2) + '..' : n;\n"
	"  }\n"
	"  function zoom(to) {\n"
	"    var first = +to.dataset.x, n = +to.dataset.n, depth = +to.dataset.d;\n"
	"    all.forEach(function (g) {\n"
	"      var x = +g.dataset.x, w = +g.dataset.n;\n"
	"      if (+g.dataset.d <= depth && x <= first && x + w >= first + n) {\n"
	"        show(g, 0, width); g.style.opacity = +g.dataset.d < depth ? 0.5 : 1;\n"
	"      } else if (x >= first && x + w <= first + n && +g.dataset.d > depth) {\n"
	"        show(g, (x - first) / n * width, w / n * width); g.style.opacity = 1;\n"
	"      } else g.style.display = 'none';\n"
	"    });\n"
	"    reset.style.display = to === all[0] ? 'none' : '';\n"
	"  }\n"
	"  function search(what) {\n"
	"    var sum = 0, end = 0;\n"
	"    wanted = what;\n"
	"    all.forEach(function (g) {\n"
	"      var hit = what && name(g).indexOf(what) >= 0, x = +g.dataset.x, n = +g.dataset.n;\n"
	"      g.classList.toggle('hit', !!hit);\n"
	/* they come in the order of their places, callers first: what stands on a hit is counted with it */
	"      if (hit && x >= end) { sum += n; end = x + n; }\n"
	"    });\n"
	"    found.textContent = what ? 'found: ' + (sum * 100 / total).toFixed(2) + ' %' : '';\n"
	"  }\n"
	"  all.forEach(function (g) { g.addEventListener('click', function () { zoom(g); }); });\n"
	"  reset.addEventListener('click', function () { zoom(all[0]); });\n"
	"  function ask() { var what = prompt('Functions whose name has:', wanted); if (what !== null) search(what); }\n"
	"  document.getElementById('search').addEventListener('click', ask);\n"
	"  document.addEventListener('keydown', function (e) {\n"
	"    if (e.key === 'F3' || ((e.ctrlKey || e.metaKey) && e.key === 'f')) { e.preventDefault(); ask(); }\n"
	"    if (e.key === 'Escape') { search(''); zoom(all[0]); }\n"
	"  });\n"
	"}());\n"
	"]]></script>\n";

int flame__write(const struct flame *flame, int fd, const char *title, const char *unit)
{
	struct text_buffer text = text_buffer__growing(SVG_MAX);
	size_t height = HEAD + (flame->depth + 1) * ROW + 10;
	struct drawing drawing = { .to = &text, .unit = unit, .total = flame->root.weight ? flame->root.weight : 1, .depth = flame->depth };
	struct node root = flame->root;

	text_buffer__add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%zu\" viewBox=\"0 0 %.0f %zu\">\n"
			 "<style>text { font: 12px monospace; pointer-events: none } .b { pointer-events: auto; cursor: pointer }\n"
			 ".f rect { stroke: #fff; stroke-width: .5; cursor: pointer } .f:hover rect { stroke: #000 }\n"
			 ".hit rect { fill: #e0e }</style>\n"
			 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
			 "<text x=\"10\" y=\"24\">%s: %" PRIu64 " %s</text>\n"
			 "<text id=\"reset\" class=\"b\" x=\"880\" y=\"24\" style=\"display: none\">all</text>\n"
			 "<text id=\"search\" class=\"b\" x=\"940\" y=\"24\">search</text>\n"
			 "<text id=\"found\" x=\"1010\" y=\"24\"></text>\n", WIDTH, height, WIDTH, height, title, flame->root.weight, unit);
	root.name = "all";
	root.kind = FLAME_REMARK;
	root.weight = drawing.total;
	draw(&drawing, &root, 0, 0);
	text_buffer__add(&text, "%s</svg>\n", script);
	return svg__write(&text, fd);
}
