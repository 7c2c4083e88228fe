/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/loop/loop.h"
#include "lib/print/text.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/callers.h"

#define ROOM_MIN 256
#define ENTRY_MAX 10		/* the program may have functions of its own */

struct stack {
	uint64_t hash;
	uint16_t kind, count;
	bool is_named;			/* of the kernel: all addresses are in places */
	bool is_truncated;
	union {
		uint64_t address;			/* STACK_KERNEL */
		const struct user_frame *frame;		/* STACK_USER */
	} frames[];
};

static struct stack **find(const struct stacks *stacks, uint64_t hash)
{
	size_t at = (size_t)(hash >> 20) & (stacks->room - 1);

	while (stacks->slots[at] && stacks->slots[at]->hash != hash)
		at = (at + 1) & (stacks->room - 1);
	return &stacks->slots[at];
}

static int grow(struct stacks *stacks)
{
	struct stacks larger = { .room = stacks->room * 2 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->room; i++)
		if (stacks->slots[i])
			*find(&larger, stacks->slots[i]->hash) = stacks->slots[i];
	free(stacks->slots);
	stacks->slots = larger.slots;
	stacks->room = larger.room;
	return 0;
}

/* Keeps a stack that is not known yet. */
static int keep(struct stacks *stacks, const struct stack_told *told)
{
	const struct user_frame *frames[STACK_FRAMES_MAX];
	struct stack *stack;
	size_t count = told->count;
	int err = 0;

	if (*find(stacks, told->hash))
		return 0;
	if ((stacks->count + 1) * 2 > stacks->room)
		err = grow(stacks);
	if (!err && told->kind == STACK_USER)
		err = user_names__stack(stacks->users, told->pid, &told->program, (const uint64_t *)told->frames, told->count, frames);
	if (err)
		return err;
	if (told->kind == STACK_USER)
		count = callers__count(frames, count);
	stack = malloc(sizeof(*stack) + count * sizeof(*stack->frames));
	if (!stack)
		return -ENOMEM;
	*stack = (struct stack){ .hash = told->hash, .kind = told->kind, .count = (uint16_t)count,
				 .is_truncated = told->count >= stacks->depth_max };
	for (size_t i = 0; i < count; i++) {
		if (told->kind == STACK_USER)
			stack->frames[i].frame = frames[i];
		else	/* the kernel's %pB looks one byte before: only the innermost is no return address */
			stack->frames[i].address = told->frames[i] + (i == 0);
	}
	*find(stacks, told->hash) = stack;
	stacks->count++;
	return 0;
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct stacks *stacks = ctx;
	const struct stack_told *told = data;
	int err = 0;

	if (size >= offsetof(struct stack_told, frames) && told->count <= STACK_FRAMES_MAX &&
	    size >= offsetof(struct stack_told, frames) + told->count * sizeof(*told->frames))
		err = keep(stacks, told);
	if (err && !stacks->err)
		stacks->err = err;
	batch__add(&stacks->batch, 1);
	/* a negative answer ends the turn, this record being consumed */
	return batch__is_over(&stacks->batch) || ring__consumer_pos(ring_buffer__ring(stacks->ring, 0)) >= stacks->until ? -ECANCELED : 0;
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
	int err;

	stacks->room = ROOM_MIN;
	stacks->depth_max = read_depth();
	stacks->slots = calloc(stacks->room, sizeof(*stacks->slots));
	stacks->users = user_names__new();
	budget__stop_with(loop__is_stopping);
	stacks->places = places__new();
	if (!stacks->slots || !stacks->users || !stacks->places)
		return -ENOMEM;
	err = namer__open(&stacks->namer, object);
	if (err)
		return err;
	stacks->ring = ring_buffer__new(bpf_map__fd(events), on_record, stacks, NULL);
	return stacks->ring ? 0 : -errno;
}

void stacks__close(struct stacks *stacks)
{
	ring_buffer__free(stacks->ring);
	namer__close(&stacks->namer);
	for (size_t i = 0; stacks->slots && i < stacks->room; i++)
		free(stacks->slots[i]);
	free(stacks->slots);
	user_names__free(stacks->users);
	places__free(stacks->places);
	*stacks = (struct stacks){ 0 };
}

int stacks__wake_fd(const struct stacks *stacks)
{
	return ring_buffer__epoll_fd(stacks->ring);
}

int stacks__read(struct stacks *stacks, int64_t limit_ms)
{
	int got;

	/* to name the frames of one stack may take milliseconds */
	batch__begin_slow(&stacks->batch, UINT32_MAX, limit_ms);
	stacks->until = ring__producer_pos(ring_buffer__ring(stacks->ring, 0));
	got = ring_buffer__consume(stacks->ring);
	return got < 0 && got != -ECANCELED ? got : stacks->err;
}

bool stacks__is_read(const struct stacks *stacks)
{
	return ring__consumer_pos(ring_buffer__ring(stacks->ring, 0)) >= stacks->until;
}

/* ---- names of the kernel's frames */

int stacks__name(struct stacks *stacks)
{
	int err = 0;

	for (size_t i = 0; i < stacks->room && !err && stacks->namer.batch; i++) {
		struct stack *stack = stacks->slots[i];

		if (!stack || stack->kind != STACK_KERNEL || stack->is_named)
			continue;
		for (size_t j = 0; j < stack->count && !err; j++)
			err = namer__add(&stacks->namer, stacks->places, stack->frames[j].address);
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
		if (key->hashes[kind] && !*find(stacks, key->hashes[kind]))
			return false;
	return true;
}

size_t stacks__frames(struct stacks *stacks, const struct stack_key *key)
{
	size_t at = stacks->top ? remark(stacks, 0, stacks->top, false) : 0;

	for (int kind = 0; kind < STACK_KINDS; kind++) {
		const struct stack *stack = key->hashes[kind] ? *find(stacks, key->hashes[kind]) : NULL;

		if (key->hashes[kind] && !stack)
			at = remark(stacks, at, STACK_LOST, kind == STACK_KERNEL);
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
		if (frame->user)
			snprintf(at, sizeof(at), "%s+0x%" PRIx64, frame->user->file ? frame->user->file : "", frame->user->offset);
		left_out[2] += !append(&lists[2], at);
	}
	for (int which = 0; which < 3; which++)
		put(out, &lists[which], left_out[which]);
}
