/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of processes to names: ELF files, mappings, and work that does not come back. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/callers.h"
#include "lib/symbol/deadline.h"
#include "lib/symbol/debug_file.h"
#include "lib/symbol/demangle.h"
#include "lib/symbol/elf_symbols.h"
#include "lib/symbol/maps.h"
#include "lib/symbol/modules.h"
#include "lib/symbol/perf_map.h"
#include "lib/symbol/root_file.h"
#include "lib/symbol/user_names.h"

#define CORPUS "tests/fuzz/elf_symbols.corpus/"

static const struct stack_program not_told;

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

/*
 * A stripped file, and those that are kept apart for debuggers: its own, another one's, one that is stripped as well.
 */
static void check_debug_file(void)
{
	struct elf_symbols *symbols = read_symbols(CORPUS "id-stripped", 0);
	static const struct { const char *path; int expected; } wrong[] = {
		{ CORPUS "id-other", -ESTALE }, { CORPUS "id-stripped", -ESTALE }, { CORPUS "symtab-64", -ESTALE }, { "/dev/null", -ENOEXEC },
	};
	uint64_t into;
	int fd;

	CHECK_STR(elf_symbols__build_id(symbols), "0123456789abcdef0123456789abcdef01234567");
	CHECK_STR(elf_symbols__at(symbols, 0x200, &into), "shown");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		fd = open(wrong[i].path, O_RDONLY | O_CLOEXEC);
		CHECK_INT(elf_symbols__read_debug(symbols, fd, ELF_BY_BUILD_ID), wrong[i].expected);
		close(fd);
	}
	CHECK_STR(elf_symbols__at(symbols, 0x200, &into), "shown");
	fd = open(CORPUS "id-debug", O_RDONLY | O_CLOEXEC);
	CHECK_INT(elf_symbols__read_debug(symbols, fd, ELF_BY_BUILD_ID), 0);
	close(fd);
	CHECK_STR(elf_symbols__at(symbols, 0x205, &into), "hidden");
	/* now it has all: nothing is looked for */
	CHECK_STR(elf_symbols__build_id(symbols), "");
	elf_symbols__free(symbols);
}

#define LINK_AT 240	/* in link-stripped: "x.debug", a 0 byte, the checksum of symtab-64 */

/* link-stripped with some bytes of the link's section changed. */
static struct elf_symbols *read_linked(const void *link, size_t size)
{
	int fd = memfd_create("linked", 0), from = open(CORPUS "link-stripped", O_RDONLY | O_CLOEXEC);
	struct elf_symbols *symbols = NULL;
	char bytes[4096];
	ssize_t got = read(from, bytes, sizeof(bytes));

	CHECK(got > LINK_AT && write(fd, bytes, (size_t)got) == got);
	CHECK(pwrite(fd, link, size, LINK_AT) == (ssize_t)size);
	CHECK_INT(elf_symbols__read(fd, &symbols), 0);
	close(from);
	close(fd);
	return symbols;
}

/* Which file a stripped one asks for. */
static void check_debug_link(void)
{
	static const struct { const char *path; int expected; } wrong[] = {
		{ CORPUS "id-debug", -ESTALE }, { CORPUS "link-stripped", -ESTALE }, { "/dev/zero", -ENOEXEC }, { CORPUS "symtab-32", -ESTALE },
	};
	struct elf_symbols *symbols = read_symbols(CORPUS "link-stripped", 0);
	uint64_t into;
	int fd;

	CHECK_STR(elf_symbols__debug_link(symbols), "x.debug");
	CHECK_STR(elf_symbols__build_id(symbols), "");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		fd = open(wrong[i].path, O_RDONLY | O_CLOEXEC);
		CHECK_INT(elf_symbols__read_debug(symbols, fd, ELF_BY_LINK), wrong[i].expected);
		close(fd);
	}
	CHECK_STR(elf_symbols__at(symbols, 64 + 56, &into), "shown");
	fd = open(CORPUS "symtab-64", O_RDONLY | O_CLOEXEC);
	CHECK_INT(elf_symbols__read_debug(symbols, fd, ELF_BY_BUILD_ID), -ESTALE);
	CHECK_INT(elf_symbols__read_debug(symbols, fd, ELF_BY_LINK), 0);
	close(fd);
	CHECK_STR(elf_symbols__at(symbols, 64 + 56, &into), "first");
	CHECK_STR(elf_symbols__debug_link(symbols), "");
	elf_symbols__free(symbols);

	/* names that would lead elsewhere, or never end */
	static const char *const bad[] = { "../ab\0\0", "/etc/ab\0", "..\0\0\0\0\0\0", ".\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0", "abcdefghabcd" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		symbols = read_linked(bad[i], i + 1 < sizeof(bad) / sizeof(*bad) ? 8 : 12);
		CHECK_STR(elf_symbols__debug_link(symbols), "");
		elf_symbols__free(symbols);
	}
	/* the name leaves no room for the checksum */
	symbols = read_linked("abcdefgh\0\0\0", 12);
	CHECK_STR(elf_symbols__debug_link(symbols), "");
	elf_symbols__free(symbols);
}

