/* SPDX-License-Identifier: BSD-2-Clause */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

#include "lib/shared/call_args.h"

#define REGISTERS "ctx is struct pt_regs: the registers"
#define SLOTS "ctx is an array of 64-bit numbers"

static const struct kind kinds[] = {
	{ "kprobe", HOOK_FUNCTION, CONTEXT_REGISTERS, true, false, "kprobe", "BPF_KPROBE", "_enter",
	  "a call begins. " REGISTERS " at the function's first instruction." },
	{ "kretprobe", HOOK_FUNCTION, CONTEXT_REGISTERS, false, true, "kretprobe", "BPF_KRETPROBE", "_exit",
	  "a call returns. " REGISTERS " then; those of the arguments have other values by now." },
	{ "ksyscall", HOOK_SYSCALL, CONTEXT_CALLERS_REGISTERS, true, false, "ksyscall", "BPF_KSYSCALL", "_enter",
	  "a system call begins. ctx is struct pt_regs, whose first argument is the caller's struct pt_regs: the macro reads that." },
	{ "kretsyscall", HOOK_SYSCALL, CONTEXT_REGISTERS, false, true, "kretsyscall", "BPF_KRETPROBE", "_exit",
	  "a system call returns. " REGISTERS " then." },
	{ "rawtp", HOOK_TRACEPOINT, CONTEXT_ARGS, true, false, "raw_tp", "BPF_PROG", "",
	  "a raw tracepoint. ctx is struct bpf_raw_tracepoint_args; pointers are read with BPF_CORE_READ()." },
	{ "tp_btf", HOOK_TRACEPOINT, CONTEXT_SLOTS, true, false, "tp_btf", "BPF_PROG", "",
	  "a raw tracepoint whose types the kernel checks: pointers may be followed as they are. " SLOTS "." },
	{ "fentry", HOOK_TRAMPOLINE, CONTEXT_SLOTS, true, false, "fentry", "BPF_PROG", "_enter",
	  "a call begins. " SLOTS "; pointers may be followed as they are." },
	{ "fexit", HOOK_TRAMPOLINE, CONTEXT_SLOTS, true, true, "fexit", "BPF_PROG", "_exit",
	  "a call returns. " SLOTS ", the arguments as they came in, and the result." },
	{ "lsm", HOOK_LSM, CONTEXT_SLOTS, true, true, "lsm", "BPF_PROG", "",
	  "a security hook: what the program returns is the answer, 0 or -errno. " SLOTS "; ret is what was answered before." },
	{ "perf_event", HOOK_PERF_EVENT, CONTEXT_REGISTERS, false, false, "perf_event", NULL, "", NULL },
	{ "uprobe", HOOK_USER, CONTEXT_REGISTERS, true, false, "uprobe", "BPF_UPROBE", "_enter",
	  "a call of a program's function begins. " REGISTERS " at its first instruction; pointers lead into the process "
	  "(bpf_probe_read_user())." },
	{ "uretprobe", HOOK_USER, CONTEXT_REGISTERS, false, true, "uretprobe", "BPF_URETPROBE", "_exit",
	  "a call of a program's function returns. " REGISTERS " then; pointers lead into the process (bpf_probe_read_user())." },
};

/* The other names that libbpf's SEC() has. */
static const struct { const char *name, *kind; } names[] = { { "raw_tp", "rawtp" }, { "raw_tracepoint", "rawtp" } };

const struct kind *kind__of(const char *word, const char **name)
{
	size_t length = strcspn(word, "/:");
	const char *wanted = word;

	*name = word[length] ? word + length + 1 : "";
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length && !strncmp(names[i].name, word, length)) {
			wanted = names[i].kind;
			length = strlen(wanted);
		}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, wanted, length))
			return &kinds[i];
	return NULL;
}

/* Of the C calling convention; what comes behind lies on the stack. */
static const char *const x86[] = { "di", "si", "dx", "cx", "r8", "r9" };

/* Of system calls: the instruction "syscall" overwrites cx with the address that it returns to. */
static const char *const x86_syscall[] = { "di", "si", "dx", "r10", "r8", "r9" };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define ARM64_REGISTERS 8

size_t kind__registers(void)
{
	return CALL_ARGS;
}

/* Of a context that is the same everywhere. */
static const char *slot(const struct kind *kind, size_t number, size_t count, char room[32])
{
	snprintf(room, 32, kind->context == CONTEXT_ARGS ? "ctx->args[%zu]" : "ctx[%zu]", number == KIND_RESULT ? count : number);
	return room;
}

const char *kind__place_x86(const struct kind *kind, size_t number, size_t count, char room[32])
{
	if (kind->context == CONTEXT_SLOTS || kind->context == CONTEXT_ARGS)
		return slot(kind, number, count, room);
	if (number == KIND_RESULT)
		return "ax";
	if (number >= COUNT(x86))
		return "(stack)";
	return kind->context == CONTEXT_CALLERS_REGISTERS ? x86_syscall[number] : x86[number];
}

const char *kind__place_arm64(const struct kind *kind, size_t number, size_t count, char room[32])
{
	if (kind->context == CONTEXT_SLOTS || kind->context == CONTEXT_ARGS)
		return slot(kind, number, count, room);
	/* the kernel puts the result of a system call into regs[0] before it ends */
	if (kind->context == CONTEXT_CALLERS_REGISTERS && !number)
		return "orig_x0";
	if (number != KIND_RESULT && number >= ARM64_REGISTERS)
		return "(stack)";
	snprintf(room, 32, "regs[%zu]", number == KIND_RESULT ? 0 : number);
	return room;
}
