/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/unaligned.h"
#include "lib/symbol/elf_file.h"
#include "lib/symbol/elf_segments.h"

#define SECTION_MAX (16 << 20)
#define OWNER "stapsdt"
#define TYPE 3
#define ALIGN(size) (((size) + 3) & ~(size_t)3)

struct reading {
	struct elf_file elf;
	struct elf_segments segments;
	Elf64_Shdr section;		/* .note.stapsdt */
	uint64_t base, semaphores;	/* addresses of .stapsdt.base and .probes; 0: they are not there */
	uint64_t semaphores_offset, semaphores_size;
};

static int find_sections(struct reading *reading)
{
	int err = 0;

	for (size_t i = 0; i < reading->elf.sections && !err; i++) {
		Elf64_Shdr section;

		err = elf_file__section(&reading->elf, i, &section);
		if (err)
			return err;
		if (section.sh_type == SHT_NOTE && elf_file__is_named(&reading->elf, &section, ".note.stapsdt")) {
			reading->section = section;
		} else if (elf_file__is_named(&reading->elf, &section, ".stapsdt.base")) {
			reading->base = section.sh_addr;
		} else if (elf_file__is_named(&reading->elf, &section, ".probes")) {
			reading->semaphores = section.sh_addr;
			reading->semaphores_offset = section.sh_offset;
			reading->semaphores_size = section.sh_size;
		}
	}
	return 0;
}

/* The next text of a description, which it moves behind; NULL: it does not end there. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	if (zero)
		*at = zero + 1;
	return zero ? text : NULL;
}

/* Adds a note, of which the description is given. */
static void add_note(struct user_notes *notes, const struct reading *reading, const char *at, const char *end)
{
	struct user_note *note = &notes->list[notes->count];
	uint64_t address, base, semaphore;

	if (end - at < 24)
		return;
	address = read_u64((const uint8_t *)at);
	base = read_u64((const uint8_t *)at + 8);
	semaphore = read_u64((const uint8_t *)at + 16);
	at += 24;
	/* a file that was moved after linking (prelink) has the section elsewhere */
	if (reading->base && base) {
		address += reading->base - base;
		semaphore += semaphore ? reading->base - base : 0;
	}
	*note = (struct user_note){ .address = address, .offset = elf_segments__offset(&reading->segments, address) };
	note->provider = next_text(&at, end);
	note->name = note->provider ? next_text(&at, end) : NULL;
	note->args = note->name ? next_text(&at, end) : NULL;
	if (!note->args || !*note->name || note->offset == UINT64_MAX)
		return;
	if (semaphore) {
		/* one of 16 bits in .probes, which the kernel writes to */
		if (semaphore < reading->semaphores || reading->semaphores_size < 2 ||
		    semaphore - reading->semaphores > reading->semaphores_size - 2)
			return;
		note->semaphore = reading->semaphores_offset + (semaphore - reading->semaphores);
	}
	notes->count++;
}

static int read_notes(struct user_notes *notes, const struct reading *reading)
{
	size_t size = reading->section.sh_size, at = 0;

	if (size > SECTION_MAX)
		return -EFBIG;
	notes->bytes = malloc(size + 1);
	/* the least that a note takes: its header, the owner, three numbers and three texts */
	notes->list = calloc(size / 48 + 1, sizeof(*notes->list));
	if (!notes->bytes || !notes->list)
		return -ENOMEM;
	if (elf_file__read(&reading->elf, notes->bytes, size, reading->section.sh_offset))
		return -ENOEXEC;
	while (size - at >= 12 && notes->count < USER_NOTES_MAX) {
		const char *header = notes->bytes + at;
		size_t name_size = read_u32((const uint8_t *)header), text_size = read_u32((const uint8_t *)header + 4);
		size_t left = size - at - 12;

		if (name_size > left || ALIGN(name_size) > left || text_size > left - ALIGN(name_size))
			break;
		if (read_u32((const uint8_t *)header + 8) == TYPE && name_size == sizeof(OWNER) && text_size >= 24 + 4 &&
		    !memcmp(header + 12, OWNER, sizeof(OWNER)))
			add_note(notes, reading, header + 12 + ALIGN(name_size), header + 12 + ALIGN(name_size) + text_size);
		left -= ALIGN(name_size);
		if (ALIGN(text_size) > left)
			break;
		at += 12 + ALIGN(name_size) + ALIGN(text_size);
	}
	return 0;
}

int user_notes__read(int fd, struct user_notes *notes)
{
	struct reading reading = { .base = 0 };
	int err = elf_file__start(&reading.elf, fd);

	*notes = (struct user_notes){ 0 };
	if (!err)
		err = elf_segments__read(&reading.segments, &reading.elf);
	if (!err)
		err = find_sections(&reading);
	if (!err && reading.section.sh_size)
		err = read_notes(notes, &reading);
	elf_segments__free(&reading.segments);
	if (err)
		user_notes__free(notes);
	return err;
}

void user_notes__free(struct user_notes *notes)
{
	free(notes->list);
	free(notes->bytes);
	*notes = (struct user_notes){ 0 };
}
