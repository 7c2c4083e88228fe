/* SPDX-License-Identifier: BSD-2-Clause */
/* What BPF links, and programs on perf events, are attached to (gather.h). */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "funcname.h"
#include "gather.h"
#include "holders.h"
#include "lib/kernel/file.h"
#include "lib/kernel/link_info.h"
#include "skips.h"

/* The function by its name, "[MODULE:]FUNC", where there is no address. */
static void place_by_name(struct probed *probed, const char *name, uint64_t offset)
{
	struct funcname parts;

	if (funcname__parse(name, &parts))
		return;
	probed->function = strdup(parts.function);
	probed->module = *parts.module ? strdup(parts.module) : NULL;
	probed->offset = offset;
}

void probed__describe_program(struct probed *probed, bool counts_runs)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(probed->program_id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size)) {
		probed->program = strdup(info.name);
		probed->program_type = strdup(libbpf_bpf_prog_type_str(info.type) ?: "?");
		probed->hits_known = counts_runs || info.run_cnt;
		probed->hits = info.run_cnt;
		probed->run_ns = info.run_time_ns;
		probed->misses += info.recursion_misses;
	}
	close(fd);
}

static void add_program(struct gather *gather, const struct holders *holders, struct probed *probed)
{
	probed->by = PROBED_BY_BPF;
	/* not for the price of a system call where nobody wants to know */
	if (!probed->function || !gather->wanted(gather->context, probed->function, probed->module)) {
		probed__clear(probed);
		return;
	}
	probed__describe_program(probed, gather->counts_runs);
	probed->holders = holders__of(holders, probed->link_id, probed->program_id);
	gather__add(gather, probed);
}

static void add_multi(struct gather *gather, const struct holders *holders, int fd, struct link_info *info, __u32 size)
{
	__u32 count = info->kprobe_multi.count;
	uint64_t *addresses;

	if (!count) {
		gather__note(gather, "kprobe.multi links do not report their functions before Linux 6.6");
		return;
	}
	addresses = calloc(count, sizeof(*addresses));
	if (!addresses)
		return;
	info->kprobe_multi.addrs = (__u64)(unsigned long)addresses;
	if (!link_info__read(fd, info, &size)) {
		for (__u32 i = 0; i < count; i++) {
			struct probed probed = {
				.address = addresses[i], .link_id = info->id, .program_id = info->prog_id,
				.is_return = info->kprobe_multi.flags & 1,
				.how = info->kprobe_multi.flags & 1 ? "kretprobe.multi" : "kprobe.multi",
				.misses_known = link_info__tells_missed(size) && skips__are_counted(), .misses = info->kprobe_multi.missed,
			};

			if (probed.address) {
				gather__place(gather, &probed);
				add_program(gather, holders, &probed);
			} else {
				gather__note(gather, "a kprobe.multi link hides its functions (kernel.kptr_restrict)");
			}
		}
	}
	free(addresses);
}

static void add_tracing(struct gather *gather, const struct holders *holders, const struct link_info *info)
{
	struct probed probed = { .link_id = info->id, .program_id = info->prog_id, .misses_known = true };
	const struct btf_type *type;
	struct btf *module = NULL;
	const char *name;

	switch (info->tracing.attach_type) {
	case BPF_TRACE_FENTRY:
		probed.how = "fentry";
		break;
	case BPF_TRACE_FEXIT:
		probed.how = "fexit";
		probed.is_return = true;
		break;
	case BPF_MODIFY_RETURN:
		probed.how = "fmod_ret";
		break;
	default:
		return;		/* raw tracepoints with BTF, LSM hooks, other programs */
	}
	if (!info->tracing.btf_id) {
		gather__note(gather, "links of fentry and fexit programs do not report their functions before Linux 5.13");
		return;
	}
	if (!gather->vmlinux)
		gather->vmlinux = btf__load_vmlinux_btf();
	if (!gather->vmlinux) {
		gather__note(gather, "the functions of fentry and fexit programs are not known without the kernel's BTF");
		return;
	}
	type = btf__type_by_id(gather->vmlinux, info->tracing.btf_id);
	/* beyond the kernel's own types it is a module's, whose numbers go on from there */
	if (!type || info->tracing.btf_id >= btf__type_cnt(gather->vmlinux)) {
		module = btf__load_from_kernel_by_id_split(info->tracing.object_id, gather->vmlinux);
		type = module ? btf__type_by_id(module, info->tracing.btf_id) : NULL;
	}
	name = type ? btf__name_by_offset(module ? module : gather->vmlinux, type->name_off) : NULL;
	if (name)
		probed.function = strdup(name);
	btf__free(module);
	add_program(gather, holders, &probed);
}

/* A perf link's program whose function only its event tells: kernels 5.15 to 6.5. */
struct silent_link {
	uint32_t link_id, program_id;
};

struct silent_links {
	struct silent_link *all;
	size_t count;
};

static void add_silent(struct silent_links *links, const struct link_info *info)
{
	struct silent_link *all = realloc(links->all, (links->count + 1) * sizeof(*all));

	if (!all)
		return;
	links->all = all;
	all[links->count++] = (struct silent_link){ .link_id = info->id, .program_id = info->prog_id };
}

