/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/call_pairs: records that alternate, of which a model overwrites some. */
#include "lib/ftrace/call_pairs.h"

#include <stdlib.h>

#include "check.h"

#define RECORDS_MAX 400

/* What the kernel writes on a CPU, and what of that is overwritten. */
struct written {
	enum pair_half half;
	bool overwritten;
};

/* Reads what is left, as the stream gives it; returns how many records were overwritten.  told is the sum of what is told in between. */
static uint64_t read_all(struct call_pairs *pairs, const struct written *written, size_t count, uint64_t *told)
{
	uint64_t overwritten = 0, gap = 0, lost;

	*told = 0;
	for (size_t i = 0; i < count; i++) {
		if (written[i].overwritten) {
			overwritten++;
			gap++;
			continue;
		}
		call_pairs__add(pairs, written[i].half, gap > 0, gap);
		gap = 0;
		if (written[i].half == PAIR_CALL && call_pairs__take_losses(pairs, &lost))
			*told += lost;
	}
	return overwritten;
}

/* Any number of gaps anywhere but at the end, which is never overwritten; recording may begin and end within a pair. */
static void test_any_gaps(void)
{
	struct written written[RECORDS_MAX];

	srandom(3);
	for (int round = 0; round < 20000; round++) {
		size_t count = 1 + (size_t)random() % RECORDS_MAX;
		struct call_pairs pairs = { .calls = 0 };
		uint64_t calls = 0, told, overwritten;
		unsigned int first = (unsigned int)random() % 2;
		bool in_gap = random() % 2;

		for (size_t i = 0; i < count; i++) {
			in_gap = random() % 20 ? in_gap : !in_gap;
			written[i].half = (i + first) % 2 ? PAIR_STACK : PAIR_CALL;
			written[i].overwritten = in_gap && i + 1 < count;
			calls += written[i].half == PAIR_CALL;
		}
		overwritten = read_all(&pairs, written, count, &told);
		if (!CHECK_INT(pairs.calls + call_pairs__lost(&pairs, overwritten, 0), calls))
			break;
		/* what is told is all of it, but for what follows the last call */
		CHECK(told <= calls - pairs.calls && (pairs.last != PAIR_CALL || told == calls - pairs.calls));
	}
}

/* Calls without a stack where nothing is overwritten: none is lost. */
static void test_without_stack(void)
{
	struct call_pairs pairs = { .calls = 0 };
	uint64_t lost;

	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	CHECK_INT(call_pairs__lost(&pairs, 0, 0), 0);
	/* the stack was refused, and counted */
	CHECK_INT(call_pairs__lost(&pairs, 0, 2), 0);
	CHECK(!call_pairs__take_losses(&pairs, &lost));
}

/* An NMI's call between a call and its stack. */
static void test_nested(void)
{
	struct call_pairs pairs = { .calls = 0 };

	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	CHECK_INT(call_pairs__lost(&pairs, 0, 0), 0);
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_STACK, true, 10);
	CHECK_INT(call_pairs__lost(&pairs, 10, 0), 5);
}

/* A stack whose call found no room: that is the lost one, whether the kernel has counted it or not. */
static void test_refused_call(void)
{
	struct call_pairs pairs = { .calls = 0 };

	/* recording began after its call */
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	CHECK_INT(call_pairs__lost(&pairs, 0, 0), 0);
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	CHECK_INT(call_pairs__lost(&pairs, 0, 0), 1);
	CHECK_INT(call_pairs__lost(&pairs, 0, 1), 1);
}

static void test_told(void)
{
	struct call_pairs pairs = { .calls = 0 };
	uint64_t lost;

	/* a stack alone: no call is missing */
	call_pairs__add(&pairs, PAIR_CALL, false, 0);
	call_pairs__add(&pairs, PAIR_CALL, true, 1);
	CHECK(!call_pairs__take_losses(&pairs, &lost));
	/* a call alone, whose stack was read */
	call_pairs__add(&pairs, PAIR_STACK, false, 0);
	call_pairs__add(&pairs, PAIR_STACK, true, 1);
	CHECK(call_pairs__take_losses(&pairs, &lost));
	CHECK_INT(lost, 1);
	/* the kernel does not say how many, and then does: nobody knows the sum */
	call_pairs__add(&pairs, PAIR_STACK, true, 0);
	call_pairs__add(&pairs, PAIR_CALL, true, 8);
	CHECK(call_pairs__take_losses(&pairs, &lost));
	CHECK_INT(lost, 0);
	CHECK(!call_pairs__take_losses(&pairs, &lost));
}

int main(void)
{
	test_any_gaps();
	test_without_stack();
	test_nested();
	test_refused_call();
	test_told();
	return check_done();
}
