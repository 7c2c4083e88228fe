/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of processes to names: ELF files, mappings, and work that does not come back. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lib/symbol/deadline.h"
#include "lib/symbol/elf_symbols.h"
#include "lib/symbol/maps.h"
#include "lib/symbol/user_names.h"

#define CORPUS "tests/fuzz/elf_symbols.corpus/"

static struct elf_symbols *read_symbols(const char *path, int expected)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_symbols *symbols = NULL;

	CHECK(fd >= 0);
	CHECK_INT(elf_symbols__read(fd, &symbols), expected);
	close(fd);
	return symbols;
}

static void check_file(const char *path, uint64_t text)
{
	struct elf_symbols *symbols = read_symbols(path, 0);
	uint64_t into = 0;

	CHECK_INT(elf_symbols__count(symbols), 2);
	CHECK(!elf_symbols__at(symbols, text - 1, &into));
	CHECK_STR(elf_symbols__at(symbols, text, &into), "first");
	CHECK_STR(elf_symbols__at(symbols, text + 15, &into), "first");
	CHECK_INT(into, 15);
	/* without a size it goes on to the segment's end */
	CHECK_STR(elf_symbols__at(symbols, text + 16, &into), "second");
	CHECK_STR(elf_symbols__at(symbols, text + 31, &into), "second");
	CHECK(!elf_symbols__at(symbols, text + 32, &into));
	elf_symbols__free(symbols);
}

static void check_elf(void)
{
	struct elf_symbols *symbols;

	check_file(CORPUS "symtab-64", 64 + 56);
	check_file(CORPUS "dynsym-64", 64 + 56);
	check_file(CORPUS "symtab-32", 52 + 32);
	symbols = read_symbols(CORPUS "no-sections", 0);
	CHECK_INT(elf_symbols__count(symbols), 0);
	elf_symbols__free(symbols);
	/* no ELF file; and one that is endless */
	CHECK(!read_symbols("/dev/null", -ENOEXEC));
	CHECK(!read_symbols("/dev/zero", -ENOEXEC));
	/* this one has its own functions */
	symbols = read_symbols("/proc/self/exe", 0);
	CHECK(elf_symbols__count(symbols) > 10);
	elf_symbols__free(symbols);
	elf_symbols__free(NULL);
}

static void check_maps(void)
{
	char text[] = "1000-2000 r--p 00000000 fe:01 12  /usr/bin/x\n"
		      "2000-3000 r-xp 00001000 fe:01 12  /usr/bin/x y (deleted)\n"
		      "nonsense\n"
		      "3000-3000 r-xp 00001000 fe:01 12  /empty\n"
		      "4000-5000 rwxp 00000000 00:00 0 \n"
		      "7ffe000-7fff000 r-xp 00000000 00:00 0                          [vdso]";
	struct process_identity identity = { 0 };
	struct maps maps;

	CHECK_INT(maps__parse(&maps, text), 0);
	CHECK_INT(maps.count, 3);
	CHECK(!maps__at(&maps, 0x1800));
	CHECK(maps__at(&maps, 0x2000) == &maps.list[0]);
	CHECK(maps__at(&maps, 0x2fff) == &maps.list[0]);
	CHECK(!maps__at(&maps, 0x3000));
	CHECK_STR(maps.list[0].path, "/usr/bin/x y (deleted)");
	CHECK_INT(maps.list[0].offset, 0x1000);
	CHECK_INT(maps.list[0].inode, 12);
	CHECK_STR(maps.list[1].path, "");
	CHECK_STR(maps.list[2].path, "[vdso]");
	CHECK(!maps__at(&maps, UINT64_MAX));
	maps__free(&maps);
	CHECK(!maps__at(&maps, 0x2000));

	/* a name that looks like fields */
	CHECK_INT(process_identity__parse(&identity, "7 (a) R 1) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 2222 23 24 25 2626 27 2828 29"), 0);
	CHECK_INT(identity.start_time, 2222);
	CHECK_INT(identity.code, 2626);
	CHECK_INT(identity.stack, 2828);
	CHECK_INT(process_identity__parse(&identity, "7 (a) S 4 5"), -EINVAL);
	CHECK_INT(process_identity__parse(&identity, ""), -EINVAL);
	CHECK_INT(process_identity__read(&identity, (uint32_t)getpid()), 0);
	CHECK(identity.start_time);
	CHECK_INT(process_identity__read(&identity, 4000000), -ENOENT);
}

static sem_t go_on, freed;

static int answer(void *job)
{
	return *(int *)job;
}

static int hang(void *job)
{
	(void)job;
	while (sem_wait(&go_on))
		;
	return 0;
}

static void free_job(void *job)
{
	free(job);
	sem_post(&freed);
}

static void check_deadline(void)
{
	int *job = malloc(sizeof(*job));

	sem_init(&go_on, 0, 0);
	sem_init(&freed, 0, 0);
	*job = -42;
	CHECK_INT(deadline__call(answer, free_job, job, 600000), -42);
	/* what is given up owns its job, and frees it when it comes back at last */
	CHECK_INT(deadline__call(hang, free_job, job, 10), -ETIMEDOUT);
	sem_post(&go_on);
	while (sem_wait(&freed))
		;
}

static void check_names(void)
{
	struct user_names *names = user_names__new();
	const uint64_t addresses[] = { 0x10, (uint64_t)(uintptr_t)check_names + 4 };
	const struct user_frame *frames[2], *again[2];

	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), addresses, 2, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (no code there)");
	CHECK(frames[0]->is_no_code && !frames[1]->is_no_code);
	CHECK(!frames[0]->file && !frames[0]->is_named);
	/* named where the file may be opened, which a container may forbid; else module and offset are told */
	CHECK(frames[1]->file && strstr(frames[1]->file, "symbol"));
	CHECK(frames[1]->is_named ? !strcmp(frames[1]->name, "check_names") : !strncmp(frames[1]->name, "[unknown] (symbol+0x", 20));
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), addresses, 2, again), 0);
	CHECK(frames[0] == again[0] && frames[1] == again[1]);
	CHECK_INT(user_names__stack(names, 4000000, addresses, 1, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (process ended)");
	CHECK_INT(user_names__stack(names, 0, addresses, 1, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (process not in this pid namespace)");
	/* more places than there is room for at first */
	for (uint64_t i = 0; i < 5000; i++)
		CHECK_INT(user_names__stack(names, 0, &(uint64_t){ i * 64 }, 1, frames), 0);
	CHECK_INT(frames[0]->offset, 4999 * 64);
	user_names__free(names);
	user_names__free(NULL);
}

int main(void)
{
	check_elf();
	check_maps();
	check_deadline();
	check_names();
	return check_done();
}
