/* SPDX-License-Identifier: BSD-2-Clause */
/* What a cgroup's path says, as kube-state-metrics and cAdvisor have it. */
#include "check.h"
#include "lib/kernel/cgroup_parts.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "12345678-1234-1234-1234-123456789abc"
#define UID_IN_UNIT "12345678_1234_1234_1234_123456789abc"
#define STATIC_UID "0123456789abcdef0123456789abcdef"

static void check(const char *path, const char *unit, const char *slice, const char *container_id, const char *pod_uid)
{
	struct cgroup_parts parts;

	cgroup_parts__of(path, &parts);
	CHECK_STR(parts.unit, unit);
	CHECK_STR(parts.slice, slice);
	CHECK_STR(parts.container_id, container_id);
	CHECK_STR(parts.pod_uid, pod_uid);
}

int main(void)
{
	check("/", "", "", "", "");
	check("", "", "", "", "");
	check("/system.slice/cron.service", "cron.service", "system.slice", "", "");
	check("/system.slice/foo.service/workers", "foo.service", "system.slice", "", "");
	check("/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope", "a.scope", "app.slice", "", "");
	check("/mine", "", "", "", "");
	check("/system.slice/docker-" ID ".scope", "", "system.slice", "docker://" ID, "");
	check("/system.slice/docker-" ID ".scope/system.slice/nginx.service", "nginx.service", "system.slice", "docker://" ID, "");
	check("/docker/" ID, "", "", "docker://" ID, "");
	check("/machine.slice/libpod-" ID ".scope/container", "", "machine.slice", "podman://" ID, "");
	check("/machine.slice/libpod-conmon-" ID ".scope", "", "machine.slice", "", "");
	check("/machine.slice/systemd-nspawn@deb.service/payload", "systemd-nspawn@deb.service", "machine.slice", "", "");

	/* the kubelet's drivers */
	check("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_IN_UNIT ".slice/cri-containerd-" ID ".scope",
	      "", "kubepods-burstable.slice", "containerd://" ID, UID);
	check("/kubepods.slice/kubepods-pod" UID_IN_UNIT ".slice/crio-" ID ".scope", "", "kubepods.slice", "cri-o://" ID, UID);
	check("/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod" UID_IN_UNIT
	      ".slice/cri-containerd-" ID ".scope", "", "kubelet-kubepods-besteffort.slice", "containerd://" ID, UID);
	check("/kubepods/besteffort/pod" UID "/" ID, "", "", "containerd://" ID, UID);
	check("/kubepods/pod" UID "/crio-" ID, "", "", "cri-o://" ID, UID);
	check("/kubepods/besteffort/pod" UID, "", "", "", UID);
	check("/system.slice/k3s.service/kubepods/pod" UID "/" ID, "", "system.slice", "containerd://" ID, UID);
	check("/kubepods-besteffort-pod" UID_IN_UNIT ".slice:cri-containerd:" ID, "", "", "containerd://" ID, UID);
	check("/kubepods.slice/kubepods-pod" STATIC_UID ".slice/docker-" ID ".scope", "", "kubepods.slice", "docker://" ID, STATIC_UID);

	/* none of these is a pod */
	check("/podium/x.service", "x.service", "", "", "");
	check("/pod12345678-1234-1234-1234-123456789abg", "", "", "", "");
	check("/pod" UID "0", "", "", "", "");
	check("/pod12345678-1234_1234-1234-123456789abc", "", "", "", "");
	check("/mypod" UID, "", "", "", "");
	check("/pod", "", "", "", "");
	return check_done();
}
