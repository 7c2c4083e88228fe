/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "code_id.h"
#include "kernel.h"
#include "ktext.h"

/* What the programs are asked: the name of an address, or the address of a name. */
struct names_question {
	uint64_t address;
	uint8_t code[KTEXT_BEGIN];	/* the first bytes of the function; a 0: not read */
	char name[NAMES_NAME_MAX];
};

#define MOVE(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define MOVE_NUMBER(to, number) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number) }
#define ADD_NUMBER(to, number) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (number) }
#define PLACE_IN_MAP(to, fd, offset)                                                                \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (to), .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = (fd) }, \
	{ .imm = (offset) }
#define VALUE_OF_MAP(to, fd) PLACE_IN_MAP(to, fd, 0)
#define LOAD(to, from, offset) { .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = (to), .src_reg = (from), .off = (offset) }
#define CALL(function) { .code = BPF_JMP | BPF_CALL, .imm = (function) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

static int load(const struct bpf_insn *instructions, size_t count)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "names", "Dual BSD/GPL", instructions, count, &options);
}

/* The formats, 4 bytes each. */
#define FORMAT_NAME 0
#define FORMAT_PLACE 4

/* bpf_snprintf(question->name, size, "%ps" or "%pS", &question->address, 8) */
static int load_name(int question_fd, int format_fd, int format)
{
	const struct bpf_insn instructions[] = {
		VALUE_OF_MAP(BPF_REG_4, question_fd),
		MOVE(BPF_REG_1, BPF_REG_4),
		ADD_NUMBER(BPF_REG_1, offsetof(struct names_question, name)),
		MOVE_NUMBER(BPF_REG_2, NAMES_NAME_MAX),
		PLACE_IN_MAP(BPF_REG_3, format_fd, format),
		MOVE_NUMBER(BPF_REG_5, 8),
		CALL(BPF_FUNC_snprintf),
		EXIT,
	};

	return load(instructions, sizeof(instructions) / sizeof(*instructions));
}

/*
 * bpf_probe_read_kernel(question->code, size, question->address), where the kernel lets programs read its memory;
 * bpf_kallsyms_lookup_name(question->name, size, 0, &question->address) before it
 */
static int load_address(int question_fd)
{
	const struct bpf_insn instructions[] = {
		VALUE_OF_MAP(BPF_REG_6, question_fd),
		MOVE(BPF_REG_1, BPF_REG_6),
		ADD_NUMBER(BPF_REG_1, offsetof(struct names_question, name)),
		MOVE_NUMBER(BPF_REG_2, NAMES_NAME_MAX),
		MOVE_NUMBER(BPF_REG_3, 0),
		MOVE(BPF_REG_4, BPF_REG_6),
		CALL(BPF_FUNC_kallsyms_lookup_name),
		MOVE(BPF_REG_7, BPF_REG_0),
		MOVE(BPF_REG_1, BPF_REG_6),
		ADD_NUMBER(BPF_REG_1, offsetof(struct names_question, code)),
		MOVE_NUMBER(BPF_REG_2, KTEXT_BEGIN),
		LOAD(BPF_REG_3, BPF_REG_6, offsetof(struct names_question, address)),
		CALL(BPF_FUNC_probe_read_kernel),
		MOVE(BPF_REG_0, BPF_REG_7),
		EXIT,
	};
	enum { ALL = sizeof(instructions) / sizeof(*instructions), LOOKUP = ALL - 8 };
	struct bpf_insn lookup[LOOKUP + 1];
	int fd = load(instructions, ALL);

	if (fd >= 0)
		return fd;
	memcpy(lookup, instructions, sizeof(*lookup) * LOOKUP);
	lookup[LOOKUP] = instructions[ALL - 1];
	return load(lookup, LOOKUP + 1);
}

/* The format of bpf_snprintf() must stand in a map that nobody can write any more. */
static int make_format(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_RDONLY_PROG);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "names_format", sizeof(uint32_t), 8, 1, &options);
	uint32_t first = 0;

	if (fd >= 0 && (bpf_map_update_elem(fd, &first, "%ps\0%pS\0", 0) || bpf_map_freeze(fd))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int make_question(struct names *names)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	void *mapped;

	names->question_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "names_question", sizeof(uint32_t), sizeof(struct names_question), 1,
					    &options);
	if (names->question_fd < 0)
		return -1;
	mapped = mmap(NULL, sizeof(struct names_question), PROT_READ | PROT_WRITE, MAP_SHARED, names->question_fd, 0);
	names->question = mapped == MAP_FAILED ? NULL : mapped;
	return names->question ? 0 : -1;
}

static void close_programs(struct names *names)
{
	const int fds[] = { names->question_fd, names->format_fd, names->name_fd, names->place_fd, names->address_fd };

	if (names->question)
		munmap(names->question, sizeof(*names->question));
	names->question = NULL;
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
	names->question_fd = names->format_fd = names->name_fd = names->place_fd = names->address_fd = -1;
}

