/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_attach.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/rights.h"
#include "lib/probe/attached.h"
#include "lib/probe/uprobe_events.h"
#include "lib/shared/user_site.h"
#include "user_trial.h"

#define PMU "/sys/bus/event_source/devices/uprobe/type"
#define PATH_SIZE 64
#define PAGE 4096
#define MULTI_RETURN 1	/* BPF_F_UPROBE_MULTI_RETURN */

/* ---- places */

int user_places__add(struct user_places *places, const struct user_target *target, const struct user_sites *sites, uint64_t semaphore,
		     uint64_t cookie)
{
	struct user_place *list = realloc(places->list, (places->count + sites->count) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	places->list = list;
	for (size_t i = 0; i < sites->count; i++)
		list[places->count++] = (struct user_place){ .target = target, .offset = sites->offsets[i], .semaphore = semaphore,
							     .cookie = cookie, .by_kernel = sites->by_kernel };
	return 0;
}

void user_places__free(struct user_places *places)
{
	free(places->list);
	*places = (struct user_places){ 0 };
}

size_t user_places__pages(const struct user_places *places)
{
	size_t pages = 0;

	for (size_t i = 0; i < places->count; i++) {
		const struct user_place *place = &places->list[i];

		pages += !i || place->target != place[-1].target || place->offset / PAGE != place[-1].offset / PAGE;
	}
	return pages;
}

int user_places__write(const struct user_places *places, int map_fd, struct fault *fault)
{
	struct user_site_key key;
	struct stat status;

	for (size_t i = 0; i < places->count; i++) {
		const struct user_place *place = &places->list[i];
		uint32_t number = (uint32_t)place->cookie, other;

		if ((!i || place->target != place[-1].target) && fstat(place->target->fd, &status))
			return fault__set(fault, -errno, "%.256s: %s", place->target->path, strerror(errno));
		key = (struct user_site_key){ .offset = place->offset, .size = (uint64_t)status.st_size };
		if (!bpf_map_update_elem(map_fd, &key, &number, BPF_NOEXIST))
			continue;
		if (errno != EEXIST)
			return fault__set(fault, -errno, "no room for the places: %s", strerror(errno));
		if (bpf_map_lookup_elem(map_fd, &key, &other) || other != number)
			return fault__set(fault, -ENOTUNIQ, "before Linux 6.6 a pattern cannot tell functions of two files of the same size apart "
					  "(give %.256s as the target)", place->target->path);
	}
	return 0;
}

static int compare(const void *first, const void *second)
{
	const struct user_place *a = first, *b = second;

	if (a->by_kernel != b->by_kernel)
		return a->by_kernel - b->by_kernel;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Entries before returns, and those of a file together, each once. */
static void sort(struct user_places *places)
{
	size_t kept = 0;

	qsort(places->list, places->count, sizeof(*places->list), compare);
	for (size_t i = 0; i < places->count; i++)
		if (!i || compare(&places->list[kept - 1], &places->list[i]))
			places->list[kept++] = places->list[i];
	places->count = kept;
}

/* How many of the list, of count places, are of the same kind as the first, and, where is_one_file, of its file. */
static size_t count_alike(const struct user_place *list, size_t count, bool is_one_file)
{
	size_t alike = 1;

	while (alike < count && list[alike].by_kernel == list->by_kernel && (!is_one_file || list[alike].target == list->target))
		alike++;
	return alike;
}

/* The file that was checked, whatever its name means by now. */
static void write_path(char path[PATH_SIZE], const struct user_target *target)
{
	snprintf(path, PATH_SIZE, "/proc/self/fd/%d", target->fd);
}

static int explain(struct fault *fault, const struct user_place *place, int err)
{
	const char *why = strerror(-err);

	if (err == -EOPNOTSUPP)
		why = "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
	else if (err == -524)	/* ENOTSUPP of the kernel's own numbers */
		why = "the kernel takes no probe on the instruction there";
	else if (err == -EINVAL)
		why = "the kernel refuses it: the file may be on a file system without a page cache";
	else if (err == -EACCES || err == -EPERM)
		/* perf_uprobe_event_init() asks for CAP_SYS_ADMIN, links for what loading a program does */
		return fault__set(fault, err, "%.256s: probes on functions of programs are not permitted: %s (%s)", place->target->path,
				  why, user_attach__has_multi() ? rights__perf_advice() : "before Linux 6.6 they take CAP_SYS_ADMIN");
	return fault__set(fault, err, "%.256s+0x%llx: %s", place->target->path, (unsigned long long)place->offset, why);
}

/* ---- links */

/*
 * Takes a descriptor over.  user_links__close() may come at any moment, in a signal's handler: it finds a whole list before and after.
 * -ESTALE: it came before this one was in the list.
 */
static int keep(struct user_links *links, int fd)
{
	int *before = links->list, *list = malloc((links->count + 1) * sizeof(*list));

	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	if (before)
		memcpy(list, before, links->count * sizeof(*list));
	list[links->count] = fd;
	links->list = list;
	links->count++;
	free(before);
	return links->are_closed ? -ESTALE : 0;
}

/* Has an event run a program, by a link where the kernel has links for that (since 5.15).  0 or -errno; the event is taken over. */
static int attach_event(struct user_links *links, const struct bpf_program *program, int event)
{
	int link = bpf_link_create(bpf_program__fd(program), event, BPF_PERF_EVENT, NULL), err = 0;

	if (link < 0 && (ioctl(event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0)))
		err = -errno;
	if (!err && link >= 0)
		err = keep(links, link);
	if (err && err != -ESTALE) {
		close(event);
		return err;
	}
	/* after its link: that is closed first */
	return keep(links, event) ?: err;
}

/* ---- the ways */

static int ask_for_multi(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = USER_ATTACH_MULTI);
	/* the path is read before anything is looked up (bpf_uprobe_multi_link_attach(), kernel/trace/bpf_trace.c) */
	LIBBPF_OPTS(bpf_link_create_opts, create, .uprobe_multi.path = (const char *)1, .uprobe_multi.offsets = (const unsigned long *)1,
		    .uprobe_multi.cnt = 1);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "Dual BSD/GPL", nothing, 2, &load), link, err;

	if (fd < 0)
		return -errno;
	link = bpf_link_create(fd, 0, USER_ATTACH_MULTI, &create);
	err = link < 0 ? -errno : -EINVAL;
	if (link >= 0)
		close(link);
	close(fd);
	return err;
}

