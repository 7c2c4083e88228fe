/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks that programs count by (lib/bpf/stack.bpf.h): read from the ring buffer when they are new, the user's frames named at
 * once, while the process lives; the kernel's when they are printed.
 *
 *	stacks__open(&stacks, object);			once it is loaded, before capabilities are dropped
 *	stacks__read(&stacks, limit_ms);		whenever stacks__wake_fd() is readable; and before something is printed
 *	stacks__look_again(&stacks);			then
 *	stacks__name(&stacks);
 *	count = stacks__frames(&stacks, key);		stacks.frames, of each key
 *	stacks__close(&stacks);
 */
#ifndef PROBELIGHT_STACKS_H
#define PROBELIGHT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/kernel/hash.h"
#include "lib/kernel/places.h"
#include "lib/loop/batch.h"
#include "lib/print/flame.h"
#include "lib/print/out.h"
#include "lib/print/text_buffer.h"
#include "lib/shared/stack.h"
#include "lib/symbol/user_names.h"
#include "namer.h"

/* A frame as it is shown.  Names are untrusted bytes. */
struct stack_frame {
	const char *name;		/* "schedule", "nf_hook_slow [nf_tables]", "main", "[unknown] (x+0x12)", "[truncated]" */
	const struct user_frame *user;	/* NULL: of the kernel, or a remark */
	bool of_kernel;
	char text[PLACE_NAME_SIZE];	/* where a name of the kernel is */
};

/* Both stacks, each with a remark where it ends, and struct stacks's top; and as much of another task (chain.h). */
#define STACK_SHOWN_MAX (2 * (STACK_KINDS * (STACK_FRAMES_MAX + 1) + 1))

/* Lines that say what a frame is not. */
#define STACK_TRUNCATED "[truncated]"			/* the kernel takes no more frames */
#define STACK_BROKEN "[no frame pointers?]"		/* it ends in a function that nobody begins with */
#define STACK_LOST "[stack not recorded]"		/* the ring buffer was full whenever it came */
#define STACK_INTERRUPT "[irq]"				/* an interrupt began here */

struct stack;
struct unnamed;

struct stacks {
	struct ring_buffer *ring;
	struct user_names *users;
	struct places *places;		/* of the kernel's code */
	struct hash table;		/* struct stack * by hash */
	uint64_t round;			/* how often the programs have forgotten what they sent */
	size_t left, added;		/* stacks: by stacks__forget(), and since then */
	int sent_fd;			/* what the programs have sent */
	size_t sent_size;
	size_t most;			/* the caller's: those beyond so many are not kept; 0: all are */
	struct late_stack *late;	/* stacks with frames that may have names later */
	size_t late_count;
	struct unnamed *unnamed, **unnamed_end;	/* user stacks that were read, in the order in which they came; they are named next */
	uint64_t read, named, wanted;	/* user stacks: read, of them named, and as many are to be named by this turn */
	size_t depth_max;		/* frames that the kernel takes */
	bool of_tracepoint;		/* the caller's: the kernel's stacks begin with what called the program, which is left out */
	bool until_interrupt;		/* the caller's: what was interrupted, and its user stack, are left out */
	const char *top;		/* the caller's: above the innermost function, and none itself, as whom it works for; or NULL */
	struct namer namer;
	struct batch batch;		/* of the turn that is being read */
	unsigned long until_begun;	/* where the ring's producer was when it began */
	unsigned long until;		/* and when it looked last */
	int err;			/* the first one of keeping a stack */
	struct stack_frame *frames;	/* STACK_SHOWN_MAX */
};

/* Leaves out the program that names addresses where the kernel has none such; between open and load. */
void stacks__prepare(const struct bpf_object *object);

/* 0 or -errno.  stacks__close() releases it, also a zeroed one. */
int stacks__open(struct stacks *stacks, const struct bpf_object *object);
void stacks__close(struct stacks *stacks);

/* Readable when the programs have sent a stack. */
int stacks__wake_fd(const struct stacks *stacks);

/*
 * Takes what the programs have sent until now, and names the user's frames.  It ends after limit_ms, even if there is more: stacks may
 * come faster than they are named.  The rest is read by the next call.  Where the ring buffer fills up it is emptied first, also between
 * two names, so that it has room for what comes meanwhile.  0 or -errno.
 */
int stacks__read(struct stacks *stacks, int64_t limit_ms);

/* Whether the last stacks__read() has taken, and named, all that was there when it began. */
bool stacks__is_read(const struct stacks *stacks);

/*
 * To be called when an interval is cut, before its keys are printed: drops stacks that do not come any more, and what was known of the
 * processes that they were of, where there are many.  The programs then send each stack once more.  0 or -errno.
 */
int stacks__forget(struct stacks *stacks);

/*
 * Before stacks are printed: looks once more for names of frames that had none yet, of code that a JIT compiler may have told of since.
 * 0 or -errno.
 */
int stacks__look_again(struct stacks *stacks);

/* Names the kernel's frames of all stacks.  0 or -errno; without names they are addresses. */
int stacks__name(struct stacks *stacks);

/* Whether the stacks of a key were sent: of a key without, no frame is known. */
bool stacks__has(const struct stacks *stacks, const struct stack_key *key);

/*
 * The frames of a key, the innermost first: the kernel's, then the user's.  They are in stacks->frames until the next call.  Returns
 * their number.
 */
size_t stacks__frames(struct stacks *stacks, const struct stack_key *key);

/* The same behind the first `at` frames, without top.  Returns the number of all. */
size_t stacks__frames_at(struct stacks *stacks, const struct stack_key *key, size_t at);

/* Appends a line for each of count frames in stacks->frames, indented, the kernel's marked with [k]; names escaped. */
void stacks__add_text(const struct stacks *stacks, size_t count, struct text_buffer *to);

/* Appends "comm;main;read;vfs_read_[k] COUNT\n", the form that flame graph programs read; names escaped, also of ';'. */
void stacks__add_folded(const struct stacks *stacks, size_t count, const char *comm, uint64_t weight, struct text_buffer *to);

/* Adds the count frames in stacks->frames to a picture, on one for the task.  0 or -ENOMEM. */
int stacks__add_flame(const struct stacks *stacks, size_t count, const char *comm, uint64_t weight, struct flame *to);

/* Columns, in JSON only, and their values. */
#define STACKS_COLUMNS                                          \
	{ "KERNEL", 0, &tool_not_shown, "kernel_stack" },       \
	{ "USER", 0, &tool_not_shown, "user_stack" },           \
	{ "USER_AT", 0, &tool_not_shown, "user_stack_at" }
void stacks__columns(const struct stacks *stacks, size_t count, struct out *out);

#endif
