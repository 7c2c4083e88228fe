/* SPDX-License-Identifier: BSD-2-Clause */
/* preemptoff: preemption off: who keeps a CPU from switching. */
#include "lib/run/metrics.h"
#include "lib/sections/sections.h"
#include "preemptoff.skel.h"

static const struct tool_about about = {
	.name = "preemptoff",
	.summary = "Shows sections in which a CPU does not switch to another task.",
	.examples = "  sudo preemptoff               the longest so far of each CPU\n"
		    "  sudo preemptoff --slower 500  those of 500 us and more\n"
		    "  sudo preemptoff -H 10         a histogram each ten seconds\n",
	SECTIONS_ABOUT(sections_preempt_options),
	.metrics = METRIC_OF_ROWS("preempt_off_sections_total", "Sections with preemption off that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	static struct sections sections = { .kinds = SECTION_PREEMPT };
	struct tool tool = { .about = &about };
	struct preemptoff_bpf *skel;

	sections__parse(&sections, &tool, argc, argv);
	skel = preemptoff_bpf__open_opts(tool__open_opts(&tool));
	sections__run(&sections, &tool, skel);
	preemptoff_bpf__destroy(skel);
	return sections__finish(&sections, &tool);
}
