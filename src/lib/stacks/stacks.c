/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/loop/loop.h"
#include "lib/print/text.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/callers.h"
#include "late_stacks.h"

#define STACKS_MANY 256		/* new ones, for stacks__forget() */
#define ENTRY_MAX 10		/* the program may have functions of its own */

/* A user stack that was read. */
struct unnamed {
	struct unnamed *next;
	uint64_t sent[];		/* struct stack_sent, as far as there are frames */
};

static const struct stack *find(const struct stacks *stacks, uint64_t hash)
{
	struct stack **place = hash__find(&stacks->table, hash);

	return place ? *place : NULL;
}

static void free_stack(void *ctx, uint64_t hash, void *place)
{
	(void)ctx;
	(void)hash;
	free(*(struct stack **)place);
}

/* Keeps a stack that is not known yet. */
static int keep(struct stacks *stacks, const struct stack_sent *sent)
{
	const struct user_frame *frames[STACK_FRAMES_MAX];
	struct stack **place = hash__find(&stacks->table, sent->hash), *stack;
	size_t count = sent->count;
	int err = 0;

	if (place) {
		(*place)->round = stacks->round;
		return 0;
	}
	if (stacks->most && stacks->table.count >= stacks->most)
		return 0;
	if (sent->kind == STACK_USER)
		err = user_names__stack(stacks->users, sent->pid, &sent->program, (const uint64_t *)sent->frames, sent->count, frames);
	if (err)
		return err;
	if (sent->kind == STACK_USER)
		count = callers__count(frames, count);
	stack = malloc(sizeof(*stack) + count * sizeof(*stack->frames));
	if (!stack)
		return -ENOMEM;
	*stack = (struct stack){ .round = stacks->round, .kind = sent->kind, .count = (uint16_t)count,
				 .is_truncated = sent->count >= stacks->depth_max };
	for (size_t i = 0; i < count; i++) {
		if (sent->kind == STACK_USER)
			stack->frames[i].frame = frames[i];
		else	/* the kernel's %pB looks one byte before: only the innermost is no return address */
			stack->frames[i].address = sent->frames[i] + (i == 0);
	}
	place = hash__add(&stacks->table, sent->hash);
	if (!place) {
		free(stack);
		return -ENOMEM;
	}
	*place = stack;
	stacks->added++;
	if (sent->kind == STACK_USER)
		late_stacks__note(stacks, sent, frames, count);
	return 0;
}

/* Whether the ring buffer may be full before the next stack is named: then stacks are read first, which takes less than a name. */
static bool is_filling(const struct stacks *stacks)
{
	const struct ring *ring = ring_buffer__ring(stacks->ring, 0);

	return ring__avail_data_size(ring) > ring__size(ring) / 4;
}

/* Puts off the names of a user stack. */
static int put_off(struct stacks *stacks, const struct stack_sent *sent)
{
	size_t size = offsetof(struct stack_sent, frames) + sent->count * sizeof(*sent->frames);
	struct unnamed *unnamed = malloc(sizeof(*unnamed) + size);

	if (!unnamed)
		return -ENOMEM;
	unnamed->next = NULL;
	memcpy(unnamed->sent, sent, size);
	*stacks->unnamed_end = unnamed;
	stacks->unnamed_end = &unnamed->next;
	stacks->read++;
	return 0;
}

static int take(struct stacks *stacks, const struct stack_sent *sent)
{
	bool has_room = !stacks->most || stacks->table.count + (stacks->read - stacks->named) < stacks->most;

	/* once some wait, those behind them do */
	if (sent->kind != STACK_USER || !has_room || (!stacks->unnamed && !is_filling(stacks)) || hash__find(&stacks->table, sent->hash))
		return keep(stacks, sent);
	return put_off(stacks, sent);
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct stacks *stacks = ctx;
	const struct stack_sent *sent = data;
	int err = 0;

	if (size >= offsetof(struct stack_sent, frames) && sent->count <= STACK_FRAMES_MAX &&
	    size >= offsetof(struct stack_sent, frames) + sent->count * sizeof(*sent->frames))
		err = take(stacks, sent);
	if (err && !stacks->err)
		stacks->err = err;
	batch__add(&stacks->batch, 1);
	/* a negative answer ends the turn, this record being consumed */
	return batch__is_over(&stacks->batch) || ring__consumer_pos(ring_buffer__ring(stacks->ring, 0)) >= stacks->until ? -ECANCELED : 0;
}

