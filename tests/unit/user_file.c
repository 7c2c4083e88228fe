// SPDX-License-Identifier: BSD-2-Clause
/* Functions of programs: which there are, and where they may be probed.  The file is made here, its code too. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/kernel.h"
#include "lib/print/text_buffer.h"
#include "lib/user/user_file.h"
#include "lib/user/user_machine.h"
#include "lib/user/user_own.h"
#include "lib/user/user_site.h"
#include "lib/user/user_targets.h"

#define CODE_AT 0x200		/* in the file */
#define ADDRESS 0x401000	/* of the code */
#define ROOM 64			/* for each function */

/* The functions, one each ROOM bytes. */
static const struct {
	const char *name;
	const char *code;
	unsigned size;
	unsigned char type;
} functions[] = {
	{ "constant", "\xb8\x44\x33\x22\x11\xc3", 6, STT_FUNC },			/* mov $0x11223344,%eax; ret */
	{ "two_ends", "\x85\xff\x74\x03\x31\xc0\xc3\xc3", 8, STT_FUNC },		/* test; je to the last ret; xor; ret; ret */
	{ "tail", "\x31\xc0\xe9\x10\x00\x00\x00", 7, STT_FUNC },			/* jmp out of it */
	{ "switch", "\xff\xe0", 2, STT_FUNC },						/* jmp *%rax */
	{ "never", "\xeb\xfe", 2, STT_FUNC },						/* jmp to itself */
	{ "fails", "\x31\xff\xe8\0\0\0\0", 7, STT_FUNC },					/* xor; call */
	{ "fails_by", "\xff\xd0", 2, STT_FUNC },						/* call *%rax */
	{ "dies", "\x31\xff\x0f\x0b", 4, STT_FUNC },					/* xor; ud2 */
	{ "beyond", "\x31\xff", 2, STT_FUNC },						/* xor; and on behind its end */
	{ "exit@@V_1", "\xe9\x10\0\0\0", 5, STT_FUNC },				/* jmp out of it */
	{ "_exit", "\x0f\x05\xc3", 3, STT_FUNC },					/* syscall; ret */
	{ "longjmp", "\xff\xe0", 2, STT_FUNC },						/* jmp *%rax */
	{ "exit_code", "\xe9\x10\0\0\0", 5, STT_FUNC },
	{ "locked", "\xf0\xff\x0f\xc3", 4, STT_FUNC },					/* lock decl (%rdi) */
	{ "indirect", "\xb8\1\0\0\0\xc3", 6, STT_GNU_IFUNC },
	{ "sizeless", "\xb8\1\0\0\0\xc3", 0, STT_FUNC },
	{ "odd", "\x06\xc3", 2, STT_FUNC },						/* no instruction */
	{ "versioned@@V_2", "\xc3", 1, STT_FUNC },
	{ "versioned@V_1", "\xc3", 1, STT_FUNC },
	{ "protected", "\xf3\x0f\x1e\xfa\x55\x5d\xc3", 7, STT_FUNC },			/* endbr64; push %rbp; pop; ret */
	{ "protected_mov", "\xf3\x0f\x1e\xfa\x31\xc0\xc3", 7, STT_FUNC },		/* endbr64; xor; ret */
	{ "checked", "\x48\x85\xff\x74\x01\xc3\xc3", 7, STT_FUNC },			/* test %rdi,%rdi; je to the last ret; ret; ret */
	{ "compared", "\x39\xf7\x41\x54\xc3", 5, STT_FUNC },				/* cmp %esi,%edi; push %r12; ret */
	{ "loop", "\xf3\x0f\x1e\xfa\x55\x74\xfd\xc3", 8, STT_FUNC },			/* endbr64; push; je to the push; ret */
	{ "protected_switch", "\xf3\x0f\x1e\xfa\x55\xff\xe0", 7, STT_FUNC },		/* endbr64; push; jmp *%rax */
	{ "memory", "\x85\x3f\x74\x01\xc3\xc3", 6, STT_FUNC },				/* test %edi,(%rdi); je; ret; ret */
	{ "nops", "\x90\x0f\x1f\x44\0\0\xc3", 7, STT_FUNC },				/* nop; a nop of 5 bytes; ret */
	{ "nop_first", "\x0f\x1f\x44\0\0\xc3", 6, STT_FUNC },
	/* of arm64 */
	{ "a_two_ends", "\x40\0\0\xb4\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6", 12, STT_FUNC },	/* cbz x0 to the last ret; ret; ret */
	{ "a_tail", "\x1f\x20\x03\xd5\0\x04\0\x14", 8, STT_FUNC },				/* nop; b out of it */
	{ "a_switch", "\x20\0\x1f\xd6", 4, STT_FUNC },					/* br x1 */
	{ "a_signed", "\x3f\x23\x03\xd5\xff\x0b\x5f\xd6", 8, STT_FUNC },			/* paciasp; retaa */
	{ "a_fails", "\x1f\x20\x03\xd5\0\0\0\x94", 8, STT_FUNC },					/* nop; bl */
	{ "a_literal", "\x40\0\0\x58\xc0\x03\x5f\xd6", 8, STT_FUNC },				/* ldr x0, .+8; ret */
	/* nop; ldxr x0, [x1]; add x0, x0, #1; stxr w2, x0, [x1]; cbnz w2 to the ldxr; ret */
	{ "a_atomic", "\x1f\x20\x03\xd5\x20\x7c\x5f\xc8\0\x04\0\x91\x20\x7c\x02\xc8\xa2\xff\xff\x35\xc0\x03\x5f\xd6", 24, STT_FUNC },
};
#define FUNCTIONS (sizeof(functions) / sizeof(*functions))

