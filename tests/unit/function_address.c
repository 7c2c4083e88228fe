/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/probe/function_address, with files that stand for the kernel's: which lines of the list of probes are believed, and what is kept. */
#include "lib/probe/function_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/code_id.h"

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

/* What /proc/modules and /sys/module have of one. */
#define MODULE "ext4 1085440 1 - Live 0xffffffffc0300000\n"
static void write_module(const char *folder, const void *note, size_t size)
{
	char path[128], command[160];

	snprintf(command, sizeof(command), "mkdir -p %s/ext4/notes", folder);
	CHECK(!system(command));
	snprintf(path, sizeof(path), "%s/ext4/notes/.note.gnu.build-id", folder);
	write_bytes(path, note, size);
}

/* What is known of a function after the list had these lines. */
static uint64_t learnt(const char *function, const char *lines)
{
	write_bytes(function_address__places.probes, lines, strlen(lines));
	function_address__learn(function);
	return function_address__known(function);
}

int main(void)
{
	/* a GNU build id (elf(5), Nhdr) */
	static const unsigned char note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4 };
	char folder[] = "/tmp/probelight-function_address.XXXXXX", probes[64], notes[64], modules[64], cache[64], command[128], many[80 * 1002] = "";

	CHECK(mkdtemp(folder));
	snprintf(probes, sizeof(probes), "%s/list", folder);
	snprintf(notes, sizeof(notes), "%s/notes", folder);
	snprintf(modules, sizeof(modules), "%s/modules", folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	write_bytes(notes, note, sizeof(note));
	function_address__places = (struct function_address_places){ .probes = probes, .notes = notes, .cache = cache, .is_slow = 1 };

	CHECK(!function_address__known("vfs_read"));
	CHECK_INT(learnt("vfs_read", "ffffffff81000010  k  vfs_read+0x0    [FTRACE]\n"), 0xffffffff81000010);
	/* behind an instruction that the kernel skips, from 5.18 on */
	CHECK_INT(learnt("vfs_write", "ffffffff81000010  k  vfs_read+0x0    [FTRACE]\nffffffff81000024  k  vfs_write+0x4    [FTRACE]\n"),
		  0xffffffff81000020);
	/* an entry and a return, and a name that begins as it does */
	CHECK_INT(learnt("do_exit", "ffffffff81000030  r  do_exit+0x0    [DISABLED][FTRACE]\nffffffff81000030  k  do_exit+0x0    [FTRACE]\n"
				    "ffffffff81000040  k  do_exit_code+0x0    [FTRACE]\nffffffff81000050  k  pdo_exit+0x0    \n"),
		  0xffffffff81000030);

	/* who is not the only one, hides, is a module's, gone, not there, or too far down */
	CHECK_INT(learnt("show", "ffffffff81000060  k  show+0x0    \nffffffff81000070  k  show+0x0    \n"), 0);
	CHECK_INT(learnt("show", "0000000000000000  k  show+0x0    \n"), 0);
	CHECK_INT(learnt("show", "ffffffffc0000060  k  show+0x0  ext4  [FTRACE]\n"), 0);
	CHECK_INT(learnt("show", "ffffffff81000060  k  show+0x0    \nffffffffc0000060  k  show+0x0  ext4  [FTRACE]\n"), 0);
	CHECK_INT(learnt("show", "ffffffff81000060  k  show+0x0    [GONE]\n"), 0);
	CHECK_INT(learnt("show", "ffffffff81000060  k  shows+0x0    \nno line of it\n"), 0);
	for (int i = 0; i < 1000; i++)
		sprintf(many + strlen(many), "ffffffff8100%04x  k  other_%d+0x0    \n", i, i);
	strcat(many, "ffffffff81000060  k  show+0x0    \n");
	CHECK_INT(learnt("show", many), 0);
	unlink(probes);
	function_address__learn("show");
	CHECK_INT(function_address__known("show"), 0);

	/* the next start knows what this one has learnt */
	function_address__forget();
	CHECK_INT(function_address__known("vfs_read"), 0xffffffff81000010);
	CHECK_INT(function_address__known("do_exit"), 0xffffffff81000030);
	CHECK_INT(function_address__known("vfs_rea"), 0);
	CHECK_INT(function_address__known("fs_read"), 0);
	CHECK_INT(function_address__known(""), 0);

	/* a name that nothing has, until a module comes */
	code_id__places = (struct code_id_places){ .notes = notes, .modules = modules, .module_folder = folder, .cache = cache };
	write_bytes(modules, "", 0);
	CHECK(!function_address__is_known_missing("newer"));
	function_address__is_none("newer");
	CHECK(function_address__is_known_missing("newer"));
	CHECK(!function_address__is_known_missing("newe"));
	CHECK_INT(function_address__known("newer"), 0);
	write_module(folder, note, sizeof(note));
	write_bytes(modules, MODULE, strlen(MODULE));
	CHECK(!function_address__is_known_missing("newer"));
	function_address__places.is_slow = 0;
	function_address__is_none("newer");
	function_address__places.is_slow = 1;
	CHECK(!function_address__is_known_missing("newer"));

	/* a kernel that finds names fast is given names */
	function_address__places.is_slow = 0;
	CHECK_INT(function_address__known("vfs_read"), 0);
	CHECK_INT(learnt("fast", "ffffffff81000080  k  fast+0x0    \n"), 0);
	function_address__places.is_slow = 1;
	CHECK_INT(function_address__known("fast"), 0);

	/* another kernel's are not its */
	write_bytes(notes, (unsigned char [20]){ 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 4, 3, 2, 1 }, sizeof(note));
	function_address__forget();
	CHECK_INT(function_address__known("vfs_read"), 0);

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK(!system(command));
	return check_done();
}
