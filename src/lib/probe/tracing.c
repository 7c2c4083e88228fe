/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracing.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attach_many.h"
#include "lib/btf/rawbtf.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/machine.h"
#include "lib/shared/session.h"

#define PSEUDO_KFUNC_CALL 2	/* BPF_PSEUDO_KFUNC_CALL */
#define STRUCTURE_MAX 16	/* bytes */

/* The kernel's functions that programs call, by the numbers that were compiled. */
static struct {
	int32_t mark;
	const char *name;
	uint32_t id;
} called[] = {
	{ SESSION_IS_RETURN, "bpf_session_is_return", 0 },
	{ SESSION_VALUE, "bpf_session_cookie", 0 },
};
#define CALLED_COUNT (sizeof(called) / sizeof(*called))

static struct target {
	const struct bpf_program *program;
	int attach_type;
	uint32_t id;
} targets[TRACING_TARGETS_MAX];
static size_t targets_count;

/* ---- loading */

static const struct target *find_target(const struct bpf_program *program)
{
	for (size_t i = 0; i < targets_count; i++)
		if (targets[i].program == program)
			return &targets[i];
	return NULL;
}

/* The calls that were compiled become those of the kernel's functions. */
static int link_calls(struct bpf_program *program)
{
	size_t count = bpf_program__insn_cnt(program);
	struct bpf_insn *insns = malloc(count * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), count * sizeof(*insns));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < CALLED_COUNT; k++)
			if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg && insns[i].imm == called[k].mark) {
				insns[i].src_reg = PSEUDO_KFUNC_CALL;
				insns[i].imm = (int32_t)called[k].id;
			}
	err = bpf_program__set_insns(program, insns, count);
	free(insns);
	return err;
}

static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long unused)
{
	const struct target *target = find_target(program);

	(void)unused;
	if (!target)
		return -EINVAL;
	/* not before: libbpf reads the kernel's BTF for an object that has programs of type tracing */
	bpf_program__set_type(program, target->attach_type == TRACING_KPROBE_SESSION ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACING);
	opts->attach_btf_id = target->id;
	return link_calls(program);
}

int tracing__register(void)
{
	static const char *const sections[] = { "fentry_id", "fexit_id", "session_probe", "session_function", "task_iterator" };
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .prog_prepare_load_fn = prepare_load);
	int err = 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && err >= 0; i++)
		err = libbpf_register_prog_handler(sections[i], BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &options);
	return err < 0 ? err : 0;
}

int tracing__target(struct bpf_program *program, int attach_type, uint32_t id)
{
	if (targets_count == TRACING_TARGETS_MAX)
		return -ENOSPC;
	targets[targets_count++] = (struct target){ program, attach_type, id };
	bpf_program__set_autoload(program, true);
	return bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)attach_type);
}

/* ---- ids */

struct wanted_name {
	const char *name;
	uint32_t *id;
};

struct search {
	const struct rawbtf *raw;
	struct wanted_name *names;	/* by name */
	size_t count;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct wanted_name *)a)->name, ((const struct wanted_name *)b)->name);
}

static int note_id(void *context, __u32 id, const struct btf_type *type)
{
	const struct search *search = context;
	const struct wanted_name wanted = { rawbtf__string(search->raw, type->name_off), NULL };
	const struct wanted_name *found = bsearch(&wanted, search->names, search->count, sizeof(wanted), compare_names);

	if (found)
		*found->id = *found->id ? TRACING_ID_AMBIGUOUS : id;
	return 0;
}

/* The bytes of a parameter or result, as the kernel's __get_type_size() has it; -EINVAL for what it does not know. */
static int size_of(struct rawbtf *raw, __u32 id, bool *is_structure)
{
	const struct btf_type *type = id ? rawbtf__resolve(raw, &id) : NULL;

	*is_structure = false;
	if (!type)
		return id ? -EINVAL : 0;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return sizeof(void *);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		*is_structure = true;
		return (int)type->size;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return (int)type->size;
	default:
		return -EINVAL;
	}
}

static bool is_fit(struct rawbtf *raw, __u32 id)
{
	const struct btf_type *type = rawbtf__type(raw, id);
	const struct btf_param *params;
	bool is_structure;
	__u32 count;

	type = type ? rawbtf__type(raw, type->type) : NULL;
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return false;
	params = (const struct btf_param *)(type + 1);
	count = BTF_INFO_VLEN(type->info);
	if (count > machine__trampoline_args(kernel__version()) || size_of(raw, type->type, &is_structure) < 0 || is_structure)
		return false;
	for (__u32 i = 0; i < count; i++) {
		int size = size_of(raw, params[i].type, &is_structure);

		/* 0: void, which stands for "..." */
		if (size <= 0 || size > STRUCTURE_MAX)
			return false;
	}
	return true;
}

int tracing__find_ids(const char *const *names, size_t count, bool only_fit, uint32_t *ids)
{
	struct wanted_name *wanted = calloc(count + CALLED_COUNT, sizeof(*wanted));
	const char **list = calloc(count + CALLED_COUNT, sizeof(*list));
	struct search search = { .names = wanted, .count = count + CALLED_COUNT };
	struct rawbtf *raw = NULL;
	int err = wanted && list ? 0 : -ENOMEM;

	for (size_t i = 0; i < search.count && !err; i++) {
		wanted[i] = i < count ? (struct wanted_name){ names[i], &ids[i] } :
					(struct wanted_name){ called[i - count].name, &called[i - count].id };
		*wanted[i].id = 0;
		list[i] = wanted[i].name;
	}
	if (!err) {
		qsort(wanted, search.count, sizeof(*wanted), compare_names);
		err = rawbtf__open(&raw, "/sys/kernel/btf/vmlinux");
	}
	search.raw = raw;
	if (!err) {
		rawbtf__remember(raw);
		err = rawbtf__scan(raw, list, search.count, 1ull << BTF_KIND_FUNC, note_id, &search);
	}
	/* several functions, which the BTF may have once */
	for (size_t i = 1; i < search.count && !err; i++)
		if (!strcmp(wanted[i].name, wanted[i - 1].name))
			*wanted[i].id = *wanted[i - 1].id = TRACING_ID_AMBIGUOUS;
	for (size_t i = 0; i < count && only_fit && !err; i++)
		if (ids[i] && ids[i] != TRACING_ID_AMBIGUOUS && !is_fit(raw, ids[i]))
			ids[i] = 0;
	rawbtf__free(raw);
	free(list);
	free(wanted);
	return err;
}

bool tracing__has_session_functions(void)
{
	for (size_t i = 0; i < CALLED_COUNT; i++)
		if (!called[i].id || called[i].id == TRACING_ID_AMBIGUOUS)
			return false;
	return true;
}

/*
 * As attempt__has_multi(): a link on one function that is to be read from where nothing can be.  -EFAULT: the kernel knows the attach
 * type, and copies the list before it looks anything up.
 */
bool tracing__has_multi(int attach_type)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = (enum bpf_attach_type)attach_type);
	bool is_probe = attach_type == TRACING_KPROBE_SESSION;
	int fd = bpf_prog_load(is_probe ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACING, NULL, "GPL", nothing, 2, &options);
	int link;

	if (fd < 0)
		return false;
	link = is_probe ? attach_many__link_probes(fd, attach_type, (const uint64_t *)1, 1) :
			  attach_many__link_functions(fd, attach_type, (const uint32_t *)1, NULL, 1);
	if (link >= 0)
		close(link);
	close(fd);
	return link == -EFAULT;
}