/* A program with these functions, and one more at `inside` bytes into the first one; import: a function of other files, or NULL. */
static int make_elf(unsigned inside, const char *import, const char *section)
{
	static struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		char padding[CODE_AT - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr)];
		char code[FUNCTIONS * ROOM];
		Elf64_Sym symbols[FUNCTIONS + 2], dynamic[2];
		char names[1024];
		Elf64_Shdr sections[7];
	} elf;
	size_t used = 1;
	int fd = memfd_create("program", MFD_CLOEXEC);

#define AT(member) ((char *)&elf.member - (char *)&elf)
	memset(&elf, 0, sizeof(elf));
	elf.header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC,
		.e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = AT(segment), .e_shoff = AT(sections),
		.e_ehsize = sizeof(elf.header), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 7, .e_shstrndx = 2,
	};
	elf.segment = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE_AT, .p_vaddr = ADDRESS,
				    .p_filesz = sizeof(elf.code) };
	for (size_t i = 0; i < FUNCTIONS; i++) {
		memcpy(elf.code + i * ROOM, functions[i].code, functions[i].size ? functions[i].size : 6);
		elf.symbols[i + 1] = (Elf64_Sym){ .st_name = (Elf64_Word)used, .st_info = ELF64_ST_INFO(STB_GLOBAL, functions[i].type),
						  .st_shndx = 1, .st_value = ADDRESS + i * ROOM, .st_size = functions[i].size };
		used += 1 + (size_t)sprintf(elf.names + used, "%s", functions[i].name);
	}
	elf.symbols[FUNCTIONS + 1] = (Elf64_Sym){ .st_name = (Elf64_Word)used, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						  .st_shndx = 1, .st_value = ADDRESS + inside, .st_size = 2 };
	used += 1 + (size_t)sprintf(elf.names + used, "inside");
	elf.dynamic[1] = (Elf64_Sym){ .st_name = (Elf64_Word)used, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	used += 1 + (size_t)sprintf(elf.names + used, "%s", import ? import : "malloc");
	elf.sections[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = AT(symbols), .sh_size = sizeof(elf.symbols), .sh_link = 2,
					.sh_entsize = sizeof(Elf64_Sym) };
	elf.sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = AT(names), .sh_size = sizeof(elf.names) };
	elf.sections[3] = (Elf64_Shdr){ .sh_type = SHT_DYNSYM, .sh_offset = AT(dynamic), .sh_size = sizeof(elf.dynamic), .sh_link = 2,
					.sh_entsize = sizeof(Elf64_Sym) };
	elf.sections[4] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_name = (Elf64_Word)used };
	sprintf(elf.names + used, "%s", section ? section : ".text");
	CHECK(pwrite(fd, &elf, sizeof(elf), 0) == sizeof(elf));
	return fd;
}

