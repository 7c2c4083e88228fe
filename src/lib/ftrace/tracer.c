/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/arming.h"
#include "lib/kernel/tracefs.h"
#include "lib/kernel/owner.h"
#include "lib/probe/attached.h"

#define WORDS_MAX 4096

/* Whether a file of tracefs has one of the words. */
static bool has_word(const char *relative, const char *const words[])
{
	char *text, *at = NULL;
	bool found = false;
	size_t size;

	if (tracefs__read(relative, WORDS_MAX, &text, &size))
		return false;
	for (char *word = strtok_r(text, " \n", &at); word && !found; word = strtok_r(NULL, " \n", &at))
		for (size_t i = 0; words[i]; i++)
			found |= !strcmp(word, words[i]);
	free(text);
	return found;
}

bool tracer__exists(const struct instance *instance, const char *tracer)
{
	const char *const words[] = { tracer, NULL };

	return has_word(instance ? instance__file(instance, "available_tracers") : "available_tracers", words);
}

bool tracer__find_user(const char *const tracers[], char *text, size_t size)
{
	static const char prefix[] = "probelight.";
	struct dirent *entry;
	struct owner owner;
	char path[512], relative[300];
	bool found = false;
	DIR *dir;

	if (has_word("current_tracer", tracers)) {
		snprintf(text, size, "the top of tracefs (current_tracer)");
		return true;
	}
	if (tracefs__path(path, sizeof(path), "instances"))
		return false;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		bool is_ours;

		if (*entry->d_name == '.')
			continue;
		snprintf(relative, sizeof(relative), "instances/%.200s/current_tracer", entry->d_name);
		if (!has_word(relative, tracers))
			continue;
		is_ours = !strncmp(entry->d_name, prefix, strlen(prefix)) && owner__parse(entry->d_name + strlen(prefix), &owner);
		if (is_ours)
			snprintf(text, size, "process %d (probelight's instance in tracefs)", owner.pid);
		else
			snprintf(text, size, "the instance %.200s in tracefs", entry->d_name);
		found = true;
		break;
	}
	if (dir)
		closedir(dir);
	return found;
}

int tracer__start(const struct instance *instance, const char *tracer, bool hooks, const char *const users[],
		  struct fault *fault)
{
	char line[64], user[300];
	int err = hooks ? arming__begin(fault) : 0, ended;

	if (err)
		return err;
	snprintf(line, sizeof(line), "%s\n", tracer);
	err = instance__write(instance, "current_tracer", line);
	ended = hooks ? arming__end(err, NULL, NULL, fault) : err;
	if (ended != err)
		return ended;
	if (!err)
		attached__note(NULL, "tracer", tracer);
	if (err == -EBUSY) {
		bool excludes_itself = false;

		for (size_t i = 0; users[i]; i++)
			excludes_itself |= !strcmp(users[i], tracer);
		if (!tracer__find_user(users, user, sizeof(user)))
			snprintf(user, sizeof(user), "somebody else");
		if (excludes_itself)
			fault__set(fault, err, "the kernel's tracer %s has one user in the whole system, which is %s", tracer, user);
		else
			fault__set(fault, err, "the kernel's tracer %s cannot run beside %s, which %s has", tracer, users[0], user);
	} else if (err) {
		fault__set(fault, err, "the kernel's tracer %s cannot be started: %s", tracer, strerror(-err));
	}
	return err;
}
