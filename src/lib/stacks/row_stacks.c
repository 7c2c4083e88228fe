/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stack_namer.skel.h>

#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/machine.h"
#include "lib/kernel/places.h"
#include "lib/loop/batch.h"
#include "lib/loop/loop.h"
#include "lib/print/say.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/callers.h"
#include "lib/symbol/user_names.h"
#include "namer.h"

#define BUCKETS 1024		/* a power of two */
#define ENTRY_MAX 10		/* the program may have functions of its own */
#define NAME_MAX_SIZE 1024
#define LATE_NS 100000		/* between two looks for a stack that stands behind one which is being taken */
#define LATE_MS 100		/* so long a row waits for it */

/* A stack whose row was not printed yet. */
struct waiting {
	struct waiting *next;
	uint64_t ts_ns;
	uint32_t tid;
	uint32_t place;			/* in by_age */
	uint16_t kernel_count, user_count;
	bool is_truncated[STACK_KINDS];
	bool has_link;			/* kernel[1] is a caller if kernel[0] is a function's first instruction, else it is none */
	uint64_t kernel[STACK_FRAMES_MAX + 1];
	const struct user_frame *user[STACK_FRAMES_MAX];
};

struct row_stacks {
	unsigned int kinds;
	size_t depth_max;
	struct ring_buffer *ring;
	struct stack_namer_bpf *skel;
	struct namer namer;
	struct places *places;
	struct user_names *users;
	struct waiting *buckets[BUCKETS];
	struct waiting *by_age[ROW_STACKS_WAITING];	/* in the order in which they came, over and over again */
	uint32_t next_place;
	struct batch batch;		/* of the turn that is being read */
	uint64_t awaited_ns;		/* whose stack ends the turn when it comes; 0: nobody's */
	uint32_t awaited_tid;
	uint64_t missing;
};

static struct waiting **bucket_of(struct row_stacks *stacks, uint64_t ts_ns, uint32_t tid)
{
	return &stacks->buckets[(ts_ns ^ ts_ns >> 10 ^ tid) & (BUCKETS - 1)];
}

/* How many frames of a kind a record has, which *from is set to. */
static size_t frames_of(const struct row_stacks *stacks, const struct row_stack *record, enum stack_kind kind, const uint64_t **from)
{
	bool is_second = kind == STACK_USER && stacks->kinds & ROW_STACK_KERNEL;
	int32_t size = record->sizes[kind];

	*from = (const uint64_t *)record->frames[is_second];
	return size > 0 && (size_t)size <= sizeof(record->frames[0]) ? (size_t)size / sizeof(**from) : 0;
}

/* NULL: it is not there. */
static struct waiting *find(struct row_stacks *stacks, uint64_t ts_ns, uint32_t tid)
{
	struct waiting *waiting = *bucket_of(stacks, ts_ns, tid);

	while (waiting && (waiting->ts_ns != ts_ns || waiting->tid != tid))
		waiting = waiting->next;
	return waiting;
}

static void forget(struct row_stacks *stacks, struct waiting *waiting)
{
	struct waiting **at = bucket_of(stacks, waiting->ts_ns, waiting->tid);

	while (*at != waiting)
		at = &(*at)->next;
	*at = waiting->next;
	stacks->by_age[waiting->place] = NULL;
	free(waiting);
}

/* Takes it over.  The oldest one goes, where all places are taken. */
static void keep(struct row_stacks *stacks, struct waiting *waiting)
{
	struct waiting *oldest = stacks->by_age[stacks->next_place], **bucket = bucket_of(stacks, waiting->ts_ns, waiting->tid);

	if (oldest)
		forget(stacks, oldest);
	waiting->place = stacks->next_place;
	stacks->by_age[waiting->place] = waiting;
	stacks->next_place = (stacks->next_place + 1) % ROW_STACKS_WAITING;
	waiting->next = *bucket;
	*bucket = waiting;
}

