/* SPDX-License-Identifier: BSD-2-Clause */
#include "holders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/ksyms.h"

static void add(struct holders *holders, const struct holder *holder)
{
	struct holder *all = realloc(holders->all, (holders->count + 1) * sizeof(*all));

	if (!all) {
		free(holder->function);
		return;
	}
	holders->all = all;
	all[holders->count++] = *holder;
}

/* A member of /proc/PID/fdinfo/FD, or 0. */
static uint32_t read_fdinfo(int pid, const char *fd, const char *member)
{
	char path[64], line[128];
	uint32_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!value && fgets(line, sizeof(line), file))
		if (!strncmp(line, member, strlen(member)) && line[strlen(member)] == ':')
			value = strtoul(line + strlen(member) + 1, NULL, 10);
	fclose(file);
	return value;
}

/* What a program that was set on a perf event is attached to (BPF_TASK_FD_QUERY, since 4.18). */
static void query_event(struct holders *holders, struct holder *holder, const char *fd)
{
	__u32 size, program, type;
	char name[KSYMS_NAME_MAX] = "";
	__u64 offset = 0, address = 0;

	size = sizeof(name);
	if (bpf_task_fd_query(holder->pid, atoi(fd), 0, name, &size, &program, &type, &offset, &address))
		return;
	if (type != BPF_FD_TYPE_KPROBE && type != BPF_FD_TYPE_KRETPROBE && type != BPF_FD_TYPE_TRACEPOINT)
		return;
	holder->program_id = program;
	if (type == BPF_FD_TYPE_TRACEPOINT) {
		holder->on_tracepoint = true;
		add(holders, holder);
		return;
	}
	holder->is_return = type == BPF_FD_TYPE_KRETPROBE;
	holder->function = strdup(name);
	holder->offset = offset;
	holder->address = address;
	if (holder->function)
		add(holders, holder);
}

static void look_at_process(struct holders *holders, int pid)
{
	struct holder holder = { .pid = pid };
	char path[64], target[128];
	struct dirent *entry;
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(holder.comm, sizeof(holder.comm), file))
		strcpy(holder.comm, "?");
	if (file)
		fclose(file);
	holder.comm[strcspn(holder.comm, "\n")] = '\0';
	while ((entry = readdir(dir))) {
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (length < 0)
			continue;
		target[length] = '\0';
		holder.link_id = holder.program_id = 0;
		holder.function = NULL;
		holder.on_tracepoint = false;
		if (!strcmp(target, "anon_inode:bpf_link")) {
			holder.link_id = read_fdinfo(pid, entry->d_name, "link_id");
			if (holder.link_id)
				add(holders, &holder);
		} else if (!strcmp(target, "anon_inode:bpf-prog")) {
			holder.program_id = read_fdinfo(pid, entry->d_name, "prog_id");
			if (holder.program_id)
				add(holders, &holder);
		} else if (!strcmp(target, "anon_inode:[perf_event]")) {
			query_event(holders, &holder, entry->d_name);
		}
	}
	closedir(dir);
}

void holders__look(struct holders *holders)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at_process(holders, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

char *holders__of(const struct holders *holders, uint32_t link_id, uint32_t program_id)
{
	char *text = NULL;

	for (int by_link = 1; by_link >= 0 && !text; by_link--) {
		int last_pid = 0;

		for (size_t i = 0; i < holders->count; i++) {
			const struct holder *holder = &holders->all[i];
			char *longer;

			if (by_link ? !link_id || holder->link_id != link_id : holder->program_id != program_id)
				continue;
			if (holder->pid == last_pid)
				continue;
			last_pid = holder->pid;
			if (asprintf(&longer, "%s%s%s[%d]", text ? text : "", text ? ", " : "", holder->comm, holder->pid) < 0)
				break;
			free(text);
			text = longer;
		}
	}
	return text;
}

void holders__free(struct holders *holders)
{
	for (size_t i = 0; i < holders->count; i++)
		free(holders->all[i].function);
	free(holders->all);
	*holders = (struct holders){ 0 };
}

static bool is_same_place(const struct holder *a, const struct holder *b)
{
	return a->program_id == b->program_id && a->is_return == b->is_return && a->offset == b->offset &&
	       !strcmp(a->function, b->function);
}

size_t holders__count_events(const struct holders *holders, uint32_t program_id, bool places)
{
	size_t count = 0;

	for (size_t i = 0; i < holders->count; i++) {
		const struct holder *holder = &holders->all[i];
		size_t j = i;

		if (holder->program_id != program_id || (!holder->function && (places || !holder->on_tracepoint)))
			continue;
		for (j = 0; places && j < i; j++)
			if (holders->all[j].function && is_same_place(&holders->all[j], holder))
				break;
		count += !places || j == i;
	}
	return count;
}
