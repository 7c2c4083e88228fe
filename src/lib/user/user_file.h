/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program or library whose functions are probed: its functions by name, its code, and signs that a return probe would break it.  Any
 * user may have written the file, so all is read with the limits of lib/symbol/elf_file.h.
 */
#ifndef PROBELIGHT_USER_FILE_H
#define PROBELIGHT_USER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"
#include "lib/print/near.h"
#include "user_machine.h"

#define USER_FUNCTION_MAX (1 << 20)	/* bytes of a function's code that are looked at */

struct user_file;

struct user_function {
	const char *name;	/* with a version, "memcpy@@GLIBC_2.14", where the file has it so; bytes of any kind; the file's */
	uint64_t address, size;	/* size 0: not known */
	uint64_t offset;	/* in the file */
	bool is_indirect;	/* IFUNC */
};

/* What tells that a return probe may break programs: it replaces the return address on the stack. */
enum user_sign {
	USER_SIGN_GO = 1,		/* Go looks for callers on the stack, and moves it */
	USER_SIGN_CONTEXTS = 2,		/* coroutines: several stacks in a thread */
	USER_SIGN_ALTSTACK = 4,		/* handlers of signals on a stack of their own */
};

/*
 * Reads an open file of a machine (user_machine__own()), which the caller closes after user_file__free(): 0, or -errno with one line in
 * fault, which begins behind the file's name: -ENOEXEC for what is no ELF file, -ENOTSUP for one of another machine.
 */
int user_file__read(int fd, const struct user_machine *machine, struct user_file **file, struct fault *fault);
void user_file__free(struct user_file *file);

/*
 * Whether a name is among those of an open file's symbols, which also other files may have: quick, and needed of a function for
 * user_file__find() to find it.  False also where they cannot be read.
 */
bool user_file__mentions(int fd, const char *name);

const struct user_machine *user_file__machine(const struct user_file *file);

/*
 * Calls found() for each function whose name, without a version, matches a shell pattern, each address once for each name, until it returns
 * something else than 0, which is returned.
 */
int user_file__match(const struct user_file *file, const char *pattern, int (*found)(void *context, const struct user_function *function),
		     void *context);

/*
 * The functions of that name: how many, of which the first `max`, by address, are in list.  Several versions may have different addresses.
 * Without memory there are none.
 */
size_t user_file__find(struct user_file *file, const char *name, struct user_function *list, size_t max);

/* Adds names like this one (near__typed()). */
void user_file__near(const struct user_file *file, const char *name, struct near *near);

/* The function that has an address inside it, but does not begin there; false: there is none. */
bool user_file__around(const struct user_file *file, uint64_t address, struct user_function *function);

/* Whether it calls functions of that name of other files. */
bool user_file__imports(const struct user_file *file, const char *name);

size_t user_file__count(const struct user_file *file);	/* of functions */
unsigned int user_file__signs(const struct user_file *file);

/* Reads code: size bytes at an address, which must be in one segment that is executed.  0 or -errno. */
int user_file__code(const struct user_file *file, uint64_t address, void *to, size_t size);

/* Bytes of a name without its version. */
size_t user_function__name_length(const char *name);

#endif
