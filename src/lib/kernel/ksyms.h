/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's functions by name, from /proc/kallsyms.  Reading it costs 100 M instructions and more (100,000 names,
 * decompressed one by one), so it is for failures, for names that a user typed and for probestat: a tool that attaches
 * to the function it expects never comes here.
 */
#ifndef PROBELIGHT_KSYMS_H
#define PROBELIGHT_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KSYMS_NAME_MAX 512	/* KSYM_NAME_LEN: 128, since 6.1 512 */
#define KSYMS_MODULE_MAX 64	/* MODULE_NAME_LEN, include/linux/module.h */
#define KSYMS_NEAREST 4
#define KSYMS_VARIANTS 4

struct ksym {
	uint64_t address;	/* 0 where kptr_restrict hides it from this user, and the kernel does not tell it either (hidden.h) */
	char type;		/* as of nm(1): t and T functions, w and W weak ones */
	const char *name;
	const char *module;	/* NULL: the kernel itself */
};

/* Whether the symbol is code, and not the compiler's padding or a cold part of another function. */
bool ksym__is_function(const struct ksym *sym);

/*
 * Calls each for every symbol, in the kernel's order: its own by rising address, then the modules'.  sym is valid
 * during the call.  Returns what each returned first that was not 0, 0 at the end, or -errno of reading.
 */
int ksyms__each(int (*each)(void *context, const struct ksym *sym), void *context);

/*
 * The same for every function of the kernel and of its modules, without BPF programs and code that the kernel makes: from what an earlier
 * start has kept (function_list.h), or the file.
 */
int ksyms__each_function(int (*each)(void *context, const struct ksym *sym), void *context);

/* What the kernel has under a name. */
struct ksyms_match {
	unsigned int functions;				/* of exactly this name; more than 1 is ambiguous */
	uint64_t address;				/* of the first one */
	char module[KSYMS_MODULE_MAX];			/* of the first one; "": the kernel itself */
	unsigned int variants_count;			/* NAME.isra.0, NAME.constprop.0, NAME.part.0; may exceed the room */
	char variants[KSYMS_VARIANTS][KSYMS_NAME_MAX];
	/* Where there are none of those: the likest names, best first, in the module if one is given. */
	unsigned int nearest_count;
	char nearest[KSYMS_NEAREST][KSYMS_NAME_MAX];
};

/*
 * Looks name up, in one module where module is not NULL, else everywhere.  0 (also where there is no such function:
 * match says so), or -errno of reading.
 */
int ksyms__find(const char *module, const char *name, struct ksyms_match *match);

/* Bytes from address to the next symbol; 0 where nothing follows.  Padding counts, so it is an upper bound. */
uint64_t ksyms__size(uint64_t address);

/*
 * All functions in memory, for who looks up many: by address and by name.  6 MB; ksyms__free releases it.  NULL with errno
 * set: of reading, or ENOMEM; EPERM where the addresses are hidden (kptr_restrict) and the kernel does not tell them either.
 */
struct ksyms;
struct ksyms *ksyms__load(void);
void ksyms__free(struct ksyms *ksyms);

/* The same by ksyms__each_function(). */
struct ksyms *ksyms__load_kept(void);

/*
 * The function that an address is in, valid until ksyms__free, and how far in; NULL: it is below the first one, or above the last one
 * of the kernel, of a module, or of the page that the kernel made.
 */
const struct ksym *ksyms__at(const struct ksyms *ksyms, uint64_t address, uint64_t *offset);

/*
 * The same, of an address that certainly is the kernel's or a module's: another function of it follows.  What lies elsewhere may not be in
 * the list of ksyms__load_kept().
 */
const struct ksym *ksyms__between(const struct ksyms *ksyms, uint64_t address, uint64_t *offset);

/*
 * The list that was kept, and the file, each read when it is first needed, for who may ask for few or many; zeroed at first.
 * ksyms_lists__free() takes one that was never asked.
 */
struct ksyms_lists {
	struct ksyms *kept, *all;	/* by the two below */
	bool tried_kept, tried_all;
};
/* NULL: it cannot be read. */
struct ksyms *ksyms_lists__kept(struct ksyms_lists *lists);
struct ksyms *ksyms_lists__all(struct ksyms_lists *lists);
/* As ksyms__at(). */
const struct ksym *ksyms_lists__at(struct ksyms_lists *lists, uint64_t address, uint64_t *offset);
void ksyms_lists__free(struct ksyms_lists *lists);

/* The functions in order of their addresses: ksyms__get(ksyms, 0) to NULL. */
const struct ksym *ksyms__get(const struct ksyms *ksyms, size_t index);

/* Where the first function of that name begins: in one module, or, where module is NULL, the first of all; 0: there is none. */
uint64_t ksyms__address(const struct ksyms *ksyms, const char *module, const char *name);

/*
 * Opens the file now, for calls that come when capabilities are dropped: whether the addresses are shown is decided when it is
 * opened (kallsyms_open() in kernel/kallsyms.c).  Where it hides them they are asked for now.  Not for more than one reader at a time.
 * 0 or -errno of open(2).
 */
int ksyms__keep_open(void);

/*
 * Has the list of functions kept, unless an earlier start has, or it cannot be, for who will name addresses when it may no longer write:
 * else each start would read the file.
 */
void ksyms__keep_functions(void);

/*
 * Reads the file now, and answers all later calls from memory, for who looks several times (7.3: probestat with one look takes 0.62 G
 * instructions; --text, with four, 0.87 and not 2.2).  The kernel's list may change meanwhile.  0 or -errno of reading; then calls read the
 * file as before.
 */
int ksyms__keep_text(void);
/* Calls read the file again. */
void ksyms__drop_text(void);

/* Whether this user is shown no addresses, and the kernel does not tell them either. */
bool ksyms__are_hidden(void);

/* Makes every later call read path instead of /proc/kallsyms (tests); NULL undoes it.  The string must live on. */
void ksyms__use(const char *path);

#endif
