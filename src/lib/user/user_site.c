/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "user_machine.h"

#define EXCLUSIVE_MAX 128	/* bytes from a load to its store */

/* ---- the start of an instruction */

/* Reads a function's code, freed by the caller: *size bytes, at least one.  NULL: fault says why. */
static uint8_t *read_code(const struct user_file *file, const struct user_function *function, size_t *size, struct fault *fault)
{
	uint8_t *code;
	int err;

	if (function->size > USER_FUNCTION_MAX) {
		fault__set(fault, -EOPNOTSUPP, "its size is not credible (%llu bytes)", (unsigned long long)function->size);
		return NULL;
	}
	/* of one without a size the first instruction, or as much of it as is left */
	*size = function->size ? (size_t)function->size : INSN_MAX;
	code = malloc(*size);
	if (!code) {
		fault__set(fault, -ENOMEM, "no memory");
		return NULL;
	}
	err = user_file__code(file, function->address, code, *size);
	while (err == -ENOEXEC && !function->size && *size > 1)
		err = user_file__code(file, function->address, code, --*size);
	if (!err)
		return code;
	free(code);
	if (err == -ENOEXEC)
		fault__set(fault, err, "its code is not in the file");
	else
		fault__set(fault, err, "its code cannot be read: %s", strerror(-err));
	return NULL;
}

/* What the instructions before a place tell of it. */
struct place {
	bool is_start;		/* an instruction starts there, as far as all before it are known */
	bool is_exclusive;	/* it may be between a load and a store that only work together */
};

/* into: at most size. */
static struct place look_at(const struct user_file *file, const uint8_t *code, size_t size, uint64_t into)
{
	const struct user_machine *machine = user_file__machine(file);
	size_t at = 0, begun = SIZE_MAX;
	struct insn insn;

	for (; at < into; at += insn.length) {
		insn = machine->decode(code + at, size - at);
		if (!insn.length)
			return (struct place){ .is_start = false };
		if (insn.exclusive)
			begun = insn.exclusive == INSN_BEGINS_EXCLUSIVE ? at : SIZE_MAX;
	}
	/* a load that only waits for a value has no store, so it counts for as far as it does for kprobes (MAX_ATOMIC_CONTEXT_SIZE) */
	return (struct place){ .is_start = at == into, .is_exclusive = begun != SIZE_MAX && into - begun <= EXCLUSIVE_MAX };
}

/* A function that begins inside another one, as some of assembly do: an instruction of that one must start there. */
static int check_around(const struct user_file *file, const struct user_function *function, struct fault *fault)
{
	struct user_function around;
	uint8_t *code;
	size_t size;
	bool is_good;

	if (!user_file__around(file, function->address, &around))
		return 0;
	code = read_code(file, &around, &size, fault);
	if (!code)
		return fault->err;
	is_good = look_at(file, code, size, function->address - around.address).is_start;
	free(code);
	return is_good ? 0 : fault__set(fault, -EOPNOTSUPP, "it begins inside an instruction of %.64s", around.name);
}

/*
 * Linux 6.18 to 7.1 make a call of a 5-byte nop with a probe on it, and push an address below the stack pointer, where a function that
 * calls no other one may have its variables (the red zone).  At a function's start nothing is there yet.
 */
static bool steps_on_red_zone(const struct insn *insn, const uint8_t *code)
{
	static const uint8_t nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return insn->length == sizeof(nop) && !memcmp(code, nop, sizeof(nop)) && kernel__version() >= kernel_version(6, 18, 0) &&
	       kernel__version() < kernel_version(7, 2, 0);
}

static int check_place(const struct user_file *file, const struct user_function *function, uint64_t into, const uint8_t *code, size_t size,
		       struct fault *fault)
{
	struct place place;
	struct insn insn;

	if (into >= size || (into && !function->size))
		return fault__set(fault, -EOPNOTSUPP, "+%llu is behind its end", (unsigned long long)into);
	place = look_at(file, code, size, into);
	if (!place.is_start)
		return fault__set(fault, -EOPNOTSUPP, "no instruction starts at +%llu (a probe inside one would change what the program does)",
				  (unsigned long long)into);
	insn = user_file__machine(file)->decode(code + into, size - into);
	if (!insn.length)
		return fault__set(fault, -EOPNOTSUPP, "the instruction there is not known");
	if (insn.is_refused)
		return fault__set(fault, -EOPNOTSUPP, "the kernel takes no probe on the instruction there");
	if (into && steps_on_red_zone(&insn, code + into))
		return fault__set(fault, -EOPNOTSUPP, "this kernel makes a call of the 5-byte nop there, which overwrites what the function has below its stack");
	if (place.is_exclusive)
		return fault__set(fault, -EOPNOTSUPP, "+%llu is between a load exclusive and its store (a probe there would make the store fail, "
				  "each time)", (unsigned long long)into);
	return check_around(file, function, fault);
}

/*
 * How far behind a function's start a probe sees the same as there, for less: behind a first instruction that changes nothing and takes a
 * single step, at a second one that the kernel emulates; if all of the function is known, and no jump leads to the second.  0: not at all.
 */
static size_t skip_first(const struct user_file *file, const uint8_t *code, size_t size)
{
	const struct user_machine *machine = user_file__machine(file);
	struct insn first = machine->decode(code, size), insn;

	if (!first.is_neutral || first.length >= size)
		return 0;
	insn = machine->decode(code + first.length, size - first.length);
	if (!insn.is_emulated || insn.is_refused)
		return 0;
	for (size_t at = first.length; at < size; at += insn.length) {
		insn = machine->decode(code + at, size - at);
		if (!insn.length || (insn.kind == INSN_JUMP && !insn.has_target) ||
		    (insn.has_target && (int64_t)at + insn.target == (int64_t)first.length))
			return 0;
	}
	return first.length;
}

