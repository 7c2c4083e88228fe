/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ksyms.h"

struct place {
	uint64_t address;	/* 0: a free slot */
	char *name;
};

struct places {
	struct place *slots;	/* a hash with room: at most half of it is taken */
	size_t room, count;	/* room is a power of two */
	struct ksyms *ksyms;
	bool ksyms_tried;
};

#define ROOM_MIN 64

bool place__is_entry(const char *text)
{
	/* as far as a kernel does not go from one to the next by a jump; a tracepoint's own are TRACE_EVENT's __bpf_trace_NAME() and __traceiter_NAME() */
	static const char *const beginnings[] = {
		"bpf_trace_run", "__bpf_trace_", "__traceiter_", "bpf_prog_", "bpf_trampoline_", "trace_call_bpf", "perf_trace_",
		"perf_call_bpf", "arch_rethook_trampoline", "__kretprobe_trampoline", "kretprobe_trampoline", NULL,
	};

	for (const char *const *beginning = beginnings; *beginning; beginning++)
		if (!strncmp(text, *beginning, strlen(*beginning)))
			return true;
	return false;
}

bool place__is_interrupt(const char *name)
{
	/* arch/x86/include/asm/idtentry.h, arch/x86/entry/entry_fred.c; arch/arm64/kernel/entry.S, before 5.14 and since then */
	static const char *const names[] = {
		"asm_common_interrupt", "fred_extint", "el1_irq", "el0_irq", "el1h_64_irq", "el0t_64_irq", "el0t_32_irq", NULL,
	};

	for (const char *const *known = names; *known; known++)
		if (!strcmp(name, *known))
			return true;
	return !strncmp(name, "asm_sysvec_", strlen("asm_sysvec_"));
}

struct places *places__new(void)
{
	struct places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->room = ROOM_MIN;
	places->slots = calloc(places->room, sizeof(*places->slots));
	if (!places->slots) {
		free(places);
		return NULL;
	}
	return places;
}

/* The slot of an address, or the free one that it would have. */
static struct place *find(const struct places *places, uint64_t address)
{
	/* the low bits of code addresses differ most */
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15ULL >> 32) & (places->room - 1);

	while (places->slots[at].address && places->slots[at].address != address)
		at = (at + 1) & (places->room - 1);
	return &places->slots[at];
}

static int grow(struct places *places)
{
	struct places larger = { .room = places->room * 2 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < places->room; i++)
		if (places->slots[i].address)
			*find(&larger, places->slots[i].address) = places->slots[i];
	free(places->slots);
	places->slots = larger.slots;
	places->room = larger.room;
	return 0;
}

int places__tell(struct places *places, uint64_t address, const char *name, size_t size)
{
	struct place *place;
	char *copy, *slash;

	if (!address || find(places, address)->address)
		return 0;
	if ((places->count + 1) * 2 > places->room && grow(places))
		return -ENOMEM;
	copy = strndup(name, size);
	if (!copy)
		return -ENOMEM;
	/* "/0x1050", up to the end or the module */
	slash = strchr(copy, '/');
	if (slash)
		memmove(slash, slash + strcspn(slash, " "), strlen(slash + strcspn(slash, " ")) + 1);
	place = find(places, address);
	place->address = address;
	place->name = copy;
	places->count++;
	return 0;
}

bool places__has(const struct places *places, uint64_t address)
{
	return find(places, address)->address;
}

const char *places__text(struct places *places, uint64_t address, char buffer[PLACE_NAME_SIZE])
{
	const struct place *place = find(places, address);
	const struct ksym *sym;
	uint64_t offset;

	if (place->address && address)
		return place->name;
	if (!places->ksyms_tried)
		places->ksyms = ksyms__load();
	places->ksyms_tried = true;
	sym = places->ksyms ? ksyms__at(places->ksyms, address, &offset) : NULL;
	if (sym)
		snprintf(buffer, PLACE_NAME_SIZE, "%s+0x%llx%s%s%s", sym->name, (unsigned long long)offset, sym->module ? " [" : "",
			 sym->module ? sym->module : "", sym->module ? "]" : "");
	else
		snprintf(buffer, PLACE_NAME_SIZE, "0x%llx", (unsigned long long)address);
	return buffer;
}

void places__free(struct places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < places->room; i++)
		free(places->slots[i].name);
	free(places->slots);
	ksyms__free(places->ksyms);
	free(places);
}
