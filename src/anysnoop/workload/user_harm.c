// SPDX-License-Identifier: BSD-2-Clause
/*
 * user_harm WHAT: what a careless probe would break.  Prints "right", or what else has happened; a signal ends it where that is the harm.
 *
 *	offset NAME	prints where in the file the function NAME begins: constant, yielder, raiser, counted
 *	constant	constant() returns the number in its first instruction
 *	coroutine	two coroutines are in yielder() at the same time, and the one that entered first returns first
 *	altstack	a signal interrupts raiser(), and its handler calls counted() on a stack that lies above raiser()'s frame
 *	debugged	a child that is traced by ptrace(2); prints its number, and goes on when a line comes
 *	restored	the same; when a line comes the debugger reads the child's code and says "read", at the next line it writes that back
 *	mapped		whether a private mapping of its file has the bytes of constant() that read(2) gives
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))
#define STACK_SIZE (256 * 1024)

extern const char __executable_start[];
static ucontext_t first, second, outside;
static volatile int returned_first;

/* The immediate of its first instruction is what a probe inside that would change. */
int constant(void);
__asm__(".text\n.globl constant\n.type constant, %function\nconstant:\n\tmovl $0x11223344, %eax\n\tret\n.size constant, .-constant\n");

PROBED int counted(int number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

/* ---- coroutines */

PROBED int yielder(ucontext_t *from, ucontext_t *to)
{
	swapcontext(from, to);
	__asm__ volatile("" : : : "memory");
	return 1;
}

static void run_first(void)
{
	yielder(&first, &second);
	returned_first = 1;
	setcontext(&outside);
}

static void run_second(void)
{
	yielder(&second, &first);
	returned_first = 2;
	setcontext(&outside);
}

static void make(ucontext_t *context, char *stack, void (*run)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK_SIZE;
	makecontext(context, run, 0);
}

static const char *coroutine(void)
{
	char *stacks = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stacks == MAP_FAILED)
		return "no memory";
	/* the second one's stack lies above: the kernel takes the first one's call for one that was left */
	make(&first, stacks, run_first);
	make(&second, stacks + STACK_SIZE, run_second);
	swapcontext(&outside, &first);
	return returned_first == 1 ? "right" : "returned to the other one's caller";
}

/* ---- signals on another stack */

static void on_signal(int number)
{
	counted(number);
}

PROBED int raiser(int number)
{
	raise(number);
	__asm__ volatile("" : "+r"(number));
	return number;
}

static const char *altstack(void)
{
	/* on the stack of this function, above the frame of the next one */
	char room[64 * 1024];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	memset(room, 0, sizeof(room));
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	return raiser(SIGUSR1) == SIGUSR1 ? "right" : "wrong";
}

/* ---- a debugger */

static const char *debugged(int restores)
{
	long code;
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(counted(1) == 2 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	printf("%d\n", pid);
	fflush(stdout);
	if (getchar() == EOF)
		return "no line";
	if (restores) {
		code = ptrace(PTRACE_PEEKTEXT, pid, (void *)counted, NULL);
		puts("read");
		fflush(stdout);
		if (getchar() == EOF)
			return "no line";
		ptrace(PTRACE_POKETEXT, pid, (void *)counted, (void *)code);
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? "right" : "it died";
}

/* ---- who looks at the file */

static const char *mapped(void)
{
	uintptr_t offset = (uintptr_t)constant - (uintptr_t)__executable_start;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const char *map = mmap(NULL, offset + 6, PROT_READ, MAP_PRIVATE, fd, 0);
	char bytes[6];

	if (map == MAP_FAILED || pread(fd, bytes, sizeof(bytes), (off_t)offset) != (ssize_t)sizeof(bytes))
		return "it cannot be read";
	if (memcmp(bytes, "\xb8\x44\x33\x22\x11\xc3", sizeof(bytes)))
		return "read(2) differs";
	return memcmp(map + offset, bytes, sizeof(bytes)) ? "mmap(2) differs" : "right";
}

static int print_offset(const char *name)
{
	static const struct {
		const char *name;
		uintptr_t address;
	} functions[] = {
		{ "constant", (uintptr_t)constant },
		{ "yielder", (uintptr_t)yielder },
		{ "raiser", (uintptr_t)raiser },
		{ "counted", (uintptr_t)counted },
	};

	/* the linker's own scripts map a file's code where it is in the file */
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return printf("0x%lx\n", (unsigned long)(functions[i].address - (uintptr_t)__executable_start)) < 0;
	return 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "offset") && argc == 3)
		return print_offset(argv[2]);
	if (!strcmp(what, "constant"))
		puts(constant() == 0x11223344 ? "right" : "another number");
	else if (!strcmp(what, "coroutine"))
		puts(coroutine());
	else if (!strcmp(what, "altstack"))
		puts(altstack());
	else if (!strcmp(what, "debugged"))
		puts(debugged(0));
	else if (!strcmp(what, "restored"))
		puts(debugged(1));
	else if (!strcmp(what, "mapped"))
		puts(mapped());
	else
		return 2;
	return 0;
}
