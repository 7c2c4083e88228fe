/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's BTF said when it was asked, so that it need not be read when the same is asked at the next start: which types have the
 * names that were looked for, and the types and strings that were looked at then.  lib/btf/rawbtf asks, lib/kernel/cache keeps the bytes.
 */
#ifndef PROBELIGHT_ANSWERS_H
#define PROBELIGHT_ANSWERS_H

#include <linux/btf.h>
#include <linux/types.h>
#include <stddef.h>

/* A type that has one of the names. */
struct answers_match {
	__u32 id;
	struct btf_type head;		/* without what belongs to it */
};

struct answers_type {
	__u32 id;
	const struct btf_type *type;	/* with all that belongs to it */
};

struct answers_string {
	__u32 offset;			/* among the BTF's strings */
	const char *text;
};

/* Zeroed it has none.  What the pointers point to is either in bytes or another one's, and must live on. */
struct answers {
	__u32 ids;			/* how many types the BTF has */
	struct answers_match *matches;	/* in the order of the BTF */
	size_t matches_count, matches_room;
	struct answers_type *types;	/* the first types_sorted by rising id */
	size_t types_count, types_room, types_sorted;
	struct answers_string *strings;	/* the first strings_sorted by rising offset */
	size_t strings_count, strings_room, strings_sorted;
	void *bytes;			/* of answers__parse() */
};

/*
 * Takes the bytes that answers__make() has made, which must be from malloc(3): they are the answers' from then on, and freed where they are
 * damaged.  0 or -errno; -EINVAL: they are damaged.
 */
int answers__parse(struct answers *answers, void *bytes, size_t size);

/* Makes bytes of them, which the caller frees.  Sorts what was added; of what was added twice one is left.  0 or -errno. */
int answers__make(struct answers *answers, void **bytes, size_t *size);

void answers__free(struct answers *answers);

/* 0 or -ENOMEM. */
int answers__add_match(struct answers *answers, __u32 id, const struct btf_type *head);
int answers__add_type(struct answers *answers, __u32 id, const struct btf_type *type);
int answers__add_string(struct answers *answers, __u32 offset, const char *text);

/* Of those that were parsed: NULL where it is not among them. */
const struct btf_type *answers__type(const struct answers *answers, __u32 id);
const char *answers__string(const struct answers *answers, __u32 offset);

#endif
