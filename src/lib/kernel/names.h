/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's functions by address, and addresses by name, by asking the running kernel: two programs of a few
 * instructions, which are run on demand (from 5.16 on).  An address costs 4,000 instructions so, and a name 33,000; reading
 * /proc/kallsyms takes 200 to 500 M.  Where older kernels do not tell, functions come from the list that an earlier start has kept, and
 * what is not in it from there; it is read once, when it is first needed.
 */
#ifndef PROBELIGHT_KERNEL_NAMES_H
#define PROBELIGHT_KERNEL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "ksyms.h"

#define NAMES_NAME_MAX (KSYMS_NAME_MAX + KSYMS_MODULE_MAX)

struct names_question;

struct names {
	struct names_question *question;	/* shared with the programs; NULL: the kernel takes no such programs */
	int question_fd, format_fd, name_fd, place_fd, address_fd;
	struct ksyms_lists lists;
	unsigned int kept;			/* addresses that were looked for among those of earlier starts */
};

/* Who asks for more addresses than that reads the list of all functions, which costs less then than a file for each. */
#define NAMES_KEPT 8

/*
 * Makes the programs.  With keep, names are asked for after capabilities were dropped: where /proc/kallsyms may be needed it is opened
 * now, and the list of functions kept.  It cannot fail: without programs and without that file names are addresses.  names__close()
 * takes a zeroed one, too.
 */
void names__open(struct names *names, bool keep);
void names__close(struct names *names);

/* Why addresses have no names, for a message; NULL: they have.  After names__open(), and before capabilities are dropped. */
const char *names__lack(const struct names *names);

/* After names__open(), for those who ask for places too. */
void names__open_places(struct names *names);

/* Writes "NAME+0x10/0x9c0", with " [MODULE]", of the place in a function that an address is; without a name as names__of(). */
void names__place(struct names *names, uint64_t address, char name[NAMES_NAME_MAX]);

/* The same as the kernel answers it, without a look into /proc/kallsyms; whether it does.  Of no symbol it is "0xffffffff80000000". */
bool names__ask_place(struct names *names, uint64_t address, char name[NAMES_NAME_MAX]);

/* Writes "NAME" or "NAME [MODULE]" of the function that an address is in; an address without a name in hexadecimal. */
void names__of(struct names *names, uint64_t address, char name[NAMES_NAME_MAX]);

/* Cuts "NAME [MODULE]" to "NAME".  The module, in the same text; NULL: there is none. */
char *names__split(char *text);

/* The address of the first function of that name, in a module (NULL: in the kernel or any); 0: there is none, or it is hidden. */
uint64_t names__address(struct names *names, const char *module, const char *name);

/*
 * The address of a symbol, which may be a variable (CONFIG_KALLSYMS_ALL), as the kernel's lookup tells it; 0: it does not.  /proc/kallsyms
 * is not read.
 */
uint64_t names__ask_address(struct names *names, const char *name);

/*
 * Whether the function whose address was asked for last has a hook of ftrace's (ktext__find_hook()); also true where that cannot be known:
 * by older kernels, under lockdown, not on x86-64.
 */
bool names__has_hook(const struct names *names);

#endif
