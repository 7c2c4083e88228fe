/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach_many.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach_why.h"
#include "attached.h"
#include "links.h"
#include "tracing.h"
#include "lib/kernel/arming.h"

/* The part of union bpf_attr that BPF_LINK_CREATE reads: <linux/bpf.h> of a distribution may not have the second form. */
struct link_create {
	uint32_t program_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	union {
		struct {
			uint32_t flags;
			uint32_t count;
			uint64_t names;
			uint64_t addresses;
			uint64_t cookies;
		} probes;
		struct {
			uint64_t ids;
			uint64_t cookies;
			uint32_t count;
			uint32_t pad;
		} functions;
	};
};

static int create(struct link_create *attr)
{
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

int attach_many__link_probes(int program_fd, int attach_type, const uint64_t *addresses, size_t count)
{
	struct link_create attr = { .program_fd = (uint32_t)program_fd, .attach_type = (uint32_t)attach_type };

	attr.probes.addresses = (uintptr_t)addresses;
	attr.probes.count = (uint32_t)count;
	return create(&attr);
}

int attach_many__link_functions(int program_fd, int attach_type, const uint32_t *ids, const uint64_t *cookies, size_t count)
{
	struct link_create attr = { .program_fd = (uint32_t)program_fd, .attach_type = (uint32_t)attach_type };

	attr.functions.ids = (uintptr_t)ids;
	attr.functions.cookies = (uintptr_t)cookies;
	attr.functions.count = (uint32_t)count;
	return create(&attr);
}

static int fail_many(struct attach *attach, int err, size_t count)
{
	return attach__fail(attach, err, "%zu functions cannot be traced by one link: %s%s", count, strerror(-err),
			    err == -ENOMEM ? " (Linux 6.7 to 6.11 take some hundred at most)" : "");
}

/* One link has them all, so the start record has their number. */
static void note_many(const struct bpf_program *program, const char *kind, size_t count)
{
	char functions[32];

	snprintf(functions, sizeof(functions), "%zu functions", count);
	attached__note(bpf_program__name(program), kind, functions);
}

int attach__many(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const uint64_t *addresses,
		 size_t count)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .addrs = (const unsigned long *)addresses, .cnt = count,
		    .retprobe = !strncmp(bpf_program__section_name(program), "kretprobe", 9) ||
				!strncmp(bpf_program__section_name(program), "?kretprobe", 10));
	int err = 0;

	if (attach->err || attach__begin(attach, false))
		return attach->err;
	*link = bpf_program__attach_kprobe_multi_opts(program, NULL, &options);
	if (!*link)
		err = fail_many(attach, -errno, count);
	err = attach__finish(attach, err, link);
	if (!err)
		note_many(program, options.retprobe ? "kretprobe.multi" : "kprobe.multi", count);
	return err;
}

/* Takes over a link that is only a descriptor, between attach__begin() and its end. */
static int keep(struct attach *attach, const struct bpf_program *program, int fd)
{
	int err = attach__finish_descriptor(attach, fd);

	if (err || !links__own(program, fd))
		return err;
	disarming__await();
	close(fd);
	disarming__end();
	return attach__fail(attach, -ENOSPC, "too many links");
}

int attach__many_sessions(struct attach *attach, struct bpf_program *program, const uint64_t *addresses, size_t count)
{
	int fd;

	if (attach->err || attach__begin(attach, false))
		return attach->err;
	fd = attach_many__link_probes(bpf_program__fd(program), TRACING_KPROBE_SESSION, addresses, count);
	if (fd < 0)
		fail_many(attach, fd, count);
	fd = keep(attach, program, fd);
	if (!fd)
		note_many(program, "kprobe.session", count);
	return fd;
}

int attach__many_ids(struct attach *attach, struct bpf_program *program, const uint32_t *ids, const uint64_t *cookies, size_t count)
{
	int fd;

	if (attach->err || attach__begin(attach, false))
		return attach->err;
	fd = attach_many__link_functions(bpf_program__fd(program), (int)bpf_program__expected_attach_type(program), ids, cookies, count);
	fd = keep(attach, program, fd);
	if (!fd)
		note_many(program, (int)bpf_program__expected_attach_type(program) == TRACING_FSESSION_MULTI ? "fsession.multi" :
			  "fentry.multi", count);
	return fd;
}
