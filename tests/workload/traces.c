/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tracing tool may leave behind in the kernel: BPF programs, links and maps, probes in kprobe_events and
 * uprobe_events, tracefs instances, a tracer that is switched on.
 *
 *	traces			lists them, a line each
 *	traces new FILE		what is there beyond the list in FILE, given SECONDS to go away: the kernel frees
 *		[SECONDS]	programs and maps some RCU grace periods after their last user; exit 1 if something stays
 *
 * Through bpf(2) itself, with nothing of the library that is tested.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 20
#define TRACEFS "/sys/kernel/tracing"

static char *list, *list_before;
static size_t list_size;

static void fail(const char *what)
{
	fprintf(stderr, "traces: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int info(int fd, void *data, size_t size)
{
	union bpf_attr attr = { .info = { .bpf_fd = (__u32)fd, .info_len = (__u32)size, .info = (__u64)(unsigned long)data } };

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* What is known of an object beside its id: enough to say whose it was. */
static void describe(FILE *out, const char *kind, __u32 id, int fd)
{
	if (!strcmp(kind, "prog")) {
		struct bpf_prog_info prog = {};

		if (!info(fd, &prog, sizeof(prog)))
			fprintf(out, "prog %u %s (type %u)\n", id, prog.name, prog.type);
	} else if (!strcmp(kind, "map")) {
		struct bpf_map_info map = {};

		if (!info(fd, &map, sizeof(map)))
			fprintf(out, "map %u %s (type %u)\n", id, map.name, map.type);
	} else {
		struct bpf_link_info link = {};

		if (!info(fd, &link, sizeof(link)))
			fprintf(out, "link %u of prog %u (type %u)\n", id, link.prog_id, link.type);
	}
}

static void list_objects(FILE *out, const char *kind, int get_next_id, int get_fd_by_id)
{
	union bpf_attr next = {};

	while (!bpf(get_next_id, &next)) {
		union bpf_attr get = { .prog_id = next.next_id };
		int fd = bpf(get_fd_by_id, &get);

		if (fd >= 0) {
			describe(out, kind, next.next_id, fd);
			close(fd);
		} else if (errno != ENOENT) {	/* freed in between */
			fail(kind);
		}
		next.start_id = next.next_id;
	}
	if (errno != ENOENT)
		fail(kind);
}

static void list_lines(FILE *out, const char *file)
{
	char path[256], line[1024];
	FILE *in;

	snprintf(path, sizeof(path), TRACEFS "/%s", file);
	in = fopen(path, "re");
	if (!in)
		return;		/* a kernel without such probes */
	while (fgets(line, sizeof(line), in))
		if (strcmp(line, "nop\n"))
			fprintf(out, "%s %s", file, line);
	fclose(in);
}

static void list_instances(FILE *out)
{
	DIR *dir = opendir(TRACEFS "/instances");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fprintf(out, "instances %s\n", entry->d_name);
	if (dir)
		closedir(dir);
}

static void make_list(void)
{
	FILE *out;

	free(list);
	out = open_memstream(&list, &list_size);
	if (!out)
		fail("memory");
	list_objects(out, "prog", BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID);
	list_objects(out, "link", BPF_LINK_GET_NEXT_ID, BPF_LINK_GET_FD_BY_ID);
	list_objects(out, "map", BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID);
	list_lines(out, "kprobe_events");
	list_lines(out, "uprobe_events");
	list_lines(out, "current_tracer");
	list_instances(out);
	fclose(out);
}

/* Whether the line from start to end is one of the list before. */
static bool was_there(const char *start, size_t size)
{
	for (const char *line = list_before; *line;) {
		size_t length = strcspn(line, "\n") + 1;

		if (length == size && !memcmp(line, start, size))
			return true;
		line += strnlen(line, length);
	}
	return false;
}

/* The lines that are new, shown where show says so. */
static int new_lines(bool show)
{
	int count = 0;

	for (const char *line = list; *line;) {
		size_t size = strcspn(line, "\n") + 1;

		if (!was_there(line, size)) {
			count++;
			if (show)
				fwrite(line, 1, size, stdout);
		}
		line += size;
	}
	return count;
}

static void read_list_before(const char *path)
{
	size_t size;
	FILE *in = fopen(path, "re"), *copy = open_memstream(&list_before, &size);
	int c;

	if (!in || !copy)
		fail(path);
	while ((c = getc(in)) != EOF)
		putc(c, copy);
	fclose(in);
	fclose(copy);
}

int main(int argc, char **argv)
{
	int looks = argc > 3 ? (int)(atof(argv[3]) * 1000 / LOOK_AGAIN_MS) : 0;

	make_list();
	if (argc == 1) {
		fputs(list, stdout);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "new")) {
		fprintf(stderr, "usage: traces | traces new FILE [SECONDS]\n");
		return 2;
	}
	read_list_before(argv[2]);
	while (new_lines(false) && looks-- > 0) {
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_AGAIN_MS * 1000000 }, NULL);
		make_list();
	}
	return new_lines(true) ? 1 : 0;
}
