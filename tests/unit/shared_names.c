/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/probe/shared_names, with files that stand for the kernel's, which is not asked: names that are there more than once, read once. */
#include "lib/probe/shared_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/ksyms.h"

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

int main(void)
{
	/* a GNU build id (elf(5), Nhdr) */
	static const unsigned char note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4 };
	static const char symbols[] =
		"ffffffff81000000 T vfs_read\n"
		"ffffffff81000010 t type_show\n"
		"ffffffff81000020 t type_show\n"
		"ffffffff81000030 d jiffies\n"
		"ffffffff81000040 D jiffies\n"
		"ffffffff81000050 t three_times\n"
		"ffffffff81000060 t three_times\n"
		"ffffffff81000070 t three_times\n"
		"ffffffff81000080 t show\n"
		"ffffffffc0000000 t show\t[ext4]\n"
		"ffffffffc0000010 t in_modules\t[ext4]\n"
		"ffffffffc0000020 t in_modules\t[nvme]\n";
	int status = -1;
	char folder[] = "/tmp/probelight-shared_names.XXXXXX", path[64], notes[64], cache[64], command[128];

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	snprintf(notes, sizeof(notes), "%s/notes", folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	write_bytes(path, symbols, sizeof(symbols) - 1);
	write_bytes(notes, note, sizeof(note));
	shared_names__places = (struct shared_names_places){ .probes = "/nonexistent", .notes = notes, .cache = cache };
	ksyms__use(path);

	/* in a process of its own, as what was read is kept there, too */
	fflush(NULL);
	if (!fork()) {
		CHECK(!shared_names__are_refused());
		CHECK_INT(shared_names__has("type_show"), 1);
		CHECK_INT(shared_names__has("three_times"), 1);
		CHECK_INT(shared_names__has("vfs_read"), 0);
		CHECK_INT(shared_names__has("type_sho"), 0);
		CHECK_INT(shared_names__has("ype_show"), 0);
		CHECK_INT(shared_names__has("jiffies"), 0);	/* no functions */
		CHECK_INT(shared_names__has("show"), 0);		/* the other one is a module's */
		CHECK_INT(shared_names__has("in_modules"), 0);
		_exit(check_done());
	}
	CHECK(wait(&status) > 0);
	CHECK_INT(status, 0);

	/* the next start does not read them again */
	ksyms__use("/nonexistent");
	CHECK_INT(shared_names__has("type_show"), 1);
	CHECK_INT(shared_names__has("vfs_read"), 0);
	CHECK(!shared_names__are_refused());
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK(!system(command));
	return check_done();
}
