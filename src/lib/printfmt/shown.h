/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the values of a tracepoint's field are shown, as the event's print fmt and the field's type tell: numbers, hexadecimal
 * numbers, names of values and of flags, texts, lists, devices, CPUs, addresses. What the print fmt says that is not known
 * (printed.h) is shown by its type.
 *
 * It differs from the kernel's own text where that is clearer: hexadecimal numbers begin with 0x, octal ones with 0, a device is 8:1, CPUs
 * are a list, pointers are not hashed.
 */
#ifndef PROBELIGHT_SHOWN_H
#define PROBELIGHT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/format/format.h"
#include "lib/print/meaning.h"
#include "printed.h"

enum shown_kind {
	SHOWN_NUMBER,
	SHOWN_HEX,
	SHOWN_OCTAL,
	SHOWN_POINTER,	/* hexadecimal, in JSON a string */
	SHOWN_SYMBOL,	/* an address of the kernel's code or of a text, and the name or the text where somebody tells it */
	SHOWN_DEVICE,	/* dev_t: 8:1 */
	SHOWN_NAME,	/* the value's name, or its flags: A|B|0x4 */
	SHOWN_MEANING,	/* as the field's meaning has it, or a number */
	SHOWN_COMPUTED,	/* the number that the print fmt makes of it; in JSON the value */
	SHOWN_TEXT,
	SHOWN_CHAR,	/* one letter of a text */
	SHOWN_LIST,	/* [1,2,3] */
	SHOWN_BYTES,	/* hexadecimal digits */
	SHOWN_CPUS,	/* 0-3,5 */
	SHOWN_ADDRESS,	/* of the internet, of Ethernet; a UUID */
};

#define SHOWN_SYMBOL_MAX 640		/* bytes of a name and its module, with the 0 byte */

/*
 * Writes the name of an address of the kernel: "do_exit", with its place "do_exit+0x10/0x9c0" (as %ps and %pS). False where it has none.
 */
typedef bool shown_symbol(uint64_t address, bool with_place, char name[SHOWN_SYMBOL_MAX]);

struct shown {
	enum shown_kind kind;
	uint32_t list;			/* of NAME: of kept_names.h */
	char *key;			/* the field's name */
	unsigned int size;		/* bytes of one number */
	bool is_signed;
	unsigned int text_size;		/* of NUMBER, HEX and OCTAL in text: bytes that the print fmt shows, 0: all */
	bool is_text_signed;
	bool with_place;		/* of SYMBOL */
	bool is_text_at;		/* of SYMBOL: a text is at the address, which the kernel's own trace shows */
	bool has_hex_elements, has_octal_elements;	/* of LIST, in text */
	bool marks_faults;		/* a text of no bytes could not be read */
	struct printed printed;
	const struct meaning *meaning;	/* of MEANING */
	shown_symbol *symbol;		/* of SYMBOL; the caller sets it, NULL: addresses have no names */
};

/*
 * How a field is shown of which a value has `size` bytes (of an array, a struct or a dynamic field 0: what the format says).  0 or
 * -ENOMEM; shown__free() releases it, also a zeroed one.
 */
int shown__make(struct shown *shown, const struct format *format, const struct format_field *field, unsigned int size, bool is_signed);
void shown__free(struct shown *shown);

/* Room for the text or the JSON of a value of so many bytes. */
size_t shown__room(const struct shown *shown, size_t size);

/*
 * Writes the value of size bytes; returns its end, without a 0 byte.  Text is escaped (lib/print/text.h).  more: so many more bytes
 * were recorded, [+more].  in_line: "name=value" pairs stand beside each other; a text with a space, a quote or "=" in it is quoted.
 */
char *shown__text(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more, bool in_line);

/*
 * Writes `"name":value`; behind it name_name for a name or flags, name_hex for a text that is no UTF-8, name_more where something
 * is missing.
 */
char *shown__json(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more);

/*
 * Writes `"name":`, or `,"nameSUFFIX":` where there is a suffix; a name may be what the user has written, such as "\42".  Returns its end.
 */
char *shown__put_key(const struct shown *shown, char *to, const char *suffix);

/* The same for a value that could not be read: "<fault>", or null. */
char *shown__fault(const struct shown *shown, char *to, bool json);

#endif
