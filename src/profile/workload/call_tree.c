/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process with a known tree of calls:
 *
 *	main - busy - often		3/4 of the work
 *	            - seldom		1/4
 *	     - reads			or, asked to read: system calls all the time
 *
 *	     - work::busy - mycrate::foo::bar	asked for mangled: functions with the names that C++ and Rust compilers give them
 *
 *	     - made			asked for jit: code that was made while it ran, told of in /tmp/perf-PID.map (x86 alone)
 *
 *	call_tree SECONDS [read|mangled|jit|maps COUNT|exec PROGRAM]
 *
 * Asked for maps, it has more than COUNT mappings, each second one executable, before it says that it is ready.
 *
 * Asked to exec, it ends as PROGRAM, with the arguments "SECONDS mangled".
 *
 * It says "ready PID" and begins when a byte comes from stdin; works for about so long of its own CPU time, says "done NAME", and ends when
 * another byte comes.
 *
 * The shares are those of the work, not of the time as the clock has it: a CPU of a guest stands still whenever the host has something
 * else to do.  It has frame pointers (call_tree.flags); the C library has none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
/* The compiler leaves the frame pointer out of a function that calls nobody, whatever it is told; but not if the frame is looked at. */
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))
#define MEASURED_NS 5000000	/* for so long the work is measured */
/* the parts of it: each is shorter than a sample's period, and than a busy host lets the guest run at a time */
#define UNITS 20

/*
 * What "objcopy --add-gnu-debuglink" adds, which linkers leave out: the test completes its name, .gnu_debuglink, and writes the checksum of
 * a file in which the functions are looked for.
 */
asm(".pushsection .gnu_debugl_nk, \"\", %progbits\n.asciz \"call_tree.debug\"\n.long 0\n.popsection");

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#define WORK(rounds)                                             \
	for (uint64_t round = 0; round < (rounds); round++)      \
		sink = sink * 6364136223846793005u + 1442695040888963407u

KEPT void often(uint64_t rounds)
{
	KEEP_FRAME();
	WORK(rounds);
}

KEPT void seldom(uint64_t rounds)
{
	KEEP_FRAME();
	WORK(rounds);
}

/* How many rounds of work the measured time has: the most that some tries did, as others only take time away. */
static uint64_t measure_rounds(void)
{
	uint64_t most = 0;

	for (int i = 0; i < 5; i++) {
		uint64_t begin = cpu_ns(), rounds = 0;

		while (cpu_ns() - begin < MEASURED_NS) {
			WORK(1000);
			rounds += 1000;
		}
		most = rounds > most ? rounds : most;
	}
	return most;
}

/*
 * Of each four units one is seldom's, by chance which: no regular sample can always meet the same.  With longer units, a host that stops
 * the guest for some milliseconds decides which of few units have most of the samples.
 */
KEPT void busy(uint64_t ns, uint64_t unit)
{
	uint64_t begin = cpu_ns();
	uint32_t chance = 1;

	while (cpu_ns() - begin < ns)
		for (uint32_t done = 0; done < UNITS; done++) {
			chance = chance * 1103515245 + 12345;
			for (uint32_t i = 0; i < 4; i++) {
				if (i == chance >> 30)
					seldom(unit);
				else
					often(unit);
			}
		}
}

KEPT void reads(uint64_t ns)
{
	static char bytes[65536];
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t begin = cpu_ns();

	while (cpu_ns() - begin < ns)
		for (int i = 0; i < 100; i++)
			if (read(fd, bytes, sizeof(bytes)) < 0)
				exit(1);
	close(fd);
}

KEPT void rust_function(uint64_t rounds) __asm__("_RNvNtCs1234_7mycrate3foo3bar");
KEPT void cpp_function(uint64_t ns, uint64_t rounds) __asm__("_ZN4work4busyEyy");

void rust_function(uint64_t rounds)
{
	KEEP_FRAME();
	WORK(rounds);
}

void cpp_function(uint64_t ns, uint64_t rounds)
{
	uint64_t begin = cpu_ns();

	while (cpu_ns() - begin < ns)
		rust_function(rounds);
}

/* A function that counts down, with a frame pointer. */
static void run_made_code(uint64_t ns, uint64_t rounds)
{
#ifdef __x86_64__
	static const unsigned char code[] = {
		0x55,			/* push %rbp */
		0x48, 0x89, 0xe5,	/* mov %rsp,%rbp */
		0x48, 0xff, 0xcf,	/* dec %rdi */
		0x75, 0xfb,		/* jne to the dec */
		0x5d, 0xc3,		/* pop %rbp; ret */
	};
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t begin = cpu_ns();
	char path[64];
	FILE *file;

	if (made == MAP_FAILED)
		exit(1);
	memcpy(made, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	if (!file)
		exit(1);
	fprintf(file, "%lx %zx made by;us\n", (unsigned long)made, sizeof(code));
	fclose(file);
	while (cpu_ns() - begin < ns)
		((void (*)(uint64_t))made)(rounds);
	/* until it ends: the tool may read it late */
#endif
}

/* Of one mapping each second page gets another protection, so that each page is a mapping. */
static void make_maps(size_t count)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (size_t i = 0; i < count; i += 2)
		if (pages == MAP_FAILED || mprotect(pages + i * page, page, PROT_READ | PROT_EXEC)) {
			perror("call_tree: maps");
			exit(1);
		}
}

KEPT int main(int argc, char **argv)
{
	uint64_t ns = argc > 1 ? (uint64_t)(atof(argv[1]) * 1e9) : 1000000000, rounds = measure_rounds();
	char byte;

	if (argc > 3 && !strcmp(argv[2], "maps"))
		make_maps((size_t)atol(argv[3]));
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	if (argc > 2 && !strcmp(argv[2], "read"))
		reads(ns);
	else if (argc > 2 && !strcmp(argv[2], "jit"))
		run_made_code(ns, rounds);
	else if (argc > 2 && !strcmp(argv[2], "mangled"))
		cpp_function(ns, rounds);
	else
		busy(ns, rounds / UNITS);
	printf("done %s\n", argv[0]);
	fflush(stdout);
	if (read(0, &byte, 1) == 1 && argc > 3 && !strcmp(argv[2], "exec"))
		return execl(argv[3], argv[3], argv[1], "mangled", NULL);
	return 0;
}
