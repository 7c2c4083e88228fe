/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls as events: their numbers, their fields out of a copy of tracefs, and the code that tells them from others. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "disassemble.h"
#include "lib/format/syscall_args.h"
#include "lib/gen/syscall.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/syscall_names.h"

static const struct syscall_places places = { .args = 16, .ret = 0, .duration = 8 };

static void check_fields(const char *system, const char *name, const char *expected)
{
	struct format *format;
	struct fault fault;
	char text[1024] = "";

	if (!CHECK_INT(syscall_format__make(&format, system, name, &places, &fault), 0))
		return;
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];

		sprintf(text + strlen(text), "%s%s@%u:%u%s", i ? "; " : "", field->decl, field->offset, field->size,
			field->loc == FORMAT_POINTER ? " text" : field->meaning ? " meaning" : "");
	}
	CHECK_STR(text, expected);
	format__free(format);
}

/* unlink is a 32-bit call alone on arm64, which has the numbers of its own calls first. */
#if defined(__x86_64__)
#define NEAREST "unlink, unlinkat"
#else
#define NEAREST "unlinkat, unlink"
#endif

static void check_missing(const char *system, const char *name, const char *expected)
{
	struct format *format;
	struct fault fault;

	CHECK_INT(syscall_format__make(&format, system, name, &places, &fault), -ENOENT);
	CHECK_STR(fault.text, expected);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/syscalls/%s", folder, name);
	CHECK(!mkdir(path, 0700));
	strcat(path, "/format");
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* As 7.2 has it: with a copy of the text behind the arguments. */
static const char unlinkat_format[] =
	"name: sys_enter_unlinkat\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * pathname;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flag;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] __pathname_val;\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n";
static const char newfstat_format[] =
	"name: sys_enter_newfstat\nID: 8\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:struct stat * statbuf;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static void check_formats(void)
{
	char folder[] = "/tmp/probelight-syscall-format.XXXXXX", path[256];

	CHECK(mkdtemp(folder) != NULL);
	sprintf(path, "%s/events", folder);
	CHECK(!mkdir(path, 0700));
	sprintf(path, "%s/events/syscalls", folder);
	CHECK(!mkdir(path, 0700));
	put_file(folder, "sys_enter_unlinkat", unlinkat_format);
	put_file(folder, "sys_enter_newfstat", newfstat_format);
	tracefs__use(folder);
	check_fields(SYSCALL_ENTER, "unlinkat", "int dfd@16:4 meaning; const char *pathname@24:8 text; int flag@32:4 meaning");
	check_fields(SYSCALL_RETURN, "unlinkat",
		     "int dfd@16:4 meaning; const char *pathname@24:8 text; int flag@32:4 meaning; long ret@0:8 "
		     "meaning; u64 duration@8:8");
	check_fields(SYSCALL_ENTER, "fstat", "unsigned int fd@16:4; struct stat *statbuf@24:8");
	check_fields(SYSCALL_ENTER, "newfstat", "unsigned int fd@16:4; struct stat *statbuf@24:8");
	check_missing(SYSCALL_ENTER, "unlinkta", "sys:unlinkta: there is no such system call; the nearest are " NEAREST);
	check_missing(SYSCALL_RETURN, "exit_group", "sysr:exit_group: this call does not return (sys:exit_group shows it begin)");
	tracefs__use(NULL);
	sprintf(path, "rm -r %s", folder);
	CHECK(!system(path));
}

static void check_numbers(void)
{
	struct syscall_numbers numbers;
	bool found[2] = {};

	CHECK(syscall_numbers__find(&numbers, "kill") && numbers.own_count == 1 && numbers.compat_count == 1);
	CHECK_INT(numbers.own[0], syscall_number("kill", false));
	CHECK_INT(numbers.compat[0], syscall_number("kill", true));
	CHECK(!syscall_numbers__find(&numbers, "nosuchcall"));
	/* the kernel's name: both ABIs' umount2, and not the 32-bit call with one argument */
	CHECK(syscall_numbers__find(&numbers, "umount"));
	CHECK_INT(numbers.own[0], syscall_number("umount2", false));
	CHECK_INT(numbers.compat[0], syscall_number("umount2", true));
#if defined(__x86_64__)
	CHECK(syscall_numbers__find(&numbers, "kill") && numbers.compat_args == &compat_args__same);
	CHECK(syscall_numbers__find(&numbers, "fallocate") && numbers.compat_count == 1);
	CHECK(numbers.compat_args->low == 0x774210 && numbers.compat_args->high == 0x775377);
	CHECK(syscall_numbers__find(&numbers, "truncate64") && !numbers.own_count && numbers.compat_count == 1);
	CHECK(numbers.compat_args->low == 0x777710 && numbers.compat_args->high == 0x777727);
#endif
	CHECK(syscall_numbers__find_returns(&numbers, "execveat") && numbers.own_count >= 2 && numbers.compat_count == 2);
#if defined(__x86_64__)
	CHECK(syscall_numbers__find(&numbers, "ioctl") && numbers.own_count == 2 && numbers.own[1] == 514);
	CHECK(syscall_numbers__find(&numbers, "mmap2") && !numbers.own_count && numbers.compat[0] == 192);
#endif
	for (size_t i = 0; i < SYSCALL_FORMAT_NAMES; i++) {
		const char *name = syscall_format__name(i);

		if (!name)
			continue;
		CHECK(syscall_numbers__find(&numbers, name));
		for (size_t other = i + 1; other < SYSCALL_FORMAT_NAMES; other++)
			CHECK(!syscall_format__name(other) || strcmp(syscall_format__name(other), name));
		found[0] |= !strcmp(name, "unlinkat");
		/* a 32-bit call of both architectures */
		found[1] |= !strcmp(name, "stat64");
	}
	CHECK(found[0] && found[1]);
}

#if defined(__x86_64__)
#define AND "r0 &= -1073741825; "
#else
#define AND ""
#endif
#define MARK "call 35; r3 = r0; r3 += 24; r1 = r10; r1 += -72; r2 = 4; call 113; r0 = u32[r10-72]; r0 &= 2; "

static void check_code(const struct syscall_numbers *numbers, bool returns, const char *expected)
{
	const struct syscall_hooks hooks = { .begin_number = 8, .end_number = 16, .mark = { .offset = 24, .size = 4, .bit = 2 } };
	struct emit emit = {};
	char code[4096];

	CHECK_INT((returns ? syscall__emit_returns : syscall__emit_begins)(&emit, numbers, &hooks), 0);
	disassemble(emit.insns, emit.count, code);
	CHECK_STR(code, expected);
	emit__free(&emit);
}

static void check_codes(void)
{
	const struct syscall_numbers different = { .own = { 263 }, .own_count = 1, .compat = { 301 }, .compat_count = 1 };
	const struct syscall_numbers same = { .own = { 437 }, .own_count = 1, .compat = { 437 }, .compat_count = 1 };
	const struct syscall_numbers one = { .compat = { 102 }, .compat_count = 1 };

	/* the one number means it in this ABI, the other one in that */
	check_code(&different, false, "r0 = u64[r6+8]; " AND "if r0 == 263 go +2; if r0 == 301 go +12; go +22; "
		   MARK "if r0 == 0 go +16; go +11; " MARK "if r0 == 0 go +1; go +2; r0 = 0; go +3; r0 = 2; go +1; r0 = 1");
	check_code(&different, true, "r0 = u64[r6+16]; " AND "if r0 == 263 go +3; if r0 == 301 go +2; r0 = 0; go +1; r0 = 1");
	check_code(&same, false, "r0 = u64[r6+8]; " AND "if r0 == 437 go +1; go +11; " MARK "if r0 == 0 go +5; go +2; "
		   "r0 = 0; go +3; r0 = 2; go +1; r0 = 1");
	check_code(&one, false, "r0 = u64[r6+8]; " AND "if r0 == 102 go +1; go +11; " MARK "if r0 == 0 go +1; go +2; r0 = 0; go +1; r0 = 2");
}

static void check_texts(void)
{
	CHECK(syscall_args__is_text("pathname", "const char *"));
	CHECK(syscall_args__is_text("dev_name", "char *"));
	CHECK(!syscall_args__is_text("buf", "const char *"));
	CHECK(!syscall_args__is_text("statbuf", "struct stat *"));
	CHECK(!syscall_args__is_text("argv", "const char *const *"));
	CHECK(!syscall_args__meaning("openat", "flag", "int") && syscall_args__meaning("unlinkat", "flag", "int"));
}

static void check_meaning(const char *call, const char *argument, uint64_t number, const char *expected)
{
	const struct meaning *meaning = syscall_args__meaning(call, argument, "int");
	char text[MEANING_MAX];

	if (check_report(!!meaning, __FILE__, __LINE__, "%s(%s) means nothing", call, argument))
		CHECK_STR(meaning__text(meaning, number, text, sizeof(text)), expected);
}

/* Numbers out of the headers of this machine, and those that must be shown raw. */
static void check_meanings(void)
{
	check_meaning("openat", "flags", O_RDONLY, "O_RDONLY");
	check_meaning("openat", "flags", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC");
	check_meaning("open", "flags", O_RDWR | O_SYNC | O_TMPFILE, "O_RDWR|O_SYNC|O_TMPFILE");
	check_meaning("open", "flags", O_RDONLY | O_DIRECTORY | 0x40000000, "O_RDONLY|O_DIRECTORY|0x40000000");
	check_meaning("openat", "dfd", (uint64_t)AT_FDCWD, "AT_FDCWD");
	check_meaning("mmap", "prot", PROT_NONE, "PROT_NONE");
	check_meaning("mprotect", "prot", PROT_READ | PROT_EXEC | 0x4000, "PROT_READ|PROT_EXEC|0x4000");
	check_meaning("mmap", "flags", MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, "MAP_PRIVATE|MAP_ANONYMOUS|MAP_STACK");
	check_meaning("mmap", "flags", 3 | MAP_HUGETLB | 21u << 26, "MAP_SHARED_VALIDATE|MAP_HUGETLB|0x54000000");
	check_meaning("clone", "clone_flags", CLONE_VM | CLONE_VFORK | SIGCHLD, "SIGCHLD|CLONE_VM|CLONE_VFORK");
	check_meaning("clone", "clone_flags", CLONE_NEWPID, "CLONE_NEWPID");
	check_meaning("clone", "clone_flags", CLONE_FS | 5, "CLONE_FS|0x5");
	check_meaning("socket", "family", AF_INET6, "AF_INET6");
	check_meaning("socket", "family", 200, NULL);
	check_meaning("socket", "type", SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, "SOCK_DGRAM|SOCK_NONBLOCK|SOCK_CLOEXEC");
	check_meaning("mount", "flags", MS_RDONLY | MS_BIND | MS_REC, "MS_RDONLY|MS_BIND|MS_REC");
	check_meaning("umount", "flags", MNT_DETACH, "MNT_DETACH");
	check_meaning("prctl", "option", PR_SET_NAME, "PR_SET_NAME");
	check_meaning("prctl", "option", 4000000, NULL);
	CHECK(syscall_args__meaning("mkdir", "mode", "umode_t")->is_octal);
}

int main(void)
{
	check_numbers();
	check_formats();
	check_codes();
	check_texts();
	check_meanings();
	return check_done();
}