bool user_attach__has_multi(void)
{
	static int answer = 1;

	if (answer == 1)
		answer = ask_for_multi();
	return answer == -EFAULT;
}

/* A program on uprobe.multi was run for that thread alone before 6.10 (46ba0e49b642). */
static uint32_t pid_for_multi(uint32_t pid)
{
	return kernel__version() < kernel_version(6, 10, 0) ? 0 : pid;
}

/* The places of one file: 0 or -errno. */
static int attach_multi(struct user_links *links, const struct bpf_program *program, const struct user_place *list, size_t count)
{
	unsigned long *numbers = calloc(3 * count, sizeof(*numbers)), *offsets = numbers, *semaphores = numbers + count;
	uint64_t *cookies = (uint64_t *)(numbers + 2 * count);
	char path[PATH_SIZE];
	int fd;

	if (!numbers)
		return -ENOMEM;
	write_path(path, list->target);
	for (size_t i = 0; i < count; i++) {
		offsets[i] = list[i].offset;
		semaphores[i] = list[i].semaphore;
		cookies[i] = list[i].cookie;
	}
	LIBBPF_OPTS(bpf_link_create_opts, create, .uprobe_multi.path = path, .uprobe_multi.offsets = offsets,
		    .uprobe_multi.ref_ctr_offsets = semaphores, .uprobe_multi.cookies = (const __u64 *)cookies,
		    .uprobe_multi.cnt = (uint32_t)count, .uprobe_multi.pid = pid_for_multi(links->pid),
		    .uprobe_multi.flags = list->by_kernel ? MULTI_RETURN : 0);
	fd = bpf_link_create(bpf_program__fd(program), 0, USER_ATTACH_MULTI, &create);
	if (fd < 0)
		fd = -errno;
	free(numbers);
	return fd < 0 ? fd : keep(links, fd);
}

/* An event of uprobe_events at the places of one kind, in any files: 0 or -errno. */
static int define_lines(const struct user_place *list, size_t count, const char *fetch, char name[UPROBE_EVENTS_NAME_MAX])
{
	struct uprobe_place *places = calloc(count, sizeof(*places));
	int err;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		places[i] = (struct uprobe_place){ list[i].target->fd, list[i].offset, list[i].semaphore };
	err = uprobe_events__add(places, count, list->by_kernel, fetch, name);
	free(places);
	return err;
}

/* The same for a program. */
static int attach_lines(struct user_links *links, const struct bpf_program *program, const struct user_place *list, size_t count)
{
	char name[UPROBE_EVENTS_NAME_MAX];
	int err = define_lines(list, count, "", name), event = err ? err : uprobe_events__open(name, links->pid);

	return event < 0 ? event : attach_event(links, program, event);
}

/* Bit 0 of config means a return (Documentation/ABI/testing/sysfs-bus-event_source-devices-uprobe). */
int user_attach__open_event(const char *path, uint64_t offset, uint64_t semaphore, bool at_return, int pid)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .uprobe_path = (uint64_t)(uintptr_t)path, .probe_offset = offset,
					.config = at_return | semaphore << 32 };
	char type[32];
	int fd = file__read_small(PMU, type, sizeof(type));

	if (fd < 0)
		return fd == -ENOENT ? -EOPNOTSUPP : fd;
	if (semaphore >> 32)
		return -EFBIG;
	attr.type = (uint32_t)strtoul(type, NULL, 10);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* One place: 0 or -errno. */