static void gather_links(struct gather *gather, const struct holders *holders, struct silent_links *silent)
{
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		char name[KSYMS_NAME_MAX] = "";
		struct link_info info = {};
		int fd = bpf_link_get_fd_by_id(id);
		__u32 size;

		if (fd < 0)
			continue;	/* gone in between */
		if (link_info__read(fd, &info, &size)) {
			close(fd);
			continue;
		}
		if (info.type == LINK_KPROBE_MULTI) {
			add_multi(gather, holders, fd, &info, size);
		} else if (info.type == LINK_TRACING) {
			add_tracing(gather, holders, &info);
		} else if (info.type == LINK_PERF_EVENT && !info.perf_event.type) {
			add_silent(silent, &info);
		} else if (info.type == LINK_PERF_EVENT) {
			struct probed probed = {
				.link_id = info.id, .program_id = info.prog_id,
				.is_return = info.perf_event.type == LINK_PERF_KRETPROBE,
				.how = info.perf_event.type == LINK_PERF_KRETPROBE ? "kretprobe" : "kprobe",
				.misses_known = link_info__tells_missed(size) && skips__are_counted(),
			};

			if (info.perf_event.type == LINK_PERF_KPROBE || info.perf_event.type == LINK_PERF_KRETPROBE) {
				info.perf_event.name = (__u64)(unsigned long)name;
				info.perf_event.name_size = sizeof(name);
				if (!link_info__read(fd, &info, &size)) {
					probed.address = info.perf_event.address;
					probed.misses = probed.misses_known ? info.perf_event.missed : 0;
					place_by_name(&probed, name, info.perf_event.offset);
					gather__place(gather, &probed);
					add_program(gather, holders, &probed);
				}
			}
		}
		close(fd);
	}
	if (errno == EPERM)
		gather__note(gather, "BPF links and programs cannot be listed: %s", strerror(errno));
	else if (errno == EINVAL)
		gather__note(gather, "this kernel has no BPF links (before Linux 5.8)");
}

/* Whether a link has told of this program on this function already. */
static bool is_known(const struct probed_list *list, const struct probed *probed)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct probed *other = &list->all[i];

		if (other->by == PROBED_BY_BPF && other->program_id == probed->program_id &&
		    other->is_return == probed->is_return && probed->function && !strcmp(other->function, probed->function))
			return true;
	}
	return false;
}

/* The links of a program that do not tell; *link_id is the last one's. */
static size_t count_silent(const struct silent_links *silent, uint32_t program_id, uint32_t *link_id)
{
	size_t count = 0;

	for (size_t i = 0; i < silent->count; i++) {
		if (silent->all[i].program_id == program_id) {
			*link_id = silent->all[i].link_id;
			count++;
		}
	}
	return count;
}

/*
 * Programs on perf events, of links that do not tell, and of no link at all (mode perf).  A link goes with its program's event
 * where there is one of each; of several nobody says which is which.
 */
static void gather_perf_events(struct gather *gather, const struct holders *holders, const struct silent_links *silent)
{
	uint32_t link_id = 0;
	size_t unseen = 0;

	for (size_t i = 0; i < holders->count; i++) {
		const struct holder *holder = &holders->all[i];
		struct probed probed = {
			.program_id = holder->program_id, .is_return = holder->is_return,
			.how = holder->is_return ? "kretprobe" : "kprobe",
		};
		size_t links, places;

		if (!holder->function)
			continue;
		probed.address = holder->address;
		place_by_name(&probed, holder->function, holder->offset);
		gather__place(gather, &probed);
		if (is_known(gather->list, &probed)) {
			probed__clear(&probed);
			continue;
		}
		links = count_silent(silent, holder->program_id, &link_id);
		places = holders__count_events(holders, holder->program_id, true);
		if (links == 1 && places == 1)
			probed.link_id = link_id;
		else if (links)
			gather__note(gather, "program %u has %zu perf link(s) and is at %zu places: before Linux 6.6 a link does not "
				     "tell its own", holder->program_id, links, places);
		add_program(gather, holders, &probed);
	}
	for (size_t i = 0; i < silent->count; i++) {
		uint32_t program_id = silent->all[i].program_id;
		size_t links = count_silent(silent, program_id, &link_id), events = holders__count_events(holders, program_id, false);

		/* once for each program */
		if (link_id == silent->all[i].link_id && links > events)
			unseen += links - events;
	}
	if (unseen)
		gather__note(gather, "perf links do not report their functions before Linux 6.6, and %zu of them not by their process "
			     "either", unseen);
}

static bool stats_are_on(void)
{
	char on[8];

	return file__read_small("/proc/sys/kernel/bpf_stats_enabled", on, sizeof(on)) > 0 && *on == '1';
}

void gather__bpf(struct gather *gather)
{
	struct holders holders = { 0 };
	struct silent_links silent = { 0 };

	gather->counts_runs = stats_are_on();
	holders__look(&holders);
	gather_links(gather, &holders, &silent);
	gather_perf_events(gather, &holders, &silent);
	holders__free(&holders);
	free(silent.all);
	btf__free(gather->vmlinux);
	gather->vmlinux = NULL;
}
