/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What any user can put before a tool that names addresses: files that claim much, names that another root directory
 * has, links.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/elf_symbols.h"
#include "lib/symbol/maps.h"
#include "lib/symbol/perf_map.h"
#include "lib/symbol/root_file.h"
#include "lib/symbol/user_names.h"

#define CORPUS "tests/fuzz/elf_symbols.corpus/"
#define MB (1 << 20)
#define TABLE_AT 4096
#define FUNCTION { .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1 }

static const struct stack_program not_told;

/*
 * A file of symbols, all else of which is a hole: a table of that many entries, and that many bytes of names behind it.
 */
static int make_elf(uint64_t entries, uint64_t names_size)
{
	uint64_t names_at = TABLE_AT + entries * sizeof(Elf64_Sym);
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(header), .e_phoff = 1024, .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = 2048, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
	};
	Elf64_Phdr segment = { .p_type = PT_LOAD, .p_flags = PF_X | PF_R, .p_vaddr = 0x1000, .p_filesz = 1 << 30 };
	Elf64_Shdr sections[3] = {
		{ .sh_type = SHT_NULL },
		{ .sh_type = SHT_SYMTAB, .sh_offset = TABLE_AT, .sh_size = entries * sizeof(Elf64_Sym), .sh_link = 2,
		  .sh_entsize = sizeof(Elf64_Sym) },
		{ .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = names_size },
	};
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	CHECK_INT(ftruncate(fd, (off_t)(names_at + names_size)), 0);
	CHECK(pwrite(fd, &header, sizeof(header), 0) == sizeof(header));
	CHECK(pwrite(fd, &segment, sizeof(segment), 1024) == sizeof(segment));
	CHECK(pwrite(fd, sections, sizeof(sections), 2048) == sizeof(sections));
	return fd;
}

static void put_symbol(int fd, uint64_t number, uint32_t name)
{
	Elf64_Sym symbol = FUNCTION;

	symbol.st_name = name;
	symbol.st_value = 0x1000 + number * 16;
	symbol.st_size = 16;
	CHECK(pwrite(fd, &symbol, sizeof(symbol), TABLE_AT + (off_t)(number * sizeof(symbol))) == sizeof(symbol));
}

static size_t resident_mb(void)
{
	unsigned long size, resident = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	CHECK(statm && fscanf(statm, "%lu %lu", &size, &resident) == 2);
	fclose(statm);
	return resident * (size_t)sysconf(_SC_PAGESIZE) / MB;
}

/*
 * Twelve files that claim 4 million symbols and 256 MB of names each, and are some pages on disk: they cost what they
 * have.
 */
static void check_sparse(void)
{
	enum { FILES = 12, ENTRIES = 4 << 20, NAMES = 256 * MB };
	struct elf_symbols *symbols[FILES];
	size_t before = resident_mb();
	uint64_t into;

	for (int i = 0; i < FILES; i++) {
		int fd = make_elf(ENTRIES, NAMES);

		put_symbol(fd, 1, 1);
		put_symbol(fd, ENTRIES / 2, NAMES - 6);
		put_symbol(fd, ENTRIES - 1, NAMES / 2);
		CHECK(pwrite(fd, "near", 4, TABLE_AT + (off_t)ENTRIES * (off_t)sizeof(Elf64_Sym) + 1) == 4);
		CHECK(pwrite(fd, "far", 3, TABLE_AT + (off_t)ENTRIES * (off_t)sizeof(Elf64_Sym) + NAMES - 6) == 3);
		CHECK_INT(elf_symbols__read(fd, &symbols[i]), 0);
		close(fd);
		/* the third has no name */
		CHECK_INT(elf_symbols__count(symbols[i]), 2);
		CHECK_STR(elf_symbols__at(symbols[i], 16, &into), "near");
		CHECK_STR(elf_symbols__at(symbols[i], ENTRIES / 2 * 16, &into), "far");
	}
	CHECK(budget__taken() < 16384);
	CHECK(resident_mb() - before < 32);
	for (int i = 0; i < FILES; i++)
		elf_symbols__free(symbols[i]);
	CHECK_INT(budget__taken(), 0);
}