/* Writes a copy of a file, and makes it that large. */
static void copy_file(const char *from, const char *to, off_t size)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char bytes[4096];
	ssize_t got = read(in, bytes, sizeof(bytes));

	CHECK(got > 0 && write(out, bytes, (size_t)got) == got);
	if (size)
		CHECK_INT(ftruncate(out, size), 0);
	close(in);
	close(out);
}

/* Whether a file of debugging information is found for link-stripped as that program. */
static bool has_debug_file(const char *program)
{
	struct elf_symbols *symbols = read_symbols(CORPUS "link-stripped", 0);
	struct root_id id;
	int root = root_file__root((uint32_t)getpid(), &id);
	uint64_t into;
	bool has;

	CHECK(root >= 0);
	/* the process' root was asked, whatever it has */
	CHECK(debug_file__read(symbols, root, root, program));
	close(root);
	has = !strcmp(elf_symbols__at(symbols, 64 + 56, &into), "first");
	elf_symbols__free(symbols);
	return has;
}

/* What may stand where a link leads. */
static void check_debug_file_found(void)
{
	char directory[] = "/tmp/symbol.XXXXXX", program[64], beside[64], hidden[64], below[64];

	CHECK(mkdtemp(directory));
	snprintf(program, sizeof(program), "%s/program", directory);
	snprintf(beside, sizeof(beside), "%s/x.debug", directory);
	snprintf(hidden, sizeof(hidden), "%s/.debug", directory);
	snprintf(below, sizeof(below), "%s/.debug/x.debug", directory);
	CHECK(!has_debug_file(program));
	copy_file(CORPUS "symtab-64", beside, 0);
	CHECK(has_debug_file(program));
	CHECK(!has_debug_file("relative/program"));
	CHECK(!has_debug_file("/program"));
	/* larger than is read: the checksum of all its zeros is not made */
	copy_file(CORPUS "symtab-64", beside, 5ll << 30);
	CHECK(!has_debug_file(program));
	unlink(beside);
	CHECK_INT(mkfifo(beside, 0666), 0);
	CHECK(!has_debug_file(program));
	unlink(beside);
	CHECK_INT(mkdir(hidden, 0700), 0);
	copy_file(CORPUS "symtab-64", below, 0);
	CHECK(has_debug_file(program));
	/* a link is not followed, wherever it leads */
	CHECK_INT(rename(below, program), 0);
	CHECK_INT(symlink(program, beside), 0);
	CHECK(!has_debug_file(program));
	/* nor a way up, out of the root directory */
	snprintf(program, sizeof(program), "%s/.debug/../program", directory);
	unlink(beside);
	copy_file(CORPUS "symtab-64", beside, 0);
	CHECK(!has_debug_file(program));
	unlink(beside);
	snprintf(program, sizeof(program), "%s/program", directory);
	unlink(program);
	rmdir(hidden);
	rmdir(directory);
}