/* The frames of processes that have ended go, but for those of rows that wait. */
static void sweep_frames(const struct row_stacks *stacks)
{
	for (size_t i = 0; i < ROW_STACKS_WAITING; i++)
		for (size_t j = 0; stacks->by_age[i] && j < stacks->by_age[i]->user_count; j++)
			user_names__keep(stacks->by_age[i]->user[j]);
	user_names__sweep(stacks->users);
}

/*
 * Whether the innermost frame is there twice, as kernels before 5.15 and those of arm64 give it at a tracepoint
 * (perf_arch_fetch_caller_regs()).  A function that calls itself looks the same where it returns: of x86, such stacks are shown from 5.15
 * on.
 */
static bool is_twice(const uint64_t *frames, size_t count)
{
	return count > 1 && frames[0] == frames[1] && (machine__has_link() || kernel__version() < kernel_version(5, 15, 0));
}

/* Copies the frames, with the link as the second one where the architecture has one; returns their number. */
static size_t copy_frames(uint64_t *to, const uint64_t *frames, size_t count, uint64_t link)
{
	size_t more = is_twice(frames, count) ? count - 2 : count - 1, at = 0;

	if (!count)
		return 0;
	to[at++] = frames[0];
	if (machine__has_link())
		to[at++] = link;
	memcpy(to + at, frames + count - more, more * sizeof(*frames));
	return at + more;
}

/*
 * At a function's first instruction, and at its ret, the kernel takes what the frame pointer leads to for the caller, and misses the one
 * that is on the stack's top: before 6.1 always, later where the function does not begin with "push %rbp" or endbr64.
 */
static size_t add_caller(const uint64_t **frames, size_t count, uint64_t caller, uint64_t room[STACK_FRAMES_MAX])
{
	if (!caller || !count || (count > 1 && (*frames)[1] == caller))
		return count;
	count = count < STACK_FRAMES_MAX ? count + 1 : count;
	room[0] = (*frames)[0];
	room[1] = caller;
	memcpy(room + 2, *frames + 1, (count - 2) * sizeof(*room));
	*frames = room;
	return count;
}

static void take(struct row_stacks *stacks, const struct row_stack *record)
{
	struct waiting *waiting = malloc(sizeof(*waiting));
	uint64_t room[STACK_FRAMES_MAX];
	const uint64_t *frames;
	size_t count;

	/* without memory the row goes without */
	if (!waiting)
		return;
	if (user_names__are_many(stacks->users))
		sweep_frames(stacks);
	waiting->ts_ns = record->ts_ns;
	waiting->tid = record->tid;
	count = frames_of(stacks, record, STACK_KERNEL, &frames);
	waiting->is_truncated[STACK_KERNEL] = count >= stacks->depth_max;
	waiting->has_link = machine__has_link() && count;
	waiting->kernel_count = (uint16_t)copy_frames(waiting->kernel, frames, count, record->link);
	count = frames_of(stacks, record, STACK_USER, &frames);
	waiting->is_truncated[STACK_USER] = count >= stacks->depth_max;
	count = add_caller(&frames, count, record->user_caller, room);
	if (count && user_names__stack(stacks->users, record->pid, &record->program, frames, count, waiting->user)) {
		free(waiting);
		return;
	}
	waiting->user_count = (uint16_t)callers__count(waiting->user, count);
	keep(stacks, waiting);
}

/* A negative answer ends the turn, this record being consumed. */
static int on_record(void *ctx, void *data, size_t size)
{
	struct row_stacks *stacks = ctx;
	const struct row_stack *record = data;
	bool is_awaited = record->ts_ns == stacks->awaited_ns && record->tid == stacks->awaited_tid;

	(void)size;
	take(stacks, record);
	batch__add(&stacks->batch, 1);
	return is_awaited || batch__is_over(&stacks->batch) ? -ECANCELED : 0;
}

