/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_callees.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "lib/ftrace/callees.h"

/* Adds a function to the instance's filter by its number, unless filter_fd is -1, and to the list, unless it is excluded.  0 or -errno. */
static int hook(struct traced *traced, struct names *names, int filter_fd, const struct callee *callee)
{
	char text[NAMES_NAME_MAX], number[16], *module;
	int size = snprintf(number, sizeof(number), "%u\n", callee->number);

	names__of(names, callee->address, text);
	module = names__split(text);
	if (traced__excludes(traced, text, module))
		return 0;
	if (filter_fd >= 0 && write(filter_fd, number, (size_t)size) != size)
		return errno ? -errno : -EIO;
	return functions__add(&traced->functions, text, module);
}

int traced__add_callees(struct traced *traced, struct tool *tool, struct names *names, uint32_t levels)
{
	size_t count, left_out, most = traced->force ? UINT16_MAX : TRACED_FUNCTIONS_MAX;
	struct callee *list;
	bool has_filter = *traced->instance.path;
	int filter_fd = -1, err = 0;
	struct fault fault;

	heap__give_back();
	err = callees__find(&traced->functions, names, levels, most, &list, &count, &left_out, &fault);
	if (err) {
		say("only the ROOTs are shown, and what --in names: %s", fault.text);
		return 0;
	}
	if (has_filter) {
		filter_fd = instance__open(&traced->instance, "set_ftrace_filter", O_WRONLY | O_APPEND);
		err = filter_fd < 0 ? filter_fd : 0;
	}
	for (size_t i = 0; i < count && !err; i++)
		err = list[i].level ? hook(traced, names, filter_fd, &list[i]) : 0;
	if (filter_fd >= 0 && close(filter_fd) && !err)
		err = -errno;
	free(list);
	if (left_out)
		tool__debug(tool, "%zu functions more are called, %d are traced at most (-D, or --force)", left_out, TRACED_FUNCTIONS_MAX);
	return err ? tool__fail(tool, err, "the functions that are called cannot be hooked: %s", strerror(-err)) : 0;
}
