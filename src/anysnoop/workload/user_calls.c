// SPDX-License-Identifier: BSD-2-Clause
/*
 * user_calls WHAT N: calls functions of its own in known ways, so that each call and each return can be counted.
 *
 *	greet N		greet("name 0", 0) … greet("name N-1", N-1), which returns twice the number
 *	eight N		eight(0, 1, … 7) … eight(N-1, N, … N+6), which returns the last of them
 *	map N		maps page 1000, 1001, … of a file, one page each, N times
 *	recurse N	recurse(N), which calls itself down to recurse(0)
 *	leave N		leave() N times, which never returns: longjmp(3)
 *	fork N		forks() N times, in which a child ends
 *	threads N	greet() N times in each of 4 threads
 *	constant N	constant() N times; prints what it returned last
 *	atomic N	arm64: atomic() N times; prints what it returned last, N
 *	unread N	greet() N times with a text that is in a page nobody has touched
 *	texts N		N times: greet() with an empty text on the heap, with one of 300 letters, of 255, and of 256
 *	handler N	a signal's handler on a stack of its own calls greet()
 *	heir N		as wait, in a second thread, when the first one has ended: that says "ready" and waits for a line, too
 *	wait N		says "ready" and waits for a line, then greet N
 *	stay N		outer() N times, which calls greet(); then says "done" and waits for a line
 *	stay-tail N	the same with tail()
 *	tail N		tail() N times, which ends with a jump to greet()
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))

static jmp_buf out;
static int count;

PROBED int greet(const char *name, int number)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return 2 * number;
}

/* More than x86-64 has registers for, and as many as arm64 has. */
PROBED int eight(long a, int b, long c, long d, long e, long f, int g, short h)
{
	__asm__ volatile("" : "+r"(a) : "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g) : "memory");
	return h;
}

PROBED int recurse(int depth)
{
	int below = depth ? recurse(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

PROBED int leave(int number)
{
	__asm__ volatile("" : "+r"(number));
	if (number >= 0)
		longjmp(out, 1);
	return number;
}

PROBED int forks(int number)
{
	pid_t pid = fork();

	if (pid > 0)
		waitpid(pid, NULL, 0);
	__asm__ volatile("" : "+r"(number));
	return pid ? number : -1;
}

PROBED int outer(int number)
{
	int result = greet("outer", number);

	__asm__ volatile("" : "+r"(result));
	return result + 1;
}

/* One whose end is a jump to another function: no ret instruction of its own tells that. */
PROBED int tail(const char *name, int number)
{
	return greet(name, number + 1);
}

/* The immediate of its first instruction is what a probe inside that would change. */
int constant(void);
#ifdef __x86_64__
#define RETURN_CONSTANT "\tmovl $0x11223344, %eax\n\tret\n"
#else
#define RETURN_CONSTANT "\tmovz w0, #0x3344\n\tmovk w0, #0x1122, lsl #16\n\tret\n"
#endif
__asm__(".text\n.globl constant\n.type constant, %function\nconstant:\n" RETURN_CONSTANT ".size constant, .-constant\n");
#ifdef __aarch64__
/* Adds 1 to a number by a load and a store that only work together, and a constant that a literal has: what a probe would break. */
int atomic(int *number);
__asm__(".text\n.globl atomic\n.type atomic, %function\natomic:\n\tmov x1, x0\n1:\tldxr w0, [x1]\n\tadd w0, w0, #1\n\tstxr w2, w0, [x1]\n"
	"\tcbnz w2, 1b\n\tldr w3, 2f\n\tret\n2:\t.4byte 0x11223344\n.size atomic, .-atomic\n");
#endif

static void *thread(void *unused)
{
	for (int i = 0; i < count; i++)
		greet("thread", i);
	return unused;
}

static void *heir(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	puts("alone");
	fflush(stdout);
	if (getchar() == EOF)
		exit(1);
	thread(NULL);
	exit(0);
}

/* The first thread ends before the process does. */
static void leave_to_heir(void)
{
	static pthread_t first, second;

	first = pthread_self();
	pthread_create(&second, NULL, heir, &first);
	puts("ready");
	fflush(stdout);
	getchar();
	pthread_exit(NULL);
}

static void threads(void)
{
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static void fork_inside(void)
{
	for (int i = 0; i < count; i++)
		if (forks(i) == -1)
			_exit(0);
}

static void unread(void)
{
	/* a file's page that is not in this process's page table yet */
	char name[] = "/tmp/user_calls.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	for (int i = 0; i < count; i++) {
		char *page;

		if (pwrite(fd, "untouched", 10, 0) != 10)
			exit(1);
		page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
		greet(page, i);
		munmap(page, 4096);
	}
}

/* On the heap something stands before a text. */
static void texts(void)
{
	char *text = calloc(1, 400);

	for (int i = 0; i < count && text; i++) {
		memset(text, 0, 400);
		greet(text, i);
		memset(text, 'x', 300);
		greet(text, i);
		text[255] = 0;
		greet(text, i);
		text[255] = 'x';
		text[256] = 0;
		greet(text, i);
	}
	free(text);
}

static void map(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char name[] = "/tmp/user_calls.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	for (int i = 0; i < count; i++)
		if (mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE, fd, (1000 + i) * page) == MAP_FAILED)
			exit(1);
}

static void on_signal(int number)
{
	greet("handler", number);
}

static void handler(void)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < count; i++)
		raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	char name[32];
	volatile int last = 0;		/* setjmp(3) */

	if (argc == 3)
		count = atoi(argv[2]);
	if (!strcmp(what, "wait")) {
		puts("ready");
		fflush(stdout);
		if (getchar() == EOF)
			return 1;
		what = "greet";
	}
	if (!strcmp(what, "greet")) {
		for (int i = 0; i < count; i++) {
			snprintf(name, sizeof(name), "name %d", i);
			last = greet(name, i);
		}
	} else if (!strcmp(what, "eight")) {
		for (int i = 0; i < count; i++)
			last = eight(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, (short)(i + 7));
	} else if (!strcmp(what, "map")) {
		map();
	} else if (!strcmp(what, "stay") || !strcmp(what, "stay-tail")) {
		for (int i = 0; i < count; i++)
			last = strcmp(what, "stay") ? tail("tail", i) : outer(i);
		puts("done");
		fflush(stdout);
		if (getchar() == EOF)
			return 1;
	} else if (!strcmp(what, "tail")) {
		for (int i = 0; i < count; i++)
			last = tail("tail", i);
	} else if (!strcmp(what, "recurse")) {
		last = recurse(count);
	} else if (!strcmp(what, "leave")) {
		for (volatile int i = 0; i < count; i++)
			if (!setjmp(out))
				leave(i);
	} else if (!strcmp(what, "constant")) {
		for (int i = 0; i < count; i++)
			last = constant();
#ifdef __aarch64__
	} else if (!strcmp(what, "atomic")) {
		int number = 0;

		for (int i = 0; i < count; i++)
			last = atomic(&number);
#endif
	} else if (!strcmp(what, "fork")) {
		fork_inside();
	} else if (!strcmp(what, "heir")) {
		leave_to_heir();
	} else if (!strcmp(what, "threads")) {
		threads();
	} else if (!strcmp(what, "unread")) {
		unread();
	} else if (!strcmp(what, "texts")) {
		texts();
	} else if (!strcmp(what, "handler")) {
		handler();
	} else {
		fprintf(stderr, "usage: user_calls WHAT N\n");
		return 2;
	}
	printf("%#x\n", (unsigned)last);
	return 0;
}