/* Names that lie in each other take no more room than in the file; none is longer than the limit. */
static void check_overlapping(void)
{
	enum { ENTRIES = 20000, NAMES = MB };
	static char text[NAMES];
	struct elf_symbols *symbols = NULL;
	int fd = make_elf(ENTRIES, NAMES);
	uint64_t into;

	memset(text, 'a', sizeof(text));
	memcpy(text + 5000, "\0whole\0", 7);
	CHECK(pwrite(fd, text, sizeof(text), TABLE_AT + (off_t)(ENTRIES * sizeof(Elf64_Sym))) == sizeof(text));
	/* backwards, so that the file's order is not that of the names */
	for (uint32_t i = 0; i < ENTRIES; i++)
		put_symbol(fd, i, ENTRIES - i);
	CHECK_INT(elf_symbols__read(fd, &symbols), 0);
	CHECK(budget__taken() < 2 * MB);
	CHECK_STR(elf_symbols__at(symbols, (ENTRIES - 5001) * 16, &into), "whole");
	CHECK_STR(elf_symbols__at(symbols, (ENTRIES - 5003) * 16, &into), "ole");
	CHECK_INT(strlen(elf_symbols__at(symbols, (ENTRIES - 1) * 16, &into)), ELF_SYMBOLS_NAME_MAX);
	elf_symbols__free(symbols);
	CHECK_INT(budget__taken(), 0);
	close(fd);
}

/*
 * Files that have what they claim: the first ones find room, the others do not, and what is freed can be taken again.
 */
static void check_memory(void)
{
	enum { FILES = 8, ENTRIES = 1024, LENGTH = 1000 };
	struct elf_symbols *symbols[FILES] = { NULL };
	char name[LENGTH];
	int fd = make_elf(ENTRIES, ENTRIES * LENGTH), room = 0;

	for (uint32_t i = 0; i < ENTRIES; i++) {
		memset(name, 'a' + (int)(i % 26), sizeof(name));
		name[LENGTH - 1] = 0;
		CHECK(pwrite(fd, name, LENGTH, TABLE_AT + (off_t)(ENTRIES * sizeof(Elf64_Sym) + i * LENGTH)) == LENGTH);
		put_symbol(fd, i, i * LENGTH);
	}
	budget__set_memory(5 * MB);
	for (int i = 0; i < FILES; i++) {
		int err = elf_symbols__read(fd, &symbols[i]);

		CHECK(err == 0 || err == -EFBIG);
		if (err)
			symbols[i] = NULL;
		room += !err;
		CHECK(budget__taken() <= 5 * MB);
	}
	CHECK_INT(room, 4);
	elf_symbols__free(symbols[0]);
	CHECK_INT(elf_symbols__read(fd, &symbols[0]), 0);
	for (int i = 0; i < FILES; i++)
		elf_symbols__free(symbols[i]);
	CHECK_INT(budget__taken(), 0);
	close(fd);
}

/* Mappings and what JIT compilers tell come out of the same budget. */
static void check_other_memory(void)
{
	static char text[MB], copy_of_text[MB];
	struct maps maps;
	struct perf_map *map;
	size_t size = 0;

	while (size < sizeof(text) - 300)
		size += (size_t)sprintf(text + size, "%zx000-%zx000 r-xp 00000000 fe:01 1 /%0200d\n", size + 1, size + 2, 1);
	budget__set_memory(MB / 4);
	memcpy(copy_of_text, text, size);
	CHECK_INT(maps__parse(&maps, copy_of_text), -EFBIG);
	CHECK_INT(budget__taken(), 0);
	CHECK(!perf_map__parse(text, size));
	CHECK_INT(budget__taken(), 0);
	budget__set_memory(8 * MB);
	map = perf_map__parse(text, size);
	CHECK(map && budget__taken() >= size);
	perf_map__free(map);
	CHECK_INT(maps__parse(&maps, text), 0);
	CHECK(maps.count > 4000 && budget__taken() > maps.count * 200);
	maps__free(&maps);
	CHECK_INT(budget__taken(), 0);
	budget__set_memory(64 * MB);
}

