/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking into raw BTF without parsing it: a linear scan finds the few types that are wanted, and a sparse index the
 * types that they refer to.  The kernel's own BTF is 4 to 6 MB with 100,000 to 150,000 types; libbpf's parser, which
 * prepares for questions about any of them, takes 30 times the instructions.
 *
 * The bytes are mapped where the kernel allows that (/sys/kernel/btf/vmlinux since 6.16), or else read: the types through one small
 * buffer, and of the strings the pages that are needed.  Reading all of them takes 10 to 18 million instructions, so what was asked once is
 * kept (rawbtf__remember()).
 */
#ifndef PROBELIGHT_RAWBTF_H
#define PROBELIGHT_RAWBTF_H

#include <linux/btf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct rawbtf;

/* For tests: false takes the way of a kernel that does not let its BTF be mapped. */
extern bool rawbtf__may_map;

/*
 * Opens a file of raw BTF, such as /sys/kernel/btf/vmlinux; or takes bytes in memory, which must live on.  0, or
 * -errno with *raw NULL: -EINVAL where it is not BTF of this machine's byte order.
 */
int rawbtf__open(struct rawbtf **raw, const char *path);
int rawbtf__from_memory(struct rawbtf **raw, const void *bytes, size_t size);

/*
 * Says that raw is split BTF, as a module's (/sys/kernel/btf/MODULE): its ids and its strings' offsets go on where those of base end, which
 * is the kernel's, has been scanned to its end, and lives longer than raw.  To be called before raw is scanned.
 */
void rawbtf__put_on(struct rawbtf *raw, struct rawbtf *base);

/*
 * Says that what is asked of the kernel's own BTF is to be kept for the next start (answers.h), and may be answered by what
 * was kept: the next scan, if it is one for names, and the types and strings that are asked for then.  Where BTF can be
 * mapped, and of all other files, it does nothing: asking them is cheap.  To be called before raw is scanned.
 */
void rawbtf__remember(struct rawbtf *raw);

/* Which file is the kernel's own BTF, and where answers are kept; for tests. */
struct rawbtf_memory {
	const char *btf;	/* /sys/kernel/btf/vmlinux */
	const char *notes;	/* /sys/kernel/notes, with the build id that answers are kept under */
	const char *folder;	/* CACHE_FOLDER */
};
extern struct rawbtf_memory rawbtf__memory;

/*
 * Keeps what was asked up to now, if anything is new.  rawbtf__free() does so too, but that may come when the tool can write
 * no files any more.
 */
void rawbtf__keep_answers(struct rawbtf *raw);

/* Takes NULL.  The types and strings that were given are gone with it. */
void rawbtf__free(struct rawbtf *raw);

/* The bytes of a type with all that belongs to it, of which only the head is looked at; 0: its kind is not known. */
__u32 rawbtf__type_size(const struct btf_type *type);

/* A name, or "" for an anonymous type and for an offset beyond the strings.  Lives as long as raw. */
const char *rawbtf__string(const struct rawbtf *raw, __u32 offset);

/*
 * Where names are among the strings: offsets[i] of names[i], as in a type's name_off; 0: it is not there.  The names differ.  The strings
 * are read only as far as that takes.  For BTF that has each string once, as the kernel's (pahole runs libbpf's btf__dedup()); else it is
 * one of the places.  0 or -errno, -E2BIG: a name is longer than 500 characters.
 */
int rawbtf__find_strings(struct rawbtf *raw, const char *const *names, size_t count, __u32 *offsets);

/*
 * Calls found(ctx, id, type) for every type of a kind in kinds (1 << BTF_KIND_STRUCT | …) whose name is one of names, or for all of
 * them where names is NULL.
 * Of the type only its head may be looked at, and only during the call.  An answer other than 0 ends the scan.
 * 0, what found() answered, or -errno.
 */
int rawbtf__scan(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		 int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx);

/*
 * The same for all types of the kinds, and all that belongs to a type may be looked at during the call.  -E2BIG: a type is larger than
 * 64 KB, in a BTF that cannot be mapped.
 */
int rawbtf__scan_whole(struct rawbtf *raw, __u64 kinds, int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx);

/*
 * The type of that id with all that belongs to it (members, enumerators, …), valid as long as raw.  NULL with errno:
 * EINVAL for id 0 (void) and an id that is not there.  rawbtf__scan() must have been called before.
 */
const struct btf_type *rawbtf__type(struct rawbtf *raw, __u32 id);

/* The same behind typedefs, const, volatile, restrict and type tags; *id becomes that type's.  NULL also for void. */
const struct btf_type *rawbtf__resolve(struct rawbtf *raw, __u32 *id);

#endif