/* Reads what is in the ring buffer now.  0 or -errno. */
static int empty_ring(struct stacks *stacks)
{
	int got;

	stacks->until = ring__producer_pos(ring_buffer__ring(stacks->ring, 0));
	got = ring_buffer__consume(stacks->ring);
	return got < 0 && got != -ECANCELED ? got : 0;
}

/* Names the stack that came first. */
static void name_next(struct stacks *stacks)
{
	struct unnamed *unnamed = stacks->unnamed;
	int err = keep(stacks, (const struct stack_sent *)unnamed->sent);

	if (err && !stacks->err)
		stacks->err = err;
	stacks->unnamed = unnamed->next;
	if (!stacks->unnamed)
		stacks->unnamed_end = &stacks->unnamed;
	free(unnamed);
	stacks->named++;
	batch__add(&stacks->batch, 1);
}

void stacks__prepare(const struct bpf_object *object)
{
	namer__prepare(object);
}

/* How many frames the kernel takes: the sysctl is at most its default here, which the programs have room for. */
static size_t read_depth(void)
{
	char text[32];
	long depth = file__read_small("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) > 0 ? atol(text) : 0;

	return depth > 0 && depth < STACK_FRAMES_MAX ? (size_t)depth : STACK_FRAMES_MAX;
}

int stacks__open(struct stacks *stacks, const struct bpf_object *object)
{
	const struct bpf_map *events = bpf_object__find_map_by_name(object, "events");
	const struct bpf_map *sent = bpf_object__find_map_by_name(object, "stacks_sent");
	int err;

	if (!sent)
		return -ENOENT;
	stacks->table = (struct hash){ .value_size = sizeof(struct stack *), .evicted = free_stack };
	stacks->unnamed_end = &stacks->unnamed;
	stacks->sent_fd = bpf_map__fd(sent);
	stacks->sent_size = bpf_map__value_size(sent) * bpf_map__max_entries(sent);
	stacks->depth_max = read_depth();
	stacks->users = user_names__new();
	budget__stop_with(loop__is_stopping);
	stacks->places = places__new(PLACES_OF_STACKS);
	stacks->frames = calloc(STACK_SHOWN_MAX, sizeof(*stacks->frames));
	if (!stacks->users || !stacks->places || !stacks->frames)
		return -ENOMEM;
	err = namer__open(&stacks->namer, object);
	if (err)
		return err;
	stacks->ring = ring_buffer__new(bpf_map__fd(events), on_record, stacks, NULL);
	return stacks->ring ? 0 : -errno;
}

void stacks__close(struct stacks *stacks)
{
	for (struct unnamed *unnamed = stacks->unnamed, *next; unnamed; unnamed = next) {
		next = unnamed->next;
		free(unnamed);
	}
	ring_buffer__free(stacks->ring);
	namer__close(&stacks->namer);
	hash__free(&stacks->table);
	late_stacks__free(stacks);
	user_names__free(stacks->users);
	places__free(stacks->places);
	free(stacks->frames);
	*stacks = (struct stacks){ 0 };
}

int stacks__wake_fd(const struct stacks *stacks)
{
	return ring_buffer__epoll_fd(stacks->ring);
}

int stacks__read(struct stacks *stacks, int64_t limit_ms)
{
	int err;

	/* to name the frames of one stack may take milliseconds */
	batch__begin_slow(&stacks->batch, UINT32_MAX, limit_ms);
	err = empty_ring(stacks);
	stacks->until_begun = stacks->until;
	stacks->wanted = stacks->read;
	while (!err && stacks->named < stacks->wanted && !batch__is_over(&stacks->batch)) {
		name_next(stacks);
		err = is_filling(stacks) ? empty_ring(stacks) : 0;
	}
	return err ? err : stacks->err;
}

bool stacks__is_read(const struct stacks *stacks)
{
	return stacks->named >= stacks->wanted && ring__consumer_pos(ring_buffer__ring(stacks->ring, 0)) >= stacks->until_begun;
}

/* ---- stacks that do not come any more */

/* The programs forget what they have sent, and send it again when it comes again. */
static int clear_told(const struct stacks *stacks)
{
	void *sent = mmap(NULL, stacks->sent_size, PROT_READ | PROT_WRITE, MAP_SHARED, stacks->sent_fd, 0);

	if (sent == MAP_FAILED)
		return -errno;
	memset(sent, 0, stacks->sent_size);
	munmap(sent, stacks->sent_size);
	return 0;
}

/* The frames of all stacks that are left stay. */
static void sweep_frames(const struct stacks *stacks)
{
	struct stack **place;
	uint64_t hash;

	for (size_t at = 0; (place = hash__next(&stacks->table, &at, &hash));)
		for (size_t i = 0; (*place)->kind == STACK_USER && i < (*place)->count; i++)
			user_names__keep((*place)->frames[i].frame);
	user_names__sweep(stacks->users);
}

int stacks__forget(struct stacks *stacks)
{
	struct stack **place;
	size_t at = 0;
	uint64_t hash;
	int err;

	/* what is left is of two rounds: at half of it or more, each round would be longer than the one before */
	if (stacks->added <= stacks->left / 4 + STACKS_MANY && !user_names__are_many(stacks->users))
		return 0;
	stacks->added = 0;
	while ((place = hash__next(&stacks->table, &at, &hash))) {
		/* a program may have looked into what was told just before it was cleared, and counted in this round */
		if ((*place)->round + 1 >= stacks->round)
			continue;
		free(*place);
		hash__remove(&stacks->table, hash);
		at--;
	}
	sweep_frames(stacks);
	stacks->left = stacks->table.count;
	err = clear_told(stacks);
	if (!err)
		stacks->round++;
	return err;
}

/* ---- names of the kernel's frames */

/* Has the kernel asked for the names of a stack that are not known, or not any more.  0 or -errno. */
static int add_names(struct stacks *stacks, const struct stack *stack)
{
	int err = 0;

	for (size_t i = 0; i < stack->count && !err; i++)
		err = namer__add(&stacks->namer, stacks->places, stack->frames[i].address);
	return err;
}

int stacks__name(struct stacks *stacks)
{
	struct stack **place;
	size_t at = 0;
	uint64_t hash;
	int err = 0;

	while (!err && stacks->namer.batch && (place = hash__next(&stacks->table, &at, &hash))) {
		struct stack *stack = *place;

		if (stack->kind != STACK_KERNEL || stack->is_named)
			continue;
		err = add_names(stacks, stack);
		stack->is_named = true;
	}
	return err ? err : namer__ask(&stacks->namer, stacks->places);
}

/* "schedule+0x2e [module]" without how far into it. */
static void cut_offset(char *name)
{
	char *plus = strrchr(name, '+'), *rest;

	if (!plus || strncmp(plus, "+0x", 3))
		return;
	rest = plus + strcspn(plus, " ");
	memmove(plus, rest, strlen(rest) + 1);
}

static void show_kernel(struct stacks *stacks, uint64_t address, struct stack_frame *to)
{
	char buffer[PLACE_NAME_SIZE];
	/* what the kernel was not asked for is looked up as it is */
	const char *text = places__text(stacks->places, stacks->namer.batch ? address : address - 1, buffer);

	*to = (struct stack_frame){ .name = to->text, .of_kernel = true };
	snprintf(to->text, sizeof(to->text), "%s", text);
	cut_offset(to->text);
}

/* ---- stacks as they are shown */

static size_t remark(struct stacks *stacks, size_t at, const char *text, bool of_kernel)
{
	stacks->frames[at].name = text;
	stacks->frames[at].user = NULL;
	stacks->frames[at].of_kernel = of_kernel;
	return at + 1;
}

/* How many of the innermost frames are no callers, but lie between a tracepoint and its program. */
static size_t count_entry(struct stacks *stacks, const struct stack *stack)
{
	struct stack_frame frame;
	size_t entry = 0;

	for (size_t i = 0; i < stack->count && i < ENTRY_MAX; i++) {
		show_kernel(stacks, stack->frames[i].address, &frame);
		if (place__is_entry(frame.name))
			entry = i + 1;
	}
	return entry < stack->count ? entry : 0;
}

bool stacks__has(const struct stacks *stacks, const struct stack_key *key)
{
	for (int kind = 0; kind < STACK_KINDS; kind++)
		if (key->hashes[kind] && !find(stacks, key->hashes[kind]))
			return false;
	return true;
}

size_t stacks__frames(struct stacks *stacks, const struct stack_key *key)
{
	return stacks__frames_at(stacks, key, stacks->top ? remark(stacks, 0, stacks->top, false) : 0);
}

size_t stacks__frames_at(struct stacks *stacks, const struct stack_key *key, size_t at)
{
	for (int kind = 0; kind < STACK_KINDS; kind++) {
		const struct stack *stack = key->hashes[kind] ? find(stacks, key->hashes[kind]) : NULL;

		if (key->hashes[kind] && !stack)
			at = remark(stacks, at, STACK_LOST, kind == STACK_KERNEL);
		/* names may have been forgotten since stacks__name(); without them they are addresses */
		if (stack && kind == STACK_KERNEL && !add_names(stacks, stack))
			namer__ask(&stacks->namer, stacks->places);
		for (size_t i = stack && kind == STACK_KERNEL && stacks->of_tracepoint ? count_entry(stacks, stack) : 0;
		     stack && i < stack->count; i++, at++) {
			if (kind == STACK_KERNEL) {
				show_kernel(stacks, stack->frames[i].address, &stacks->frames[at]);
				if (stacks->until_interrupt && place__is_interrupt(stacks->frames[at].name))
					return remark(stacks, at + 1, STACK_INTERRUPT, true);
				continue;
			}
			stacks->frames[at].user = stack->frames[i].frame;
			stacks->frames[at].name = stack->frames[i].frame->name;
			stacks->frames[at].of_kernel = false;
		}
		if (stack && stack->is_truncated)
			at = remark(stacks, at, STACK_TRUNCATED, kind == STACK_KERNEL);
		else if (stack && kind == STACK_USER && !callers__are_whole(stack->frames[stack->count - 1].frame))
			at = remark(stacks, at, STACK_BROKEN, false);
	}
	return at;
}

/* Appends a name with its bytes escaped; separator: a character that is escaped, too, or 0. */
static void add_name(struct text_buffer *to, const char *name, char separator)
{
	size_t size = strnlen(name, 1024), characters;
	char text[TEXT_ESCAPED_MAX(1024) + 1];

	*text__escape(text, name, size, &characters) = 0;
	for (char *at = text, *next; at; at = next) {
		next = separator ? strchr(at, separator) : NULL;
		if (next)
			*next++ = 0;
		text_buffer__add(to, next ? "%s\\x%02x" : "%s", at, (unsigned char)separator);
	}
}

void stacks__add_text(const struct stacks *stacks, size_t count, struct text_buffer *to)
{
	for (size_t i = 0; i < count; i++) {
		text_buffer__add(to, "            ");
		add_name(to, stacks->frames[i].name, 0);
		text_buffer__add(to, stacks->frames[i].of_kernel ? " [k]\n" : "\n");
	}
}

void stacks__add_folded(const struct stacks *stacks, size_t count, const char *comm, uint64_t weight, struct text_buffer *to)
{
	add_name(to, comm, ';');
	for (size_t i = count; i-- > 0;) {
		text_buffer__add(to, ";");
		add_name(to, stacks->frames[i].name, ';');
		if (stacks->frames[i].of_kernel)
			text_buffer__add(to, "_[k]");
	}
	text_buffer__add(to, " %" PRIu64 "\n", weight);
}

int stacks__add_flame(const struct stacks *stacks, size_t count, const char *comm, uint64_t weight, struct flame *to)
{
	struct flame_frame frames[STACK_SHOWN_MAX + 1] = { { comm, FLAME_REMARK } };

	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *frame = &stacks->frames[count - 1 - i];

		frames[i + 1].name = frame->name;
		if (frame->of_kernel)
			frames[i + 1].kind = *frame->name == '[' ? FLAME_REMARK : FLAME_KERNEL;
		else
			frames[i + 1].kind = frame->user && frame->user->is_named ? FLAME_USER : FLAME_REMARK;
	}
	return flame__add(to, frames, count + 1, weight);
}