int user_site__entry(const struct user_file *file, const struct user_function *function, uint64_t into, struct user_sites *sites,
		     struct fault *fault)
{
	uint8_t *code;
	size_t size;
	int err;

	*sites = (struct user_sites){ .offsets = { function->offset + into }, .count = 1 };
	if (function->is_indirect)
		return fault__set(fault, -EOPNOTSUPP, "it is an IFUNC: what starts there chooses the function that is called, and is not called");
	code = read_code(file, function, &size, fault);
	if (!code)
		return fault->err;
	err = check_place(file, function, into, code, size, fault);
	if (!err && !into && function->size)
		sites->offsets[0] += skip_first(file, code, size);
	free(code);
	return err;
}

/* ---- returns */

/*
 * Functions of C libraries and runtimes that do not return, whatever their code looks like: one may jump to another one of these, to an
 * address of a jmp_buf, or to a handler of an exception.  The names are reserved, so a program has no others that are called so.
 */
static bool is_known_never(const char *name)
{
	static const char *const never[] = {
		"_Exit", "_Unwind_Resume", "_ZSt9terminatev", "__assert", "__assert_fail", "__chk_fail", "__cxa_rethrow", "__cxa_throw",
		"__fortify_fail", "__libc_fatal", "__longjmp", "__longjmp_chk", "__stack_chk_fail", "_exit", "_longjmp", "abort", "exit",
		"longjmp", "pthread_exit", "quick_exit", "siglongjmp", "thrd_exit",
	};
	size_t length = user_function__name_length(name);

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (strlen(never[i]) == length && !memcmp(never[i], name, length))
			return true;
	return false;
}

static int fail_never(struct fault *fault)
{
	return fault__set(fault, -ENODATA, "this function does not return");
}

/*
 * Finds the instructions that return.  0 where there are no other ways out; else fault says which, or -ENODATA: there is no way out, and
 * it does not go on behind its end.
 */
static int find_returns(const struct user_file *file, const struct user_function *function, const uint8_t *code, size_t size,
			struct user_sites *sites, struct fault *fault)
{
	const struct user_machine *machine = user_file__machine(file);
	struct insn insn = { .kind = INSN_PLAIN };

	for (size_t at = 0; at < size; at += insn.length) {
		insn = machine->decode(code + at, size - at);
		if (!insn.length)
			return fault__set(fault, -EOPNOTSUPP, "the instruction at +%zu is not known", at);
		if (insn.has_target) {
			int64_t target = (int64_t)at + insn.target;

			if (target < 0 || target >= (int64_t)size)
				return fault__set(fault, -EOPNOTSUPP, "it may end by a jump to another function (+%zu)", at);
		} else if (insn.kind == INSN_JUMP) {
			return fault__set(fault, -EOPNOTSUPP, "it may end by a jump to an address that is not known before (+%zu)", at);
		}
		if (insn.kind != INSN_RET)
			continue;
		if (insn.is_refused)
			return fault__set(fault, -EOPNOTSUPP, "the kernel takes no probe on the return at +%zu", at);
		if (sites->count == USER_SITES_MAX)
			return fault__set(fault, -EOPNOTSUPP, "it has more than %d ret instructions", USER_SITES_MAX);
		sites->offsets[sites->count++] = function->offset + at;
	}
	if (sites->count)
		return 0;
	/* those that are refused are traps, such as ud2 */
	if (insn.is_call || insn.kind == INSN_JUMP || insn.is_refused)
		return fail_never(fault);
	return fault__set(fault, -EOPNOTSUPP, "it has no ret instruction");
}

static const char *sign_text(unsigned int signs)
{
	if (signs & USER_SIGN_GO)
		return "the program is in Go, which ends when it finds a return probe's address on its stack";
	if (signs & USER_SIGN_CONTEXTS)
		return "the file switches stacks (coroutines), and a return probe may make one return into another";
	return "the file has handlers of signals on a stack of their own (sigaltstack), and a return probe may kill the process there";
}

int user_site__returns(const struct user_file *file, const struct user_function *function, enum user_returns how, bool force,
		       struct user_sites *sites, struct fault *fault)
{
	struct fault why_not = {};
	unsigned int signs;
	uint8_t *code;
	size_t size;
	int err = is_known_never(function->name) ? fail_never(fault) : user_site__entry(file, function, 0, sites, fault);

	if (err)
		return err;
	code = read_code(file, function, &size, fault);
	if (!code)
		return fault->err;
	sites->count = 0;
	err = function->size ? find_returns(file, function, code, size, sites, &why_not) :
	      fault__set(&why_not, -EOPNOTSUPP, "its size is not known");
	free(code);
	if (err == -ENODATA)
		return fail_never(fault);
	if (!err && how != USER_RETURNS_KERNEL)
		return 0;
	if (how == USER_RETURNS_RET)
		return fault__set(fault, err, "%.200s", why_not.text);
	signs = user_file__signs(file);
	*sites = (struct user_sites){ .offsets = { function->offset }, .count = 1, .by_kernel = true };
	/* Go ends at once, in every run: nobody wants that */
	if (signs & USER_SIGN_GO || (signs && !force))
		return fault__set(fault, -EOPNOTSUPP, "%s%s%.120s", sign_text(signs), how == USER_RETURNS_KERNEL ? "" : "; and ",
				  how == USER_RETURNS_KERNEL ? "" : why_not.text);
	return 0;
}