static struct user_file *read_elf_of(int fd, const struct user_machine *machine)
{
	struct user_file *file = NULL;
	struct fault fault;

	if (user_file__read(fd, machine, &file, &fault))
		check_report(0, __FILE__, __LINE__, "not read: %s", fault.text);
	return file;
}

static struct user_file *read_elf(int fd)
{
	return read_elf_of(fd, &user_machine__x86);
}

static struct user_function find(struct user_file *file, const char *name)
{
	struct user_function function = { 0 };

	CHECK_INT(user_file__find(file, name, &function, 1), 1);
	return function;
}

static const char *entry(struct user_file *file, const char *name, uint64_t into)
{
	struct user_function function = find(file, name);
	static struct fault fault;
	struct user_sites sites;

	if (user_site__entry(file, &function, into, &sites, &fault))
		return fault.text;
	CHECK_INT(sites.count, 1);
	CHECK_INT(sites.offsets[0], function.offset + into);
	return "";
}

/* "6 7": where the ret instructions are, "kernel", or why not. */
static const char *returns(struct user_file *file, const char *name, enum user_returns how, bool force)
{
	struct user_function function = find(file, name);
	static struct fault fault;
	static char text[256];
	struct user_sites sites;
	size_t used = 0;

	if (user_site__returns(file, &function, how, force, &sites, &fault))
		return fault.text;
	if (sites.by_kernel)
		return sites.count == 1 && sites.offsets[0] == function.offset ? "kernel" : "elsewhere";
	for (size_t i = 0; i < sites.count; i++)
		used += (size_t)sprintf(text + used, "%s%d", i ? " " : "", (int)(sites.offsets[i] - function.offset));
	return text;
}

static void check_entries(void)
{
	int fd = make_elf(5, NULL, NULL);
	struct user_file *file = read_elf(fd);
	static const char inside[] = "no instruction starts at +%d (a probe inside one would change what the program does)";
	char expected[128];

	CHECK_STR(entry(file, "constant", 0), "");
	/* each byte of the instruction */
	for (int i = 1; i < 5; i++) {
		snprintf(expected, sizeof(expected), inside, i);
		CHECK_STR(entry(file, "constant", (uint64_t)i), expected);
	}
	CHECK_STR(entry(file, "constant", 5), "");
	CHECK_STR(entry(file, "constant", 6), "+6 is behind its end");
	CHECK_STR(entry(file, "constant", UINT64_MAX), "+18446744073709551615 is behind its end");
	CHECK_STR(entry(file, "two_ends", 2), "");
	CHECK_STR(entry(file, "sizeless", 0), "");
	CHECK_STR(entry(file, "sizeless", 5), "+5 is behind its end");
	CHECK_STR(entry(file, "inside", 0), "");
	CHECK_STR(entry(file, "locked", 0), "the kernel takes no probe on the instruction there");
	CHECK_STR(entry(file, "locked", 3), "");
	CHECK_STR(entry(file, "odd", 0), "the instruction there is not known");
	CHECK_STR(entry(file, "indirect", 0), "it is an IFUNC: what starts there chooses the function that is called, and is not called");
	user_file__free(file);
	close(fd);

	fd = make_elf(2, NULL, NULL);
	file = read_elf(fd);
	CHECK_STR(entry(file, "inside", 0), "it begins inside an instruction of constant");
	user_file__free(file);
	close(fd);
}

