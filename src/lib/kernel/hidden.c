/* SPDX-License-Identifier: BSD-2-Clause */
#include "hidden.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/*
 * Where the kernel's code may begin (arch/x86/include/asm/page_64_types.h: __START_KERNEL_map, and the largest
 * KERNEL_IMAGE_SIZE).  With KASLR, too, it is a multiple of CONFIG_PHYSICAL_ALIGN, which is at least 2 MB.
 */
#define CODE_FROM 0xffffffff80000000ull
#define CODE_TO 0xffffffffc0000000ull
#define CODE_ALIGN 0x200000ull

/* More names for one address than there are: the file and the kernel's answers do not go together. */
#define NAMES_OF_ONE_MAX 1000

/* A symbol as the kernel tells it; of several names for one address it is the first in /proc/kallsyms. */
struct answer {
	uint64_t address, end;
	char name[NAMES_NAME_MAX];
};

/* The file's names and the kernel's answers, one after the other: the same, but for further names of one address. */
struct merge {
	struct names names;
	struct answer answer;
	uint64_t *addresses;
	size_t count, room;
	size_t last;		/* count where both were the same */
	bool begun, over;
};

/* Asks for "NAME+0xOFFSET/0xSIZE"; false where no symbol of the kernel itself is there ("0xffffffff80000000", "… [MODULE]"). */
static bool ask(struct names *names, uint64_t address, struct answer *answer)
{
	char *offset, *size;

	if (!names__ask_place(names, address, answer->name) || strchr(answer->name, '['))
		return false;
	offset = strrchr(answer->name, '+');
	size = offset ? strchr(offset, '/') : NULL;
	if (!size)
		return false;
	*offset++ = '\0';
	answer->address = address - strtoull(offset, NULL, 16);
	answer->end = answer->address + strtoull(size + 1, NULL, 16);
	return true;
}

static bool ask_first(struct names *names, struct answer *answer)
{
#ifdef __x86_64__
	for (uint64_t address = CODE_FROM; address < CODE_TO; address += CODE_ALIGN)
		if (ask(names, address, answer))
			return true;
#else
	(void)names;
	(void)answer;
#endif
	return false;
}

static bool ask_next(struct names *names, struct answer *answer)
{
	uint64_t address = answer->end;

	return ask(names, address, answer) && answer->address == address && answer->end > address;
}

static int add(struct merge *merge, uint64_t address)
{
	if (merge->count == merge->room) {
		size_t room = merge->room ? merge->room * 2 : 1 << 16;
		uint64_t *larger = realloc(merge->addresses, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		merge->addresses = larger;
		merge->room = room;
	}
	merge->addresses[merge->count++] = address;
	return 0;
}

static int merge_one(void *context, const struct ksym *sym)
{
	struct merge *merge = context;
	bool same = !merge->over && !strcmp(sym->name, merge->answer.name);
	int err;

	if (sym->module || (merge->begun && merge->count - merge->last > NAMES_OF_ONE_MAX))
		return 1;
	/* the CPUs' variables stand before the code */
	err = add(merge, same ? merge->answer.address : merge->begun ? merge->addresses[merge->count - 1] : 0);
	if (err)
		return err;
	if (same) {
		merge->begun = true;
		merge->last = merge->count;
		merge->over = !ask_next(&merge->names, &merge->answer);
	}
	/* what follows is data, or was freed after the boot */
	return !strcmp(sym->name, "_etext");
}

int hidden__find(int (*read)(int (*each)(void *context, const struct ksym *sym), void *context), uint64_t **addresses, size_t *count)
{
	struct merge merge = { .count = 0 };
	int err = -EOPNOTSUPP;

	names__open(&merge.names, false);
	names__open_places(&merge.names);
	if (merge.names.question && ask_first(&merge.names, &merge.answer))
		err = read(merge_one, &merge);
	names__close(&merge.names);
	if (err < 0 || !merge.begun) {
		free(merge.addresses);
		return err < 0 ? err : -EOPNOTSUPP;
	}
	*addresses = merge.addresses;
	*count = merge.last;
	return 0;
}
