/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include <bpf/bpf.h>

#include "kprobe_events.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/link_info.h"
#include "links.h"
#include "missed.h"
#include "role.h"
#include "skips.h"
#include "tracing.h"

uint64_t missed__of_program(const struct bpf_program *program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) ||
	    size < offsetof(struct bpf_prog_info, recursion_misses) + sizeof(info.recursion_misses))
		return 0;
	return info.recursion_misses;
}

static bool (*sees_return)(const struct bpf_program *program);

void missed__set_returns(bool (*is_return)(const struct bpf_program *program))
{
	sees_return = is_return;
}

static const char *unseen;

void missed__tell_unseen(const char *what)
{
	if (!unseen)
		unseen = what;
}

const char *missed__unseen(void)
{
	return unseen;
}

/*
 * Those of the hook under a link, whoever made it; false where the kernel does not tell them, or does not count those of
 * the program.
 */
static bool link_misses(int link_fd, uint64_t *missed)
{
	struct link_info info = {};
	__u32 size;

	*missed = 0;
	/* fails on the event of mode perf, which is no BPF object */
	if (link_info__read(link_fd, &info, &size))
		return false;
	if (!link_info__tells_missed(size) || !skips__are_counted())
		return false;
	if (info.type == LINK_KPROBE_MULTI)
		*missed = info.kprobe_multi.missed;
	else if (info.type == LINK_PERF_EVENT &&
		 (info.perf_event.type == LINK_PERF_KPROBE || info.perf_event.type == LINK_PERF_KRETPROBE))
		*missed = info.perf_event.missed;
	return true;
}

void missed__prepare(const struct bpf_object_skeleton *skeleton)
{
	if (kernel__version() >= kernel_version(6, 7, 0))
		return;
	for (int i = 0; i < skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(skeleton, i);
		struct link_info info = {};
		__u32 size;

		/* the size is the kernel's, the same for all links */
		if (!*entry->link || link_info__read(bpf_link__fd(*entry->link), &info, &size))
			continue;
		if (link_info__tells_missed(size))
			skips__are_counted();
		return;
	}
}

/* Whether the hook itself may skip a program of that kind: those of perf's events, kprobes and tracepoints. */
static bool may_miss(const struct bpf_program *program)
{
	switch (bpf_program__type(program)) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_PERF_EVENT:
		return true;
	default:
		return false;
	}
}

struct missed missed__read(const struct bpf_object_skeleton *skeleton)
{
	struct missed missed = { .known = true };
	uint64_t entries, returns;

	for (int i = 0; i < skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(skeleton, i);
		uint64_t count = 0;
		bool tells = true;
		enum role role;

		if (links__fd(entry) < 0)
			continue;
		role = role__of(*skeleton->obj, *entry->prog);
		if (role == ROLE_SEES_NOTHING)
			continue;
		/* a link of the others cannot miss what its program has not skipped; 5.10 does not even tell what kind of link it is */
		if (may_miss(*entry->prog) && links__asked_fd(entry) >= 0)
			tells = link_misses(links__asked_fd(entry), &count);
		missed.known &= tells;
		missed.partly |= tells;
		count += missed__of_program(*entry->prog);
		missed.all += count;
		if ((int)bpf_program__expected_attach_type(*entry->prog) == TRACING_FSESSION_MULTI)
			missed.sessions += count;
		else if (sees_return)
			*(sees_return(*entry->prog) ? &missed.returns : &missed.entries) += count;
		else if (role == ROLE_SEES_END)
			missed.returns += count;
		else if (role == ROLE_SEES_BEGIN || role == ROLE_SEES_WHOLE)
			missed.entries += count;
	}
	/* kprobe_profile has the same misses as the links; add it only where the links did not tell (before 6.7) */
	if (!missed.known && !kprobe_events__missed(&entries, &returns)) {
		missed.all += entries + returns;
		missed.entries += entries;
		missed.returns += returns;
	}
	return missed;
}
