/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exec_calls FOLDER: executes programs in every way that there is, and prints what a tracer must show: lines
 * of "PCOMM PID PPID UID RET PATH ARGS" as `execsnoop -U -e -u 4242` has them, single spaces between.
 *
 * The programs that it executes are itself, under other names: the new program says what it got.  Exit status 77 where
 * the kernel has no 32-bit calls.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call32.h"
#include "machine.h"

#define USER 4242

/* What a row holds at most; src/execsnoop. */
#define ARGS_SIZE_LARGE 32768
#define ARGS_MAX 64		/* of a failed exec */

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define NR32_EXECVE 11
#define NR32_EXECVEAT 358

static char *report[] = { (char *)"EXEC_CALLS=report", NULL };
static char folder[4000], plain[sizeof(folder) + 6];
static int dir;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Arguments as a row has them. */
static void print_string(const char *string)
{
	if (!*string)
		printf("''");
	for (; *string; string++) {
		if (*string == '\n')
			printf("\\n");
		else if (*string == '\\')
			printf("\\\\");
		else if ((unsigned char)*string < ' ' || (unsigned char)*string > '~')
			printf("\\x%02x", (unsigned char)*string);
		else
			putchar(*string);
	}
}

static void print_row(long ret, const char *path, size_t shown, size_t more, char **args)
{
	char comm[16];

	prctl(PR_GET_NAME, comm);
	printf("%s %d %d %u %ld ", comm, getpid(), getppid(), getuid(), ret);
	print_string(path);
	for (size_t i = 0; i < shown; i++) {
		putchar(' ');
		print_string(args[i]);
	}
	if (more)
		printf(" [+%zu more]", more);
	else if (!shown)
		printf(" -");
	printf("\n");
	fflush(stdout);
}

/* The new program: what it got is what it tells. */
static int print_own_row(int argc, char **argv)
{
	size_t shown = 0, size = 0;

	while (shown < (size_t)argc && size + strlen(argv[shown]) + 1 <= ARGS_SIZE_LARGE)
		size += strlen(argv[shown++]) + 1;
	print_row(0, (const char *)getauxval(AT_EXECFN), shown, (size_t)argc - shown, argv);
	return 0;
}

static size_t count(char **argv)
{
	size_t number = 0;

	while (argv && argv[number])
		number++;
	return number;
}

static void failed_cut(long ret, const char *path, char **argv, size_t shown)
{
	if (ret >= 0)
		die("an exec that must fail succeeded");
	print_row(-errno, path, shown, count(argv) - shown, argv);
}

static void failed(long ret, const char *path, char **argv)
{
	size_t number = count(argv);

	failed_cut(ret, path, argv, number < ARGS_MAX ? number : ARGS_MAX);
}

static void failed_as(long ret, const char *path, const char *args)
{
	if (ret >= 0)
		die("an exec that must fail succeeded");
	print_row(-errno, path, 1, 0, (char *[]){ (char *)args });
}

static long call_execve(const char *path, char **argv)
{
	return syscall(SYS_execve, path, argv, report);
}

static long call_execveat(int dfd, const char *path, char **argv, int flags)
{
	return syscall(SYS_execveat, dfd, path, argv, report, flags);
}

/* In a child that becomes another program, which says so. */
static bool child(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (!pid)
		return true;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "exec_calls: a child failed\n");
		exit(1);
	}
	return false;
}

static void *exec_in_thread(void *argv)
{
	call_execve(plain, argv);
	return NULL;
}

static void execs_in_thread(char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_in_thread, argv))
		die("pthread_create");
	pthread_join(thread, NULL);
	_exit(1);
}

/* FOLDER/././…/plain, length characters long in all. */
static char *long_path(size_t length)
{
	char *path = malloc(length + 1);
	size_t used = (size_t)sprintf(path, "%s/", folder), rest = length - used - 5;

	if (rest % 2)
		path[used++] = '/';
	for (; rest >= 2; rest -= 2) {
		path[used++] = '.';
		path[used++] = '/';
	}
	strcpy(path + used, "plain");
	return path;
}

