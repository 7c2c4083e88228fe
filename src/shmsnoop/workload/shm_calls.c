/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shm_calls: makes, attaches, asks about, detaches and removes segments of shared memory, with and without success, and prints a line for
 * each call that shmsnoop shows:
 *
 *	COMM CALL ERR ID KEY BYTES ADDRESS CMD FLAGS
 *
 * Then the same by 32-bit calls, where the kernel has them, direct ones and by ipc(2).  Calls of semaphores beside them have no line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call32.h"

/* of syscall_32.tbl, and functions of ipc(2) */
enum { NR32_SHMGET = 395, NR32_SHMCTL, NR32_SHMAT, NR32_SHMDT, NR32_IPC = 117 };
/* the C library has these for _GNU_SOURCE */
#ifndef SHM_STAT
#define SHM_STAT 13
#endif
enum { IPC_SEMGET = 2, IPC_SHMAT = 21, IPC_SHMDT, IPC_SHMGET, IPC_SHMCTL };

#define KEY 0x5a000001
#define NO_KEY 0x5a000002
#define NO_ID 77777777
#define SHM_INFO_CMD 14
#define IPC_64 0x100

static enum { NATIVE, DIRECT32, IPC32 } way;
static uint32_t *low;	/* memory that 32-bit calls can name */

static const char *name_of(long result)
{
	switch (-result) {
	case EINVAL: return "EINVAL";
	case EEXIST: return "EEXIST";
	case ENOENT: return "ENOENT";
	default: return result >= 0 ? "0" : "?";
	}
}

static long native(long nr, long a, long b, long c)
{
	long result = syscall(nr, a, b, c);

	return result == -1 ? -errno : result;
}

/* Gives the id, or -1. */
static int get(uint32_t key, size_t bytes, int flags, const char *text)
{
	long id = way == NATIVE ? native(SYS_shmget, (int)key, (long)bytes, flags) :
		way == DIRECT32 ? call32(NR32_SHMGET, key, (long)bytes, flags, 0, 0) :
		call32(NR32_IPC, IPC_SHMGET, key, (long)bytes, flags, 0);
	char number[24] = "-";

	if (id >= 0)
		snprintf(number, sizeof(number), "%ld", id);
	printf("shm_calls shmget %s %s %s%x %zu - - %s\n", name_of(id), number, "0x", key, bytes, text);
	return id < 0 ? -1 : (int)id;
}

/* Gives the address, or 0. */
static unsigned long attach(int id, int flags, const char *text)
{
	unsigned long address;
	long result;

	if (way == NATIVE) {
		result = native(SYS_shmat, id, 0, flags);
		address = (unsigned long)result;
	} else if (way == DIRECT32) {
		result = call32(NR32_SHMAT, id, 0, flags, 0, 0);
		address = (uint32_t)result;
		if (result < -4095)
			result = 0;
	} else {
		result = call32(NR32_IPC, IPC_SHMAT, id, flags, (long)low, 0);
		address = *low;
	}
	if (result < 0)
		printf("shm_calls shmat %s %d - - - - %s\n", name_of(result), id, text);
	else
		printf("shm_calls shmat 0 %d - - 0x%lx - %s\n", id, address, text);
	return result < 0 ? 0 : address;
}

static void detach(unsigned long address)
{
	long result = way == NATIVE ? native(SYS_shmdt, (long)address, 0, 0) :
		way == DIRECT32 ? call32(NR32_SHMDT, (long)address, 0, 0, 0, 0) :
		call32(NR32_IPC, IPC_SHMDT, 0, 0, 0, (long)address);

	printf("shm_calls shmdt %s - - - 0x%lx - -\n", name_of(result), address);
}

static void control(int id, int cmd, const char *text)
{
	long result = way == NATIVE ? native(SYS_shmctl, id, cmd, (long)low) :
		way == DIRECT32 ? call32(NR32_SHMCTL, id, cmd, (long)low, 0, 0) :
		call32(NR32_IPC, IPC_SHMCTL, id, cmd | IPC_64, 0, (long)low);

	printf("shm_calls shmctl %s %d - - - %s -\n", name_of(result), id, text);
}

/* A command whose argument is no segment: the place in the kernel's table, of one that is used the last by SHM_INFO.  Gives the result. */
static long ask(int at, int cmd, const char *text)
{
	long result = way == NATIVE ? native(SYS_shmctl, at, cmd, (long)low) :
		way == DIRECT32 ? call32(NR32_SHMCTL, at, cmd, (long)low, 0, 0) :
		call32(NR32_IPC, IPC_SHMCTL, at, cmd | IPC_64, 0, (long)low);

	if (result >= 0 && cmd == SHM_STAT)
		printf("shm_calls shmctl 0 %ld - - - %s -\n", result, text);
	else
		printf("shm_calls shmctl %s - - - - %s -\n", name_of(result), text);
	return result;
}

static void no_shared_memory(void)
{
	if (way == IPC32)
		call32(NR32_IPC, IPC_SEMGET, NO_KEY, 1, 0, 0);
	else
		semget(NO_KEY, 1, 0);
}

/* The next segment's id is no place in the kernel's table: 3 * 32768 + 100.  Without CONFIG_CHECKPOINT_RESTORE it may be. */
static void choose_next(void)
{
	int fd = open("/proc/sys/kernel/shm_next_id", O_WRONLY);

	if (fd >= 0 && write(fd, "98404", 5) != 5)
		perror("shm_next_id");
	if (fd >= 0)
		close(fd);
}

static void make_calls(void)
{
	unsigned long address;
	int own, other;

	choose_next();
	own = get(IPC_PRIVATE, 8192, IPC_CREAT | 0600, "IPC_CREAT|0600");
	no_shared_memory();
	other = get(KEY, 4096, IPC_CREAT | IPC_EXCL | 0640, "IPC_CREAT|IPC_EXCL|0640");
	get(KEY, 4096, IPC_CREAT | IPC_EXCL | 0640, "IPC_CREAT|IPC_EXCL|0640");
	get(KEY, 1, 0, "0000");
	get(NO_KEY, 1, 0, "0000");
	address = attach(own, SHM_RDONLY, "SHM_RDONLY");
	attach(NO_ID, 0, "0");
	control(own, IPC_STAT, "IPC_STAT");
	ask((int)ask(0, SHM_INFO_CMD, "SHM_INFO"), SHM_STAT, "SHM_STAT");
	ask(0x7fff, SHM_STAT, "SHM_STAT");
	control(own, SHM_LOCK, "SHM_LOCK");
	control(own, IPC_RMID, "IPC_RMID");
	detach(address);
	detach(0x1000);
	control(other, 77, "77");
	control(other, IPC_RMID, "IPC_RMID");
	control(other, IPC_RMID, "IPC_RMID");
}

int main(void)
{
	static const char room[512];

	low = (uint32_t *)low32(room, sizeof(room));
	make_calls();
	fflush(stdout);
	if (!call32__works())
		return 0;
	for (way = DIRECT32; way <= IPC32; way++)
		make_calls();
	return 0;
}
