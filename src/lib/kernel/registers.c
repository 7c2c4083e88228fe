/* SPDX-License-Identifier: BSD-2-Clause */
#include "registers.h"

#include <asm/ptrace.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

struct named {
	const char *name;
	int offset;
};

static const char *const x86_names[] = {
	"ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip", "flags", "cs", "ss",
	"orig_ax",
};

static const char *const arm64_names[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19",
	"x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "lr", "sp", "pc", "pstate",
};

static const struct {
	const char *name;
	const char *const *registers;
	size_t count;
} machines[] = {
	{ "x86-64", x86_names, sizeof(x86_names) / sizeof(*x86_names) },
	{ "arm64", arm64_names, sizeof(arm64_names) / sizeof(*arm64_names) },
};

/* The offsets are those of the names above, in their order. */
#if defined(__x86_64__)
#define MACHINE 0
#define AT(name) offsetof(struct pt_regs, name)
static const int offsets[] = {
	AT(rax), AT(rbx), AT(rcx), AT(rdx), AT(rsi), AT(rdi), AT(rbp), AT(rsp), AT(r8), AT(r9), AT(r10), AT(r11), AT(r12), AT(r13), AT(r14),
	AT(r15), AT(rip), AT(eflags), AT(cs), AT(ss), AT(orig_rax),
};
#elif defined(__aarch64__)
#define MACHINE 1
#define X(number) offsetof(struct user_pt_regs, regs[number])
#define AT(name) offsetof(struct user_pt_regs, name)
static const int offsets[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19),
	X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30), X(30), AT(sp), AT(pc), AT(pstate),
};
#else
#error "lib/kernel/registers.c does not know this architecture"
#endif

static int find(size_t machine, const char *name)
{
	for (size_t i = 0; i < machines[machine].count; i++)
		if (!strcmp(machines[machine].registers[i], name))
			return (int)i;
	return -1;
}

/* As compilers, debuggers and manuals call them: "rdi" is di, "edi" its lower half, "RDI" both. */
static const char *kernel_name(const char *name)
{
	for (size_t i = 0; i < machines[MACHINE].count; i++) {
		const char *own = machines[MACHINE].registers[i];

		if (!strcasecmp(name, own) || (*name && strchr("reRE", *name) && !strcasecmp(name + 1, own)))
			return own;
	}
	return NULL;
}

int registers__offset(const char *name, struct fault *fault)
{
	const char *ours = machines[MACHINE].name;
	struct text_buffer text;
	struct near near;
	int at = find(MACHINE, name);

	_Static_assert(sizeof(offsets) / sizeof(*offsets) == (MACHINE ? sizeof(arm64_names) : sizeof(x86_names)) / sizeof(char *),
		       "each has an offset");
	if (at >= 0)
		return offsets[at];
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (find(i, name) >= 0)
			return fault__set(fault, -EINVAL, "%%%s is a register of %s, and this machine is %s", name, machines[i].name, ours);
	if (kernel_name(name))
		return fault__set(fault, -EINVAL, "the kernel calls the register %s %%%s", name, kernel_name(name));
	near__init(&near, 3, 3);
	for (size_t i = 0; i < machines[MACHINE].count; i++)
		near__add(&near, machines[MACHINE].registers[i], near__edits(machines[MACHINE].registers[i], name, near__limit(&near)));
	text = fault__begin(fault, -EINVAL);
	text_buffer__add(&text, "%s has no register %%%s", ours, name);
	near__put(&near, &text);
	return -EINVAL;
}

const char *registers__name(unsigned offset)
{
	for (size_t i = 0; i < machines[MACHINE].count; i++)
		if ((unsigned)offsets[i] == offset)
			return machines[MACHINE].registers[i];
	return NULL;
}