/*
 * The stack of a row.  One that is being taken on another CPU hides those behind it in the ring buffer.  Others' stacks may
 * come faster than they are named: a row waits a bounded time and then goes without.
 */
static struct waiting *await(struct row_stacks *stacks, uint64_t ts_ns, uint32_t tid)
{
	const struct timespec nap = { .tv_nsec = LATE_NS };
	const struct ring *ring = ring_buffer__ring(stacks->ring, 0);
	struct waiting *waiting = find(stacks, ts_ns, tid);

	if (waiting)
		return waiting;
	stacks->awaited_ns = ts_ns;
	stacks->awaited_tid = tid;
	batch__begin_slow(&stacks->batch, UINT32_MAX, LATE_MS);
	/* rows that are left at the end have stacks, too */
	stacks->batch.was_stopping = true;
	for (bool again = false; !waiting && ring__avail_data_size(ring); again = true) {
		if (again && loop__now_ms() >= stacks->batch.until_ms)
			break;
		if (again)
			nanosleep(&nap, NULL);
		ring_buffer__consume(stacks->ring);
		waiting = find(stacks, ts_ns, tid);
	}
	stacks->awaited_ns = 0;
	return waiting;
}

/* ---- as text */

/* The strings one after the other, each with its 0 byte, as out__list() takes them. */
struct list {
	size_t size;
	char bytes[(STACK_FRAMES_MAX + 1) * NAME_MAX_SIZE];
};

static void add(struct list *list, const char *name)
{
	size_t size = strlen(name);

	if (size >= NAME_MAX_SIZE)
		size = NAME_MAX_SIZE - 1;
	memcpy(list->bytes + list->size, name, size);
	list->bytes[list->size + size] = 0;
	list->size += size + 1;
}

/* The same for a place whose offset is that of another address, so many bytes before. */
static void add_place(struct list *list, const char *text, int more)
{
	const char *plus = strstr(text, "+0x");
	char shifted[PLACE_NAME_SIZE + 24], *end;
	unsigned long long offset = plus ? strtoull(plus + 1, &end, 16) : 0;

	if (!plus || !more) {
		add(list, text);
		return;
	}
	snprintf(shifted, sizeof(shifted), "%.*s+0x%llx%s", (int)(plus - text), text, offset + (unsigned long long)(long long)more, end);
	add(list, shifted);
}

/* Whether a place is a function's first byte; is_behind: its text is that of the next one. */
static bool is_at_function(const char *text, bool is_behind)
{
	const char *plus = strstr(text, "+0x");

	return plus && strtoull(plus + 1, NULL, 16) == is_behind;
}

static void list_kernel(struct row_stacks *stacks, const struct waiting *waiting, struct list *list)
{
	char buffer[PLACE_NAME_SIZE];
	size_t entry = 0;
	bool at_function = false;

	/* the kernel's %pB looks one byte before, and the innermost may be where a function begins */
	for (size_t i = 0; i < waiting->kernel_count; i++)
		namer__add(&stacks->namer, stacks->places, waiting->kernel[i] + (i == 0));
	namer__ask(&stacks->namer, stacks->places);
	for (int is_shown = 0; is_shown < 2; is_shown++)
		for (size_t i = is_shown ? entry : 0; i < waiting->kernel_count; i++) {
			/* what the kernel was not asked for is looked up as it is */
			uint64_t address = waiting->kernel[i] + (i == 0) - (stacks->namer.batch ? 0 : 1);
			const char *text = places__text(stacks->places, address, buffer);

			if (!i)
				at_function = is_at_function(text, stacks->namer.batch);
			else if (i == 1 && waiting->has_link && !at_function)
				continue;
			if (is_shown)
				add_place(list, text, stacks->namer.batch ? -(i == 0) : i != 0);
			else if (i < ENTRY_MAX && i + 1 < waiting->kernel_count && place__is_entry(text))
				entry = i + 1;
		}
	if (waiting->is_truncated[STACK_KERNEL])
		add(list, "[truncated]");
}

