/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * as_user UID[:CAPABILITY,…] COMMAND…: runs the command as that user and group, with these capabilities of root's alone, as
 * setcap(8) or systemd would give them: bpf, perfmon, dac_read_search, sys_resource, sys_admin.  Root (0) has no others afterwards,
 * as in a container.
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

static const struct {
	const char *name;
	int number;
} capabilities[] = {
	{ "bpf", CAP_BPF }, { "perfmon", CAP_PERFMON }, { "dac_read_search", CAP_DAC_READ_SEARCH },
	{ "sys_resource", CAP_SYS_RESOURCE }, { "sys_admin", CAP_SYS_ADMIN },
};

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static int number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++)
		if (!strcmp(name, capabilities[i].name))
			return capabilities[i].number;
	fprintf(stderr, "as_user: no capability %s\n", name);
	exit(125);
}

int main(int argc, char **argv)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	unsigned int id = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
	char *names = argc > 2 ? strchr(argv[1], ':') : NULL, *list = names ? strdup(names + 1) : NULL;

	if (argc < 3 || (!id && !names)) {
		fprintf(stderr, "usage: as_user UID[:CAPABILITY,...] COMMAND...\n");
		return 2;
	}
	for (char *name = list ? strtok(list, ",") : NULL; name; name = strtok(NULL, ",")) {
		int number = number_of(name);

		data[number / 32].permitted |= 1u << number % 32;
		data[number / 32].effective |= 1u << number % 32;
		data[number / 32].inheritable |= 1u << number % 32;
	}
	/* what root gets back with an exec */
	for (int i = 0; i < 64 && !id; i++)
		if (!(data[i / 32].permitted & 1u << i % 32))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id))
		die("as_user");
	if (syscall(SYS_capset, &header, data))
		die("as_user: capset");
	for (int i = 0; i < 64; i++)
		if (data[i / 32].inheritable & 1u << i % 32 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0))
			die("as_user: ambient capability");
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