/* Of 5 GB, most of which is a hole: what is read is where the file says, however far behind. */
static void check_large_file(void)
{
	const off_t sections = 5ll << 30;
	int fd = memfd_create("large", 0), from = open(CORPUS "symtab-64", O_RDONLY | O_CLOEXEC);
	struct elf_symbols *symbols = NULL;
	char bytes[4096];
	ssize_t got = read(from, bytes, sizeof(bytes));
	Elf64_Shdr table;
	uint64_t into;

	CHECK(got > 240 && write(fd, bytes, (size_t)got) == got);
	/* its sections, which begin at 240, at the end of all */
	CHECK(pwrite(fd, bytes + 240, (size_t)got - 240, sections) == got - 240);
	CHECK(pwrite(fd, &sections, sizeof(sections), offsetof(Elf64_Ehdr, e_shoff)) == sizeof(sections));
	CHECK_INT(elf_symbols__read(fd, &symbols), 0);
	CHECK_STR(elf_symbols__at(symbols, 64 + 56, &into), "first");
	elf_symbols__free(symbols);
	/* a table of 4 GB of symbols, all in the hole: not begun */
	memcpy(&table, bytes + 240 + sizeof(table), sizeof(table));
	table.sh_size = 4ull << 30;
	CHECK(pwrite(fd, &table, sizeof(table), sections + (off_t)sizeof(table)) == sizeof(table));
	CHECK_INT(elf_symbols__read(fd, &symbols), -EFBIG);
	/* and names of 4 GB */
	CHECK(pwrite(fd, bytes + 240, (size_t)got - 240, sections) == got - 240);
	memcpy(&table, bytes + 240 + 2 * sizeof(table), sizeof(table));
	table.sh_size = 4ull << 30;
	CHECK(pwrite(fd, &table, sizeof(table), sections + 2 * (off_t)sizeof(table)) == sizeof(table));
	CHECK_INT(elf_symbols__read(fd, &symbols), -EFBIG);
	close(from);
	close(fd);
}

/* Where a stack ends: with what begins a thread, or because a function has no frame pointer. */
static void check_callers(void)
{
	const struct user_frame work = { .name = "work", .is_named = true }, main = { .name = "main", .is_named = true };
	const struct user_frame start = { .name = "_start", .is_named = true };
	const struct user_frame nothing = { .name = "[unknown] (no code there)", .is_no_code = true };
	const struct user_frame unknown = { .name = "[unknown] (x+0x1)" };
	const struct user_frame *const garbage[] = { &work, &nothing, &nothing }, *const behind[] = { &work, &main, &start, &work };

	CHECK(!callers__are_whole(&work));
	CHECK(callers__are_whole(&main) && callers__are_whole(&start));
	/* nobody knows */
	CHECK(callers__are_whole(&unknown));
	CHECK_INT(callers__count(garbage, 3), 1);
	CHECK_INT(callers__count(garbage + 1, 1), 1);
	CHECK_INT(callers__count(behind, 4), 3);
	CHECK_INT(callers__count(behind, 0), 0);
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
	CHECK_INT(identity.code_end, 27);
	CHECK_INT(identity.stack, 2828);
	CHECK(!identity.is_ended);
	CHECK_INT(process_identity__parse(&identity, "7 (a) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 2222 0 0 25 0 0 0 29"), 0);
	CHECK(identity.is_ended);
	CHECK_INT(process_identity__parse(&identity, "7 (a) S 4 5"), -EINVAL);
	CHECK_INT(process_identity__parse(&identity, ""), -EINVAL);
	CHECK_INT(process_identity__read(&identity, (uint32_t)getpid()), 0);
	CHECK(identity.start_time);
	CHECK_INT(process_identity__read(&identity, 4000000), -ENOENT);
}

