/* SPDX-License-Identifier: BSD-2-Clause */
#include "allocator.h"

#include <errno.h>
#include <string.h>

#include "lib/run/command.h"
#include "lib/user/user_hooks.h"
#include "lib/user/user_machine.h"
#include "memleak.skel.h"

enum kind { FREES, MALLOCS, MEMALIGNS, CALLOCS, POSIX_MEMALIGNS, REALLOCS, REALLOCARRAYS, MMAPS, MREMAPS, MUNMAPS, KINDS };

static const struct {
	const char *name;
	enum kind kind;
} functions[] = {
	{ "free", FREES },
	{ "cfree", FREES },
	{ "malloc", MALLOCS },
	{ "valloc", MALLOCS },
	{ "pvalloc", MALLOCS },
	{ "memalign", MEMALIGNS },
	{ "aligned_alloc", MEMALIGNS },
	{ "calloc", CALLOCS },
	{ "posix_memalign", POSIX_MEMALIGNS },
	{ "realloc", REALLOCS },
	{ "reallocarray", REALLOCARRAYS },
	{ "mmap", MMAPS },
	{ "mmap64", MMAPS },
	{ "mremap", MREMAPS },
	{ "munmap", MUNMAPS },
	/*
	 * C++: new and delete of jemalloc and tcmalloc, which do not call malloc() and free().  Those of libstdc++ do, and are in a file
	 * without malloc().
	 */
	{ "_Znwm", MALLOCS },
	{ "_Znam", MALLOCS },
	{ "_ZnwmRKSt9nothrow_t", MALLOCS },
	{ "_ZnamRKSt9nothrow_t", MALLOCS },
	{ "_ZnwmSt11align_val_t", MALLOCS },
	{ "_ZnamSt11align_val_t", MALLOCS },
	{ "_ZdlPv", FREES },
	{ "_ZdaPv", FREES },
	{ "_ZdlPvm", FREES },
	{ "_ZdaPvm", FREES },
	{ "_ZdlPvRKSt9nothrow_t", FREES },
	{ "_ZdaPvRKSt9nothrow_t", FREES },
	{ "_ZdlPvSt11align_val_t", FREES },
	{ "_ZdaPvSt11align_val_t", FREES },
	{ "_ZdlPvmSt11align_val_t", FREES },
	{ "_ZdaPvmSt11align_val_t", FREES },
};

static struct user_hooks hooks;
static struct memleak_bpf *of_tool;
static bool with_mappings;

static bool is_allocator(const struct user_target *target)
{
	struct user_function function;

	return user_file__find(target->file, "malloc", &function, 1) && user_file__find(target->file, "free", &function, 1);
}

struct places {
	struct user_places begins[KINDS];
	struct user_places ends;
};

/* The places of all functions in a file that has malloc() and free(): 1, 0 where it has none, or -errno with one line in fault. */
static int add_file(const struct user_target *target, struct places *places, struct fault *fault)
{
	int err = 0;

	if (!is_allocator(target))
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions) && err >= 0; i++) {
		if (functions[i].kind >= MMAPS && !with_mappings)
			continue;
		err = user_hooks__places_of(target, functions[i].name, false, &places->begins[functions[i].kind], fault);
		if (err > 0 && functions[i].kind != FREES && functions[i].kind != MUNMAPS)
			err = user_hooks__places_of(target, functions[i].name, true, &places->ends, fault);
	}
	return err < 0 ? err : 1;
}

/* Whether another one of the hooks' targets, before this one, is the same file. */
static bool is_known(const struct user_targets *targets, const struct user_target *target)
{
	for (const struct user_targets *before = hooks.targets; before < targets; before++)
		for (size_t i = 0; i < before->count; i++)
			if (before->list[i].device == target->device && before->list[i].inode == target->inode)
				return true;
	return false;
}

static int add_name(const char *name, uint32_t pid, struct places *places, struct fault *fault)
{
	const struct user_targets *targets;
	int err = user_hooks__find(&hooks, name, pid, &targets, fault), all = 0;

	for (size_t i = 0; !err && i < targets->count; i++) {
		int files = is_known(targets, &targets->list[i]) ? is_allocator(&targets->list[i]) :
			add_file(&targets->list[i], places, fault);

		if (files < 0)
			return files;
		all += files;
	}
	return err ? err : all;
}

/* One of several: that it is not there is no error. */
static int add_other(const char *name, struct places *places, struct fault *fault)
{
	int files = add_name(name, 0, places, fault);

	return files == -ENOENT || files == -ENOEXEC || files == -ENOTSUP || files == -EACCES ? 0 : files;
}

/* The same where there has to be one. */
static int find_in(const char *name, uint32_t pid, struct places *places, struct fault *fault)
{
	int files = add_name(name, pid, places, fault);

	if (files)
		return files;
	return fault__set(fault, -ENOENT, "%.256s has no functions malloc and free (--shared FILE names the file that has them)",
			  *name ? name : "the process");
}

