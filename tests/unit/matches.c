/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/matches, with files that stand for the kernel's: what is kept is believed only while kernel and modules are the same. */
#include "lib/ftrace/matches.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/probelight-matches.XXXXXX";
static char notes[64], modules[64], module_folder[64], cache[64];

static const char *const pattern[] = { "vfs_*" };
static const char *const two[] = { "vfs_*", "tcp_*" };

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* A GNU build id (elf(5), Nhdr) of one byte, four times. */
static void write_id(const char *path, unsigned char byte)
{
	unsigned char note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, byte, byte, byte, byte };

	write_bytes(path, note, sizeof(note));
}

static void write_module_id(const char *module, unsigned char byte)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", module_folder, module);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/notes", module_folder, module);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/notes/.note.gnu.build-id", module_folder, module);
	write_id(path, byte);
}

static bool is_kept(const char *module, const char *const *patterns, size_t count)
{
	struct functions functions = {};
	struct matches matches;
	bool kept = !matches__read(&matches, &functions, module, patterns, count);

	CHECK(kept || !functions.count);
	functions__free(&functions);
	return kept;
}

static void keep(const char *const *patterns, size_t count, size_t unmatched)
{
	struct functions functions = {}, none = {};
	struct matches matches;

	matches__read(&matches, &none, NULL, patterns, count);
	functions__free(&none);
	CHECK_INT(functions__add(&functions, "vfs_read", NULL), 0);
	CHECK_INT(functions__add(&functions, "vfs_x", "ext4"), 0);
	CHECK_INT(functions__add(&functions, "vfs_read", NULL), 0);
	functions.unmatched = unmatched;
	matches__keep(&matches, &functions);
	functions__free(&functions);
}

int main(void)
{
	static const char loaded[] = "ext4 1024 1 - Live 0xffffffffc0001000\nnvme 2048 2 ext4,raid, Live 0xffffffffc0002000 (OE)\n";
	static const char hidden[] = "ext4 1024 1 - Live 0x0000000000000000\nnvme 2048 2 ext4,raid, Live 0x0000000000000000 (OE)\n";
	struct functions functions = {};
	struct matches matches;
	char command[192];

	CHECK(mkdtemp(folder));
	snprintf(notes, sizeof(notes), "%s/notes", folder);
	snprintf(modules, sizeof(modules), "%s/modules", folder);
	snprintf(module_folder, sizeof(module_folder), "%s/module", folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	code_id__places = (struct code_id_places){ notes, modules, module_folder, cache };
	CHECK_INT(mkdir(module_folder, 0700), 0);
	write_id(notes, 1);
	write_text(modules, loaded);
	write_module_id("ext4", 2);
	write_module_id("nvme", 3);

	CHECK(!is_kept(NULL, pattern, 1));
	keep(pattern, 1, 1);
	CHECK(!is_kept(NULL, pattern, 1));
	keep(pattern, 1, 0);
	CHECK_INT(matches__read(&matches, &functions, NULL, pattern, 1), 0);
	CHECK_INT(functions.count, 3);
	CHECK_STR(functions.list[0].name, "vfs_read");
	CHECK(!functions.list[0].module);
	CHECK_STR(functions.list[1].name, "vfs_x");
	CHECK_STR(functions.list[1].module, "ext4");
	CHECK_STR(functions.list[2].name, "vfs_read");
	functions__free(&functions);

	/* other questions */
	CHECK(!is_kept("ext4", pattern, 1));
	CHECK(!is_kept(NULL, two, 2));
	CHECK(!is_kept(NULL, two + 1, 1));

	/* it is used by others: the same.  It is another one, or there is one more or less, or one comes or goes: not. */
	write_text(modules, "ext4 1024 7 nvme, Live 0xffffffffc0001000\nnvme 2048 0 - Live 0xffffffffc0002000\n");
	CHECK(is_kept(NULL, pattern, 1));
	write_text(modules, "ext4 1024 7 - Live 0xffffffffc0001000\nnvme 2048 0 - Live 0xffffffffc0003000\n");
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, "ext4 1024 7 - Live 0xffffffffc0001000\nnvme 2049 0 - Live 0xffffffffc0002000\n");
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, "ext4 1024 7 - Live 0xffffffffc0001000\nnvme 2048 0 - Loading 0xffffffffc0002000\n");
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, "ext4 1024 7 - Live 0xffffffffc0001000\n");
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, "ext4 1024\n");
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, loaded);
	CHECK(is_kept(NULL, pattern, 1));
	write_module_id("nvme", 4);
	CHECK(!is_kept(NULL, pattern, 1));
	snprintf(command, sizeof(command), "rm -r '%s/nvme'", module_folder);
	CHECK_INT(system(command), 0);
	CHECK(!is_kept(NULL, pattern, 1));
	keep(pattern, 1, 0);
	CHECK(!is_kept(NULL, pattern, 1));
	write_module_id("nvme", 3);
	CHECK(is_kept(NULL, pattern, 1));

	/* loaded anew with nothing else to tell it by (kptr_restrict=2 hides addresses): its file in sysfs is another one */
	write_text(modules, hidden);
	keep(pattern, 1, 0);
	CHECK(is_kept(NULL, pattern, 1));
	snprintf(command, sizeof(command), "cd '%s/nvme/notes' && cp .note.gnu.build-id new && mv new .note.gnu.build-id", module_folder);
	CHECK_INT(system(command), 0);
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, loaded);
	keep(pattern, 1, 0);

	/* another kernel, and one that cannot load modules */
	write_id(notes, 9);
	CHECK(!is_kept(NULL, pattern, 1));
	write_id(notes, 1);
	CHECK(is_kept(NULL, pattern, 1));
	CHECK_INT(unlink(modules), 0);
	CHECK(!is_kept(NULL, pattern, 1));
	keep(pattern, 1, 0);
	CHECK(is_kept(NULL, pattern, 1));

	/* a module comes between the question and its answer */
	write_text(modules, loaded);
	CHECK_INT(matches__read(&matches, &functions, NULL, pattern, 1), -ENOENT);
	write_text(modules, "ext4 1024 1 - Live 0xffffffffc0001000\n");
	CHECK_INT(functions__add(&functions, "vfs_write", NULL), 0);
	matches__keep(&matches, &functions);
	functions__free(&functions);
	CHECK(!is_kept(NULL, pattern, 1));
	write_text(modules, loaded);
	CHECK(!is_kept(NULL, pattern, 1));

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
