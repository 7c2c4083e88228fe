/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach_many.h"

#include <errno.h>
#include <string.h>

#include "attach_why.h"

int attach__many(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const uint64_t *addresses,
		 size_t count)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .addrs = (const unsigned long *)addresses, .cnt = count,
		    .retprobe = !strncmp(bpf_program__section_name(program), "kretprobe", 9) ||
				!strncmp(bpf_program__section_name(program), "?kretprobe", 10));
	struct attempt attempt = { .program = program, .is_return = options.retprobe, .mode = ATTACH_MULTI };

	if (attach->err || attach__check_switches(attach, false))
		return attach->err;
	attempt.link = bpf_program__attach_kprobe_multi_opts(program, NULL, &options);
	if (!attempt.link)
		return attach__fail(attach, -errno, "%zu functions cannot be traced by one link: %s%s", count, strerror(errno),
				    errno == ENOMEM ? " (Linux 6.7 to 6.11 take some hundred at most)" : "");
	if (attach__check_link(attach, &attempt, &(struct funcname){}))
		return attach->err;
	attach->links_count++;
	*link = attempt.link;
	return 0;
}
