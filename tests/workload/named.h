/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags by name, for the workloads that say which rows a tool must show: another list than the library's. */
#ifndef NAMED_H
#define NAMED_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* "O_WRONLY|O_CREAT"; the result is good until the next call. */
static inline const char *named_open_flags(unsigned int flags)
{
	static const struct {
		unsigned int bits;
		const char *name;
	} names[] = {
		{ 01, "O_WRONLY" }, { 02, "O_RDWR" }, { 0100, "O_CREAT" }, { 0200, "O_EXCL" }, { 0400, "O_NOCTTY" },
		{ 01000, "O_TRUNC" }, { 02000, "O_APPEND" }, { 04000, "O_NONBLOCK" }, { 0100000, "O_LARGEFILE" },
		{ O_TMPFILE, "O_TMPFILE" }, { O_DIRECTORY, "O_DIRECTORY" }, { O_NOFOLLOW, "O_NOFOLLOW" },
		{ 02000000, "O_CLOEXEC" }, { 010000000, "O_PATH" },
	};
	static char text[200];

	strcpy(text, flags & 3 ? "" : "O_RDONLY");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if ((flags & names[i].bits) != names[i].bits)
			continue;
		if (*text)
			strcat(text, "|");
		strcat(text, names[i].name);
		flags &= ~names[i].bits;
	}
	if (flags)
		sprintf(text + strlen(text), "|%#o", flags);
	return text;
}

#endif