void names__open(struct names *names, bool keep)
{
	*names = (struct names){ .question_fd = -1, .format_fd = -1, .name_fd = -1, .place_fd = -1,
				.address_fd = -1 };
	if (!make_question(names)) {
		names->address_fd = load_address(names->question_fd);
		if (names->address_fd >= 0)
			names->format_fd = make_format();
		if (names->format_fd >= 0)
			names->name_fd = load_name(names->question_fd, names->format_fd, FORMAT_NAME);
	}
	if (names->name_fd < 0)
		close_programs(names);
	/* before 5.19 a program is not run without CAP_BPF where unprivileged users may load none */
	if (keep && (!names->question || kernel__version() < kernel_version(5, 19, 0))) {
		ksyms__keep_open();
		ksyms__keep_functions();
	}
}

const char *names__lack(const struct names *names)
{
	return names->question || !ksyms__are_hidden() ? NULL :
		"/proc/kallsyms hides the addresses of functions (sysctl kernel.kptr_restrict=1 shows them to root and CAP_SYSLOG)";
}

void names__open_places(struct names *names)
{
	if (names->question)
		names->place_fd = load_name(names->question_fd, names->format_fd, FORMAT_PLACE);
}

void names__close(struct names *names)
{
	ksyms_lists__free(&names->lists);
	close_programs(names);
}

/* Runs a program on the question: what it returned, or -errno. */
static int run(int program_fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	return bpf_prog_test_run_opts(program_fd, &options) ? -errno : (int)options.retval;
}

/* What the kernel says of an address; whether it does. */
static bool ask(struct names *names, int program_fd, uint64_t address, char name[NAMES_NAME_MAX])
{
	if (!names->question || program_fd < 0)
		return false;
	names->question->address = address;
	if (run(program_fd) <= 0)
		return false;
	memcpy(name, names->question->name, NAMES_NAME_MAX);
	name[NAMES_NAME_MAX - 1] = '\0';
	return true;
}

/* The same out of all names. */
static void find(struct names *names, uint64_t address, bool with_place, char name[NAMES_NAME_MAX])
{
	uint64_t offset;
	const struct ksym *sym = ksyms_lists__at(&names->lists, address, &offset);
	char place[32] = "";

	if (!sym) {
		snprintf(name, NAMES_NAME_MAX, "0x%llx", (unsigned long long)address);
		return;
	}
	/* how long the function is takes another look */
	if (with_place)
		snprintf(place, sizeof(place), "+0x%llx", (unsigned long long)offset);
	snprintf(name, NAMES_NAME_MAX, "%s%s%s%s%s", sym->name, place, sym->module ? " [" : "", sym->module ? sym->module : "",
		 sym->module ? "]" : "");
}

void names__of(struct names *names, uint64_t address, char name[NAMES_NAME_MAX])
{
	if (!ask(names, names->name_fd, address, name))
		find(names, address, false, name);
}

bool names__ask_place(struct names *names, uint64_t address, char name[NAMES_NAME_MAX])
{
	return ask(names, names->place_fd, address, name);
}

void names__place(struct names *names, uint64_t address, char name[NAMES_NAME_MAX])
{
	if (!ask(names, names->place_fd, address, name))
		find(names, address, true, name);
}

char *names__split(char *text)
{
	char *module = strstr(text, " [");

	if (!module)
		return NULL;
	*module = '\0';
	module += strlen(" [");
	module[strcspn(module, "]")] = '\0';
	return module;
}

/* The kernel's own lookup takes "MODULE:NAME" for one in a module, and a buffer that ends in a 0 byte. */
static uint64_t ask_address(struct names *names, const char *module, const char *name)
{
	if (!names->question)
		return 0;
	memset(names->question, 0, sizeof(*names->question));
	snprintf(names->question->name, NAMES_NAME_MAX, "%s%s%s", module ? module : "", module ? ":" : "", name);
	return run(names->address_fd) ? 0 : names->question->address;
}

static uint64_t find_address(struct names *names, const char *module, const char *name)
{
	struct ksyms *list = ksyms_lists__kept(&names->lists);
	uint64_t address = list ? ksyms__address(list, module, name) : 0;

	list = address ? NULL : ksyms_lists__all(&names->lists);
	return list ? ksyms__address(list, module, name) : address;
}

uint64_t names__address(struct names *names, const char *module, const char *name)
{
	uint64_t address = ask_address(names, module, name);
	struct code_id id;

	if (address || names->lists.tried_kept || names->kept++ >= NAMES_KEPT)
		return address ?: find_address(names, module, name);
	/* kept for the next start, as in ksyms__find() */
	code_id__read(&id, code_id__question("first function 1", module, name));
	if (code_id__get(&id, &address, sizeof(address)))
		return address;
	address = find_address(names, module, name);
	if (address)
		code_id__put(&id, &address, sizeof(address));
	return address;
}

uint64_t names__ask_address(struct names *names, const char *name)
{
	return ask_address(names, NULL, name);
}

bool names__has_hook(const struct names *names)
{
	return !names->question || !names->question->code[0] || ktext__find_hook(names->question->code) >= 0;
}
