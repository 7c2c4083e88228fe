/* SPDX-License-Identifier: BSD-2-Clause */
#include "deadline.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "lib/kernel/clock.h"

struct call {
	pthread_mutex_t mutex;
	pthread_cond_t is_done;
	bool done, given_up;
	int (*work)(void *job);
	void (*free_job)(void *job);
	void *job;
	int result;
};

static void free_call(struct call *call)
{
	pthread_cond_destroy(&call->is_done);
	pthread_mutex_destroy(&call->mutex);
	free(call);
}

static void *run(void *data)
{
	struct call *call = data;
	int result = call->work(call->job);
	bool given_up;

	pthread_mutex_lock(&call->mutex);
	call->result = result;
	call->done = true;
	given_up = call->given_up;
	pthread_cond_signal(&call->is_done);
	pthread_mutex_unlock(&call->mutex);
	if (given_up) {
		call->free_job(call->job);
		free_call(call);
	}
	return NULL;
}

static struct call *new_call(void)
{
	struct call *call = calloc(1, sizeof(*call));
	pthread_condattr_t attr;

	if (!call)
		return NULL;
	pthread_mutex_init(&call->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&call->is_done, &attr);
	pthread_condattr_destroy(&attr);
	return call;
}

/* The thread inherits the signals that are blocked. */
static int start(struct call *call, pthread_t *thread)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(thread, NULL, run, call);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int deadline__call(int (*work)(void *job), void (*free_job)(void *job), void *job, int64_t limit_ms)
{
	struct call *call = new_call();
	struct timespec limit;
	uint64_t limit_ns;
	pthread_t thread;
	int err = 0;

	if (!call)
		return -ENOMEM;
	call->work = work;
	call->free_job = free_job;
	call->job = job;
	err = start(call, &thread);
	if (err) {
		free_call(call);
		return err;
	}
	/* pthread_cond_timedwait() has the clock of the time namespace */
	limit_ns = (uint64_t)clock__ns(CLOCK_MONOTONIC) + (uint64_t)limit_ms * 1000000;
	limit.tv_sec = (time_t)(limit_ns / 1000000000);
	limit.tv_nsec = (long)(limit_ns % 1000000000);
	pthread_mutex_lock(&call->mutex);
	while (!call->done && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&call->is_done, &call->mutex, &limit);
	if (!call->done) {
		call->given_up = true;
		pthread_mutex_unlock(&call->mutex);
		pthread_detach(thread);
		return -ETIMEDOUT;
	}
	pthread_mutex_unlock(&call->mutex);
	pthread_join(thread, NULL);
	err = call->result;
	free_call(call);
	return err;
}
