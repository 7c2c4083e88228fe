/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/kernel/run_folder.h"
#include "lib/kernel/tracefs.h"

/* Another of our tools has the option while its tracer starts, which takes a second at most on a slow machine. */
#define TRIES 500
#define TRY_NS 20000000

/* They are given back at the top: what our own instance's file says goes to our own tracer. */
static const struct lease_file stacks_files[] = {
	{ "options/" FUNCTION_OPTION_STACKS, NULL, lease_as_before, NULL }, { NULL, NULL, NULL, NULL },
};
static const struct lease_file args_files[] = {
	{ "options/" FUNCTION_OPTION_ARGS, NULL, lease_as_before, NULL }, { NULL, NULL, NULL, NULL },
};

/* Whether there is no such option of any tracer. */
static bool is_absent(const char *option)
{
	char relative[64], path[512];

	snprintf(relative, sizeof(relative), "options/%s", option);
	return !tracefs__path(path, sizeof(path), relative) && file__may(path, F_OK) == -ENOENT;
}

/*
 * Before 4994891ebbb8 ("tracing: Unify the logic for function tracing options", 5.13) the option has no effect in an instance.  The option
 * func-no-repeats came with it, in 22db095d57b5.
 */
static bool has_none_in_instances(void)
{
	return is_absent("func-no-repeats");
}

const char *function_options__lack(bool stacks, bool args)
{
	if (args && is_absent(FUNCTION_OPTION_ARGS))
		return "-a: the function tracer records no arguments (needs Linux 6.15 and CONFIG_FUNCTION_TRACE_ARGS)";
	if (stacks && is_absent(FUNCTION_OPTION_STACKS))
		return "--stack: the function tracer records no stacks (CONFIG_STACKTRACE)";
	if (stacks && has_none_in_instances())
		return "--stack: before Linux 5.13 the function tracer records stacks at the top of tracefs alone, and not in an instance";
	if (stacks && args)
		return "-a and --stack: the function tracer records arguments or stacks, not both";
	return NULL;
}

static bool is_set(const struct instance *instance, const char *option)
{
	char file[64], *text;
	size_t size;
	bool is;

	snprintf(file, sizeof(file), "options/%s", option);
	if (instance__read(instance, file, 4096, &text, &size))
		return false;
	is = *text == '1';
	free(text);
	return is;
}

bool function_options__give_stacks(const struct instance *instance)
{
	return is_set(instance, FUNCTION_OPTION_STACKS) && !has_none_in_instances();
}

int function_options__set(struct lease *lease, const struct instance *instance, const char *option, struct fault *fault)
{
	const struct lease_file *files = strcmp(option, FUNCTION_OPTION_ARGS) ? stacks_files : args_files;
	const struct timespec pause = { .tv_nsec = TRY_NS };
	static char folder[64];
	char file[64];
	int err;

	/* another lease than that of funcgraph and others, who have theirs for a whole run */
	snprintf(folder, sizeof(folder), "%s/" FUNCTION_OPTIONS_FOLDER, run_folder__path());
	for (int i = 0; (err = lease__take(lease, folder, files, fault)) == -EBUSY && i < TRIES; i++)
		nanosleep(&pause, NULL);
	if (err)
		return err;
	err = lease__note_all(lease, false);
	snprintf(file, sizeof(file), "options/%s", option);
	if (!err)
		err = instance__write(instance, file, "1\n");
	return err ? fault__set(fault, err, "options/%s in tracefs cannot be set: %s", option, strerror(-err)) : 0;
}

int function_options__set_back(struct lease *lease)
{
	return lease__give_back(lease);
}