static int count_calls(void *job)
{
	(*(int *)job)++;
	return 0;
}

static void no_free(void *job)
{
	(void)job;
}

static bool is_stopping;

static bool stops(void)
{
	return is_stopping;
}

/* Without time nothing is read, and it is not forgotten either: what is asked for later gets its name. */
static void check_time(void)
{
	struct user_names *names = user_names__new();
	const uint64_t addresses[] = { (uint64_t)(uintptr_t)check_time + 4, (uint64_t)(uintptr_t)check_memory + 5,
				       (uint64_t)(uintptr_t)check_time + 8 };
	const struct user_frame *frames[3];
	int calls = 0;

	budget__set_time(0);
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 1, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (no time left to look)");
	CHECK_INT(budget__call(count_calls, no_free, &calls, 1000), -EAGAIN);
	budget__set_time(5000);
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 3, frames), 0);
	CHECK(frames[1]->file && strstr(frames[1]->file, "hostile_files"));
	if (frames[1]->is_named)
		CHECK_STR(frames[1]->name, "check_memory");
	user_names__free(names);

	/* what is left after a signal is little, and does not come back */
	budget__stop_with(stops);
	CHECK_INT(budget__call(count_calls, no_free, &calls, 1000), 0);
	CHECK_INT(calls, 1);
	is_stopping = true;
	CHECK_INT(budget__call(count_calls, no_free, &calls, 1000), 0);
	budget__set_time(5000);
	is_stopping = false;
	budget__stop_with(NULL);
}

/* A process that has the file mapped, with another root directory: its number, and where. */
static pid_t map_in(const char *file, const char *root, uint64_t *address, int go_on)
{
	int pipe_fds[2];
	pid_t child;

	CHECK(!pipe(pipe_fds));
	child = fork();
	if (!child) {
		int fd = open(file, O_RDONLY | O_CLOEXEC);
		char *mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), byte;
		uint64_t at = mapped == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)mapped;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (root && chroot(root))
			at = 0;
		if (write(pipe_fds[1], &at, sizeof(at)) != sizeof(at) || read(go_on, &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	CHECK(read(pipe_fds[0], address, sizeof(*address)) == sizeof(*address));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return child;
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	char bytes[8192];
	ssize_t got = read(in, bytes, sizeof(bytes));

	CHECK(got > 0 && write(out, bytes, (size_t)got) == got);
	close(in);
	close(out);
}

static void make_directories(const char *root, const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		CHECK(!mkdir(whole, 0755) || errno == EEXIST);
	}
	CHECK(!mkdir(whole, 0755) || errno == EEXIST);
}

#define ID_DIRECTORY "usr/lib/debug/.build-id/01"
#define ID_FILE ID_DIRECTORY "/23456789abcdef0123456789abcdef01234567.debug"

/*
 * A user's root directory has a forged file of debugging information for a library that all share.  It names functions
 * of processes with that root directory alone, whichever comes first.
 */
