/* SPDX-License-Identifier: BSD-2-Clause */
/* ksyms: kallsyms of a made-up kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/code_id.h"
#include "lib/kernel/function_list.h"
#include "lib/kernel/ksyms.h"

static const char *const made_up =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t do_linkat\n"
	"ffffffff81000200 t __pfx_do_unlinkat\n"
	"ffffffff81000210 T do_unlinkat\n"
	"ffffffff81000300 T filename_unlinkat\n"
	"ffffffff81000400 t vfs_thing.isra.0\n"
	"ffffffff81000440 t vfs_thing.isra.0.cold\n"
	"ffffffff81000500 t split.constprop.0\n"
	"ffffffff81000580 t split.part.0\n"
	"ffffffff81000600 t twice\n"
	"ffffffff81000700 t twice\n"
	"ffffffff81000800 d do_unlinkat_data\n"
	"ffffffff81000900 t do_unlinkat_more\n"
	"ffffffffc0000000 t mod_open\t[some_module]\n"
	"ffffffffc0000100 t twice\t[some_module]\n"
	"ffffffffc0000200 t mod_only.isra.0\t[some_module]\n"
	"ffffffffd0000000 t kprobe_insn_page\t[__builtin__kprobes]\n"
	"ffffffffe0000000 T _einittext\n";

static int count(void *context, const struct ksym *sym)
{
	(void)sym;
	++*(int *)context;
	return 0;
}

static int stop_at_third(void *context, const struct ksym *sym)
{
	(void)sym;
	return ++*(int *)context == 3 ? 42 : 0;
}

static void test_table(void)
{
	struct ksyms *ksyms = ksyms__load();
	const struct ksym *sym;
	uint64_t offset;
	size_t count = 0;

	if (!CHECK(ksyms))
		return;
	while (ksyms__get(ksyms, count))
		count++;
	CHECK_INT(count, 15);
	sym = ksyms__at(ksyms, 0xffffffff81000210, &offset);
	CHECK_STR(sym->name, "do_unlinkat");
	CHECK(!sym->module);
	CHECK_INT(offset, 0);
	sym = ksyms__at(ksyms, 0xffffffff81000214, &offset);
	CHECK_STR(sym->name, "do_unlinkat");
	CHECK_INT(offset, 4);
	sym = ksyms__at(ksyms, 0xffffffffc0000105, &offset);
	CHECK_STR(sym->name, "twice");
	CHECK_STR(sym->module, "some_module");
	CHECK_STR(ksyms__at(ksyms, 0xffffffffc0001200, &offset)->name, "mod_only.isra.0");
	/* other memory is above the last function of the kernel, of a module, and of a page that the kernel made for kprobes */
	CHECK_STR(ksyms__at(ksyms, 0xffffffff8100a000, &offset)->name, "do_unlinkat_more");
	CHECK(!ksyms__at(ksyms, 0xffffffff91000900, &offset));
	CHECK(!ksyms__at(ksyms, 0xffffffffc0100200, &offset));
	CHECK_STR(ksyms__at(ksyms, 0xffffffffd0000fff, &offset)->name, "kprobe_insn_page");
	CHECK(!ksyms__at(ksyms, 0xffffffffd0001000, &offset));
	CHECK_STR(ksyms__at(ksyms, 0xffffffffe0000000, &offset)->name, "_einittext");
	CHECK(!ksyms__at(ksyms, 0xffffffffe0000001, &offset));
	CHECK(!ksyms__at(ksyms, ~0ULL, &offset));
	CHECK(!ksyms__at(ksyms, 0x1000, &offset));
	CHECK_INT(ksyms__address(ksyms, NULL, "do_unlinkat"), 0xffffffff81000210);
	CHECK_INT(ksyms__address(ksyms, "some_module", "twice"), 0xffffffffc0000100);
	CHECK_INT(ksyms__address(ksyms, "some_module", "do_unlinkat"), 0);
	CHECK_INT(ksyms__address(ksyms, NULL, "no_such_function"), 0);
	ksyms__free(ksyms);
	ksyms__free(NULL);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static void find_first(uint64_t address, const char *name)
{
	struct ksyms_match match;

	CHECK_INT(ksyms__find(NULL, name, &match), 0);
	CHECK_INT(match.functions, address ? 1 : 0);
	CHECK_INT(match.address, (long long)address);
	CHECK_STR(match.module, "");
}