static int attach_pmu(struct user_links *links, const struct bpf_program *program, const struct user_place *place)
{
	char path[PATH_SIZE];
	int fd;

	write_path(path, place->target);
	fd = user_attach__open_event(path, place->offset, place->semaphore, place->by_kernel,
				     links->pid ? (int)links->pid : -1);
	return fd < 0 ? fd : attach_event(links, program, fd);
}

/* Where uprobe_events cannot be had, the PMU can: tracefs is not mounted, or the kernel is locked down. */
static bool has_no_lines(int err)
{
	return err == -ENOENT || err == -EROFS || err == -EACCES || err == -EPERM || err == -ENOTDIR;
}

/* As many of the list, of count places, as go together: *taken. */
static int attach_some(struct user_links *links, const struct bpf_program *program, const struct user_place *list, size_t count,
		       size_t *taken)
{
	static bool without_lines;
	int err;

	if (bpf_program__expected_attach_type(program) == USER_ATTACH_MULTI) {
		*taken = count_alike(list, count, true);
		return attach_multi(links, program, list, *taken);
	}
	*taken = count_alike(list, count, false);
	if (*taken > 1 && !without_lines && !links->without_lines) {
		err = attach_lines(links, program, list, *taken);
		without_lines = has_no_lines(err);
		if (!without_lines)
			return err;
	}
	*taken = 1;
	return attach_pmu(links, program, list);
}

/* For the start record: each file once, as the places are sorted. */
static void note(const struct bpf_program *program, const struct user_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct user_place *place = &places->list[i];

		if (!i || place->target != place[-1].target || place->by_kernel != place[-1].by_kernel)
			attached__note(bpf_program__name(program), place->by_kernel ? "uretprobe" : "uprobe", place->target->path);
	}
}

/* Brings them into their order, and tries return probes before the first one.  0, or -errno with one line in fault. */
static int prepare(struct user_places *places, struct fault *fault)
{
	sort(places);
	/* those by the kernel come last */
	if (places->count && places->list[places->count - 1].by_kernel && user_trial__check(fault))
		return fault->err;
	return 0;
}

int user_places__define(struct user_places *places, const char *fetch, char name[UPROBE_EVENTS_NAME_MAX], struct fault *fault)
{
	int err = prepare(places, fault);

	if (err)
		return err;
	err = define_lines(places->list, places->count, fetch, name);
	if (has_no_lines(err))
		return fault__set(fault, err, "%.256s: events of programs need tracefs' uprobe_events, which cannot be had: %s (--via bpf may "
				  "do without)", places->list->target->path, strerror(-err));
	return err ? explain(fault, places->list, err) : 0;
}

int user_links__add(struct user_links *links, const struct bpf_program *program, struct user_places *places, struct fault *fault)
{
	size_t taken;

	if (prepare(places, fault))
		return fault->err;
	for (size_t i = 0; i < places->count; i += taken) {
		int err = attach_some(links, program, places->list + i, places->count - i, &taken);

		if (err == -ESTALE) {
			user_links__close(links);
			return fault__set(fault, err, "%.256s was written to", places->list[i].target->path);
		}
		if (err)
			return explain(fault, &places->list[i], err);
	}
	note(program, places);
	return 0;
}

/* Whether a process's first thread has ended and others have not. */
static bool has_lost_first_thread(uint32_t pid)
{
	char path[64], text[4096];
	const char *threads;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file__read_small(path, text, sizeof(text)) < 0 || !strstr(text, "\nState:\tZ"))
		return false;
	threads = strstr(text, "\nThreads:\t");
	return threads && strtoul(threads + 10, NULL, 10) > 1;
}

void user_links__set_process(struct user_links *links, uint32_t pid)
{
	links->pid = pid && !has_lost_first_thread(pid) ? pid : 0;
}

bool user_links__has_lost_process(const struct user_links *links)
{
	return links->pid && !user_attach__has_multi() && has_lost_first_thread(links->pid);
}

void user_links__close(struct user_links *links)
{
	links->are_closed = true;
	for (size_t i = links->closed; i < links->count; i++)
		close(links->list[i]);
	links->closed = links->count;
}

void user_links__free(struct user_links *links)
{
	size_t count = links->count;

	/* a handler that comes from now on finds nothing to close */
	links->count = 0;
	for (size_t i = 0; i < count && !links->are_closed; i++)
		close(links->list[i]);
	free(links->list);
	*links = (struct user_links){ 0 };
	uprobe_events__end();
}
