/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "insn_x86.h"

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
	*size = function->size ? (size_t)function->size : INSN_X86_MAX;
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

/* Whether an instruction starts there, as far as all instructions before it are known. */
static bool is_start(const uint8_t *code, size_t size, uint64_t into)
{
	size_t at = 0;

	while (at < into) {
		size_t length = insn_x86__at(code + at, size - at).length;

		if (!length)
			return false;
		at += length;
	}
	return at == into;
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
	is_good = is_start(code, size, function->address - around.address);
	free(code);
	return is_good ? 0 : fault__set(fault, -EOPNOTSUPP, "it begins inside an instruction of %.64s", around.name);
}

static int check_place(const struct user_file *file, const struct user_function *function, uint64_t into, const uint8_t *code, size_t size,
		       struct fault *fault)
{
	struct insn_x86 insn;

	if (into >= size || (into && !function->size))
		return fault__set(fault, -EOPNOTSUPP, "+%llu is behind its end", (unsigned long long)into);
	if (!is_start(code, size, into))
		return fault__set(fault, -EOPNOTSUPP, "no instruction starts at +%llu (a probe inside one would change what the program does)",
				  (unsigned long long)into);
	insn = insn_x86__at(code + into, size - into);
	if (!insn.length)
		return fault__set(fault, -EOPNOTSUPP, "the instruction there is not known");
	if (insn.kind == INSN_X86_REFUSED)
		return fault__set(fault, -EOPNOTSUPP, "the kernel takes no probe on the instruction there");
	return check_around(file, function, fault);
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
	free(code);
	return err;
}

/* ---- returns */

/* Where a jump of an instruction leads to, as a distance from the code's start; false: it does not jump, or nobody knows where to. */
static bool find_target(const uint8_t *code, size_t at, size_t length, int64_t *target)
{
	const uint8_t *insn = code + at;
	int32_t wide;
	bool is_near;

	/* a prefix tells the processor which way a jump goes */
	while (length > 2 && (*insn == 0x2e || *insn == 0x3e || *insn == 0xf2)) {
		insn++;
		length--;
	}
	is_near = length == 2 && (insn[0] == 0xeb || (insn[0] & 0xf0) == 0x70 || (insn[0] & 0xfc) == 0xe0);
	if (is_near) {
		*target = (int64_t)(insn + 2 - code) + (int8_t)insn[1];
		return true;
	}
	if (!(length == 5 && insn[0] == 0xe9) && !(length == 6 && insn[0] == 0x0f && (insn[1] & 0xf0) == 0x80))
		return false;
	memcpy(&wide, insn + length - 4, sizeof(wide));
	*target = (int64_t)(insn + length - code) + wide;
	return true;
}

/* Finds the instructions that return.  0 where there are no other ways out; else fault says which. */
static int find_returns(const struct user_function *function, const uint8_t *code, size_t size, struct user_sites *sites,
			struct fault *fault)
{
	for (size_t at = 0; at < size;) {
		struct insn_x86 insn = insn_x86__at(code + at, size - at);
		int64_t target;

		if (!insn.length)
			return fault__set(fault, -EOPNOTSUPP, "the instruction at +%zu is not known", at);
		if (find_target(code, at, insn.length, &target)) {
			if (target < 0 || target >= (int64_t)size)
				return fault__set(fault, -EOPNOTSUPP, "it may end by a jump to another function (+%zu)", at);
		} else if (insn.kind == INSN_X86_JUMP) {
			return fault__set(fault, -EOPNOTSUPP, "it may end by a jump to an address that is not known before (+%zu)", at);
		}
		if (insn.kind == INSN_X86_RET) {
			if (sites->count == USER_SITES_MAX)
				return fault__set(fault, -EOPNOTSUPP, "it has more than %d ret instructions", USER_SITES_MAX);
			sites->offsets[sites->count++] = function->offset + at;
		}
		at += insn.length;
	}
	return sites->count ? 0 : fault__set(fault, -EOPNOTSUPP, "it has no ret instruction");
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
	struct fault why_not;
	unsigned int signs;
	uint8_t *code;
	size_t size;
	int err = user_site__entry(file, function, 0, sites, fault);

	if (err)
		return err;
	if (how != USER_RETURNS_KERNEL) {
		code = read_code(file, function, &size, fault);
		if (!code)
			return fault->err;
		sites->count = 0;
		err = function->size ? find_returns(function, code, size, sites, &why_not) :
		      fault__set(&why_not, -EOPNOTSUPP, "its size is not known");
		free(code);
		if (!err)
			return 0;
		if (how == USER_RETURNS_RET)
			return fault__set(fault, err, "%.200s", why_not.text);
	}
	signs = user_file__signs(file);
	*sites = (struct user_sites){ .offsets = { function->offset }, .count = 1, .by_kernel = true };
	/* Go ends at once, in every run: nobody wants that */
	if (signs & USER_SIGN_GO || (signs && !force))
		return fault__set(fault, -EOPNOTSUPP, "%s%s%.120s", sign_text(signs), how == USER_RETURNS_KERNEL ? "" : "; and ",
				  how == USER_RETURNS_KERNEL ? "" : why_not.text);
	return 0;
}