/* Of which program a stack is, and which one the process executes. */
static void check_program(void)
{
	static const struct process_identity executes = { .start_time = 1, .code = 0x1000, .code_end = 0x2000, .stack = 0x7000 };
	static const struct process_identity hidden = { .start_time = 1, .code = 1, .code_end = 1 };
	static const struct process_identity ended = { .start_time = 1, .is_ended = true };
	/* an exec has given it new memory, and not told yet of what */
	static const struct process_identity in_exec = { .start_time = 1, .stack = 0x7000 };
	static const struct {
		struct stack_program program;
		const struct process_identity *identity;
		int expected;
		bool executes;
	} cases[] = {
		{ { 0x2000, 0x7000 }, &executes, 0, true },
		{ { 0x2000, 0x7008 }, &executes, -ESTALE, false },
		/* without random addresses the stack may be where it was */
		{ { 0x2001, 0x7000 }, &executes, -ESTALE, false },
		{ { 0x2000, 0x7000 }, &ended, -ESRCH, false },
		{ { 0x2000, 0x7000 }, &in_exec, -ESTALE, false },
		{ { 0x2000, 0x7000 }, &hidden, 0, false },
		{ { 0, 0 }, &executes, 0, false },
		{ { 0, 0 }, &ended, 0, false },
		{ { 0, 0 }, &in_exec, 0, false },
		/* taken in the middle of an exec: of no program that may still be there */
		{ { 0, STACK_IN_EXEC }, &executes, -ESTALE, false },
		{ { 0, STACK_IN_EXEC }, &in_exec, -ESTALE, false },
		{ { 0, STACK_IN_EXEC }, &hidden, -ESTALE, false },
	};
	struct process_identity self, other;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(process_identity__check(cases[i].identity, &cases[i].program), cases[i].expected);
		CHECK_INT(process_identity__executes(cases[i].identity, &cases[i].program), cases[i].executes);
	}
	CHECK_INT(process_identity__read(&self, (uint32_t)getpid()), 0);
	CHECK_INT(process_identity__check_again(&self, (uint32_t)getpid()), 0);
	for (int i = 0; i < 4; i++) {
		other = self;
		*(i == 0 ? &other.start_time : i == 1 ? &other.code : i == 2 ? &other.code_end : &other.stack) += 1;
		CHECK_INT(process_identity__check_again(&other, (uint32_t)getpid()), -ESTALE);
	}
	CHECK_INT(process_identity__check_again(&self, 4000000), -ENOENT);
}

