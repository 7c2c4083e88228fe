/* SPDX-License-Identifier: BSD-2-Clause */
#include "attempt.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "function_address.h"
#include "kprobe_events.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/cpus.h"
#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/type"

/* Perf links: since 5.15 (b89fbfbb854c).  Older kernels are asked: one that knows them looks for the event, which is none. */
static bool has_perf_links(const struct bpf_program *program)
{
	return kernel__version() >= kernel_version(5, 15, 0) ||
	       (bpf_link_create(bpf_program__fd(program), -1, BPF_PERF_EVENT, NULL) < 0 && errno == EBADF);
}

/* places: functions with offsets, ended by NULL, which one event is made for; address: of the first one, or 0 */
static struct bpf_link *attach_legacy(const struct attempt *attempt, const char *const *places, uint64_t address)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	/* a link checks what the program was loaded for: one for kprobe.multi is refused (since 6.6) */
	bool is_multi = bpf_program__expected_attach_type(attempt->program) == BPF_TRACE_KPROBE_MULTI;
	LIBBPF_OPTS(bpf_perf_event_opts, options, .force_ioctl_attach = is_multi);
	char event[KPROBE_EVENTS_NAME_MAX];
	struct bpf_link *link = NULL;
	int id, err, perf_fd;

	err = kprobe_events__add(places[0], address, attempt->is_return, event);
	if (err) {
		errno = -err;
		return NULL;
	}
	for (size_t i = 1; places[i] && !err; i++)
		err = kprobe_events__join(event, places[i], attempt->is_return);
	if (err)
		goto out;
	id = kprobe_events__id(event);
	if (id < 0) {
		err = id;
		goto out;
	}
	attr.config = id;
	/* one CPU is where a perf event must live; programs run for the tracepoint on every CPU */
	perf_fd = syscall(SYS_perf_event_open, &attr, -1, cpus__first_online(), -1, PERF_FLAG_FD_CLOEXEC);
	if (perf_fd < 0) {
		err = -errno;
		goto out;
	}
	/* a perf link where there is one: it tells what was missed */
	link = bpf_program__attach_perf_event_opts(attempt->program, perf_fd, &options);
	if (!link) {
		err = -errno;
		close(perf_fd);
	}
out:
	if (!link) {
		kprobe_events__remove(event);
		errno = -err;
	}
	return link;
}

static struct bpf_link *attach_multi(const struct attempt *attempt, const char *function)
{
	const char *plain = strchr(function, ':') ? strchr(function, ':') + 1 : function;
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = attempt->is_return, .cnt = 1);
	struct ksyms_match match;
	unsigned long address;
	char module[KSYMS_MODULE_MAX] = "";
	int err;

	if (plain == function) {
		options.syms = &plain;
		return bpf_program__attach_kprobe_multi_opts(attempt->program, NULL, &options);
	}
	/* kprobe.multi takes no module with a name, but it takes an address */
	memcpy(module, function, plain - 1 - function);
	err = ksyms__find(module, plain, &match);
	if (err || !match.functions) {
		errno = err ? -err : ENOENT;
		return NULL;
	}
	address = match.address;
	options.addrs = &address;
	return bpf_program__attach_kprobe_multi_opts(attempt->program, NULL, &options);
}

/*
 * The kprobe PMU's event where CPU 0 is offline, as libbpf opens it there always, and by address, which libbpf does not.
 * kernel/trace/trace_event_perf.c reads config (bit 0: a return probe; tracing/format/retprobe says so), config1 (the function's name)
 * and config2 (the offset, or the address where there is no name).
 */
static struct bpf_link *attach_pmu(const struct attempt *attempt, enum attach_mode mode, const char *function, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = attempt->is_return, .config2 = offset };
	LIBBPF_OPTS(bpf_perf_event_opts, options, .force_ioctl_attach = mode == ATTACH_PERF);
	struct bpf_link *link;
	char type[16];
	int fd, err;

	if (file__read_small(KPROBE_PMU, type, sizeof(type)) <= 0) {
		errno = ENOENT;
		return NULL;
	}
	attr.type = (__u32)atoi(type);
	attr.config1 = (__u64)(unsigned long)function;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpus__first_online(), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	link = bpf_program__attach_perf_event_opts(attempt->program, fd, &options);
	if (!link) {
		err = errno;
		close(fd);
		errno = err;
	}
	return link;
}

/* address: of the place, with its offset, or 0: the kernel takes the name */
static int try_at(struct attempt *attempt, enum attach_mode mode, const struct funcname *name, uint64_t address)
{
	LIBBPF_OPTS(bpf_kprobe_opts, options, .retprobe = attempt->is_return, .offset = name->offset);
	char function[FUNCNAME_MAX], place[FUNCNAME_MAX + 24];

	funcname__text(name, function);
	errno = 0;
	switch (mode) {
	case ATTACH_LINK:
	case ATTACH_PERF:
		options.attach_mode = mode == ATTACH_LINK ? PROBE_ATTACH_MODE_LINK : PROBE_ATTACH_MODE_PERF;
		if (address)
			attempt->link = attach_pmu(attempt, mode, NULL, address);
		else if (cpus__first_online())
			attempt->link = attach_pmu(attempt, mode, function, name->offset);
		else
			attempt->link = bpf_program__attach_kprobe_opts(attempt->program, function, &options);
		break;
	case ATTACH_LEGACY:
		if (name->offset)
			sprintf(place, "%s+%lu", function, name->offset);
		else
			strcpy(place, function);
		attempt->link = attach_legacy(attempt, (const char *const[]){ place, NULL }, address);
		break;
	case ATTACH_MULTI:
		attempt->link = attach_multi(attempt, function);
		break;
	default:
		attempt->link = NULL;
		errno = EINVAL;
	}
	attempt->mode = mode;
	attempt->err = attempt->link ? 0 : errno ? -errno : -EINVAL;
	return attempt->err;
}

