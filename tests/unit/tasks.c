/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and names of threads: from /proc, and as events change them. */
#include "lib/kernel/tasks.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static pthread_barrier_t barrier;
static uint32_t other_tid;

static void *run_thread(void *unused)
{
	(void)unused;
	other_tid = (uint32_t)syscall(SYS_gettid);
	prctl(PR_SET_NAME, "a name of it");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void check_worker(const char *shown, const char *expected)
{
	char comm[80];

	strcpy(comm, shown);
	tasks__cut_worker(comm);
	CHECK_STR(comm, expected);
}

static void check_task(const struct task *task, uint32_t tid, uint32_t pid, const char *comm)
{
	CHECK(task != NULL);
	if (!task)
		return;
	CHECK_INT(task->tid, tid);
	CHECK_INT(task->pid, pid);
	CHECK_STR(task->comm, comm);
}

/* Threads that have ended go, the last ones excepted, and those whose number is another thread's by then. */
static void check_ended(void)
{
	struct tasks tasks = { .asked = NULL };

	for (uint32_t tid = 1; tid <= 100000; tid++) {
		CHECK_INT(tasks__set(&tasks, 0x10000000 + tid, tid, "short"), 0);
		tasks__end(&tasks, 0x10000000 + tid);
	}
	CHECK_INT(tasks.table.count, TASKS_ENDED);
	CHECK(tasks__find(&tasks, 0x10000000 + 100000 - TASKS_ENDED + 1) && !tasks__find(&tasks, 0x10000000 + 100000 - TASKS_ENDED));
	CHECK_INT(tasks__set(&tasks, 0x10000000 + 100000, 7, "again"), 0);
	for (uint32_t tid = 1; tid <= 2 * TASKS_ENDED; tid++) {
		CHECK_INT(tasks__set(&tasks, 0x20000000 + tid, tid, "short"), 0);
		tasks__end(&tasks, 0x20000000 + tid);
	}
	CHECK_INT(tasks.table.count, TASKS_ENDED + 1);
	check_task(tasks__find(&tasks, 0x10000000 + 100000), 0x10000000 + 100000, 7, "again");
	tasks__end(&tasks, 0x30000000);
	CHECK_INT(tasks.table.count, TASKS_ENDED + 1);
	tasks__free(&tasks);
}

int main(void)
{
	uint32_t pid = (uint32_t)getpid();
	struct tasks tasks = { .asked = NULL }, few = { .asked = NULL };
	pthread_t thread;

	prctl(PR_SET_NAME, "first (of) two");
	CHECK(!pthread_barrier_init(&barrier, NULL, 2) && !pthread_create(&thread, NULL, run_thread, NULL));
	pthread_barrier_wait(&barrier);
	CHECK(!tasks__find(&tasks, pid));
	CHECK_INT(tasks__scan(&tasks), 0);
	check_task(tasks__find(&tasks, pid), pid, pid, "first (of) two");
	check_task(tasks__find(&tasks, other_tid), other_tid, pid, "a name of it");
	/* one that nobody has told of is looked up */
	check_task(tasks__look_up(&few, other_tid), other_tid, pid, "a name of it");
	CHECK_INT(few.table.count, 1);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	/* it has ended, and is known still */
	check_task(tasks__look_up(&few, other_tid), other_tid, pid, "a name of it");
	CHECK(!tasks__look_up(&few, 0x7ffffff0) && !tasks__look_up(&few, 0));

	/* the table grows, also while one of it was asked for, and a number is used again */
	for (uint32_t i = 1; i < 5000; i++) {
		CHECK_INT(tasks__set(&few, 0x10000000 + i * 64, i, "0123456789abcdefgh"), 0);
		check_task(tasks__look_up(&few, other_tid), other_tid, pid, "a name of it");
	}
	CHECK_INT(tasks__set(&few, other_tid, pid, "renamed"), 0);
	check_task(tasks__look_up(&few, other_tid), other_tid, pid, "renamed");
	CHECK_INT(few.table.count, 5000);
	CHECK_INT(tasks__set(&few, 0x10000000 + 64, 7, "again"), 0);
	CHECK_INT(few.table.count, 5000);
	check_task(tasks__find(&few, 0x10000000 + 64), 0x10000000 + 64, 7, "again");
	CHECK(!memcmp(tasks__find(&few, 0x10000000 + 64 * 4999)->comm, "0123456789abcdef", 16));

	check_ended();
	check_worker("kworker/0:1-events", "kworker/0:1");
	check_worker("kworker/u8:3+flush-8:0", "kworker/u8:3");
	check_worker("kworker/1:0H", "kworker/1:0H");
	check_worker("kworker/R-rcu_gp", "kworker/R-rcu_gp");
	check_worker("kworker/R-md-wq", "kworker/R-md");
	check_worker("my-worker", "my-worker");
	tasks__free(&tasks);
	tasks__free(&few);
	return check_done();
}
