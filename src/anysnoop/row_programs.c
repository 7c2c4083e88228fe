/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_programs.h"

#include <errno.h>
#include <stdlib.h>

#include "anysnoop.h"
#include "anysnoop.skel.h"
#include "event_programs.h"
#include "lib/layout/layout.h"
#include "lib/stacks/row_stacks.h"
#include "run_events.h"

/*
 * As anysnoop_bpf__open_opts(), which looks for each of its 140 programs by comparing names with all those before it: only for those
 * that are needed.
 */
static struct anysnoop_bpf *open_skeleton(const struct bpf_object_open_opts *opts)
{
	struct anysnoop_bpf *skel = calloc(1, sizeof(*skel));
	int err = skel ? anysnoop_bpf__create_skeleton(skel) : -ENOMEM;

	if (!err) {
		skel->skeleton->prog_cnt = event_programs__count();
		err = bpf_object__open_skeleton(skel->skeleton, opts);
	}
	if (!err)
		return skel;
	anysnoop_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

/* Whether a program may run in the middle of another one. */
static bool has_nesting(void)
{
	for (size_t i = 0; i < run_events.count; i++)
		if (run_events.plans[i].source == REQUEST_RAWTP || run_events.plans[i].source == REQUEST_LSM ||
		    run_events.plans[i].source == REQUEST_WATCH || request__is_user(run_events.plans[i].source))
			return true;
	return false;
}

static void prepare(struct tool *tool, struct anysnoop_bpf *skel, struct counted *counted, bool has_user)
{
	int err = 0;

	event_programs__prepare(tool);
	/* what looks for places reads the kernel's types, which takes ten milliseconds at the first start after a boot */
	if (!event_programs__prepare_sites(skel->maps.user_sites))
		layout__leave_out(tool->layout, "user_site_found");
	if (!tool->options.stacks_asked)
		layout__leave_out(tool->layout, "send_with_stack");
	bpf_map__set_autocreate(skel->maps.no_programs, has_user);
	if (counted__is_in_kernel(counted)) {
		bpf_map__set_autocreate(skel->maps.events, false);
		skel->rodata->counted_with_hist = counted->hist;
		skel->rodata->counted_nests = has_nesting();
		skel->rodata->counted_events = (uint32_t)run_events.leaders;
		skel->rodata->counted_calls = tool->options.rate_max;
		counted->is_preempted = has_user;
		counted__set_rate_words(counted, tool);
		skel->rodata->counted_classes = counted->hist ? (uint32_t)run_events.count : 1;
		err = counted__prepare(counted, skel->obj);
	} else {
		counted__leave_out(skel->obj);
	}
	if (err)
		tool__fail_maps(tool, err);
}

struct anysnoop_bpf *row_programs__open(struct tool *tool, struct counted *counted, bool has_user)
{
	struct anysnoop_bpf *skel = open_skeleton(&tool->open_opts);

	if (tool__opened(tool, skel))
		prepare(tool, skel, counted, has_user);
	return skel;
}

void row_programs__free(struct anysnoop_bpf *skel)
{
	anysnoop_bpf__destroy(skel);
}
