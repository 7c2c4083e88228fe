/* SPDX-License-Identifier: BSD-2-Clause */
#include "hooks.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/rawbtf.h"
#include "lib/format/format.h"
#include "lib/format/lsms.h"
#include "lib/format/rawtps.h"
#include "lib/format/syscall_format.h"
#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/machine.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"
#include "lib/probe/blacklist.h"
#include "lib/probe/tracing.h"
#include "lib/probe/trampoline.h"
#include "lib/shared/syscalls.h"

#define KERNELS_BTF "/sys/kernel/btf/vmlinux"
#define WORD_MAX 256

struct hook {
	const char *btf;		/* another kernel's, or NULL */
	const struct kind *kind;
	const char *name;
	char word[WORD_MAX];		/* "kprobe/vfs_open", for messages */
	struct signature *signature;
	struct fault *fault;
};

/* That types cannot be read: err is why. Returns it. */
static int refuse_btf(const struct hook *hook, int err)
{
	if (err == -ENOENT && !hook->btf)
		return fault__set(hook->fault, err, "%s: the kernel has no BTF, which has its types (CONFIG_DEBUG_INFO_BTF)", hook->word);
	return fault__set(hook->fault, err, "\"%s\" cannot be read as BTF: %s", hook->btf ?: KERNELS_BTF, strerror(-err));
}

static int look_up(const struct hook *hook, const char *function, const char *pointer, unsigned first)
{
	const struct signature_source source = { .what = hook->word, .name = function, .pointer = pointer, .first = first };
	struct rawbtf *raw;
	int err = rawbtf__open(&raw, hook->btf ?: KERNELS_BTF);

	if (err)
		return refuse_btf(hook, err);
	err = signature__find(hook->signature, raw, &source, hook->fault);
	rawbtf__free(raw);
	return err;
}

/* The library's words, with ours in front: "rawtp:sched_swich: …". Returns err. */
static int reword(const struct hook *hook, int err, const struct fault *fault)
{
	const char *colon = strstr(fault->text, ": ");

	return fault__set(hook->fault, err, "%s: %s", hook->word, colon ? colon + 2 : fault->text);
}

/* ---- functions */

static int explain_missing(const struct hook *hook, const struct ksyms_match *match)
{
	struct text_buffer text = fault__begin(hook->fault, -ENOENT);

	if (match->variants_count) {
		text_buffer__add(&text, "%s: the compiler made %s of it, whose parameters are unknown", hook->word,
				 match->variants[0]);
		return -ENOENT;
	}
	if (!strncmp(hook->name, "0x", 2)) {
		text_buffer__add(&text, "%s: a program's section has the function's name (anysnoop -l k:%s tells it)", hook->word, hook->name);
		return -ENOENT;
	}
	text_buffer__add(&text, "%s: the kernel has no such function (it may be inlined everywhere)", hook->word);
	for (unsigned i = 0; i < match->nearest_count; i++)
		text_buffer__add(&text, "%s%s", i ? ", " : match->nearest_count > 1 ? "; the nearest are " : "; the nearest is ",
				 match->nearest[i]);
	return -ENOENT;
}

/* Whether the running kernel has the function once, of its own, and takes probes on it. */
static int check_symbol(const struct hook *hook)
{
	struct ksyms_match match = {};
	int err = ksyms__find(NULL, hook->name, &match);

	if (err)
		return fault__set(hook->fault, err, "%s: /proc/kallsyms cannot be read: %s", hook->word, strerror(-err));
	if (!match.functions)
		return explain_missing(hook, &match);
	if (match.functions > 1)
		return fault__set(hook->fault, -ENOTUNIQ, "%s: %u functions have this name, and a program cannot tell which is meant", hook->word,
				  match.functions);
	if (*match.module)
		return fault__set(hook->fault, -EOPNOTSUPP, "%s: the function is of module %s, whose types are not in the kernel's BTF "
				  "(anysnoop -l k:%s:%s shows its arguments)", hook->word, match.module, match.module, hook->name);
	if (blacklist__has(match.address))
		return fault__set(hook->fault, -EINVAL, "%s: the function is on the kernel's blacklist: kprobes themselves run it", hook->word);
	if (hook->kind->has_result && !trampoline__returns(hook->name))
		return fault__set(hook->fault, -EINVAL, "%s: this function does not return", hook->word);
	return 0;
}

