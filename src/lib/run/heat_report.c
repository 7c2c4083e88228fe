/* SPDX-License-Identifier: BSD-2-Clause */
#include "heat_report.h"

#include <errno.h>

#include "intervals.h"
#include "lib/print/heat.h"

void heat_report__set(struct heat_report *report, const char *path)
{
	report->file = (struct side_file){ .option = "--svg", .path = path, .fd = -1 };
}

int heat_report__open(struct tool *tool)
{
	struct heat_report *report = &tool->heat;

	if (!report->file.path || side_file__open(&report->file, tool))
		return tool->err;
	report->heat = heat__new();
	return report->heat ? 0 : tool__fail(tool, -ENOMEM, "no memory for a picture");
}

void heat_report__begin_interval(struct tool *tool, const struct interval *interval)
{
	if (tool->heat.heat)
		heat__column(tool->heat.heat, interval->begin_ns, interval->end_ns);
}

static void give_up(struct tool *tool)
{
	heat__free(tool->heat.heat);
	tool->heat.heat = NULL;
}

void heat_report__add(struct tool *tool, const char *key, const char *title, const struct hist_view *view)
{
	int err = tool->heat.heat && hist_view__count(view) ? heat__add(tool->heat.heat, key, title, view) : 0;

	if (!err)
		return;
	side_file__fail(&tool->heat.file, tool, err);
	give_up(tool);
}

void heat_report__end(struct tool *tool)
{
	int err = tool->heat.heat ? heat__write(tool->heat.heat, tool->heat.file.fd, tool->about->name) : 0;

	if (err)
		side_file__fail(&tool->heat.file, tool, err);
	give_up(tool);
	if (tool->heat.file.path)
		side_file__close(&tool->heat.file);
}
