/* SPDX-License-Identifier: BSD-2-Clause */
#include "late_stacks.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LATE_MAX 4096
#define LATE_TIMES 3		/* so often they are looked for */

struct late_stack {
	struct late_stack *next;
	unsigned int times;
	struct stack_sent sent;		/* its frames as far as there are any */
};

void late_stacks__note(struct stacks *stacks, const struct stack_sent *sent, const struct user_frame *const *frames, size_t count)
{
	size_t size = offsetof(struct stack_sent, frames) + sent->count * sizeof(*sent->frames), first = 0;
	struct late_stack *late;

	while (first < count && !frames[first]->is_late)
		first++;
	if (first == count || stacks->late_count == LATE_MAX)
		return;
	late = malloc(offsetof(struct late_stack, sent) + size);
	if (!late)
		return;
	late->next = stacks->late;
	late->times = 0;
	memcpy(&late->sent, sent, size);
	stacks->late = late;
	stacks->late_count++;
}

void late_stacks__free(struct stacks *stacks)
{
	for (struct late_stack *late = stacks->late, *next; late; late = next) {
		next = late->next;
		free(late);
	}
}

/* Gives the frames names that have some by now; *any: whether one has none still.  0 or -errno. */
static int name_late(struct stacks *stacks, const struct stack_sent *sent, bool *any)
{
	const struct user_frame *frames[STACK_FRAMES_MAX];
	struct stack **place = hash__find(&stacks->table, sent->hash);
	int err = 0;

	*any = false;
	if (place)
		err = user_names__stack(stacks->users, sent->pid, &sent->program, (const uint64_t *)sent->frames, sent->count, frames);
	for (size_t i = 0; place && !err && i < (*place)->count; i++) {
		if (!(*place)->frames[i].frame->is_late)
			continue;
		if (frames[i]->is_named)
			(*place)->frames[i].frame = frames[i];
		else
			*any = true;
	}
	return err;
}

int stacks__look_again(struct stacks *stacks)
{
	int err = 0;

	user_names__look_again(stacks->users);
	for (struct late_stack **at = &stacks->late, *late; !err && (late = *at);) {
		bool any;

		err = name_late(stacks, &late->sent, &any);
		if (any && ++late->times < LATE_TIMES) {
			at = &late->next;
			continue;
		}
		*at = late->next;
		free(late);
		stacks->late_count--;
	}
	return err;
}
