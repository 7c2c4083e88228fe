/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * return_slot [-s] [-d] none|MODE: what a return probe does to the return address on the stack.  A child sleeps in pause(2); where its
 * kernel stack holds the return address of __x64_sys_pause() a kprobe has noted; what is there now is read from /proc/kcore.
 * Prints
 *
 *	ADDRESS holds VALUE, FUNCTION+OFFSET
 *	returned to its caller, N hits of the return probe
 *
 * without a return probe, or with one attached in MODE.  -d: detaches it while the child sleeps, and has the first line again;
 * -s: the guest stops meanwhile, having told the host "ADDRESS BYTES"
 * (outside.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/probe/attach.h"
#include "lib/kernel/ktext.h"
#include "asleep.h"
#include "outside.h"
#include "workload/return_slot.skel.h"

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static void none(int signal)
{
	(void)signal;
}

/* Sleeps until the signal, and says whether the call came back as it must. */
static void sleeper(int go)
{
	struct sigaction action = { .sa_handler = none };
	char byte;

	sigaction(SIGUSR1, &action, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	_exit(syscall(SYS_pause) == -1 && errno == EINTR ? 0 : 1);
}

static int print_slot(int kcore, const struct ksyms *ksyms, uint64_t slot, uint64_t *value)
{
	const struct ksym *caller;
	uint64_t offset;
	int err;

	err = ktext__read(kcore, slot, value, sizeof(*value));
	if (err) {
		fprintf(stderr, "return_slot: the stack cannot be read: %s\n", strerror(-err));
		return err;
	}
	caller = ksyms__at(ksyms, *value, &offset);
	printf("%#llx holds %#llx, %s+%#llx\n", (unsigned long long)slot, (unsigned long long)*value,
	       caller ? caller->name : "?", (unsigned long long)offset);
	return 0;
}

static struct return_slot_bpf *load(struct attach *attach)
{
	struct return_slot_bpf *skel = return_slot_bpf__open();

	if (!skel || attach__prepare(attach, skel->obj) || return_slot_bpf__load(skel)) {
		fprintf(stderr, "return_slot: cannot load: %s\n", attach->err ? attach->error : strerror(errno));
		exit(1);
	}
	return skel;
}

int main(int argc, char **argv)
{
	static const char *const function[] = { "__x64_sys_pause", NULL };
	struct attach entry = { .wanted = ATTACH_PERF }, at_return = { 0 };
	struct return_slot_bpf *entry_skel, *return_skel;
	bool stop = false, detach = false, probed;
	struct ksyms *ksyms;
	const char *mode;
	uint64_t value = 0;
	int go[2], kcore, status, option;
	pid_t child;

	while ((option = getopt(argc, argv, "sd")) != -1) {
		stop |= option == 's';
		detach |= option == 'd';
	}
	if (optind != argc - 1 || pipe(go))
		return 2;
	mode = argv[optind];
	probed = strcmp(mode, "none");
	if (probed && attach_mode__parse(mode, &at_return.wanted))
		return 2;
	libbpf_set_print(silent);
	entry_skel = load(&entry);
	return_skel = load(&at_return);
	child = fork();
	if (!child)
		sleeper(go[0]);
	entry_skel->bss->pid = return_skel->bss->pid = child;
	attach__kprobe(&entry, entry_skel->progs.slot_entry, &entry_skel->links.slot_entry, function);
	if (probed)
		attach__kprobe(&at_return, return_skel->progs.slot_return, &return_skel->links.slot_return, function);
	if (entry.err || at_return.err) {
		fprintf(stderr, "return_slot: %s%s\n", entry.error, at_return.error);
		kill(child, SIGKILL);
		return 1;
	}
	if (write(go[1], "", 1) != 1)
		return 1;
	while (!is_asleep_in(SYS_pause, child))
		usleep(1000);
	kcore = ktext__open();
	ksyms = ksyms__load();
	if (kcore < 0 || !ksyms || print_slot(kcore, ksyms, entry_skel->bss->slot, &value))
		return 1;
	if (detach) {
		bpf_link__destroy(return_skel->links.slot_return);
		return_skel->links.slot_return = NULL;
		if (print_slot(kcore, ksyms, entry_skel->bss->slot, &value))
			return 1;
	}
	if (stop) {
		char line[128], *at = line;

		at += sprintf(at, "%llx ", (unsigned long long)entry_skel->bss->slot);
		for (size_t i = 0; i < sizeof(value); i++)
			at += sprintf(at, "%02x", ((unsigned char *)&value)[i]);
		stop_here(line);
	}
	kill(child, SIGUSR1);
	waitpid(child, &status, 0);
	printf("%s, %llu hits of the return probe\n", WIFEXITED(status) && !WEXITSTATUS(status) ? "returned to its caller" :
	       "DID NOT RETURN", (unsigned long long)return_skel->bss->returns);
	ksyms__free(ksyms);
	return_slot_bpf__destroy(entry_skel);
	return_slot_bpf__destroy(return_skel);
	attach__end(&entry);
	attach__end(&at_return);
	return 0;
}