static int find_function(const struct hook *hook)
{
	int err = hook->btf ? 0 : check_symbol(hook);

	return err ? err : look_up(hook, hook->name, NULL, 0);
}

/* How many arguments the trampoline of the running kernel passes on; it is asked for the rest. */
static int find_trampoline(const struct hook *hook)
{
	int err = find_function(hook);
	struct fault fault;
	uint32_t id;
	size_t most = machine__trampoline_args(kernel__version());

	if (!err && hook->kind->has_result && hook->signature->count == SIGNATURE_PARAMS && *hook->signature->result.type)
		err = fault__set(hook->fault, -E2BIG, "%s: the function has %d parameters and a result, and BPF_PROG() takes %d in all",
				 hook->word, SIGNATURE_PARAMS, SIGNATURE_PARAMS);
	if (err || hook->btf)
		return err;
	if (hook->signature->count > most)
		return fault__set(hook->fault, -E2BIG, "%s: the function has %zu parameters, and this kernel passes at most %zu on", hook->word,
				  hook->signature->count, most);
	err = trampoline__check(&hook->name, 1, &id, &fault);
	if (err == -EPERM)
		return fault__set(hook->fault, err, "%s: whether the kernel takes such a program is asked by loading one, which root may (sudo ctxgen %s)",
				  hook->word, hook->word);
	return err ? fault__set(hook->fault, err, "%s: %s", hook->word, fault.text) : 0;
}

/* ---- tracepoints, LSM hooks */

static int find_tracepoint(const struct hook *hook)
{
	char iterator[WORD_MAX], pointer[WORD_MAX];
	struct format *format;
	struct rawtps *rawtps;
	struct fault fault;
	int err = rawtps__load(&rawtps, hook->btf ?: KERNELS_BTF, &hook->name, 1);

	if (err)
		return refuse_btf(hook, err);
	/* for the words, where there is none of that name */
	err = rawtps__format(rawtps, hook->name, NULL, 0, &format, &fault);
	if (!err)
		format__free(format);
	rawtps__free(rawtps);
	if (err)
		return reword(hook, err, &fault);
	snprintf(iterator, sizeof(iterator), "__traceiter_%.200s", hook->name);
	snprintf(pointer, sizeof(pointer), "btf_trace_%.200s", hook->name);
	/* the first parameter is the kernel's own, and so is what the function returns */
	err = look_up(hook, iterator, pointer, 1);
	hook->signature->result = (struct signature_value){ .declared = "void" };
	return err;
}

static int explain_missing_lsm(const struct hook *hook)
{
	struct rawbtf *raw;
	int err;

	if (rawbtf__open(&raw, hook->btf ?: KERNELS_BTF))
		raw = NULL;
	err = lsms__explain_missing(raw, hook->name, hook->word, hook->fault);
	rawbtf__free(raw);
	return err;
}

/* Where loading a program does not tell; who may load none is not told either. */
static int check_lsm_trampoline(const struct hook *hook, const char *function)
{
	struct fault fault;
	uint32_t id;
	int err;

	if (!machine__loads_in_vain() || tracing__find_ids(&function, 1, false, &id) || !id)
		return 0;
	err = trampoline__check_id(id, &fault);
	return err ? fault__set(hook->fault, err, "%s: %s", hook->word, fault.text) : 0;
}