static int skipped(struct user_file *file, const char *name)
{
	struct user_function function = find(file, name);
	struct user_sites sites;
	struct fault fault;

	return user_site__entry(file, &function, 0, &sites, &fault) ? -1 : (int)(sites.offsets[0] - function.offset);
}

/* The second instruction where it costs less and sees the same. */
static void check_second(void)
{
	int fd = make_elf(5, NULL, NULL);
	struct user_file *file = read_elf(fd);

	CHECK_INT(skipped(file, "protected"), 4);
	CHECK_INT(skipped(file, "checked"), 3);
	CHECK_INT(skipped(file, "compared"), 2);
	/* it takes a single step, too; a jump leads there; one leads anywhere; what it reads may fault */
	CHECK_INT(skipped(file, "protected_mov"), 0);
	CHECK_INT(skipped(file, "loop"), 0);
	CHECK_INT(skipped(file, "protected_switch"), 0);
	CHECK_INT(skipped(file, "memory"), 0);
	CHECK_INT(skipped(file, "constant"), 0);
	CHECK_STR(returns(file, "protected", USER_RETURNS_KERNEL, false), "kernel");
	CHECK_STR(returns(file, "protected", USER_RETURNS_AUTO, false), "6");
	user_file__free(file);
	close(fd);
}

/* Linux 6.18 to 7.1 call from a 5-byte nop, and write below the stack pointer. */
static void check_red_zone(void)
{
	static const char refused[] = "this kernel makes a call of the 5-byte nop there, which overwrites what the function has below its stack";
	static const struct { uint32_t version; const char *expected; } kernels[] = {
		{ kernel_version(6, 17, 9), "" }, { kernel_version(6, 18, 0), refused }, { kernel_version(7, 1, 9), refused },
		{ kernel_version(7, 2, 0), "" },
	};
	int fd = make_elf(5, NULL, NULL);
	struct user_file *file = read_elf(fd);

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		kernel__use_version(kernels[i].version);
		CHECK_STR(entry(file, "nops", 1), kernels[i].expected);
		CHECK_STR(entry(file, "nops", 0), "");
		CHECK_STR(entry(file, "nop_first", 0), "");
	}
	kernel__use_version(0);
	user_file__free(file);
	close(fd);
}

static void check_returns(void)
{
	static const char *const never[] = { "never", "fails", "fails_by", "dies", "exit", "longjmp", "_exit" };
	int fd = make_elf(5, NULL, NULL);
	struct user_file *file = read_elf(fd);

	CHECK_STR(returns(file, "constant", USER_RETURNS_AUTO, false), "5");
	CHECK_STR(returns(file, "two_ends", USER_RETURNS_AUTO, false), "6 7");
	CHECK_STR(returns(file, "two_ends", USER_RETURNS_KERNEL, false), "kernel");
	CHECK_STR(returns(file, "tail", USER_RETURNS_AUTO, false), "kernel");
	CHECK_STR(returns(file, "tail", USER_RETURNS_RET, false), "it may end by a jump to another function (+2)");
	CHECK_STR(returns(file, "switch", USER_RETURNS_RET, false), "it may end by a jump to an address that is not known before (+0)");
	CHECK_STR(returns(file, "beyond", USER_RETURNS_RET, false), "it has no ret instruction");
	CHECK_STR(returns(file, "beyond", USER_RETURNS_AUTO, false), "kernel");
	/* whichever way: nothing would be seen */
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		for (int how = USER_RETURNS_AUTO; how <= USER_RETURNS_KERNEL; how++)
			CHECK_STR(returns(file, never[i], (enum user_returns)how, true), "this function does not return");
	/* only all of a name is one, whatever its version */
	CHECK_STR(returns(file, "exit_code", USER_RETURNS_AUTO, false), "kernel");
	CHECK_STR(returns(file, "sizeless", USER_RETURNS_RET, false), "its size is not known");
	CHECK_STR(returns(file, "locked", USER_RETURNS_AUTO, false), "the kernel takes no probe on the instruction there");
	user_file__free(file);
	close(fd);
}

