/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

int64_t clock__ns(clockid_t id)
{
	struct timespec time;

	if (clock_gettime(id, &time)) {
		say("the clock cannot be read: %s", strerror(errno));
		_exit(1);
	}
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
