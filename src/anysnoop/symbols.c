/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/printk_formats.h"
#include "lib/kernel/names.h"

/* Names that were looked up; an address is in one place, the last one stays. */
#define KEPT 256

static struct {
	uint64_t address;
	bool with_place;
	char *name;
} kept[KEPT];

static struct names names;
static bool is_open;
static struct printk_formats texts;

static bool tell(uint64_t address, bool with_place, char name[SHOWN_SYMBOL_MAX])
{
	size_t at = (address * 0x9e3779b97f4a7c15ull >> 40) % KEPT;
	char told[NAMES_NAME_MAX];

	_Static_assert(NAMES_NAME_MAX <= SHOWN_SYMBOL_MAX, "a name is not cut");
	if (!kept[at].name || kept[at].address != address || kept[at].with_place != with_place) {
		if (with_place)
			names__place(&names, address, told);
		else
			names__of(&names, address, told);
		free(kept[at].name);
		kept[at].address = address;
		kept[at].with_place = with_place;
		kept[at].name = strdup(told);
	}
	/* a number is no name */
	if (!kept[at].name || !strncmp(kept[at].name, "0x", 2))
		return false;
	strcpy(name, kept[at].name);
	return true;
}

/* The text at an address; a longer one than a name is cut. */
static bool tell_text(uint64_t address, bool with_place, char name[SHOWN_SYMBOL_MAX])
{
	const char *text = printk_formats__find(&texts, address);

	(void)with_place;
	if (text)
		snprintf(name, SHOWN_SYMBOL_MAX, "%s", text);
	return text;
}

/* Without them the addresses are shown. */
static void load(bool has_symbols, bool has_texts)
{
	if (has_texts && !texts.count)
		printk_formats__load(&texts);
	if (!has_symbols || is_open)
		return;
	names__open(&names, true);
	names__open_places(&names);
	is_open = true;
}

void symbols__open_key(struct key *key)
{
	bool has_symbols = false, has_texts = false;

	for (size_t i = 0; i < key->count; i++) {
		struct shown *shown = &key->parts[i].shown;

		if (shown->kind != SHOWN_SYMBOL)
			continue;
		has_symbols |= !shown->is_text_at;
		has_texts |= shown->is_text_at;
		shown->symbol = shown->is_text_at ? tell_text : tell;
	}
	load(has_symbols, has_texts);
}

void symbols__open(struct plan *plans, size_t count)
{
	bool are_there = false, are_texts = false;

	for (size_t i = 0; i < count; i++) {
		are_there |= plan__set_symbols(&plans[i], tell);
		are_texts |= plan__set_texts(&plans[i], tell_text);
	}
	load(are_there, are_texts);
}

void symbols__show(struct plan *plan)
{
	if (is_open)
		plan__set_symbols(plan, tell);
	if (texts.count)
		plan__set_texts(plan, tell_text);
}

void symbols__close(void)
{
	if (is_open)
		names__close(&names);
	is_open = false;
	printk_formats__free(&texts);
	for (size_t i = 0; i < KEPT; i++) {
		free(kept[i].name);
		kept[i].name = NULL;
	}
}