/* How many files, or -errno with one line in fault. */
static int find(const struct allocator_wants *wants, struct places *places, struct fault *fault)
{
	char path[PATH_MAX];
	int files;

	if (wants->file)
		return find_in(wants->file, wants->pid && !wants->command ? wants->pid : 0, places, fault);
	if (!wants->command) {
		for (uint32_t i = 0; i < wants->pids_count; i++) {
			files = find_in("", wants->pids[i], places, fault);
			if (files < 0)
				return files;
		}
		return 1;
	}
	/* it is not executed yet: the C libraries of this machine, and the program itself where it is linked statically */
	files = add_other("libc", places, fault);
	if (files >= 0) {
		int more = add_other(user_machine__own()->musl, places, fault);

		files = more < 0 ? more : files + more;
	}
	if (files >= 0 && !command__find(wants->command, path)) {
		int more = add_other(path, places, fault);

		files = more < 0 ? more : files + more;
	}
	if (!files)
		return fault__set(fault, -ENOENT, "neither a C library nor %.256s has functions malloc and free (--shared FILE names the file that "
				  "has them)", wants->command);
	return files;
}

void allocator__prepare(struct memleak_bpf *skel)
{
	struct bpf_program *const programs[] = {
		skel->progs.free_begins, skel->progs.malloc_begins, skel->progs.memalign_begins, skel->progs.calloc_begins,
		skel->progs.posix_memalign_begins, skel->progs.realloc_begins, skel->progs.reallocarray_begins, skel->progs.mmap_begins,
		skel->progs.mremap_begins, skel->progs.munmap_begins, skel->progs.call_ends,
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		user_hooks__prepare(programs[i]);
}

static void free_places(struct places *places)
{
	for (int i = 0; i < KINDS; i++)
		user_places__free(&places->begins[i]);
	user_places__free(&places->ends);
}

static struct bpf_program *program_of(enum kind kind)
{
	struct bpf_program *const programs[KINDS] = {
		[FREES] = of_tool->progs.free_begins, [MALLOCS] = of_tool->progs.malloc_begins,
		[MEMALIGNS] = of_tool->progs.memalign_begins, [CALLOCS] = of_tool->progs.calloc_begins,
		[POSIX_MEMALIGNS] = of_tool->progs.posix_memalign_begins, [REALLOCS] = of_tool->progs.realloc_begins,
		[REALLOCARRAYS] = of_tool->progs.reallocarray_begins, [MMAPS] = of_tool->progs.mmap_begins,
		[MREMAPS] = of_tool->progs.mremap_begins, [MUNMAPS] = of_tool->progs.munmap_begins,
	};

	return programs[kind];
}

/* Attaches to places, which are freed, unless finding them has failed (found < 0).  `found`, or -errno. */
static int attach_places(int found, struct places *places, struct fault *fault)
{
	int err = found < 0 || !places->ends.count ? 0 : user_hooks__attach(&hooks, of_tool->progs.call_ends, &places->ends, fault);

	for (enum kind kind = 0; kind < KINDS; kind++)
		if (found >= 0 && !err && places->begins[kind].count)
			err = user_hooks__attach(&hooks, program_of(kind), &places->begins[kind], fault);
	free_places(places);
	return err ? err : found;
}

/* Its links are kept by the hooks. */
static void tell(struct tool *tool, struct bpf_program *program, const struct user_places *places)
{
	tool__needs_no_link(tool, program);
	if (places->count)
		tool__debug(tool, "%s is attached at %zu places", bpf_program__name(program), places->count);
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	struct places places = { .ends = { 0 } };

	return attach_places(add_file(target, &places, fault), &places, fault);
}

int allocator__attach(struct tool *tool, struct memleak_bpf *skel, const struct allocator_wants *wants)
{
	struct places places = { .ends = { 0 } };
	struct fault fault;
	int err = 0;

	of_tool = skel;
	hooks.follows = wants->follows;
	with_mappings = wants->mappings;
	if (wants->file)
		user_hooks__follow(&hooks, attach_new);
	if (wants->pid && !wants->command)
		err = user_targets__check_debugged(wants->pid, &fault);
	if (!err)
		err = find(wants, &places, &fault);
	user_links__set_process(&hooks.links, wants->pid);
	tool->look_around = user_hooks__look_around;
	tell(tool, skel->progs.call_ends, &places.ends);
	for (enum kind kind = 0; kind < KINDS; kind++)
		tell(tool, program_of(kind), &places.begins[kind]);
	err = attach_places(err, &places, &fault);
	if (err < 0)
		tool__fail(tool, err, "%s", fault.text);
	return tool->err;
}

void allocator__detach(void)
{
	user_hooks__detach(&hooks);
}

void allocator__close(struct tool *tool)
{
	struct fault fault;

	if (user_hooks__check(&fault))
		tool__fail(tool, fault.err, "%s", fault.text);
	user_hooks__free(&hooks);
}
