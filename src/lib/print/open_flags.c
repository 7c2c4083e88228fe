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

const struct flag_name open_flag_names[] = {
	{ O_WRONLY, "O_WRONLY" },	{ O_RDWR, "O_RDWR" },
	{ O_CREAT, "O_CREAT" },		{ O_EXCL, "O_EXCL" },
	{ O_NOCTTY, "O_NOCTTY" },	{ O_TRUNC, "O_TRUNC" },
	{ O_APPEND, "O_APPEND" },	{ O_NONBLOCK, "O_NONBLOCK" },
	/* before those whose bits are among theirs */
	{ O_SYNC, "O_SYNC" },		{ O_DSYNC, "O_DSYNC" },
	{ O_ASYNC, "O_ASYNC" },		{ O_DIRECT, "O_DIRECT" },
	{ KERNEL_LARGEFILE, "O_LARGEFILE" },
	{ O_TMPFILE, "O_TMPFILE" },	{ O_DIRECTORY, "O_DIRECTORY" },
	{ O_NOFOLLOW, "O_NOFOLLOW" },	{ O_NOATIME, "O_NOATIME" },
	{ O_CLOEXEC, "O_CLOEXEC" },	{ O_PATH, "O_PATH" },
	{ 1 << 26, "O_EMPTYPATH" },	/* include/uapi/asm-generic/fcntl.h of Linux 7.3 */
	{ 0, NULL },
};

const struct flag_name openat2_flag_names[] = { { 1, "OPENAT2_REGULAR" }, { 0, NULL } };

const struct flag_name resolve_flag_names[] = {
	{ 0x01, "RESOLVE_NO_XDEV" },	{ 0x02, "RESOLVE_NO_MAGICLINKS" },
	{ 0x04, "RESOLVE_NO_SYMLINKS" }, { 0x08, "RESOLVE_BENEATH" },
	{ 0x10, "RESOLVE_IN_ROOT" },	{ 0x20, "RESOLVE_CACHED" },
	{ 0, NULL },
};

#define PREFIX 2	/* "O_" */
#define COUNT (sizeof(open_flag_names) / sizeof(*open_flag_names) - 1)

const char *open_flags__text(uint32_t flags, char text[OPEN_FLAGS_TEXT_MAX])
{
	uint32_t rest = flags;
	char *to = text;

	if (!(flags & O_ACCMODE))
		to = stpcpy(to, "O_RDONLY");
	for (size_t i = 0; i < COUNT; i++) {
		if ((rest & open_flag_names[i].bits) != open_flag_names[i].bits ||
		    ((open_flag_names[i].bits & O_ACCMODE) && (flags & O_ACCMODE) == O_ACCMODE))
			continue;
		to = stpcpy(stpcpy(to, to > text ? "|" : ""), open_flag_names[i].name);
		rest &= (uint32_t)~open_flag_names[i].bits;
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
		if (strlen(open_flag_names[i].name) != PREFIX + size || strncasecmp(open_flag_names[i].name + PREFIX, name, size))
			continue;
		*flags |= (uint32_t)open_flag_names[i].bits;
		*mask |= open_flag_names[i].bits & O_ACCMODE ? O_ACCMODE : (uint32_t)open_flag_names[i].bits;
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
