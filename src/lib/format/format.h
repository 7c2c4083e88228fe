/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parser of tracefs `format` files: events/SYSTEM/NAME/format says where each field of an event's record lies on the
 * running kernel.  The text is untrusted (a copy from elsewhere, a module's event): whatever it holds, the answer is
 * the parsed format or an error with its line, after time and memory linear in the text.
 *
 * The shape is the kernel's own, f_show() in kernel/trace/trace_events.c:
 *
 *	name: sched_switch
 *	ID: 314
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		…
 *
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *		…
 *
 *	print fmt: "prev_comm=%s …", REC->prev_comm, …
 *
 * The print fmt may run over several lines (mmap/vm_unmapped_area).
 */
#ifndef PROBELIGHT_FORMAT_H
#define PROBELIGHT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes; more is no format file.  The longest one seen has 8 KB (cros_ec/cros_ec_request_done). */
#define FORMAT_SIZE_MAX (256 * 1024)
/* Bytes; a field beyond it is refused.  The kernel's own limit for a record is a page of the trace buffer. */
#define FORMAT_RECORD_MAX (64 * 1024)

/* Bytes of the name of an event or of a field; a longer one is refused.  Those of the kernel have some 40. */
#define FORMAT_NAME_MAX 255

/* Where the value of a field is. */
enum format_loc {
	FORMAT_PLAIN,		/* in the record, at offset */
	FORMAT_DATA_LOC,	/* a u32: distance from the record's start (low half), bytes (high half) */
	FORMAT_REL_LOC,		/* likewise, the distance counted from the end of that u32 (since 5.17) */
	FORMAT_POINTER,		/* a text in memory, where the hops lead to */
};

/*
 * The way from a pointer in the context to a value in memory.  Each hop is added to the address; at all but the last one the next
 * address is read there.
 */
#define FORMAT_HOPS_MAX 8

struct meaning;

/* What the way begins with. */
enum format_base {
	FORMAT_CONTEXT,		/* the pointer in the context, at the field's offset */
	FORMAT_CONSTANT,	/* a number */
	FORMAT_THIS_CPU,	/* a number, to which what the kernel's __per_cpu_offset has for the CPU is added */
	FORMAT_COMM,		/* nothing: the value is the name of the running task */
};

struct format_hops {
	enum format_base base;
	unsigned long long address;	/* that number */
	unsigned long long offsets_address;	/* of THIS_CPU: where __per_cpu_offset is */
	bool is_address;	/* the value is the address that the way ends at, and not what is there */
	bool any_space;		/* an address tells whose it is, the kernel's or the process's; else: the kernel's */
	unsigned short user;	/* a bit for each hop: behind it is the process's memory, whatever the address says */
	unsigned count;
	int offsets[FORMAT_HOPS_MAX];	/* bytes */
	unsigned char bits;		/* of a bit field: so many bits of the number that is there; 0: all of it */
	unsigned char shift;		/* and so many bits of the number are below them */
};

struct format_field {
	const char *name;	/* "msg"; a C identifier */
	const char *decl;	/* as the kernel writes it: "__data_loc char[] msg", "char comm[16]" */
	const char *type;	/* of one element: "char", "const char *", "cpumask_t" */
	unsigned offset;	/* bytes from the start of the record */
	unsigned size;		/* bytes in the record; 4 for a __data_loc or __rel_loc, 0 for a flexible array */
	unsigned elem_size;	/* bytes of one element, 0 where the type is unknown; that of a scalar is its size */
	unsigned array_len;	/* elements; 0: no array, flexible, dynamic, or an expression of an unknown type; of texts: how many */
	enum format_loc loc;
	bool is_array;		/* has brackets: fixed, flexible or dynamic; "__data_loc cpumask_t mask" has none */
	bool is_signed;
	bool is_common;		/* one of the fields that every event has */
	bool is_hex;		/* asked for in hexadecimal */
	bool is_octal;		/* the same in octal */
	bool is_char;		/* a letter */
	bool is_symbol;		/* asked for by the name of the address that it is */
	bool is_place;		/* a symbol, with the place in the function that it is */
	bool is_extra;		/* there because it was asked for: no part of "all fields" */
	const struct format_hops *hops;	/* NULL: the value is in the record */
	const struct meaning *meaning;	/* what its numbers mean (lib/print/meaning.h); NULL: the print fmt tells */
};

/* Elements of an array in a probe's event: MAX_ARRAY_LEN, kernel/trace/trace_probe.h. */
#define FORMAT_TEXTS_MAX 64

/*
 * Whether a field is an array of texts ("string[2]"), array_len of them: of an event of kprobe_events, where each has a u32 as a
 * __data_loc has, or in memory, where the hops lead to the pointers.
 */
static inline bool format_field__has_texts(const struct format_field *field)
{
	return field->loc != FORMAT_PLAIN && field->array_len;
}

struct format {
	const char *system;
	const char *name;
	unsigned id;
	const struct format_field *fields;	/* the common ones first, in the file's order: by rising offset */
	unsigned fields_count;
	unsigned common_count;
	const char *print_fmt;			/* without the newline at its end */
	bool is_arguments;			/* made of BTF (arguments.h): the context has a function's arguments */
	const char *note;			/* why it has no other fields, for messages; or NULL */
	struct format *base;			/* whose strings it has, and which is freed with it; or NULL */
};

struct format_error {
	unsigned line;		/* 1 is the first; 0: about the text as a whole (its length, no memory for it) */
	const char *why;	/* static */
};

/*
 * Whether name can be that of an event or of a system of events: letters, digits, "_", "-" and ".", at least one.  In a
 * copy of tracefs the directories may have any names.
 */
bool format__is_name(const char *name);

/*
 * Parses the text of a format file, length bytes; a 0 byte behind them is not needed.  system is copied; it must be a name.
 * 0 and *format, which does not refer to text and is freed by format__free(), or -EINVAL, -EFBIG or -ENOMEM with
 * *error filled in (error may not be NULL).
 */
int format__parse(struct format **format, const char *system, const char *text, size_t length,
		  struct format_error *error);

/* Takes NULL. */
void format__free(struct format *format);

/*
 * Makes an array that ends the record without a size of its own ("char buf[]", of ftrace/print) a FORMAT_DATA_LOC: for a copy of the record
 * in which a u32 stands before the array, at its offset.  The field, or NULL: the format has none.
 */
const struct format_field *format__open_tail(struct format *format);

/* The own or common field of that name, or NULL; the first one where two have it (regcache_sync on 5.10). */
const struct format_field *format__field(const struct format *format, const char *name);

/*
 * Bytes of a C type as format files spell it ("unsigned int", "u32", "struct sock *"), on a 64-bit kernel; 0 where it
 * is not known.  *is_signed, if not NULL, is set when the size is not 0.
 */
unsigned format__type_size(const char *type, bool *is_signed);

#endif