static int find_lsm(const struct hook *hook)
{
	char function[WORD_MAX], active[LSMS_ACTIVE_MAX];
	int err;

	snprintf(function, sizeof(function), LSMS_PREFIX "%.200s", hook->name);
	err = look_up(hook, function, NULL, 0);
	if (err == -ENOENT && (hook->btf || kernel__has_btf()))
		return explain_missing_lsm(hook);
	if (!err && !hook->btf && lsms__are_off(active))
		return fault__set(hook->fault, -EOPNOTSUPP, "%s: this kernel runs no programs on its hooks: its security modules are %s (\"lsm=%s,bpf\" "
				  "on its command line adds BPF)", hook->word, active, active);
	return err || hook->btf ? err : check_lsm_trampoline(hook, function);
}

/* ---- system calls */

static int check_syscall(const struct hook *hook, const char *name)
{
	char function[WORD_MAX];
	struct syscall_numbers numbers;
	struct ksyms_match match = {};
	int err = 0;

	if (!syscall_numbers__find(&numbers, hook->name) || !numbers.own_count)
		return fault__set(hook->fault, -EOPNOTSUPP, "%s: only 32-bit programs make this call, and this kind is attached to the function for 64-bit ones",
				  hook->word);
	if (hook->kind->has_result && !syscall_format__returns(hook->name))
		return fault__set(hook->fault, -EINVAL, "%s: this call does not return", hook->word);
	snprintf(function, sizeof(function), SYSCALL_PREFIX "%.200s", name);
	if (!hook->btf)
		err = ksyms__find(NULL, function, &match);
	if (err)
		return fault__set(hook->fault, err, "%s: /proc/kallsyms cannot be read: %s", hook->word, strerror(-err));
	if (!hook->btf && !match.functions)
		return fault__set(hook->fault, -ENOENT, "%s: this kernel is built without the call (there is no %s)", hook->word, function);
	return 0;
}

static int find_syscall(const struct hook *hook, char *name, size_t size)
{
	static const struct syscall_places places;
	struct signature *signature = hook->signature;
	struct format *format;
	struct fault fault;
	int err = syscall_format__make(&format, SYSCALL_ENTER, hook->name, &places, &fault);

	if (err == -ENOENT && strstr(hook->name, "sys_"))
		return fault__set(hook->fault, err, "%s: a system call goes by its own name (%s/%s)", hook->word, hook->kind->name,
				  strstr(hook->name, "sys_") + strlen("sys_"));
	if (err)
		return reword(hook, err, &fault);
	for (unsigned i = format->common_count; i < format->fields_count; i++)
		signature__add(signature, &format->fields[i]);
	format__free(format);
	signature->result = (struct signature_value){ .name = "ret", .type = "long", .declared = "long" };
	/* the kernel's functions have other names than some calls: fstat is newfstat */
	snprintf(name, size, "%s", syscall_format__event(hook->name));
	return check_syscall(hook, name);
}

/* ---- all */

int hook__find(const char *btf, const struct kind *kind, const char *name, char *hook_name, size_t size, struct signature *signature,
	       struct fault *fault)
{
	struct hook hook = { .btf = btf, .kind = kind, .name = name, .signature = signature, .fault = fault };

	snprintf(hook.word, sizeof(hook.word), "%s/%.200s", kind->name, name);
	snprintf(hook_name, size, "%.*s", (int)size - 1, name);
	*signature = (struct signature){};
	if (kind->hook == HOOK_PERF_EVENT)
		return *name ? fault__set(fault, -EINVAL, "%s: perf_event takes no name: the loader opens the event", hook.word) : 0;
	if (strchr(name, '.'))
		return fault__set(fault, -EINVAL, "%s: the compiler made this function of another one, and its parameters are unknown",
				  hook.word);
	if (strlen(name) >= size || !format__is_name(name))
		return fault__set(fault, -EINVAL, "%s: a hook's name has letters, digits and _ only", hook.word);
	switch (kind->hook) {
	case HOOK_FUNCTION:
		return find_function(&hook);
	case HOOK_TRAMPOLINE:
		return find_trampoline(&hook);
	case HOOK_TRACEPOINT:
		return find_tracepoint(&hook);
	case HOOK_LSM:
		return find_lsm(&hook);
	default:
		return find_syscall(&hook, hook_name, size);
	}
}