static void list_user(const struct waiting *waiting, struct list *list)
{
	for (size_t i = 0; i < waiting->user_count; i++)
		add(list, waiting->user[i]->name);
	if (waiting->is_truncated[STACK_USER])
		add(list, "[truncated]");
	else if (waiting->user_count && !callers__are_whole(waiting->user[waiting->user_count - 1]))
		add(list, "[no frame pointers?]");
}

static void put_stacks(struct row_stacks *stacks, uint64_t ts_ns, uint32_t tid, bool is_shared, struct out *out)
{
	struct list list;
	struct waiting *waiting = await(stacks, ts_ns, tid);

	stacks->missing += !waiting;
	if (stacks->kinds & ROW_STACK_KERNEL) {
		list.size = 0;
		if (waiting)
			list_kernel(stacks, waiting, &list);
		out__list(out, "stack", waiting ? list.bytes : NULL, list.size, waiting ? " [k]" : "[stack not recorded] [k]");
	}
	if (stacks->kinds & ROW_STACK_USER) {
		list.size = 0;
		if (waiting)
			list_user(waiting, &list);
		out__list(out, "ustack", waiting ? list.bytes : NULL, list.size, waiting ? "" : "[stack not recorded]");
	}
	if (waiting && !is_shared)
		forget(stacks, waiting);
}

static void read_stacks(struct row_stacks *stacks)
{
	batch__begin_slow(&stacks->batch, UINT32_MAX, BATCH_MS);
	ring_buffer__consume(stacks->ring);
}

static void tell_stacks(const struct row_stacks *stacks)
{
	if (stacks && stacks->missing)
		say("%" PRIu64 " rows are without their stacks: these come faster than they are read (try a filter)", stacks->missing);
}

/* ---- */

/* How many frames the kernel takes. */
static size_t read_depth(void)
{
	char text[32];
	long depth = file__read_small("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) > 0 ? atol(text) : 0;

	return depth > 0 && depth < STACK_FRAMES_MAX ? (size_t)depth : STACK_FRAMES_MAX;
}

static int open_stacks(struct row_stacks **to, unsigned int kinds, const struct bpf_object *object)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, "row_stacks");
	struct row_stacks *stacks = calloc(1, sizeof(*stacks));
	int err = 0;

	*to = stacks;
	if (!stacks)
		return -ENOMEM;
	stacks->kinds = kinds;
	stacks->depth_max = read_depth();
	stacks->places = places__new(PLACES_OF_STACKS);
	stacks->users = user_names__new();
	budget__stop_with(loop__is_stopping);
	if (!stacks->places || !stacks->users)
		return -ENOMEM;
	if (kinds & ROW_STACK_KERNEL) {
		/* without it names come out of /proc/kallsyms */
		stacks->skel = namer__is_there() ? stack_namer_bpf__open_and_load() : NULL;
		err = namer__open(&stacks->namer, stacks->skel ? stacks->skel->obj : NULL);
	}
	if (err)
		return err;
	stacks->ring = map ? ring_buffer__new(bpf_map__fd(map), on_record, stacks, NULL) : NULL;
	return stacks->ring ? 0 : map ? -errno : -ENOENT;
}

static void free_stacks(struct row_stacks *stacks)
{
	if (!stacks)
		return;
	ring_buffer__free(stacks->ring);
	namer__close(&stacks->namer);
	stack_namer_bpf__destroy(stacks->skel);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct waiting *waiting = stacks->buckets[i], *next; waiting; waiting = next) {
			next = waiting->next;
			free(waiting);
		}
	places__free(stacks->places);
	user_names__free(stacks->users);
	free(stacks);
}

const struct row_stacks_calls row_stacks_calls = {
	.open = open_stacks,
	.free = free_stacks,
	.put = put_stacks,
	.read = read_stacks,
	.tell = tell_stacks,
};