/* The only function of a name is kept for the next start, until a module comes or goes. */
static void test_kept(void)
{
	static const char old[] = "ffffffff81000200 T one\nffffffff81000300 T two\nffffffff81000400 T two\n"
				  "ffffffffc0000000 t three_a\t[mod]\nffffffffc0000100 t three_b\t[mod]\n"
				  "ffffffffc0000200 t bpf_prog_1\t[bpf]\nffffffffc0000300 t kprobe_insn_page\t[__builtin__kprobes]\n";
	static const char new[] = "ffffffff81000300 T one\nffffffff81000400 T two\n";
	/* elf(5): a note of three words, "GNU", and a build id of four bytes */
	static const uint32_t note[] = { 4, 4, 3, 0x554e47, 1 };
	char folder[] = "/tmp/probelight-kept.XXXXXX", notes[64], modules[64], cache[64], symbols[64], command[192];
	struct code_id_places places = code_id__places;
	struct ksyms_match match;
	struct function_list list = { 0 };
	struct ksyms *kept;
	uint64_t offset;

	CHECK(mkdtemp(folder));
	snprintf(notes, sizeof(notes), "%s/notes", folder);
	snprintf(modules, sizeof(modules), "%s/modules", folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	snprintf(symbols, sizeof(symbols), "%s/kallsyms", folder);
	code_id__places = (struct code_id_places){ notes, modules, folder, cache };
	write_file(notes, note, sizeof(note));
	write_file(modules, "", 0);
	snprintf(command, sizeof(command), "mkdir -p %s/ext4/notes && cp %s %s/ext4/notes/.note.gnu.build-id", folder, notes, folder);
	CHECK_INT(system(command), 0);
	write_file(symbols, old, strlen(old));
	ksyms__use(symbols);
	find_first(0xffffffff81000200, "one");
	write_file(symbols, new, strlen(new));
	find_first(0xffffffff81000200, "one");
	/* and the list of all, for what is asked first */
	CHECK_INT(ksyms__find(NULL, "two", &match), 0);
	CHECK_INT(match.functions, 2);
	CHECK_INT(match.address, (long long)0xffffffff81000300);
	find_first(0, "three");
	kept = ksyms__load_kept();
	CHECK(kept && ksyms__address(kept, NULL, "one") == 0xffffffff81000200);
	/* what comes and goes is not kept */
	CHECK(kept && !ksyms__address(kept, NULL, "bpf_prog_1"));
	/* of an address above a module's last function, and of one that is the last, nothing is certain */
	CHECK(kept && ksyms__between(kept, 0xffffffff81000210, &offset) && offset == 0x10);
	CHECK(kept && !ksyms__between(kept, 0xffffffff81000408, &offset) && ksyms__at(kept, 0xffffffff81000408, &offset));
	CHECK(kept && ksyms__between(kept, 0xffffffffc0000008, &offset) && !ksyms__between(kept, 0xffffffffc0000108, &offset));
	ksyms__free(kept);
	write_file(modules, "ext4 1024 1 - Live 0xffffffffc0001000\n", 38);
	find_first(0xffffffff81000300, "one");
	find_first(0xffffffff81000400, "two");
	/* of modules whose addresses are hidden nobody knows whether they are the same */
	write_file(modules, "ext4 1024 1 - Live 0x0000000000000000\n", 38);
	find_first(0xffffffff81000400, "two");
	write_file(symbols, old, strlen(old));
	kept = ksyms__load_kept();
	CHECK(kept && ksyms__address(kept, NULL, "two") == 0xffffffff81000300);
	ksyms__free(kept);
	/* a module comes while the list is made */
	write_file(modules, "ext4 1024 1 - Live 0xffffffffc0002000\n", 38);
	CHECK_INT(function_list__read(&list), -ENOENT);
	CHECK_INT(function_list__add(&list, &(struct ksym){ .address = 1, .type = 't', .name = "one" }), 0);
	write_file(modules, "ext4 1024 1 - Live 0xffffffffc0003000\n", 38);
	function_list__keep(&list);
	function_list__free(&list);
	CHECK_INT(function_list__read(&list), -ENOENT);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(system(command), 0);
	code_id__places = places;
}

int main(void)
{
	char path[] = "/tmp/probelight-ksyms.XXXXXX";
	int fd = mkstemp(path), seen = 0;
	struct ksyms_match match;

	CHECK(fd >= 0 && write(fd, made_up, strlen(made_up)) == (ssize_t)strlen(made_up));
	ksyms__use(path);

	CHECK_INT(ksyms__each(count, &seen), 0);
	CHECK_INT(seen, 19);
	seen = 0;
	CHECK_INT(ksyms__each(stop_at_third, &seen), 42);
	CHECK_INT(seen, 3);

	/* one function of that name; its padding, and what only begins with its name, are none */
	CHECK_INT(ksyms__find(NULL, "do_unlinkat", &match), 0);
	CHECK_INT(match.functions, 1);
	CHECK_INT(match.address, (long long)0xffffffff81000210);
	CHECK_STR(match.module, "");
	CHECK_INT(match.variants_count, 0);
	CHECK_INT(ksyms__size(match.address), 0xf0);

	/* renamed by the compiler; its cold part is no function of its own */
	CHECK_INT(ksyms__find(NULL, "vfs_thing", &match), 0);
	CHECK_INT(match.functions, 0);
	CHECK_INT(match.variants_count, 1);
	CHECK_STR(match.variants[0], "vfs_thing.isra.0");
	CHECK_INT(ksyms__find(NULL, "split", &match), 0);
	CHECK_INT(match.variants_count, 2);
	CHECK_STR(match.variants[1], "split.part.0");
	/* the renamed one by its full name */
	CHECK_INT(ksyms__find(NULL, "vfs_thing.isra.0", &match), 0);
	CHECK_INT(match.functions, 1);

	/* two in the kernel and one in a module; the module's by itself */
	CHECK_INT(ksyms__find(NULL, "twice", &match), 0);
	CHECK_INT(match.functions, 3);
	CHECK_INT(ksyms__find("some_module", "twice", &match), 0);
	CHECK_INT(match.functions, 1);
	CHECK_STR(match.module, "some_module");
	CHECK_INT(ksyms__find("some_module", "mod_only", &match), 0);
	CHECK_STR(match.variants[0], "mod_only.isra.0");
	CHECK_INT(ksyms__find("other", "twice", &match), 0);
	CHECK_INT(match.functions, 0);

	/* the nearest, best first; data is not offered */
	CHECK_INT(ksyms__find(NULL, "do_unlinkta", &match), 0);
	CHECK_INT(match.functions, 0);
	CHECK_INT(match.nearest_count, 4);
	CHECK_STR(match.nearest[0], "do_unlinkat");
	CHECK_STR(match.nearest[1], "do_unlinkat_more");
	CHECK_STR(match.nearest[2], "do_linkat");
	CHECK_STR(match.nearest[3], "filename_unlinkat");
	/* letters swapped, one wrong, one too few: before names that share more of their parts */
	CHECK_INT(ksyms__find(NULL, "do_lniakt", &match), 0);
	CHECK_STR(match.nearest[0], "do_linkat");
	CHECK_INT(ksyms__find("some_module", "mod_opne", &match), 0);
	CHECK_INT(match.nearest_count, 1);
	CHECK_STR(match.nearest[0], "mod_open");
	CHECK_INT(ksyms__find(NULL, "zzzzzz", &match), 0);
	CHECK_INT(match.nearest_count, 0);
	CHECK_INT(ksyms__find(NULL, "", &match), 0);

	test_table();
	test_kept();
	ksyms__use(path);

	/* kept in memory: the same again, whatever becomes of the file */
	CHECK_INT(ksyms__keep_text(), 0);
	CHECK(!ftruncate(fd, 0));
	seen = 0;
	CHECK_INT(ksyms__each(count, &seen), 0);
	CHECK_INT(seen, 19);
	seen = 0;
	CHECK_INT(ksyms__each(stop_at_third, &seen), 42);
	CHECK_INT(ksyms__size(0xffffffffc0000000), 0x100);
	test_table();
	ksyms__drop_text();
	seen = 0;
	CHECK_INT(ksyms__each(count, &seen), 0);
	CHECK_INT(seen, 0);

	/* a line longer than the buffer, and a file that is not there */
	CHECK(!ftruncate(fd, 0) && pwrite(fd, "x", 1, 1 << 20) == 1);
	CHECK_INT(ksyms__each(count, &seen), -EFBIG);
	unlink(path);
	CHECK_INT(ksyms__find(NULL, "do_unlinkat", &match), -ENOENT);
	CHECK_INT(ksyms__keep_text(), -ENOENT);
	close(fd);
	return check_done();
}
