/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of layout: what layout__fill() works on. */
#ifndef PROBELIGHT_LAYOUT_FILL_H
#define PROBELIGHT_LAYOUT_FILL_H

#include <bpf/btf.h>

#include "helper_calls.h"
#include "layout.h"
#include "minbtf.h"
#include "relos.h"
#include "tpbtf.h"
#include "uncalled.h"

/* A program whose SEC names no event, and the record that it reads. */
struct layout_read {
	const struct bpf_program *program;
	const struct format *format;	/* of layout's formats; NULL: the kernel does not have the event */
};

struct layout {
	int fd;
	char path[32];
	struct layout_places places;
	struct uncalled left_out[LEFT_OUT_MAX];
	size_t left_out_count;	/* more than there is room for: layout__fill() says so */
	struct helper_call instead[INSTEAD_MAX];
	size_t instead_count;
	struct format **formats;	/* of the events that the programs read */
	size_t formats_count;
	struct layout_read *reads;
	size_t reads_count;
};

enum origin {
	ORIGIN_NONE,		/* not to be looked for */
	ORIGIN_EVENT,		/* a format file */
	ORIGIN_OBJECT,		/* an agreed type, as the object has it */
	ORIGIN_KERNEL,
};

/* The struct of an event. */
struct fill_event {
	__u32 root_id;
	struct format *format;		/* NULL: the kernel does not have it */
	struct fault missing;		/* what to say about that */
};

struct fill {
	struct layout *layout;
	const struct bpf_object *object;
	const struct btf *btf;		/* the object's */
	const void *elf;		/* its bytes */
	size_t elf_size;
	struct relos relos;
	enum origin *origins;		/* of each */
	struct fill_event *events;
	size_t events_count;
	struct minbtf_want *wants;
	struct relo_step *steps;	/* of all wants, one behind the other */
	char *names;			/* likewise */
	struct btf *target;
	struct tpbtf tpbtf;		/* writes the events' structs to target */
	struct fault *fault;
};

/* The name of the type that the access starts from. */
const char *fill__root_name(const struct fill *fill, const struct relo *relo);

/* The event whose struct has that id in the object; NULL: none of fill->events. */
struct fill_event *fill__find_event(const struct fill *fill, __u32 root_id);

/* layout_wants.c: fills fill->origins.  0 or -errno. */
int fill__find_origins(struct fill *fill);

/* layout_wants.c: makes fill->wants of the records of one origin; their number, or -errno. */
int fill__wants(struct fill *fill, enum origin origin);

/* layout_wants.c: whether both ask for the same field, enumerator or type. */
bool fill__is_same(const struct relo *relo, const struct relo *other);

/*
 * layout_records.c: 0, or -EINVAL if a program reads the struct of another event than that of its SEC.  After the events
 * were added; it fills the layout's reads.
 */
int fill__check_records(struct fill *fill);

/* layout_why.c: whether the program runs without what the record asks for: it asks first, or has a flavour for each form. */
bool fill__may_be_missing(const struct fill *fill, const struct relo *relo);

/* layout_why.c: explains why the kernel does not have what the record asks for; -errno. */
int fill__explain_missing(struct fill *fill, const struct relo *relo);

/* layout_why.c: 0, or -EINVAL if the access has another size than the kernel's field, and libbpf cannot adjust it. */
int fill__check_size(struct fill *fill, const struct relo *relo);

#endif