/* The same of A64, whose code is read on every machine. */
static void check_arm64(void)
{
	static const char refused[] = "the kernel takes no probe on the instruction there";
	int fd = make_elf(5, NULL, NULL);
	uint16_t machine = EM_AARCH64;
	struct user_file *file;

	CHECK(pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)) == sizeof(machine));
	file = read_elf_of(fd, &user_machine__arm64);
	CHECK_STR(entry(file, "a_two_ends", 0), "");
	CHECK_STR(entry(file, "a_two_ends", 2), "no instruction starts at +2 (a probe inside one would change what the program does)");
	CHECK_STR(entry(file, "a_two_ends", 8), "");
	CHECK_STR(entry(file, "a_two_ends", 12), "+12 is behind its end");
	CHECK_STR(entry(file, "a_literal", 0), refused);
	CHECK_STR(entry(file, "a_literal", 4), "");
	CHECK_STR(entry(file, "a_atomic", 0), "");
	CHECK_STR(entry(file, "a_atomic", 4), refused);
	CHECK_STR(entry(file, "a_atomic", 8), "+8 is between a load exclusive and its store (a probe there would make the store fail, each time)");
	CHECK_STR(entry(file, "a_atomic", 12), refused);
	CHECK_STR(entry(file, "a_atomic", 16), "");
	CHECK_STR(returns(file, "a_two_ends", USER_RETURNS_AUTO, false), "4 8");
	CHECK_STR(returns(file, "a_atomic", USER_RETURNS_AUTO, false), "20");
	CHECK_STR(returns(file, "a_tail", USER_RETURNS_AUTO, false), "kernel");
	CHECK_STR(returns(file, "a_tail", USER_RETURNS_RET, false), "it may end by a jump to another function (+4)");
	CHECK_STR(returns(file, "a_switch", USER_RETURNS_RET, false), "it may end by a jump to an address that is not known before (+0)");
	CHECK_STR(returns(file, "a_signed", USER_RETURNS_RET, false), "the kernel takes no probe on the return at +4");
	CHECK_STR(returns(file, "a_signed", USER_RETURNS_AUTO, false), "kernel");
	CHECK_STR(returns(file, "a_fails", USER_RETURNS_AUTO, false), "this function does not return");
	user_file__free(file);
	close(fd);
}

