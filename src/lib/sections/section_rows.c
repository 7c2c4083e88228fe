/* SPDX-License-Identifier: BSD-2-Clause */
/* Where sections begin and end, in words. */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/places.h"
#include "sections.h"

/* Beyond this the nearest symbol below an address is not its function: a module or a BPF program that came later. */
#define FUNCTION_MAX (1 << 20)

/* The scheduler's own functions, which every switch goes through. */
static const char *const switch_functions[] = { "__schedule", "schedule", "preempt_schedule", "schedule_", "__cond_resched", NULL };

/* Functions that switch interrupts or preemption off and on for others. */
static const char *const lock_functions[] = { "_raw_", "__raw_", "__local_bh_", "local_bh_", "preempt_count_", "__bpf_spin_", NULL };

static bool begins_with_one(const char *name, const char *const begins[])
{
	for (; *begins; begins++)
		if (!strncmp(name, *begins, strlen(*begins)))
			return true;
	return false;
}

/* Whether "function+0x1a" is an interrupt's entry: what is before it in the stack is the interrupt's own. */
static bool is_interrupt(const char *name)
{
	char function[SECTION_NAME_SIZE];

	snprintf(function, sizeof(function), "%.*s", (int)strcspn(name, "+"), name);
	return place__is_interrupt(function);
}

/* "function+0x1a", "module:function+0x1a", or the number where there is no such function. */
static void name_address(const struct ksyms *ksyms, uint64_t address, char name[SECTION_NAME_SIZE])
{
	uint64_t offset;
	const struct ksym *sym = ksyms ? ksyms__at(ksyms, address, &offset) : NULL;

	if (!sym || offset >= FUNCTION_MAX)
		snprintf(name, SECTION_NAME_SIZE, "%#llx", (unsigned long long)address);
	else
		snprintf(name, SECTION_NAME_SIZE, "%s%s%.200s+%#llx", sym->module ? sym->module : "", sym->module ? ":" : "",
			 sym->name, (unsigned long long)offset);
}

/* address, or caller where address is in a function that does it for others. */
static void name_end(const struct ksyms *ksyms, uint64_t address, uint64_t caller, char name[SECTION_NAME_SIZE])
{
	if (!address) {
		strcpy(name, "idle");
		return;
	}
	name_address(ksyms, address, name);
	if (caller && begins_with_one(name, lock_functions))
		name_address(ksyms, caller, name);
}

static size_t frames_count(const struct section *section)
{
	return section->frames_size > 0 ? (size_t)section->frames_size / sizeof(*section->frames) : 0;
}

/*
 * The first frame that is not of the way by which the program came to run.  Their number where there is none: a sampled section that
 * ended when the task was about to run in user space.
 */
static size_t first_frame(const struct section *section, const struct ksyms *ksyms)
{
	size_t count = frames_count(section), first = 0;
	char name[SECTION_NAME_SIZE];

	for (size_t i = 0; i < count; i++) {
		if (section->source == SECTION_EXACT) {
			if (section->frames[i] == section->to)
				return i;
			continue;
		}
		name_address(ksyms, section->frames[i], name);
		if (section->source == SECTION_TIMER ? !is_interrupt(name) : !begins_with_one(name, switch_functions))
			continue;
		first = i + 1;
		/* a timer may have interrupted the handling of another interrupt */
		if (section->source == SECTION_TIMER)
			break;
	}
	return first;
}

void section__from(const struct section *section, const struct ksyms *ksyms, char name[SECTION_NAME_SIZE])
{
	if (section->source == SECTION_EXACT)
		name_end(ksyms, section->from, section->from_caller, name);
	else
		strcpy(name, "-");
}

void section__to(const struct section *section, const struct ksyms *ksyms, char name[SECTION_NAME_SIZE])
{
	size_t count = frames_count(section), first;

	if (section->source == SECTION_EXACT) {
		name_end(ksyms, section->to, section->to_caller, name);
		return;
	}
	strcpy(name, "-");
	if (!count || !ksyms)
		return;
	first = first_frame(section, ksyms);
	if (first == count)
		strcpy(name, "user");
	else
		name_end(ksyms, section->frames[first], first + 1 < count ? section->frames[first + 1] : 0, name);
}

const char *section__caller(const char *end, const char *stack, size_t stack_size)
{
	return stack_size && begins_with_one(end, lock_functions) ? stack : end;
}

size_t section__stack(const struct section *section, const struct ksyms *ksyms, char stack[SECTION_STACK_SIZE])
{
	size_t used = 0;

	for (size_t i = first_frame(section, ksyms); i < frames_count(section); i++) {
		name_address(ksyms, section->frames[i], stack + used);
		used += strlen(stack + used) + 1;
	}
	return used;
}

const char *section__source(const struct section *section)
{
	static const char *const names[] = { "exact", "timer", "switch", "lazy" };

	return section->source < sizeof(names) / sizeof(*names) ? names[section->source] : "?";
}
