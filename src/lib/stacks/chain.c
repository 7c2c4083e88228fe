/* SPDX-License-Identifier: BSD-2-Clause */
#include "chain.h"

#include <stdio.h>

/* A name may be in the frame itself. */
static void swap(struct stack_frame *a, struct stack_frame *b)
{
	const bool a_is_own = a->name == a->text, b_is_own = b->name == b->text;
	struct stack_frame kept = *a;

	*a = *b;
	*b = kept;
	if (b_is_own)
		a->name = a->text;
	if (a_is_own)
		b->name = b->text;
}

static size_t add_waker(struct stacks *stacks, const struct stack_key *waker, size_t at)
{
	const bool kept = stacks->until_interrupt;

	stacks->until_interrupt = true;
	at = stacks__frames_at(stacks, waker, at);
	stacks->until_interrupt = kept;
	return at;
}

size_t chain__waker(struct stacks *stacks, const struct stack_key *waker)
{
	return add_waker(stacks, waker, 0);
}

static size_t put_remark(struct stacks *stacks, size_t at, const char *text, int size)
{
	struct stack_frame *frame = &stacks->frames[at];

	*frame = (struct stack_frame){ .name = frame->text };
	snprintf(frame->text, sizeof(frame->text), "%.*s", size, text);
	return at + 1;
}

size_t chain__frames(struct stacks *stacks, const struct stack_key *waits, const struct stack_key *waker)
{
	size_t at = put_remark(stacks, 0, waker->comm, sizeof(waker->comm));

	at = add_waker(stacks, waker, at);
	for (size_t first = 1, last = at - 1; first < last; first++, last--)
		swap(&stacks->frames[first], &stacks->frames[last]);
	at = put_remark(stacks, at, CHAIN_SEPARATOR, sizeof(CHAIN_SEPARATOR));
	return stacks__frames_at(stacks, waits, at);
}