/* What a file has that return probes break: probes on ret instructions break nothing. */
static void check_signs(void)
{
	static const struct {
		const char *import, *section;
		unsigned signs;
		const char *refused;
	} cases[] = {
		{ "swapcontext", NULL, USER_SIGN_CONTEXTS, "the file switches stacks (coroutines)" },
		{ "makecontext", NULL, USER_SIGN_CONTEXTS, "the file switches stacks (coroutines)" },
		{ "jump_fcontext", NULL, USER_SIGN_CONTEXTS, "the file switches stacks (coroutines)" },
		{ "coroutine_new", NULL, USER_SIGN_CONTEXTS, "the file switches stacks (coroutines)" },
		{ "sigaltstack@GLIBC_2.2.5", NULL, USER_SIGN_ALTSTACK, "the file has handlers of signals on a stack of their own" },
		{ NULL, ".go.buildinfo", USER_SIGN_GO, "the program is in Go" },
		{ NULL, ".note.go.buildid", USER_SIGN_GO, "the program is in Go" },
		{ NULL, ".gopclntab", USER_SIGN_GO, "the program is in Go" },
		{ "swapcontexts", ".go.buildinf", 0, "kernel" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int fd = make_elf(5, cases[i].import, cases[i].section);
		struct user_file *file = read_elf(fd);
		const char *why = returns(file, "tail", USER_RETURNS_AUTO, false);

		CHECK_INT(user_file__signs(file), cases[i].signs);
		if (strncmp(why, cases[i].refused, strlen(cases[i].refused)))
			check_report(0, __FILE__, __LINE__, "case %zu: %s", i, why);
		CHECK_STR(returns(file, "constant", USER_RETURNS_AUTO, false), "5");
		CHECK(!strcmp(returns(file, "tail", USER_RETURNS_KERNEL, true), "kernel") == !cases[i].section || !cases[i].signs);
		user_file__free(file);
		close(fd);
	}
}

static int add_name(void *context, const struct user_function *function)
{
	text_buffer__add(context, "%s ", function->name);
	return 0;
}

static void check_names(void)
{
	int fd = make_elf(5, NULL, NULL);
	struct user_file *file = read_elf(fd);
	struct text_buffer text = text_buffer__growing(4096);
	struct user_function list[4];
	struct near near;
	char *names;

	CHECK_INT(user_file__count(file), FUNCTIONS + 1);
	CHECK_INT(user_file__match(file, "[ct]*", add_name, &text), 0);
	CHECK_INT(user_file__match(file, "versioned", add_name, &text), 0);
	names = text_buffer__take(&text);
	CHECK_STR(names, "constant two_ends tail checked compared versioned@@V_2 versioned@V_1 ");
	free(names);
	/* by looking at each function, and later by the order of names */
	for (int i = 0; i < 8; i++) {
		CHECK_INT(user_file__find(file, "versioned", list, 4), 2);
		CHECK_INT(list[1].offset - list[0].offset, ROOM);
		CHECK_STR(list[0].name, "versioned@@V_2");
		CHECK_INT(user_file__find(file, "versioned", list, 1), 2);
		CHECK_STR(list[0].name, "versioned@@V_2");
		CHECK_INT(user_file__find(file, "version", list, 4), 0);
		CHECK_INT(user_file__find(file, "tail", list, 4), 1);
	}
	CHECK_INT(user_file__find(file, "version", list, 4), 0);
	CHECK(user_file__imports(file, "malloc") && !user_file__imports(file, "constant"));
	near__init(&near, near__typed_limit("constnat"), NEAR_MAX);
	user_file__near(file, "constnat", &near);
	CHECK_INT(near.count, 1);
	CHECK_STR(near.names[0], "constant");
	user_file__free(file);
	close(fd);
}

static void check_bad_files(void)
{
	int fd = memfd_create("bad", MFD_CLOEXEC);
	struct user_file *file;
	struct fault fault;
	uint16_t machine = EM_AARCH64;

	CHECK_INT(user_file__read(fd, &user_machine__x86, &file, &fault), -ENOEXEC);
	CHECK_STR(fault.text, "it is no ELF file, or a damaged one");
	close(fd);
	fd = make_elf(5, NULL, NULL);
	CHECK(pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)) == sizeof(machine));
	CHECK_INT(user_file__read(fd, &user_machine__x86, &file, &fault), -ENOTSUP);
	CHECK_STR(fault.text, "only 64-bit programs of x86-64 can be probed");
	machine = EM_X86_64;
	CHECK(pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)) == sizeof(machine));
	CHECK_INT(user_file__read(fd, &user_machine__arm64, &file, &fault), -ENOTSUP);
	CHECK_STR(fault.text, "only 64-bit programs of arm64 can be probed");
	close(fd);
}

