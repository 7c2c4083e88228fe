/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FAULTS_H
#define PROBELIGHT_FAULTS_H

#include "lib/shared/event.h"
#include "lib/shared/file_op.h"

enum faults_kind {
	FAULTS_FILE,	/* a page of a file that is mapped */
	FAULTS_SWAP,	/* a page of a process' own memory that was swapped out */
	FAULTS_SHMEM,	/* a page of shared memory, or of a file on tmpfs, that was swapped out */
	FAULTS_KINDS,
};

struct faults_event {
	struct event_task task;
	__u64 latency_ns;
	__u64 address;		/* in the process */
	__u64 page;		/* of the file; swap: none */
	__s32 result;		/* 0 or -errno */
	__u16 kind;		/* enum faults_kind */
	__u16 is_waiter;	/* the read had begun before */
	__u32 file_size;	/* of the name with its 0 byte; 0: it is not known, or there is none */
	__u32 page_shift;
	char fs[FILE_SYSTEM_SIZE];
	char file[FILE_NAME_SIZE];
};

#endif
