/* SPDX-License-Identifier: BSD-2-Clause */
/* What people call a cgroup, by its path. */
#include "check.h"
#include "lib/kernel/cgroups.h"
#include "lib/kernel/containers.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void check(const char *path, const char *expected)
{
	char name[CGROUP_NAME_MAX];
	struct container container;
	size_t size = container__in_path(path, &container);

	CHECK_STR(cgroup__name(path, &container, size, name), expected);
}

/* The container in a path: its engine, id or name, and how much of the path is its own; NULL: there is none. */
static void check_container(const char *path, const char *engine, const char *which, const char *own)
{
	struct container container;
	size_t size = container__in_path(path, &container);
	char got[512];

	snprintf(got, sizeof(got), "%.*s", (int)size, path);
	CHECK_STR(got, own ? own : "");
	CHECK_STR(container.engine, engine ? engine : "");
	CHECK_STR(*container.id ? container.id : container.name, which ? which : "");
}

int main(void)
{
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
	/* a unit within a container is not the host's */
	check("/docker/" ID "/system.slice/cron.service/x", "docker:0123456789ab/cron.service");
	check("/system.slice/docker-" ID ".scope/system.slice/nginx.service", "docker:0123456789ab/nginx.service");
	check("/system.slice/docker-" ID ".scope/init.scope", "docker:0123456789ab/init.scope");
	check("/machine.slice/machine-debian\\x2d12.scope/payload/init.scope", "machine:debian-12/init.scope");
	check("/kubepods-besteffort-pod1.slice:cri-containerd:" ID, "cri-containerd:0123456789ab");
	check("/a:" ID "/b.service", "a:0123456789ab/b.service");
	check("/system.slice/k3s.service/kubepods/pod12345678-1234-1234-1234-123456789abc/" ID "/a.service", "container:0123456789ab/a.service");
	check("/lxc.payload.web/init", "lxc:web");
	check("/machine.slice/systemd-nspawn@deb.service/payload", "nspawn:deb");
	check("/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "machine:qemu-1-vm");
	check_container("/system.slice/docker-" ID ".scope/init", "docker", ID, "/system.slice/docker-" ID ".scope");
	check_container("/docker/" ID, "docker", ID, "/docker/" ID);
	check_container("/docker/" ID "/kubelet/cri-containerd-" ID ".scope", "cri-containerd", ID,
			"/docker/" ID "/kubelet/cri-containerd-" ID ".scope");
	check_container("/default/" ID, "default", ID, "/default/" ID);
	check_container("/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon", ID, "/machine.slice/libpod-conmon-" ID ".scope");
	check_container("/kubepods.slice/kubepods-pod1.slice/crio-" ID ".scope/container", "crio", ID,
			"/kubepods.slice/kubepods-pod1.slice/crio-" ID ".scope");
	check_container("/lxc/web/ns", "lxc", "web", "/lxc/web");
	check_container("/lxc.payload/web", "lxc", "web", "/lxc.payload/web");
	check_container("/lxc.monitor.web", NULL, NULL, NULL);
	check_container("/machine.slice/systemd-nspawn@a\\x2db\\x00.service", "nspawn", "a-b\\x00",
			"/machine.slice/systemd-nspawn@a\\x2db\\x00.service");
	check_container("/machine.slice/libpod_pod_" ID ".slice", NULL, NULL, NULL);
	check_container("/system.slice/cron.service", NULL, NULL, NULL);
	check_container("/", NULL, NULL, NULL);
	check_container("", NULL, NULL, NULL);
	CHECK(!cgroups__names(0)->path && !cgroups__names(0)->name);
	CHECK(!cgroups__names(UINT64_MAX)->path && !cgroups__names(UINT64_MAX)->name);
	CHECK(!cgroups__names(UINT64_MAX)->path && !cgroups__names(UINT64_MAX)->pod);
	cgroups__free();
	return check_done();
}
