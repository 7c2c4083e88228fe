/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "ksyms.h"

struct places {
	struct hash names;	/* char * by address */
	struct ksyms_lists ksyms;
};

bool place__is_entry(const char *text)
{
	/*
	 * as far as a kernel does not go from one to the next by a jump; a tracepoint's own are TRACE_EVENT's
	 * __bpf_trace_NAME() and __traceiter_NAME()
	 */
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

static void free_name(void *ctx, uint64_t address, void *value)
{
	(void)ctx;
	(void)address;
	free(*(char **)value);
}

struct places *places__new(size_t bound)
{
	struct places *places = calloc(1, sizeof(*places));

	if (places)
		places->names = (struct hash){ .value_size = sizeof(char *), .bound = bound, .evicted = free_name };
	return places;
}

#define CUT "..."

/* The end of a name that fills its room, of size bytes with the 0 byte, says that it was cut. */
static void mark_cut(char *name, size_t size)
{
	if (strlen(name) + 1 >= size)
		memcpy(name + size - sizeof(CUT), CUT, sizeof(CUT));
}

int places__tell(struct places *places, uint64_t address, const char *name, size_t size)
{
	char *copy, *slash, **place;

	if (!address || places__has(places, address))
		return 0;
	copy = strndup(name, size);
	place = copy ? hash__add(&places->names, address) : NULL;
	if (!place) {
		free(copy);
		return -ENOMEM;
	}
	mark_cut(copy, size);
	/* "/0x1050", up to the end or the module */
	slash = strchr(copy, '/');
	if (slash)
		memmove(slash, slash + strcspn(slash, " "), strlen(slash + strcspn(slash, " ")) + 1);
	*place = copy;
	return 0;
}

bool places__has(const struct places *places, uint64_t address)
{
	return hash__find(&places->names, address);
}

const char *places__text(struct places *places, uint64_t address, char buffer[PLACE_NAME_SIZE])
{
	char *const *name = hash__find(&places->names, address);
	const struct ksym *sym;
	uint64_t offset;

	if (name)
		return *name;
	sym = ksyms_lists__at(&places->ksyms, address, &offset);
	if (!sym)
		snprintf(buffer, PLACE_NAME_SIZE, "0x%llx", (unsigned long long)address);
	else
		snprintf(buffer, PLACE_NAME_SIZE, "%s+0x%llx%s%s%s", sym->name, (unsigned long long)offset, sym->module ? " [" : "",
			 sym->module ? sym->module : "", sym->module ? "]" : "");
	mark_cut(buffer, PLACE_NAME_SIZE);
	return buffer;
}

void places__free(struct places *places)
{
	if (!places)
		return;
	hash__free(&places->names);
	ksyms_lists__free(&places->ksyms);
	free(places);
}
