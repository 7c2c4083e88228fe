/* SPDX-License-Identifier: BSD-2-Clause */
/* What people call a cgroup, by its path. */
#include "check.h"
#include "lib/kernel/cgroups.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void check(const char *path, const char *expected)
{
	char name[CGROUP_NAME_MAX];

	CHECK_STR(cgroup__name(path, name), expected);
}

int main(void)
{
	const char *name;

	check("/", "/");
	check("", "/");
	check("/system.slice/cron.service", "cron.service");
	check("/system.slice/foo.service/workers", "foo.service");
	check("/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope", "app-x.scope");
	check("/user.slice/user-1000.slice/session-3.scope", "session-3.scope");
	check("/system.slice/docker-" ID ".scope", "docker:0123456789ab");
	check("/system.slice/docker-" ID ".scope/init", "docker:0123456789ab");
	check("/kubepods.slice/kubepods-besteffort.slice/cri-containerd-" ID ".scope", "cri-containerd:0123456789ab");
	check("/machine.slice/libpod-" ID ".scope", "libpod:0123456789ab");
	check("/docker/" ID, "docker:0123456789ab");
	check("/" ID, "container:0123456789ab");
	check("/kubepods/burstable/pod12345678-1234-1234-1234-123456789abc/" ID, "container:0123456789ab");
	check("/system.slice", "system.slice");
	check("/mine/inner", "inner");
	check("/a-" ID "0", "a-" ID "0");
	/* longer than a name can be */
	check("/system.slice/docker-" ID "x.scope", "docker-" ID "x.scope");
	CHECK(!cgroups__path(0, &name) && !name);
	CHECK(!cgroups__path(UINT64_MAX, &name) && !name);
	CHECK(!cgroups__path(UINT64_MAX, &name) && !name);
	cgroups__free();
	return check_done();
}
