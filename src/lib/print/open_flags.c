/* SPDX-License-Identifier: BSD-2-Clause */
#include "open_flags.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The C library says 0, as its 64-bit programs always open large files; the kernel sets it for them. */
#if defined(__aarch64__) || defined(__arm__)
#define KERNEL_LARGEFILE 0400000
#else
#define KERNEL_LARGEFILE 0100000
#endif

static const struct {
	const char *name;
	uint32_t bits;
} names[] = {
	{ "WRONLY", O_WRONLY },		{ "RDWR", O_RDWR },
	{ "CREAT", O_CREAT },		{ "EXCL", O_EXCL },
	{ "NOCTTY", O_NOCTTY },		{ "TRUNC", O_TRUNC },
	{ "APPEND", O_APPEND },		{ "NONBLOCK", O_NONBLOCK },
	/* before those whose bits are among theirs */
	{ "SYNC", O_SYNC },		{ "DSYNC", O_DSYNC },
	{ "ASYNC", O_ASYNC },		{ "DIRECT", O_DIRECT },
	{ "LARGEFILE", KERNEL_LARGEFILE },
	{ "TMPFILE", O_TMPFILE },	{ "DIRECTORY", O_DIRECTORY },
	{ "NOFOLLOW", O_NOFOLLOW },	{ "NOATIME", O_NOATIME },
	{ "CLOEXEC", O_CLOEXEC },	{ "PATH", O_PATH },
};

#define COUNT (sizeof(names) / sizeof(*names))

const char *open_flags__text(uint32_t flags, char text[OPEN_FLAGS_TEXT_MAX])
{
	uint32_t rest = flags;
	char *to = text;

	if (!(flags & O_ACCMODE))
		to = stpcpy(to, "O_RDONLY");
	for (size_t i = 0; i < COUNT; i++) {
		if ((rest & names[i].bits) != names[i].bits || ((names[i].bits & O_ACCMODE) && (flags & O_ACCMODE) == O_ACCMODE))
			continue;
		to = stpcpy(stpcpy(stpcpy(to, to > text ? "|" : ""), "O_"), names[i].name);
		rest &= ~names[i].bits;
	}
	if (rest)
		sprintf(to, "%s0x%x", to > text ? "|" : "", rest);
	return text;
}

/* One word, length bytes. */
static int parse_word(const char *word, size_t length, uint32_t *flags, uint32_t *mask)
{
	bool prefixed = length > 2 && !strncasecmp(word, "O_", 2);
	const char *name = prefixed ? word + 2 : word;
	size_t size = prefixed ? length - 2 : length;
	char *end;

	if (size == 6 && !strncasecmp(name, "RDONLY", size)) {
		*mask |= O_ACCMODE;
		return 0;
	}
	for (size_t i = 0; i < COUNT; i++) {
		if (strlen(names[i].name) != size || strncasecmp(names[i].name, name, size))
			continue;
		*flags |= names[i].bits;
		*mask |= names[i].bits & O_ACCMODE ? O_ACCMODE : names[i].bits;
		return 0;
	}
	if (isdigit((unsigned char)*word)) {
		uint32_t bits = (uint32_t)strtoul(word, &end, 0);

		*flags |= bits;
		*mask |= bits & O_ACCMODE ? bits | O_ACCMODE : bits;
		return end == word + length ? 0 : -EINVAL;
	}
	return -EINVAL;
}

int open_flags__parse(const char *text, uint32_t *flags, uint32_t *mask)
{
	*flags = *mask = 0;
	for (;;) {
		size_t length = strcspn(text, "|,");
		int err = parse_word(text, length, flags, mask);

		if (err || !text[length])
			return err;
		text += length + 1;
	}
}