/* A process that was another program when its stack was taken, or has ended since. */
static void check_names_of_programs(void)
{
	struct user_names *names = user_names__new(), *others = user_names__new();
	const uint64_t address = (uint64_t)(uintptr_t)check_names_of_programs + 4;
	struct process_identity identity;
	struct stack_program now, before;
	const struct user_frame *frame, *known;
	int to_child[2], from_child[2];
	char byte;
	pid_t child;

	CHECK_INT(process_identity__read(&identity, (uint32_t)getpid()), 0);
	/* where this process may not look into itself nothing is compared */
	CHECK(identity.stack);
	now = (struct stack_program){ identity.code_end, identity.stack };
	before = (struct stack_program){ identity.code_end, identity.stack - 16 };
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &before, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (now another program)");
	CHECK(!frame->is_named && !frame->file && !frame->offset);
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &(struct stack_program){ 0, STACK_IN_EXEC }, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (now another program)");
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &now, &address, 1, &known), 0);
	CHECK(known->file && strstr(known->file, "symbol"));
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &before, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (now another program)");

	/*
	 * a child that becomes another program: who has read its mappings before goes on naming what the old one did,
	 * others do not
	 */
	CHECK(!pipe(to_child) && !pipe(from_child));
	child = fork();
	if (child == 0) {
		dup2(to_child[0], 0);
		dup2(from_child[1], 1);
		close(to_child[1]);
		close(from_child[0]);
		if (read(0, &byte, 1) == 1)
			execlp("cat", "cat", NULL);
		_exit(1);
	}
	close(to_child[0]);
	close(from_child[1]);
	CHECK_INT(user_names__stack(names, (uint32_t)child, &now, &address, 1, &known), 0);
	CHECK(known->file && strstr(known->file, "symbol"));
	/* cat gives the second byte back */
	CHECK_INT(write(to_child[1], "xy", 2), 2);
	CHECK_INT(read(from_child[0], &byte, 1), 1);
	CHECK_INT(process_identity__check(&identity, &now), 0);
	CHECK_INT(process_identity__read(&identity, (uint32_t)child), 0);
	CHECK_INT(process_identity__check(&identity, &now), -ESTALE);
	CHECK_INT(user_names__stack(names, (uint32_t)child, &now, &address, 1, &frame), 0);
	CHECK(frame == known);
	CHECK_INT(user_names__stack(names, (uint32_t)child, &now, &(uint64_t){ 0x10 }, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (now another program)");
	CHECK_INT(user_names__stack(others, (uint32_t)child, &now, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (now another program)");
	/* and it is known as the new one, as soon as that has a stack */
	now = (struct stack_program){ identity.code_end, identity.stack };
	CHECK_INT(user_names__stack(names, (uint32_t)child, &now, &address, 1, &frame), 0);
	CHECK(frame != known && !frame->is_named);
	CHECK_STR(frame->name, "[unknown] (no code there)");
	close(to_child[1]);
	CHECK_INT(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	CHECK_INT(user_names__stack(others, (uint32_t)child, &now, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (process ended)");
	CHECK_INT(waitpid(child, NULL, 0), child);
	CHECK_INT(user_names__stack(others, (uint32_t)child, &now, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (process ended)");
	/* what was read of the new program is not what the old one was */
	CHECK_INT(user_names__stack(names, (uint32_t)child, &before, &address, 1, &frame), 0);
	CHECK_STR(frame->name, "[unknown] (process ended)");
	close(from_child[0]);
	user_names__free(names);
	user_names__free(others);
}

static void check_demangled(const char *name, const char *expected)
{
	char *text = demangle(name);

	CHECK_STR(text ? text : "(none)", expected);
	free(text);
}

static void check_demangle(void)
{
	char pairs[1000] = "_Z1f";

	/* ci/deps installs it */
	CHECK(demangle__is_there());
	check_demangled("_ZN4work4busyEi", "work::busy");
	check_demangled("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back");
	check_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	check_demangled("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	check_demangled("main", "(none)");
	check_demangled("", "(none)");
	check_demangled("_Z", "(none)");
	check_demangled("_R", "(none)");
	check_demangled("_ZN4work", "(none)");
	check_demangled("_ZN4\x1b]0;Ev", "\x1b]0;");
	/* a type of twice the one before, a hundred times: it would never end */
	for (int i = 0; i < 100; i++)
		snprintf(pairs + strlen(pairs), sizeof(pairs) - strlen(pairs), i == 0 ? "4pairI1aS_E" : "S_I%s%sE", "S0_", "S0_");
	free(demangle(pairs));
}

static void check_perf_map(void)
{
	static const char text[] = "10 20 LazyCompile:~busy /app.js:3\n"
				   "nonsense\n"
				   "28 4 inner\n"
				   "10\n"
				   "40 0 nothing\n"
				   "0x50 0x8 with 0x\n"
				   "60 10 old\n"
				   "58 20 new\n"
				   "ffffffffffffffff 1 last\n"
				   "10000000000000000 1 too large\n"
				   "70 10";
	struct perf_map *map = perf_map__parse(text, strlen(text));

	CHECK_INT(perf_map__count(map), 6);
	CHECK_STR(perf_map__at(map, 0x10), "LazyCompile:~busy /app.js:3");
	CHECK(!perf_map__at(map, 0xf));
	CHECK_STR(perf_map__at(map, 0x29), "inner");
	CHECK_STR(perf_map__at(map, 0x2f), "LazyCompile:~busy /app.js:3");
	CHECK(!perf_map__at(map, 0x30));
	CHECK(!perf_map__at(map, 0x40));
	CHECK_STR(perf_map__at(map, 0x57), "with 0x");
	CHECK_STR(perf_map__at(map, 0x60), "new");
	CHECK_STR(perf_map__at(map, UINT64_MAX), "last");
	perf_map__free(map);
	map = perf_map__parse("", 0);
	CHECK_INT(perf_map__count(map), 0);
	CHECK(!perf_map__at(map, 0));
	perf_map__free(map);
	perf_map__free(NULL);
}

static int open_perf_map(void)
{
	uint32_t number = 0;
	int fd = perf_map__open((uint32_t)getpid(), &number);

	if (fd >= 0) {
		close(fd);
		CHECK_INT(number, getpid());
		return 0;
	}
	return fd;
}

/* What stands under the name of a process' perf map. */
static void check_perf_map_file(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	CHECK_INT(open_perf_map(), -ENOENT);
	CHECK_INT(mkfifo(path, 0666), 0);
	CHECK_INT(open_perf_map(), -EPERM);
	unlink(path);
	CHECK_INT(symlink("/etc/shadow", path), 0);
	CHECK_INT(open_perf_map(), -EPERM);
	unlink(path);
	CHECK_INT(symlink("/proc/self/exe", path), 0);
	CHECK_INT(open_perf_map(), -EPERM);
	unlink(path);
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(open_perf_map(), -EPERM);
	rmdir(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK_INT(open_perf_map(), 0);
	CHECK_INT(ftruncate(fd, 4ll << 30), 0);
	CHECK_INT(open_perf_map(), -EFBIG);
	CHECK_INT(ftruncate(fd, 0), 0);
	/* another user's */
	if (!geteuid() && !fchown(fd, 12345, 12345))
		CHECK_INT(open_perf_map(), -EPERM);
	close(fd);
	unlink(path);
	CHECK_INT(perf_map__open(4000000, &(uint32_t){ 0 }), -ENOENT);
}

/* Code that this process makes, tells of, and makes again. */
static void check_jit(void)
{
	struct user_names *names = user_names__new();
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t addresses[] = { (uint64_t)(uintptr_t)code + 8, (uint64_t)(uintptr_t)code + 0x101 };
	const struct user_frame *frames[2];
	char path[64];
	FILE *file;

	CHECK(code != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	fprintf(file, "%llx 10 made\x1b\n%llx 80 _ZN4work4busyEi\n", (unsigned long long)addresses[0],
		(unsigned long long)addresses[1] - 1);
	fclose(file);
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 2, frames), 0);
	CHECK_STR(frames[0]->name, "made\x1b");
	CHECK(frames[0]->is_named);
	CHECK_STR(frames[0]->file, path);
	CHECK_STR(frames[1]->name, demangle__is_there() ? "work::busy" : "_ZN4work4busyEi");
	user_names__free(names);

	unlink(path);
	names = user_names__new();
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 2, frames), 0);
	CHECK(!frames[0]->is_named && strstr(frames[0]->name, "[unknown] ("));
	user_names__free(names);
	munmap(code, 4096);
}

/* How many mappings a process may have (proc_sys_vm(5)). */
static size_t max_maps(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned long count = 0;

	if (CHECK(file)) {
		CHECK_INT(fscanf(file, "%lu", &count), 1);
		fclose(file);
	}
	return count;
}

/*
 * The mappings of a process that has nearly as many as the system lets it have, up to 100,000: its functions are named,
 * or it is told why not.  The rest is for the mappings of a thread, and of the sanitizer.
 */
static void check_many_maps(void)
{
	struct user_names *names = user_names__new();
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), spare = 4000, most = max_maps();
	const size_t wanted = most < 100000 + spare ? most - spare : 100000;
	char *many = mmap(NULL, wanted * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const uint64_t addresses[] = { (uint64_t)(uintptr_t)check_many_maps + 4, (uint64_t)(uintptr_t)many + page + 1 };
	const struct user_frame *frames[2];

	CHECK(most > 2 * spare && many != MAP_FAILED);
	for (size_t i = 1; i < wanted; i += 2)
		CHECK_INT(mprotect(many + i * page, page, PROT_READ | PROT_EXEC), 0);
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 2, frames), 0);
	CHECK(!strcmp(frames[0]->name, "check_many_maps") || !strncmp(frames[0]->name, "[unknown] (symbol+0x", 20) ||
	      !strcmp(frames[0]->name, "[unknown] (timed out)"));
	CHECK(!strncmp(frames[1]->name, "[unknown] ([anon]+0x", 20) || !strcmp(frames[1]->name, "[unknown] (timed out)"));
	user_names__free(names);
	munmap(many, wanted * page);
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

	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 2, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (no code there)");
	CHECK(frames[0]->is_no_code && !frames[1]->is_no_code);
	CHECK(!frames[0]->file && !frames[0]->is_named);
	/* named where the file may be opened, which a container may forbid; else module and offset are told */
	CHECK(frames[1]->file && strstr(frames[1]->file, "symbol"));
	CHECK(frames[1]->is_named ? !strcmp(frames[1]->name, "check_names") : !strncmp(frames[1]->name, "[unknown] (symbol+0x", 20));
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, addresses, 2, again), 0);
	CHECK(frames[0] == again[0] && frames[1] == again[1]);
	CHECK_INT(user_names__stack(names, 4000000, &not_told, addresses, 1, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (process ended)");
	CHECK_INT(user_names__stack(names, 0, &not_told, addresses, 1, frames), 0);
	CHECK_STR(frames[0]->name, "[unknown] (process not in this pid namespace)");
	/* more places than there is room for at first */
	for (uint64_t i = 0; i < 5000; i++)
		CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, &(uint64_t){ addresses[1] + i }, 1, again), 0);
	CHECK_INT(again[0]->offset - frames[1]->offset, 5000);
	/* of those that ended one frame, however many addresses come */
	for (uint64_t i = 0; i < 5000; i++) {
		CHECK_INT(user_names__stack(names, 0, &not_told, &(uint64_t){ i * 64 }, 1, again), 0);
		CHECK(again[0] == frames[0]);
	}
	user_names__free(names);
	user_names__free(NULL);
}

/* How many read() this process has done; 0: the kernel does not count them. */
static unsigned long count_reads(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	unsigned long reads = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "syscr: %lu", &reads);
	if (file)
		fclose(file);
	return reads;
}

/*
 * Stacks that end in no code do not have the mappings read for each; and what is mapped later has names all the same.
 */
static void check_outermost(void)
{
	struct user_names *names = user_names__new();
	const uint64_t own = (uint64_t)(uintptr_t)check_outermost + 4;
	const uint64_t ends_in_nothing[] = { own, 0x10 };
	uint64_t addresses[] = { own, own, own };
	const struct user_frame *frames[3];
	struct process_identity identity;
	struct stack_program program;
	unsigned long reads = count_reads();
	char *later[2];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK_INT(process_identity__read(&identity, (uint32_t)getpid()), 0);
	program = (struct stack_program){ identity.code_end, identity.stack };
	for (int i = 0; i < 2000; i++) {
		CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &program, ends_in_nothing, 2, frames), 0);
		if (!CHECK_STR(frames[1]->name, "[unknown] (no code there)"))
			break;
	}
	/* eleven times within two seconds, then once in each: far from 2,000 */
	reads = count_reads() - reads;
	check_report(reads < 1000, __FILE__, __LINE__, "%lu reads", reads);
	for (int i = 0; i < 2; i++) {
		later[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		CHECK(fd >= 0 && later[i] != MAP_FAILED);
		/* the innermost is code, and so is a caller that has one */
		addresses[0] = addresses[1] = own;
		addresses[i] = (uintptr_t)later[i] + 16;
		CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &program, addresses, 3, frames), 0);
		CHECK(frames[i]->file && strstr(frames[i]->file, "symbol"));
	}
	munmap(later[0], 4096);
	munmap(later[1], 4096);
	/* the outermost one, as soon as the mappings are read the next time */
	for (int i = 0; i < 2000; i++)
		user_names__stack(names, (uint32_t)getpid(), &program, ends_in_nothing, 2, frames);
	later[0] = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	do {
		CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &program,
					    (const uint64_t[]){ own, (uintptr_t)later[0] + 4097 }, 2, frames), 0);
		usleep(10000);
	} while (!frames[1]->file);
	munmap(later[0], 8192);
	close(fd);
	user_names__free(names);
}