static void check_roots(bool hostile_first)
{
	char root[] = "/tmp/hostile.XXXXXX", file[64], forged[128], inside[64], link[64];
	const char *names_of[3];
	uint64_t addresses[3];
	struct user_names *names = user_names__new();
	int go_on[2];
	pid_t children[3];

	CHECK(mkdtemp(root) && !pipe(go_on) && !chmod(root, 0755));
	snprintf(file, sizeof(file), "%s/library", root);
	copy(CORPUS "id-stripped", file);
	make_directories(root, ID_DIRECTORY);
	snprintf(forged, sizeof(forged), "%s/" ID_FILE, root);
	copy(CORPUS "id-debug", forged);
	/* where map_files may not be read, the file is looked for by its path in the process' root directory */
	make_directories(root, "tmp");
	snprintf(link, sizeof(link), "%s%s", root, root);
	CHECK_INT(symlink("..", link), 0);
	for (int i = 0; i < 3; i++)
		children[i] = map_in(file, (i == 1) == hostile_first ? NULL : root, &addresses[i], go_on[0]);
	for (int i = 0; i < 3; i++) {
		const struct user_frame *frame;
		uint64_t address = addresses[i] + 0x205;

		CHECK(addresses[i]);
		CHECK_INT(user_names__stack(names, (uint32_t)children[i], &not_told, &address, 1, &frame), 0);
		names_of[i] = frame->name;
	}
	/* of three processes the second has the other root directory */
	CHECK_STR(names_of[0], hostile_first ? "hidden" : "shown");
	CHECK_STR(names_of[1], hostile_first ? "shown" : "hidden");
	CHECK_STR(names_of[2], names_of[0]);
	close(go_on[1]);
	close(go_on[0]);
	for (int i = 0; i < 3; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	user_names__free(names);
	snprintf(inside, sizeof(inside), "rm -r %s", root);
	CHECK_INT(system(inside), 0);
}

/* Links in a root directory are followed inside of it. */
static void check_links(void)
{
	static const struct { const char *path; bool follow; int expected; } paths[] = {
		{ "dir/file", false, 0 }, { "dir//file", false, 0 }, { "./dir/./file", false, 0 },
		{ "dir/none", false, -ENOENT },
		{ "dir", false, -EPERM }, { "dir/file/x", false, -EPERM }, { "", false, -EPERM }, { "dir/", false, -EPERM },
		{ "dir/../dir/file", false, -EPERM }, { "dir/../dir/file", true, 0 }, { "../../../dir/file", true, 0 },
		{ "relative", false, -EPERM }, { "relative", true, 0 }, { "dir/up", true, 0 }, { "absolute", true, 0 },
		{ "todir/file", false, -EPERM }, { "todir/file", true, 0 }, { "loop", true, -ELOOP },
		/* these are there, outside */
		{ "out", true, -ENOENT }, { "outabsolute", true, -ENOENT }, { "../../etc/passwd", true, -ENOENT },
	};
	static const struct { const char *target, *name; } links[] = {
		{ "dir/file", "relative" }, { "../dir/file", "dir/up" }, { "/dir/file", "absolute" }, { "dir", "todir" },
		{ "loop", "loop" },
		{ "../../../../../etc/passwd", "out" }, { "/etc/passwd", "outabsolute" },
	};
	char directory[] = "/tmp/links.XXXXXX", path[128];
	struct stat stat;
	int root;

	CHECK(mkdtemp(directory));
	make_directories(directory, "dir");
	snprintf(path, sizeof(path), "%s/dir/file", directory);
	copy(CORPUS "id-debug", path);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, links[i].name);
		CHECK_INT(symlink(links[i].target, path), 0);
	}
	root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int fd = root_file__find(root, paths[i].path, paths[i].follow, &stat);

		check_report((fd < 0 ? fd : 0) == paths[i].expected, __FILE__, __LINE__, "%s: %d, expected %d",
			     paths[i].path, fd, paths[i].expected);
		if (fd >= 0)
			close(fd);
	}
	close(root);
	snprintf(path, sizeof(path), "rm -r %s", directory);
	CHECK_INT(system(path), 0);
}

int main(void)
{
	check_sparse();
	check_overlapping();
	check_memory();
	check_other_memory();
	check_time();
	/* chroot(2) is root's, or anybody's in a user namespace */
	if (!geteuid() || !unshare(CLONE_NEWUSER)) {
		check_roots(true);
		check_roots(false);
	}
	check_links();
	return check_done();
}
