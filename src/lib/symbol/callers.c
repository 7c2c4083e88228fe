/* SPDX-License-Identifier: BSD-2-Clause */
#include "callers.h"

#include <string.h>

/* Whether a name is one of a list; one that ends in * is of all names that begin so. */
static bool is_among(const char *name, const char *const *list)
{
	for (; *list; list++) {
		size_t size = strlen(*list);

		if ((*list)[size - 1] == '*' ? !strncmp(name, *list, size - 1) : !strcmp(name, *list))
			return true;
	}
	return false;
}

/* What nobody has called: where the kernel or the C library begins a process, a thread or a signal handler. */
static bool is_beginning(const struct user_frame *frame)
{
	static const char *const list[] = {
		"_start", "__libc_start_*", "_dl_start*", "start_thread", "thread_start", "clone", "clone3", "__clone*", "__restore_rt",
		"_start_c", "runtime.goexit*", "runtime.mstart*", "runtime.rt0_go*", "_rt0_*", NULL,
	};

	return frame->is_named && is_among(frame->name, list);
}

bool callers__are_whole(const struct user_frame *last)
{
	/* a whole stack may end with these as well: libraries' functions that call main() have no frame pointer */
	static const char *const list[] = { "main", "vfork", "__vfork", "_dl_*", NULL };

	return !last->is_named || is_beginning(last) || is_among(last->name, list);
}

size_t callers__count(const struct user_frame *const *frames, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (is_beginning(frames[i]) && !is_beginning(frames[i + 1]))
			return i + 1;
	while (count > 1 && frames[count - 1]->is_no_code)
		count--;
	return count;
}
