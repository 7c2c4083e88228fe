/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "user_events.h"

struct run_events run_events;
static size_t room;	/* bytes of the plans */

static bool are_same(const struct emit *a, const struct emit *b)
{
	return a->count == b->count && !memcmp(a->insns, b->insns, a->count * sizeof(*a->insns));
}

/* Whether the programs would differ in the number of the event alone. */
static bool can_share(size_t a, size_t b)
{
	const struct plan *first = &run_events.plans[a], *second = &run_events.plans[b];

	return first->sleeps == second->sleeps && first->record.size == second->record.size && first->key.size == second->key.size &&
	       first->key.count == second->key.count && are_same(&first->matches, &second->matches) &&
	       are_same(&first->copy, &second->copy) && are_same(&first->touch, &second->touch) &&
	       user_events__by_kernel(a) == user_events__by_kernel(b) &&
	       (!first->key.count || first->key.parts[0].operand.number.is_signed == second->key.parts[0].operand.number.is_signed);
}

int run_events__make_room(bool may_share)
{
	void *plans;

	room = (may_share ? EVENTS_ROOM : ANYSNOOP_EVENTS_MAX + 3) * sizeof(*run_events.plans);
	plans = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (plans == MAP_FAILED)
		return -ENOMEM;
	/* the kernel would clear 2 MB for the first one */
	madvise(plans, room, MADV_NOHUGEPAGE);
	run_events.plans = plans;
	return 0;
}

int run_events__add(const void *pattern)
{
	size_t count = run_events.count, leader = count;

	for (size_t i = 0; i < count && pattern && leader == count; i++)
		if (run_events.states[i].leader == i && run_events.states[i].pattern == pattern && can_share(i, count))
			leader = i;
	if (leader == count) {
		if (run_events.leaders == ANYSNOOP_EVENTS_MAX)
			return -E2BIG;
		run_events.states[count].rank = (uint8_t)run_events.leaders++;
	}
	run_events.states[leader].has_others |= leader != count;
	run_events.states[count].pattern = pattern;
	run_events.states[count].leader = (uint16_t)leader;
	run_events.count++;
	return 0;
}

size_t run_events__number(const struct plan *plan)
{
	return (size_t)(plan - run_events.plans);
}

bool run_events__has(const struct plan *plan)
{
	return plan >= run_events.plans && plan < run_events.plans + run_events.count;
}

size_t run_events__recorded(void)
{
	size_t recorded = 0;

	for (size_t i = 0; i < run_events.count; i++)
		recorded += run_events.states[i].is_recorded;
	return recorded;
}

void run_events__free(void)
{
	for (size_t i = 0; i < run_events.count; i++)
		plan__free(&run_events.plans[i]);
	if (run_events.plans)
		munmap(run_events.plans, room);
}
