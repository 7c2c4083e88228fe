/* SPDX-License-Identifier: BSD-2-Clause */
/* preemptirqsoff: interrupts or preemption off: who keeps a CPU from reacting. */
#include "lib/run/metrics.h"
#include "lib/sections/sections.h"
#include "preemptirqsoff.skel.h"

static const struct tool_about about = {
	.name = "preemptirqsoff",
	.summary = "Shows sections in which a CPU has interrupts or preemption off.",
	.examples = "  sudo preemptirqsoff               the longest so far of each CPU\n"
		    "  sudo preemptirqsoff --slower 500  those of 500 us and more\n"
		    "  sudo preemptirqsoff -H 10         a histogram each ten seconds\n",
	SECTIONS_ABOUT(sections_both_options),
	.metrics = METRIC_OF_ROWS("irqs_or_preempt_off_sections_total", "Sections with interrupts or preemption off that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	static struct sections sections = { .kinds = SECTION_IRQS | SECTION_PREEMPT };
	struct tool tool = { .about = &about };
	struct preemptirqsoff_bpf *skel;

	sections__parse(&sections, &tool, argc, argv);
	skel = preemptirqsoff_bpf__open_opts(tool__open_opts(&tool));
	sections__run(&sections, &tool, skel);
	preemptirqsoff_bpf__destroy(skel);
	return sections__finish(&sections, &tool);
}
