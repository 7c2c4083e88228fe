/* SPDX-License-Identifier: BSD-2-Clause */
#include "dir.h"

#include <string.h>

#include "lib/shared/dir.h"
#include "out.h"

size_t dir__join(char *to, size_t room, const char *path, size_t path_size, const char *names, size_t names_size, bool is_cut)
{
	size_t end = room, at;

	if (path_size + 1 > room)
		return 0;
	end -= path_size;
	memcpy(to + end, path, path_size);
	for (at = 0; at < names_size;) {
		size_t length = strnlen(names + at, names_size - at);

		if (length + 1 > end)
			return 0;
		to[--end] = '/';
		end -= length;
		memcpy(to + end, names + at, length);
		at += length + 1;
	}
	if (is_cut && names_size) {
		if (end < 4)
			return 0;
		end -= 4;
		memcpy(to + end, ".../", 4);
	} else if (!is_cut) {
		if (!end)
			return 0;
		to[--end] = '/';
	}
	memmove(to, to + end, room - end);
	return room - end;
}

void dir__put_names(struct out *out, const char *names, size_t size, bool is_cut)
{
	char path[DIR_ROOM + 64];
	size_t inner, whole;

	if (!size) {
		out__string(out, "/", 1);
		return;
	}
	inner = strnlen(names, size - 1) + 1;
	whole = dir__join(path, sizeof(path), names, inner, names + inner, size - inner, is_cut);
	out__string(out, whole ? path : NULL, whole);
}
