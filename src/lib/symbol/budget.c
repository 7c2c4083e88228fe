/* SPDX-License-Identifier: BSD-2-Clause */
#include "budget.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/sysinfo.h>

#include "deadline.h"
#include "lib/kernel/clock.h"

#define MEMORY_MIN ((uint64_t)32 << 20)
#define MEMORY_MAX ((uint64_t)512 << 20)
#define TIME_MAX_MS 10000
#define TIME_BACK 4		/* one of so many milliseconds */
#define TIME_STOPPING_MS 2000
#define TIME_LEAST_MS 1000	/* without so much nothing is begun */

static atomic_size_t taken, limit;
static int64_t left_ms = TIME_MAX_MS, looked_ms;
static bool is_last;		/* no time comes back any more */
static bool (*stopping)(void);

static size_t memory_limit(void)
{
	uint64_t size = MEMORY_MIN;
	struct sysinfo info;

	if (!sysinfo(&info))
		size = (uint64_t)info.totalram * info.mem_unit / 8;
	return (size_t)(size < MEMORY_MIN ? MEMORY_MIN : size > MEMORY_MAX ? MEMORY_MAX : size);
}

bool budget__take(size_t bytes)
{
	size_t before = atomic_load(&taken), most = atomic_load(&limit);

	if (!most) {
		most = memory_limit();
		atomic_store(&limit, most);
	}
	do {
		if (before > most || bytes > most - before)
			return false;
	} while (!atomic_compare_exchange_weak(&taken, &before, before + bytes));
	return true;
}

void budget__give(size_t bytes)
{
	atomic_fetch_sub(&taken, bytes);
}

size_t budget__taken(void)
{
	return atomic_load(&taken);
}

void budget__set_memory(size_t bytes)
{
	atomic_store(&limit, bytes);
}

/* What is left now. */
static int64_t look(int64_t now_ms)
{
	if (stopping && stopping() && !is_last) {
		is_last = true;
		left_ms = left_ms < TIME_STOPPING_MS ? left_ms : TIME_STOPPING_MS;
	}
	if (!is_last && looked_ms && now_ms - looked_ms >= TIME_BACK) {
		left_ms += (now_ms - looked_ms) / TIME_BACK;
		left_ms = left_ms < TIME_MAX_MS ? left_ms : TIME_MAX_MS;
		looked_ms = now_ms;
	}
	if (!looked_ms)
		looked_ms = now_ms;
	return left_ms;
}

int budget__call(int (*work)(void *job), void (*free_job)(void *job), void *job, int64_t limit_ms)
{
	int64_t begin_ms = (int64_t)(now_ns() / 1000000), left = look(begin_ms);
	int err;

	/* a limit that is shorter would be taken for a file that hangs */
	if (left < (is_last ? 1 : TIME_LEAST_MS))
		return -EAGAIN;
	err = deadline__call(work, free_job, job, left < limit_ms ? left : limit_ms);
	left_ms -= (int64_t)(now_ns() / 1000000) - begin_ms;
	return err;
}

void budget__stop_with(bool (*is_stopping)(void))
{
	stopping = is_stopping;
}

void budget__set_time(int64_t new_left_ms)
{
	left_ms = new_left_ms;
	looked_ms = 0;
	is_last = false;
}
