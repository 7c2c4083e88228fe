/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unlink_sleepers FOLDER N [again]: N threads are inside unlink(2) at the same time, in the kernel's function that does it, and then
 * all return.  More than a return probe has slots for: what it misses is known.  With "again" each thread then calls itself
 * "other" and removes a file that is not there, FOLDER/other.
 *
 * They wait for the folder's lock, held by a thread that lists the folder into a page which this program does not
 * provide (userfaultfd) until all others are asleep.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "machine.h"

#define SLEEPERS_MAX 1000

static const char *folder;
static int again;
static void *page;
static size_t page_size;
static atomic_int tids[SLEEPERS_MAX];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *list_folder(void *unused)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY);

	if (fd < 0 || syscall(SYS_getdents64, fd, page, page_size) < 0)
		die("getdents64");
	close(fd);
	return unused;
}

static void *sleeper(void *number)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%ld", folder, (long)number);
	atomic_store(&tids[(long)number], (int)syscall(SYS_gettid));
	if (unlink(path))
		die(path);
	if (again) {
		prctl(PR_SET_NAME, "other");
		snprintf(path, sizeof(path), "%s/other", folder);
		unlink(path);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = {};
	long count = argc >= 3 ? atol(argv[2]) : 0;
	pthread_t threads[SLEEPERS_MAX], lister;
	struct uffd_msg fault;
	int faults;

	if (count < 1 || count > SLEEPERS_MAX) {
		fprintf(stderr, "usage: unlink_sleepers FOLDER N [again]\n");
		return 2;
	}
	folder = argv[1];
	again = argc > 3;
	for (long i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%ld", folder, i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	page_size = (size_t)getpagesize();
	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (unsigned long)page;
	range.range.len = page_size;
	if (page == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		die("userfaultfd");

	pthread_create(&lister, NULL, list_folder, NULL);
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		die("read");
	/* the folder's lock is held from here on */
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, sleeper, (void *)i))
			die("pthread_create");
	for (long i = 0; i < count; i++)
		while (!atomic_load(&tids[i]) || !is_asleep_in(machine__nr(SYS_unlink), atomic_load(&tids[i])))
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	zero.range = range.range;
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		die("UFFDIO_ZEROPAGE");
	pthread_join(lister, NULL);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
