/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/user on a program of any bytes: its functions, its code, and a cache of the dynamic linker's. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "lib/format/usdt_operand.h"
#include "lib/user/insn.h"
#include "lib/user/user_file.h"
#include "lib/user/user_notes.h"
#include "lib/user/user_own.h"
#include "lib/user/user_site.h"

#include "fuzz.h"

static int visit(void *context, const struct user_function *function)
{
	struct user_file *file = context;
	struct user_function list[2];
	struct user_sites sites;
	struct fault fault;

	REQUIRE(function->name && function->offset != UINT64_MAX);
	/* its place is in it, and a return's too */
	if (!user_site__entry(file, function, 1, &sites, &fault))
		REQUIRE(sites.count == 1 && sites.offsets[0] == function->offset + 1);
	if (!user_site__returns(file, function, USER_RETURNS_AUTO, false, &sites, &fault)) {
		REQUIRE(sites.count && sites.count <= USER_SITES_MAX);
		for (size_t i = 0; i < sites.count; i++)
			REQUIRE(sites.offsets[i] - function->offset < (function->size ? function->size : 1));
	}
	if (strcspn(function->name, "@"))
		REQUIRE(user_file__find(file, function->name, list, 2));
	return 0;
}

/* Its USDT probes: texts that end, places in the file, operands that can be read. */
static void read_probes(int fd)
{
	struct usdt_operand operands[USDT_OPERANDS_MAX];
	struct user_notes notes;

	if (user_notes__read(fd, &notes))
		return;
	for (size_t i = 0; i < notes.count; i++) {
		REQUIRE(strlen(notes.list[i].provider) + strlen(notes.list[i].name) + strlen(notes.list[i].args) < SIZE_MAX);
		REQUIRE(notes.list[i].offset != UINT64_MAX && *notes.list[i].name);
		REQUIRE(usdt_operands__read(notes.list[i].args, operands) <= USDT_OPERANDS_MAX);
	}
	user_notes__free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC), err;
	uint8_t *copy = fuzz_copy(data, size);
	struct user_file *file;
	struct fault fault;
	char path[PATH_MAX] = "";

	REQUIRE(fd >= 0);
	err = user_file__read(fd, user_machine__own(), &file, &fault);
	REQUIRE(!err == !!file);
	REQUIRE(!err || err == -ENOEXEC || err == -EFBIG || err == -ENOTSUP || err == -EINVAL);
	if (file) {
		user_file__match(file, "*", visit, file);
		user_file__signs(file);
	}
	user_file__free(file);
	read_probes(fd);
	close(fd);
	for (size_t at = 0; at < size;) {
		struct insn insn = insn_x86__at(copy + at, size - at);

		REQUIRE(insn.length <= INSN_X86_MAX && insn.length <= size - at);
		at += insn.length ? insn.length : 1;
	}
	if (user_own__find_in((const char *)copy, size, "libc", path, sizeof(path)))
		REQUIRE(*path == '/' && strlen(path) < sizeof(path));
	free(copy);
	return 0;
}
