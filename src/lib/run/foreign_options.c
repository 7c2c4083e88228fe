/* SPDX-License-Identifier: BSD-2-Clause */
#include "foreign_options.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "lib/shared/event.h"

static const struct foreign_option foreign_options_of_all[] = {
	{ "--containername", "--container NAME" },
	{ "--podname", "--container NAMESPACE/POD" },
	{ "--k8s-podname", "--container NAMESPACE/POD" },
	{ "--cgroupmap", "-c CGROUP filters by cgroup" },
	{ "--mntnsmap", "-c CGROUP filters by cgroup" },
	{ "-b", "--buffer KIB sets the size of the ring buffer" },
	{ "--buffer-pages", "--buffer KIB sets the size of the ring buffer" },
	{ "--utc", "-T prints local time, and -j has the time in UTC" },
	{ NULL, NULL },
};

/* "--line" is the option of "--line" and "--line=x", "-l" that of "-l" and "-lx". */
static const char *find(const struct foreign_option *option, const char *word)
{
	for (; option && option->name; option++) {
		size_t length = strlen(option->name);

		if (!strcmp(option->name, word))
			return option->instead;
		if (length && !strncmp(option->name, word, length) && (word[1] != '-' || word[length] == '='))
			return option->instead;
	}
	return NULL;
}

const char *foreign_options__instead(const struct foreign_option *own, const char *word)
{
	const char *instead = find(own, word);

	/* two names of one option, where there is one */
	if (!instead && (!strcmp(word, "--by") || !strncmp(word, "--by=", 5)))
		instead = find(own, "--count");
	return instead ? instead : find(foreign_options_of_all, word);
}

#define PART_MIN 4	/* letters of a name that are looked for in its middle, too */

/* The name of a process, without its newline; "" if it has ended. */
static void read_name(const char *pid, char name[TASK_COMM_LEN + 1])
{
	char path[300];
	FILE *file;

	*name = 0;
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(name, TASK_COMM_LEN + 1, file))
		*name = 0;
	fclose(file);
	name[strcspn(name, "\n")] = 0;
}

const char *foreign_options__explain_name(const char *name, char *text, size_t size)
{
	char running[TASK_COMM_LEN + 1], similar[TASK_COMM_LEN + 1] = "";
	struct dirent *entry;
	DIR *proc;

	if (strchr(name, '*') || strlen(name) >= TASK_COMM_LEN)
		return NULL;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		read_name(entry->d_name, running);
		if (!strcmp(running, name)) {
			*similar = 0;
			break;
		}
		/* a part of few letters is in many names: "rm" in acpi_thermal_pm */
		if (strncmp(running, name, strlen(name)) && (strlen(name) < PART_MIN || *similar || !strstr(running, name)))
			continue;
		strcpy(similar, running);
	}
	if (proc)
		closedir(proc);
	if (!*similar)
		return NULL;
	if (strncmp(similar, name, strlen(name)))
		snprintf(text, size, "-n is a whole name: no process is called \"%s\" now; \"%s\" is found by -n '%s'", name,
			 similar, similar);
	else
		snprintf(text, size, "-n is a whole name: no process is called \"%s\" now; \"%s\" is found by -n '%s*'",
			 name, similar, name);
	return text;
}
