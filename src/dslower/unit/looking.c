/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of sleeps that go on (looking.bpf.h), with a second CPU that looks at it between any two steps of the first one.  The maps
 * are this test's; before each of their operations the other CPU may take its turn.
 */
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>

#include "check.h"

typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define SEC(name)
#define __uint(name, value) int (*name)[value]
#define __type(name, value) value *name
enum { BPF_MAP_TYPE_HASH = 1, BPF_NOEXIST = 1, BPF_MAP_TYPE_QUEUE = 22 };

static const u64 min_ns = 10000000;

static long bpf_map_push_elem(void *map, const void *value, u64 flags);
static long bpf_map_peek_elem(void *map, void *value);
static long bpf_map_pop_elem(void *map, void *value);
static long bpf_map_update_elem(void *map, const void *key, const void *value, u64 flags);
static long bpf_map_delete_elem(void *map, const void *key);

#include "../looking.bpf.h"

#define SLEEPS 8

static struct begun queue[SLEEPS];
static size_t queue_head, queue_tail;
static bool is_locked;

static u64 told[SLEEPS];		/* lengths, in the order in which they were told */
static size_t told_count;

static int steps;			/* of the first CPU, until the other one takes its turn; -1: it does not */
static u64 other_ns;			/* when that looks */
static u64 other_look_ns;		/* as it has read look_ns; 0: it reads it then */

/* A step of the first CPU's. */
static void step(void)
{
	u64 kept = look_ns;

	if (steps < 0 || steps--)
		return;
	if (other_look_ns)
		look_ns = other_look_ns;
	look(other_ns);
	/* it was not let in: nothing is different */
	if (look_ns == other_look_ns)
		look_ns = kept;
}

static long bpf_map_push_elem(void *map, const void *value, u64 flags)
{
	(void)map;
	(void)flags;
	if (queue_tail == SLEEPS)
		return -E2BIG;
	memcpy(&queue[queue_tail++], value, sizeof(*queue));
	return 0;
}

static long bpf_map_peek_elem(void *map, void *value)
{
	(void)map;
	step();
	if (queue_head == queue_tail)
		return -ENOENT;
	memcpy(value, &queue[queue_head], sizeof(*queue));
	return 0;
}

static long bpf_map_pop_elem(void *map, void *value)
{
	(void)map;
	step();
	if (queue_head == queue_tail)
		return -ENOENT;
	memcpy(value, &queue[queue_head++], sizeof(*queue));
	return 0;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, u64 flags)
{
	(void)map;
	(void)key;
	(void)value;
	CHECK_INT(flags, BPF_NOEXIST);
	step();
	if (is_locked)
		return -EEXIST;
	is_locked = true;
	return 0;
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	(void)map;
	(void)key;
	step();
	CHECK(is_locked);
	is_locked = false;
	return 0;
}

static __always_inline void tell_of(const struct begun *oldest, u64 now_ns)
{
	told[told_count++] = now_ns - oldest->since_ns;
}

/*
 * Two sleeps that are due, and one that is not, when two CPUs look; the other one takes its turn before that step of the first one,
 * with look_ns as it is then, or as it was before the first CPU began.
 */
static void check_turn(int step_of_first, bool has_read_before)
{
	const u64 now_ns = 5ull * DSLOWER_LOOK_NS;

	queue_head = queue_tail = told_count = 0;
	look_ns = now_ns - DSLOWER_LOOK_NS;
	note_begin(1, now_ns - 30000000);
	note_begin(2, now_ns - 20000000);
	note_begin(3, now_ns - 1000000);
	steps = step_of_first;
	other_ns = now_ns + 1000;
	other_look_ns = has_read_before ? look_ns : 0;
	look(now_ns);
	steps = -1;
	CHECK(!is_locked);
	CHECK_INT(told_count, 2);
	for (size_t i = 0; i < told_count; i++)
		check_report(told[i] >= min_ns, __FILE__, __LINE__, "step %d: a sleep of %llu ns is told", step_of_first,
			     told[i]);
	/* it has its row at the next look that finds it due */
	look(now_ns + 2ull * DSLOWER_LOOK_NS);
	CHECK_INT(told_count, 3);
}

int main(void)
{
	check_turn(-1, false);
	for (int i = 0; i < SLEEPS; i++) {
		check_turn(i, false);
		check_turn(i, true);
	}
	return check_done();
}