/* A sweep leaves the frames that were kept, and what they are in. */
static void check_sweep(void)
{
	struct user_names *names = user_names__new();
	const uint64_t address = (uint64_t)(uintptr_t)check_names + 4;
	const struct user_frame *kept, *frame;
	uint64_t i;

	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, &address, 1, &kept), 0);
	CHECK(!user_names__are_many(names));
	for (int round = 0; round < 3; round++) {
		for (i = 1; !user_names__are_many(names); i++)
			CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, &(uint64_t){ address + i }, 1, &frame), 0);
		/* as many in each round: nothing is left of the round before */
		CHECK_INT(i, 4096 + 1 + (round > 0));
		user_names__keep(kept);
		user_names__sweep(names);
		CHECK(!user_names__are_many(names));
		CHECK(kept->is_named ? !strcmp(kept->name, "check_names") : !strncmp(kept->name, "[unknown] (symbol+0x", 20));
	}
	CHECK_INT(user_names__stack(names, (uint32_t)getpid(), &not_told, &address, 1, &frame), 0);
	CHECK(frame == kept);
	user_names__free(names);
}

/* Files of processes that have ended, or are another program's now, stand for each other: there would be one for each such process. */
static void check_unread_files(void)
{
	const struct process_identity gone = { .start_time = 1 };
	struct modules modules = { .list = NULL };
	struct maps maps;
	struct map *map;

	CHECK_INT(maps__read(&maps, (uint32_t)getpid()), 0);
	map = maps__at(&maps, (uint64_t)(uintptr_t)check_unread_files);
	for (int i = 0; i < 100 && map; i++) {
		const struct module *module;

		map->module = NULL;
		module = modules__of_map(&modules, (uint32_t)getpid(), &gone, map);
		CHECK(module && module->err == -ESTALE && !strcmp(module->path, map->path));
	}
	CHECK_INT(modules.count, 1);
	modules__free(&modules);
	maps__free(&maps);
}

