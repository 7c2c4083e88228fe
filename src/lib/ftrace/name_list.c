/* SPDX-License-Identifier: BSD-2-Clause */
#include "name_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/btf/btf_id.h"

#define LINE_MAX_BYTES 1024	/* a name, its place and its module */

struct named {
	uint64_t address;
	char *name;
};

/* if (value && *value) bpf_seq_printf(meta->seq, "%pB\n", 5, value, 8) */
static int load(__u32 target)
{
	static const char format[8] = "%pB\n";
	uint64_t word;

	memcpy(&word, format, sizeof(word));

	const struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1, .off = 0 },	/* meta */
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_1, .off = 24 },	/* value */
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_7, .off = 14, .imm = 0 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_7, .off = 0 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_7, .off = 12, .imm = 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_7, .off = -16 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_2, .imm = (int32_t)word },
		{ .imm = (int32_t)(word >> 32) },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_2, .off = -8 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6, .off = 0 },	/* meta->seq */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 5 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = -16 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_5, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_seq_printf },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_ITER, .attach_btf_id = target);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "name_list", "GPL", program, sizeof(program) / sizeof(*program), &options);
}

/* The iterators of a program over a map.  0 or -errno. */
static int make_iterators(struct name_list *list, int program_fd, int map_fd)
{
	union bpf_iter_link_info over = { .map.map_fd = (__u32)map_fd };
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = &over, .iter_info_len = sizeof(over));
	int link = bpf_link_create(program_fd, 0, BPF_TRACE_ITER, &options), err = 0;

	if (link < 0)
		return -errno;
	for (int i = 0; i < NAME_LIST_TIMES && !err; i++) {
		list->iterators[i] = bpf_iter_create(link);
		err = list->iterators[i] < 0 ? -errno : 0;
	}
	close(link);
	return err;
}

int name_list__open(struct name_list *list)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	/* the function of the kernel that stands for iterators of a map's elements */
	__u32 target = btf_id__of_function("/sys/kernel/btf/vmlinux", "bpf_iter_bpf_map_elem");
	int map_fd, program_fd, err;
	void *mapped;

	*list = (struct name_list){ .next = 0 };
	for (int i = 0; i < NAME_LIST_TIMES; i++)
		list->iterators[i] = -1;
	if (!target)
		return -EOPNOTSUPP;
	map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "name_list", sizeof(uint32_t), sizeof(uint64_t), NAME_LIST_ROOM, &options);
	if (map_fd < 0)
		return -errno;
	mapped = mmap(NULL, NAME_LIST_ROOM * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	list->addresses = mapped == MAP_FAILED ? NULL : mapped;
	program_fd = list->addresses ? load(target) : -1;
	err = program_fd < 0 ? -errno : make_iterators(list, program_fd, map_fd);
	if (program_fd >= 0)
		close(program_fd);
	close(map_fd);
	if (err)
		name_list__close(list);
	return err;
}

void name_list__close(struct name_list *list)
{
	if (!list->addresses)
		return;
	munmap(list->addresses, NAME_LIST_ROOM * sizeof(uint64_t));
	for (int i = 0; i < NAME_LIST_TIMES; i++)
		if (list->iterators[i] >= 0)
			close(list->iterators[i]);
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i].name);
	free(list->names);
	*list = (struct name_list){ .addresses = NULL };
}

static int compare(const void *a, const void *b)
{
	uint64_t left = ((const struct named *)a)->address, right = ((const struct named *)b)->address;

	return left < right ? -1 : left > right;
}

/* "NAME+0x1/0x40 [MODULE]" becomes "NAME [MODULE]"; an address that the kernel has no name for stays what it is. */
static void take_line(struct named *named, char *line)
{
	char *place = strchr(line, '+'), *module;

	if (!place) {
		if (asprintf(&named->name, "0x%llx", (unsigned long long)named->address) < 0)
			named->name = NULL;
		return;
	}
	*place = '\0';
	module = strstr(place + 1, " [");
	if (asprintf(&named->name, "%s%s", line, module ?: "") < 0)
		named->name = NULL;
}

/* Reads a line for each of the names from the one at first on.  0 or -errno: -EIO where there are not as many lines. */
static int read_lines(struct name_list *list, int fd, size_t first)
{
	char text[LINE_MAX_BYTES + 1], *end;
	size_t used = 0;
	ssize_t got;

	for (size_t i = first; i < list->count;) {
		got = read(fd, text + used, sizeof(text) - 1 - used);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		used += (size_t)got;
		text[used] = '\0';
		while (i < list->count && (end = strchr(text, '\n'))) {
			*end++ = '\0';
			take_line(&list->names[i++], text);
			used -= (size_t)(end - text);
			memmove(text, end, used + 1);
		}
		if (used == sizeof(text) - 1)
			return -EIO;
	}
	return 0;
}

int name_list__ask(struct name_list *list, const uint64_t *addresses, size_t count)
{
	size_t known = list->count, wanted = 0;
	struct named *larger;
	int err;

	if (!list->addresses)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < count; i++)
		wanted += !name_list__find(list, addresses[i]);
	if (!wanted)
		return 0;
	if (wanted > NAME_LIST_ROOM || list->next == NAME_LIST_TIMES)
		return -ENOSPC;
	larger = realloc(list->names, (known + wanted) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	list->names = larger;
	memset(list->addresses, 0, NAME_LIST_ROOM * sizeof(uint64_t));
	for (size_t i = 0; i < count; i++) {
		struct named sought = { .address = addresses[i] };

		if (known && bsearch(&sought, list->names, known, sizeof(sought), compare))
			continue;
		/* the kernel looks the byte before up, as it would be a return address */
		list->addresses[list->count - known] = addresses[i] + 1;
		list->names[list->count++] = sought;
	}
	err = read_lines(list, list->iterators[list->next++], known);
	/* those without a line have no name */
	qsort(list->names, list->count, sizeof(*list->names), compare);
	return err;
}

const char *name_list__find(const struct name_list *list, uint64_t address)
{
	const struct named sought = { .address = address };
	const struct named *found = list->count ? bsearch(&sought, list->names, list->count, sizeof(sought), compare) : NULL;

	return found ? found->name : NULL;
}
