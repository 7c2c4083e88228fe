/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/*
 * Nobody but root can make anything in the first two.  In /dev/shm any user can make the name first, and tools then refuse to
 * use it (lock__open()): it is for a /dev that is read-only, as systemd's PrivateDevices= makes it.
 */
static const char *const folders[] = { "/run/probelight", "/dev/probelight", "/dev/shm/probelight", NULL };

/* What another directory would not be better for, such as a missing right, is told by who opens it (lock__open()). */
static bool is_possible(const char *folder)
{
	int err;

	if (!mkdir(folder, 0700))
		return true;
	err = errno == EEXIST ? file__may(folder, W_OK) : -errno;
	return err != -EROFS && err != -ENOENT;
}

const char *run_folder__path(void)
{
	static const char *found;

	for (size_t i = 0; !found && folders[i]; i++)
		if (is_possible(folders[i]))
			found = folders[i];
	if (!found)
		found = folders[0];
	return found;
}

const char *run_folder__at(size_t index)
{
	return folders[index];
}