/* A list of number arguments, "0", "1" …, as long as length characters each. */
static char **many(size_t number, size_t length)
{
	char **argv = calloc(number + 1, sizeof(*argv));

	for (size_t i = 0; i < number; i++) {
		argv[i] = malloc(length + 32);
		snprintf(argv[i], length + 32, "%0*zu", (int)length, i);
	}
	return argv;
}

static char *make_file(const char *name, const char *text, mode_t mode)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		die("asprintf");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode))
		die(path);
	close(fd);
	return path;
}

/* A page of a file's mapping that this process has never touched, with the list { "untouched", "argument" } in it. */
static char **untouched_list(void)
{
	struct {
		char *argv[3];
		char strings[2][16];
	} list = { .strings = { "untouched", "argument" } };
	int fd = memfd_create("list", MFD_CLOEXEC);
	char *page;

	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED || ftruncate(fd, 4096))
		die("memfd_create");
	list.argv[0] = page + ((char *)list.strings[0] - (char *)&list);
	list.argv[1] = page + ((char *)list.strings[1] - (char *)&list);
	if (write(fd, &list, sizeof(list)) != sizeof(list))
		die("write");
	return (char **)page;
}

/*
 * A program whose only segment is more in the file than in memory: the kernel notices when there is no way back to the
 * old program (load_elf_binary() in fs/binfmt_elf.c), and kills the process.
 */
static void broken_halfway(char **argv)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr load;
	} elf = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = MACHINE_ELF, .e_version = EV_CURRENT, .e_entry = 0x400000,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_paddr = 0x400000,
			.p_filesz = 4096, .p_memsz = 1, .p_align = 4096,
		},
	};
	char *path = make_file("broken", "", 0755);
	int fd = open(path, O_WRONLY | O_CLOEXEC), status;
	pid_t pid;

	if (fd < 0 || write(fd, &elf, sizeof(elf)) != sizeof(elf) || ftruncate(fd, 8192))
		die(path);
	close(fd);
	pid = fork();
	if (!pid) {
		call_execve(path, argv);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		die("broken_halfway");
	printf("broken %d %d %u -22 <fault> <fault>\n", pid, getpid(), getuid());
	fflush(stdout);
}

static void successes(void)
{
	static const size_t lengths[] = { 126, 127, 128, 129, 300, 4095 };
	char *args[] = { (char *)"renamed", (char *)"a", (char *)"b c", (char *)"", (char *)"d\te\nf\\g\377", NULL };
	char *none[] = { NULL };
	char script_text[8192];
	char *script;
	int fd;

	if (child())
		_exit(call_execve(plain, args) != 0);
	if (child())
		_exit(call_execve("plain", args) != 0);
	if (child())
		_exit(call_execveat(AT_FDCWD, "plain", args, 0) != 0);
	if (child())
		_exit(call_execveat(dir, "plain", args, 0) != 0);
	fd = open(plain, O_RDONLY);
	if (child())
		_exit(fexecve(fd, args, report));
	if (child())
		_exit(call_execveat(fd, "", args, AT_EMPTY_PATH) != 0);
	close(fd);
	/* the interpreter gets its own name, its option, the script, the arguments */
	snprintf(script_text, sizeof(script_text), "#!%s -o\n", plain);
	script = make_file("script", script_text, 0755);
	if (child())
		_exit(call_execve(script, args) != 0);
	/* not empty for the new program: 5.18 (dcd46d897adb), and the stable kernels since then, make it one empty string */
	if (child())
		_exit(call_execve(plain, none) != 0);
	if (child())
		_exit(call_execve(plain, NULL) != 0);
	if (child())
		execs_in_thread(args);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (child())
			_exit(call_execve(long_path(lengths[i]), args) != 0);

	/* each record's size, to the byte, and one more; then what no record takes */
	if (child())
		_exit(call_execve(plain, many(1, 255)) != 0);
	if (child())
		_exit(call_execve(plain, many(1, 256)) != 0);
	if (child())
		_exit(call_execve(plain, many(64, 63)) != 0);
	if (child())
		_exit(call_execve(plain, many(65, 63)) != 0);
	if (child())
		_exit(call_execve(plain, many(512, 63)) != 0);
	if (child())
		_exit(call_execve(plain, many(513, 63)) != 0);
	if (child())
		_exit(call_execve(plain, many(1000, 64)) != 0);
	if (child())
		_exit(call_execve(plain, many(100000, 1)) != 0);
	if (child())
		_exit(call_execve(plain, many(1, 32767)) != 0);
	if (child())
		_exit(call_execve(plain, many(1, 32768)) != 0);
	if (child())
		_exit(call_execve(plain, many(2, 100000)) != 0);
}