/* A cache of the dynamic linker's with one library. */
static void check_cache(void)
{
	static const char names[] = "libx.so.3\0/lib/libx.so.3";
	char cache[48 + 24 + sizeof(names)] = "glibc-ld.so.cache1.1", path[64] = "";
	uint32_t *words = (uint32_t *)(void *)(cache + 20), *entry_words = (uint32_t *)(void *)(cache + 48);

	words[0] = 1;
	entry_words[0] = user_machine__own()->cache | 3;
	entry_words[1] = 48 + 24;
	entry_words[2] = 48 + 24 + 10;
	memcpy(cache + 48 + 24, names, sizeof(names));
	CHECK(user_own__find_in(cache, sizeof(cache), "libx", path, sizeof(path)));
	CHECK_STR(path, "/lib/libx.so.3");
	CHECK(user_own__find_in(cache, sizeof(cache), "libx.so.3", path, sizeof(path)));
	CHECK(!user_own__find_in(cache, sizeof(cache), "libx.so.30", path, sizeof(path)));
	CHECK(!user_own__find_in(cache, sizeof(cache), "lib", path, sizeof(path)));
	CHECK(!user_own__find_in(cache, sizeof(cache) - sizeof(names), "libx", path, sizeof(path)));
	words[0] = 2;
	CHECK(!user_own__find_in(cache, 48 + 24, "libx", path, sizeof(path)));
	words[0] = UINT32_MAX;
	CHECK(!user_own__find_in(cache, sizeof(cache), "libx", path, sizeof(path)));
	CHECK(!user_own__find_in("", 0, "libx", path, sizeof(path)));
	CHECK(user_own__is_meant("libc-2.31.so", "libc") && user_own__is_meant("libc.so.6", "libc") && user_own__is_meant("bash", "bash"));
	CHECK(!user_own__is_meant("libcrypto.so.3", "libc") && !user_own__is_meant("bash-static", "bash") &&
	      !user_own__is_meant("libc-client.so", "libc") && !user_own__is_meant("x", ""));
}

static void check_targets(void)
{
	struct user_targets targets = { 0 };
	struct fault fault;

	/* this program, by its path and by its name: one file */
	CHECK_INT(user_targets__find(&targets, "/proc/self/exe", 0, &fault), 0);
	CHECK_INT(targets.count, 1);
	user_targets__free(&targets);
	/* from the current directory, which is not a process's */
	CHECK(!chdir("/proc/self/fd/.."));
	CHECK_INT(user_targets__find(&targets, "./exe", 0, &fault), 0);
	CHECK_INT(targets.count, 1);
	user_targets__free(&targets);
	CHECK_INT(user_targets__find(&targets, "./exe", (uint32_t)getpid(), &fault), -EINVAL);
	if (!geteuid()) {
		/* of what processes execute only root may open the files */
		CHECK_INT(user_targets__find(&targets, "user_file", (uint32_t)getpid(), &fault), 0);
		CHECK_INT(targets.count, 1);
		CHECK_INT(targets.list[0].processes, 1);
		CHECK_INT(targets.list[0].pid, getpid());
		user_targets__free(&targets);
	}
	CHECK_INT(user_targets__find(&targets, "user_fiel", (uint32_t)getpid(), &fault), -ENOENT);
	CHECK(strstr(fault.text, "executes no file of the name \"user_fiel\"; the nearest is user_file"));
	CHECK_INT(user_targets__find(&targets, "/tmp", 0, &fault), -EPERM);
	CHECK_STR(fault.text, "/tmp: it is no regular file");
	CHECK_INT(user_targets__find(&targets, "/nowhere", 0, &fault), -ENOENT);
	CHECK_STR(fault.text, "/nowhere: No such file or directory");
	CHECK_INT(user_targets__find(&targets, "/etc/passwd", 0, &fault), -ENOEXEC);
	CHECK_STR(fault.text, "/etc/passwd: it is no ELF file, or a damaged one");
	CHECK_INT(targets.count, 0);
	user_targets__free(&targets);
}

int main(void)
{
	check_entries();
	check_second();
	check_red_zone();
	check_returns();
	check_arm64();
	check_signs();
	check_names();
	check_bad_files();
	check_cache();
	check_targets();
	return check_done();
}