/* Two processes whose numbers have the same lower bits do not displace each other's mappings. */
static void check_two_processes(void)
{
	struct user_names *names = user_names__new();
	const uint64_t address = (uint64_t)(uintptr_t)check_names + 4;
	pid_t pids[2] = { 0 };
	const struct user_frame *frame;
	unsigned long reads;
	int out[2];

	CHECK(!pipe(out));
	/* each 256th is one, but for those that others take meanwhile: on a busy machine that may be half of them */
	for (int i = 0; i < 1 << 16 && !pids[1]; i++) {
		pid_t pid = fork();
		char byte;

		if (!pid) {
			close(out[1]);
			_exit((int)read(out[0], &byte, 1));
		}
		if (!pids[0])
			pids[0] = pid;
		else if (!((pid ^ pids[0]) & 255))
			pids[1] = pid;
		else
			kill(pid, SIGKILL), waitpid(pid, NULL, 0);
	}
	CHECK(pids[1]);
	for (int i = 0; i < 2; i++)
		CHECK_INT(user_names__stack(names, (uint32_t)pids[i], &not_told, &address, 1, &frame), 0);
	reads = count_reads();
	for (int i = 0; i < 100; i++)
		CHECK_INT(user_names__stack(names, (uint32_t)pids[i & 1], &not_told, &address, 1, &frame), 0);
	/* who it is, and no more */
	reads = count_reads() - reads;
	check_report(reads <= 110, __FILE__, __LINE__, "%lu reads", reads);
	close(out[0]);
	close(out[1]);
	for (int i = 0; i < 2; i++)
		waitpid(pids[i], NULL, 0);
	user_names__free(names);
}

int main(void)
{
	check_sweep();
	check_unread_files();
	check_two_processes();
	check_elf();
	check_debug_file();
	check_debug_link();
	check_debug_file_found();
	check_large_file();
	check_callers();
	check_maps();
	check_many_maps();
	check_deadline();
	check_demangle();
	check_perf_map();
	check_perf_map_file();
	check_jit();
	check_names();
	check_outermost();
	check_program();
	check_names_of_programs();
	return check_done();
}