/* opens_first: since 6.8 the kernel opens the file before it looks at the arguments. */
static void failures(bool opens_first)
{
	char *args[] = { (char *)"renamed", (char *)"a", (char *)"b c", (char *)"", (char *)"d\te\nf\\g\377", NULL };
	char *bad_one[] = { (char *)"bad", (char *)8, (char *)"one", NULL };
	char *text = make_file("text", "no program\n", 0755);
	char *locked = make_file("locked", "", 0644);
	char below[4200], *path, **list;

	failed(call_execve("/no/such/program", args), "/no/such/program", args);
	failed(call_execve("relative/none", args), "relative/none", args);
	failed(call_execve(text, args), text, args);
	failed(call_execve(locked, args), locked, args);
	failed(call_execve(folder, args), folder, args);
	snprintf(below, sizeof(below), "%s/below", text);
	failed(call_execve(below, args), below, args);
	failed(call_execve("", args), "", args);
	failed(call_execve("/no/such/program", NULL), "/no/such/program", NULL);
	failed(call_execveat(AT_FDCWD, "none", args, 0), "none", args);
	failed(call_execveat(AT_FDCWD, plain, args, 1 << 30), plain, args);
	/* AT_EXECVE_CHECK (since 6.14) executes nothing, and is no exec that fails */
	call_execveat(AT_FDCWD, "none", args, 1 << 16);
	snprintf(below, sizeof(below), "/dev/fd/%d/none", dir);
	failed(call_execveat(dir, "none", args, 0), below, args);
	failed(call_execveat(1000, "none", args, 0), "/dev/fd/1000/none", args);
	failed(call_execveat(1000, "", args, AT_EMPTY_PATH), "/dev/fd/1000", args);
	failed(call_execveat(1000, "/no/such/program", args, 0), "/no/such/program", args);

	failed(call_execve(NULL, args), "<fault>", args);
	failed(call_execveat(dir, NULL, args, AT_EMPTY_PATH), "<fault>", args);
	failed(call_execve((const char *)0xffff888000000000, args), "<fault>", args);
	failed_as(call_execve(plain, bad_one), plain, "bad <fault> one");
	failed_as(call_execve(plain, (char **)8), plain, "<fault>");
	/* nobody has touched the arguments in time where the file is opened first, and that fails */
	list = untouched_list();
	failed_as(call_execve("/no/such/program", list), "/no/such/program", opens_first ? "<fault>" : "untouched argument");
	list = untouched_list();
	failed_as(call_execve(locked, list), locked, opens_first ? "<fault>" : "untouched argument");

	broken_halfway(args);

	for (size_t length = 126; length < 130; length++) {
		path = long_path(length);
		path[length - 1] = 'x';
		failed(call_execve(path, args), path, args);
	}
	path = long_path(4095);
	path[4094] = 'x';
	failed(call_execve(path, args), path, args);
	list = many(16, 1);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(17, 1);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(2, 127);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(2, 128);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(2, 4094);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(2, 4095);
	failed_cut(call_execve("/no/such/program", list), "/no/such/program", list, 0);
	list = many(3, 4095 - 1);
	failed_cut(call_execve("/no/such/program", list), "/no/such/program", list, 2);
	list = many(64, 1);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	list = many(65, 1);
	failed(call_execve("/no/such/program", list), "/no/such/program", list);
	for (size_t number = 12799; number < 12802; number++) {
		list = many(number, 10);
		failed(call_execve("/no/such/program", list), "/no/such/program", list);
	}
	/* "Argument list too long" */
	list = many(300000, 2);
	failed(call_execve(plain, list), plain, list);
}

