/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach_try [-a MODE] [-A] [-c] [-d] [-k] [-o] [-r] [-s] kprobe|kretprobe|fexit NAME... [-- COMMAND ARG...]: attaches a program
 * that counts to the first of the names that works, as lib/attach does for a tool, and prints what came of it in one line.
 * With a command it is run meanwhile, and the line "hits N missed N" follows ("missed N?" where the kernel does not know all).
 *
 * -d: the command is run between the last look at the switches and detaching.  -s: kernel.ftrace_enabled is cleared before that look.
 * -A: to all of the names (attach__all()); -c: the names come from a user (check_names); -k: kallsyms cannot be read; -o:
 * by attach__optional(), whose error does not stick; -r: the program reads arguments (not only_counts).  -m only prints
 * "multi" if the kernel has kprobe.multi, else "none".  Exit status 0 attached, 1 not.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/attach_try.skel.h"
#include "lib/kernel/switches.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static void run(char **argv)
{
	pid_t pid = fork();

	if (!pid) {
		execvp(*argv, argv);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *names[16] = { NULL }, *kind;
	struct attach attach = { .only_counts = true };
	struct attach_try_bpf *skel;
	struct missed missed;
	char line[2048];
	int option, count = 0;
	bool all = false, optional = false, at_end = false, clear = false;
	struct fault fault;

	while ((option = getopt(argc, argv, "+a:Acdkmors")) != -1) {
		switch (option) {
		case 'a':
			if (attach_mode__parse(optarg, &attach.wanted))
				return 2;
			break;
		case 'A':
			all = true;
			break;
		case 'c':
			attach.check_names = true;
			break;
		case 'd':
			at_end = true;
			break;
		case 'k':
			ksyms__use("/no/such/file");
			break;
		case 'm':
			puts(attach__may_all(&attach) ? "multi" : "none");
			return 0;
		case 'r':
			attach.only_counts = false;
			break;
		case 's':
			clear = true;
			break;
		case 'o':
			optional = true;
			break;
		default:
			return 2;
		}
	}
	argv += optind;
	kind = *argv++;
	while (kind && *argv && strcmp(*argv, "--") && count < 15)
		names[count++] = *argv++;
	if (!count)
		return 2;
	libbpf_set_print(silent);
	skel = attach_try_bpf__open();
	if (!skel)
		return 2;
	attach__fentry_target(&attach, skel->progs.try_fexit, names);
	attach__prepare(&attach, skel->obj);
	if (!attach.err && attach_try_bpf__load(skel)) {
		perror("load");
		return 2;
	}
	if (optional && attach__optional(&attach, skel->progs.try_entry, &skel->links.try_entry, names, &fault))
		printf("optional: %s\n", fault.text);
	else if (optional)
		;
	else if (all)
		attach__all(&attach, skel->progs.try_return, &skel->links.try_return, names);
	else if (!strcmp(kind, "kprobe"))
		attach__kprobe(&attach, skel->progs.try_entry, &skel->links.try_entry, names);
	else if (!strcmp(kind, "kretprobe"))
		attach__kprobe(&attach, skel->progs.try_return, &skel->links.try_return, names);
	else
		attach__fentry(&attach, skel->progs.try_fexit, &skel->links.try_fexit);
	if (attach.err) {
		printf("error: %s\n", attach.error);
	} else if (attach.probes_count) {
		attach_probe__describe(&attach.probes[0], line, sizeof(line));
		printf("attached %s\n", line);
	}
	fflush(stdout);
	if (!attach.err && *argv && !at_end) {
		run(argv + 1);
		missed = missed__read(skel->skeleton);
		printf("hits %llu missed %llu%s\n", (unsigned long long)skel->bss->hits, (unsigned long long)missed.all,
		       missed.known ? "" : "?");
	}
	if (clear)
		run((char *[]){ "sh", "-c", "echo 0 >" SWITCHES_FTRACE, NULL });
	if (attach__before_detach(&attach) == 1)
		puts("switched on to detach");
	if (!attach.err && *argv && at_end) {
		run(argv + 1);
		links__detach(skel->skeleton);
	}
	attach_try_bpf__destroy(skel);
	attach__end(&attach);
	return attach.err ? 1 : 0;
}