int attempt__try(struct attempt *attempt, enum attach_mode mode, const struct funcname *name)
{
	bool may_be_known = mode != ATTACH_MULTI && !*name->module;
	uint64_t address = may_be_known ? function_address__known(name->function) : 0;

	/* the caller's, who undoes it where the switch is cleared meanwhile */
	if (!arming__has_begun())
		return attempt->err = -EPERM;
	attempt->link = NULL;
	attempt->mode = mode;
	/* what libbpf says of a kernel that takes an ioctl only, once it has looked the name up */
	if (mode == ATTACH_LINK && !has_perf_links(attempt->program) && attempt__has_pmu())
		return attempt->err = -ENOTSUP;
	/* what is wrong is said of the name */
	if (address && !try_at(attempt, mode, name, address + name->offset))
		return 0;
	if (may_be_known && function_address__is_known_missing(name->function))
		return attempt->err = -ENOENT;
	try_at(attempt, mode, name, 0);
	if (may_be_known && !attempt->err)
		function_address__learn(name->function);
	else if (may_be_known && attempt->err == -ENOENT && (mode == ATTACH_LEGACY ? !attempt__lacks_kprobe_events() : attempt__has_pmu()))
		function_address__is_none(name->function);
	return attempt->err;
}

int attempt__try_legacy_all(struct attempt *attempt, const char *const *functions)
{
	if (!arming__has_begun())
		return attempt->err = -EPERM;
	errno = 0;
	attempt->link = attach_legacy(attempt, functions, 0);
	attempt->mode = ATTACH_LEGACY;
	attempt->err = attempt->link ? 0 : errno ? -errno : -EINVAL;
	return attempt->err;
}

/* ---- what a kernel may lack */

bool attempt__has_pmu(void)
{
	return !file__may(KPROBE_PMU, R_OK);
}

const char *attempt__lacks_kprobe_events(void)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), "kprobe_events");

	if (!err)
		err = file__may(path, W_OK);
	if (!err)
		return NULL;
	if (!tracefs__mount_point())
		return tracefs__why(errno);
	if (err == -ENOENT)
		return "no kprobe_events in tracefs (CONFIG_KPROBE_EVENTS)";
	return err == -EROFS ? tracefs__why(err) : "kprobe_events in tracefs may not be written";
}

/*
 * What the kernel says of a kprobe.multi link on one address that is to be read from where nothing can be.  -EFAULT: it has
 * kprobe.multi, and copies the addresses before it looks anything up (bpf_kprobe_multi_link_attach() in
 * kernel/trace/bpf_trace.c; a name that does not exist would cost 120 M instructions on 7.3).  -EOPNOTSUPP: it was
 * built without CONFIG_FPROBE.  -EINVAL, or another error: it has none, as kernels before 5.18 without a backport.
 */
static int ask_for_multi(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, create, .kprobe_multi.addrs = (const unsigned long *)1, .kprobe_multi.cnt = 1);
	int fd, link, err;

	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "Dual BSD/GPL", nothing, 2, &load);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(fd, 0, BPF_TRACE_KPROBE_MULTI, &create);
	err = link < 0 ? -errno : -EINVAL;
	if (link >= 0)
		close(link);
	close(fd);
	return err;
}

bool attempt__has_multi(void)
{
	return ask_for_multi() == -EFAULT;
}

const char *attempt__lacks(enum attach_mode mode, int err)
{
	switch (mode) {
	case ATTACH_LINK:
	case ATTACH_PERF:
		if (err != -ENOTSUP && err != -ENOENT)
			return NULL;
		if (!attempt__has_pmu())
			return "no kprobe PMU (CONFIG_KPROBE_EVENTS, since Linux 4.17)";
		return err == -ENOTSUP ? "no BPF perf link before Linux 5.15" : NULL;
	case ATTACH_LEGACY:
		return attempt__lacks_kprobe_events();
	case ATTACH_MULTI:
		if (err != -EOPNOTSUPP && err != -EINVAL)
			return NULL;
		switch (ask_for_multi()) {
		case -EFAULT:
			return NULL;
		case -EOPNOTSUPP:
			return "this kernel was built without CONFIG_FPROBE";
		default:
			return "no kprobe.multi before Linux 5.18";
		}
	default:
		return NULL;
	}
}

bool attempt__is_about_name(int err)
{
	return err == -ENOENT || err == -EADDRNOTAVAIL || err == -EINVAL || err == -ESRCH || err == -EILSEQ ||
	       err == -EOPNOTSUPP;
}