static long low_list(char **strings)
{
	size_t number = count(strings);
	uint32_t *list = calloc(number + 1, sizeof(*list));

	for (size_t i = 0; i < number; i++)
		list[i] = (uint32_t)low32(strings[i], strlen(strings[i]) + 1);
	return low32(list, (number + 1) * sizeof(*list));
}

/* A program of 32 bits that does nothing but exit(0). Who called it says what it must show. */
static void program32(char **argv)
{
#ifdef __x86_64__
	static const unsigned char code[] = {
		0xb8, 1, 0, 0, 0,	/* mov $1, %eax: exit */
		0x31, 0xdb,		/* xor %ebx, %ebx */
		0xcd, 0x80,		/* int $0x80 */
	};
	const Elf32_Half machine = EM_386;
#else
	static const unsigned char code[] = {
		0x01, 0x70, 0xa0, 0xe3,	/* mov r7, #1: exit */
		0x00, 0x00, 0xa0, 0xe3,	/* mov r0, #0 */
		0x00, 0x00, 0x00, 0xef,	/* svc #0 */
	};
	const Elf32_Half machine = EM_ARM;
#endif
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		unsigned char code[sizeof(code)];
	} elf = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = machine, .e_version = EV_CURRENT,
			.e_flags = machine == EM_ARM ? EF_ARM_EABI_VER5 : 0,
			.e_entry = 0x400000 + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
			.e_phoff = sizeof(Elf32_Ehdr), .e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 1,
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_paddr = 0x400000,
			.p_filesz = sizeof(elf), .p_memsz = sizeof(elf), .p_align = 4096,
		},
	};
	char *path = make_file("program32", "", 0755);
	int fd = open(path, O_WRONLY | O_CLOEXEC), status;
	pid_t pid;

	memcpy(elf.code, code, sizeof(code));
	if (fd < 0 || write(fd, &elf, sizeof(elf)) != sizeof(elf))
		die(path);
	close(fd);
	pid = fork();
	if (!pid)
		_exit(call_execve(path, argv) != 0);
	if (waitpid(pid, &status, 0) != pid || status)
		die("program32");
	printf("program32 %d %d %u 0 %s", pid, getpid(), getuid(), path);
	for (; *argv; argv++) {
		putchar(' ');
		print_string(*argv);
	}
	printf("\n");
	fflush(stdout);
}

static void calls32(void)
{
	char *args[] = { (char *)"of32", (char *)"a b", (char *)"", NULL };
	long list, env, path, none;

	call32__need();
	list = low_list(args);
	env = low_list(report);
	path = low32(plain, strlen(plain) + 1);
	none = low32("none32", 7);
	program32(args);
	if (child())
		_exit(call32(NR32_EXECVE, path, list, env, 0, 0) != 0);
	if (child())
		_exit(call32(NR32_EXECVEAT, dir, low32("plain", 6), list, env, 0) != 0);
	errno = (int)-call32(NR32_EXECVE, none, list, env, 0, 0);
	failed(-1, "none32", args);
	errno = (int)-call32(NR32_EXECVEAT, 1000, none, list, env, 0);
	failed(-1, "/dev/fd/1000/none32", args);
	errno = (int)-call32(NR32_EXECVE, none, low_list(many(5001, 1)), env, 0, 0);
	failed(-1, "none32", many(5001, 1));
	errno = (int)-call32(NR32_EXECVE, none, 8, env, 0, 0);
	failed_as(-1, "none32", "<fault>");
}

int main(int argc, char **argv)
{
	unsigned int major, minor;
	struct utsname kernel;

	if (getenv("EXEC_CALLS"))
		return print_own_row(argc, argv);
	if (argc != 2 || chdir(argv[1]) || !getcwd(folder, sizeof(folder)) || uname(&kernel) ||
	    sscanf(kernel.release, "%u.%u", &major, &minor) != 2) {
		fprintf(stderr, "usage: exec_calls FOLDER\n");
		return 2;
	}
	snprintf(plain, sizeof(plain), "%s/plain", folder);
	dir = open(folder, O_PATH);
	if (dir < 0 || symlink("/proc/self/exe", plain) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		die(folder);
	successes();
	failures(major > 6 || (major == 6 && minor >= 8));
	calls32();
	return 0;
}