/* The strings one after the other, each with its 0 byte, as out__strings() takes them. */
struct list {
	char *bytes;
	size_t size, room;
};

static bool append(struct list *list, const char *string)
{
	size_t size = strlen(string) + 1;

	if (list->size + size > list->room) {
		size_t room = (list->size + size) * 2;
		char *bytes = realloc(list->bytes, room);

		if (!bytes)
			return false;
		list->bytes = bytes;
		list->room = room;
	}
	memcpy(list->bytes + list->size, string, size);
	list->size += size;
	return true;
}

static void put(struct out *out, struct list *list, size_t left_out)
{
	out__strings(out, list->bytes ? list->bytes : "", list->size, left_out);
	free(list->bytes);
}

void stacks__columns(const struct stacks *stacks, size_t count, struct out *out)
{
	struct list lists[3] = { 0 };
	size_t left_out[3] = { 0 };
	char at[4096 + 64];

	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *frame = &stacks->frames[i];
		int which = frame->of_kernel ? 0 : 1;

		left_out[which] += !append(&lists[which], frame->name);
		if (which == 0)
			continue;
		*at = 0;
		if (frame->user && frame->user->file)
			snprintf(at, sizeof(at), "%s+0x%" PRIx64, frame->user->file, frame->user->offset);
		left_out[2] += !append(&lists[2], at);
	}
	for (int which = 0; which < 3; which++)
		put(out, &lists[which], left_out[which]);
}
