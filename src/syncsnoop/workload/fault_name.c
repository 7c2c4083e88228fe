/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault_name: an event of an fsync(2) of 1.5 ms on descriptor 3, of a file whose name could not be read.  The kernel's own copy of a
 * name is always readable, so no call makes such an event: a program of this workload puts it into syncsnoop's ring buffer.
 * Prints what the row has: "PID fault_name fsync 0 1.500 3 <fault>".
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "syncsnoop/syncsnoop.h"

static long bpf(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (result < 0) {
		perror("bpf");
		exit(1);
	}
	return result;
}

/* The ring buffer of the name "events"; no other tool runs. */
static int find_ring(void)
{
	union bpf_attr next = { 0 };

	for (;;) {
		struct bpf_map_info info = { 0 };
		union bpf_attr attr = { 0 };
		int fd;

		bpf(BPF_MAP_GET_NEXT_ID, &next);
		attr.map_id = next.start_id = next.next_id;
		fd = (int)bpf(BPF_MAP_GET_FD_BY_ID, &attr);
		attr = (union bpf_attr){ .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info), .info = (uintptr_t)&info } };
		bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
		if (info.type == BPF_MAP_TYPE_RINGBUF && !strcmp(info.name, "events"))
			return fd;
		close(fd);
	}
}

/* An array whose one value is the event. */
static int make_array(struct sync_event *event)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = sizeof(*event), .max_entries = 1,
	};
	uint32_t key = 0;
	int fd = (int)bpf(BPF_MAP_CREATE, &attr);

	attr = (union bpf_attr){ .map_fd = (uint32_t)fd, .key = (uintptr_t)&key, .value = (uintptr_t)event };
	bpf(BPF_MAP_UPDATE_ELEM, &attr);
	return fd;
}

/* bpf_ringbuf_output(ring, the array's value, its size, BPF_RB_FORCE_WAKEUP) */
static void output(int ring, int array)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = ring },
		{ 0 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_2, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = array },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = sizeof(struct sync_event) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = BPF_RB_FORCE_WAKEUP },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ringbuf_output },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	char packet[64] = "";
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)insns, .insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"Dual BSD/GPL",
	};
	uint32_t program = (uint32_t)bpf(BPF_PROG_LOAD, &attr);

	attr = (union bpf_attr){ .test = { .prog_fd = program, .data_in = (uintptr_t)packet, .data_size_in = sizeof(packet) } };
	bpf(BPF_PROG_TEST_RUN, &attr);
	if (attr.test.retval) {
		fprintf(stderr, "bpf_ringbuf_output: %d\n", (int)attr.test.retval);
		exit(1);
	}
}

int main(void)
{
	struct sync_event event = {
		.task = { .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid(), .comm = "fault_name" },
		.latency_ns = 1500000, .fd = 3, .call = SYSCALL_fsync, .file_size = SYNC_FILE_FAULT,
	};
	/* up to 5.10 memory of maps and programs counts for it */
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct timespec now;

	if (setrlimit(RLIMIT_MEMLOCK, &unlimited)) {
		perror("setrlimit");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	event.task.ts_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	output(find_ring(), make_array(&event));
	printf("%d fault_name fsync 0 1.500 3 <fault>\n", getpid());
	return 0;
}
