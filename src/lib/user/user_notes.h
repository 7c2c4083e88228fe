/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The USDT probes of a program or library, which the section .note.stapsdt names: each place where one is, with what the file says of its
 * arguments.  Any user may have written the file.  Source: sys/sdt.h, and systemtap's wiki, UserSpaceProbeImplementation.
 */
#ifndef PROBELIGHT_USER_NOTES_H
#define PROBELIGHT_USER_NOTES_H

#include <stddef.h>
#include <stdint.h>

#define USER_NOTES_MAX 65536

struct user_note {
	const char *provider, *name, *args;	/* bytes of any kind but 0 */
	uint64_t address, offset;		/* offset: in the file */
	uint64_t semaphore;			/* in the file, where tracers are counted, as programs skip it without; 0: none */
};

struct user_notes {
	struct user_note *list;		/* in the file's order */
	size_t count;
	char *bytes;			/* what the texts are in */
};

/* Reads an open file: 0, also where it has none, or -errno: as elf_file.h.  Notes that are damaged are skipped. */
int user_notes__read(int fd, struct user_notes *notes);
void user_notes__free(struct user_notes *notes);

#endif
