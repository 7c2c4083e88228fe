/* SPDX-License-Identifier: BSD-2-Clause */
/* attach: names taken apart, modes, what is told of a probe.  Attaching is tested in the guest (tests/attach). */
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "lib/probe/attach.h"

static void test_names(void)
{
	static const char *const bad[] = {
		"", ":f", "m:", "+4", "f+", "f+x", "f+-4", "f+4x", "a:b:c", "two words", "f\n", "f;", "f/../g", "*", "f+99999999999999999999999",
		"a_module_name_that_is_longer_than_the_kernel_allows_for_the_names_of_its_modules:f",
	};
	struct funcname name;

	CHECK_INT(funcname__parse("do_unlinkat", &name), 0);
	CHECK_STR(name.module, "");
	CHECK_STR(name.function, "do_unlinkat");
	CHECK_INT(name.offset, 0);
	CHECK_INT(funcname__parse("ext4:ext4_sync_file.isra.0+0x1f", &name), 0);
	CHECK_STR(name.module, "ext4");
	CHECK_STR(name.function, "ext4_sync_file.isra.0");
	CHECK_INT(name.offset, 31);
	CHECK_INT(funcname__parse("f+10", &name), 0);
	CHECK_INT(name.offset, 10);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!CHECK(funcname__parse(bad[i], &name) == -EINVAL))
			fprintf(stderr, "    of \"%s\"\n", bad[i]);
}

static void test_modes(void)
{
	static const char *const modes[] = { "auto", "link", "perf", "legacy", "multi", "fentry" };
	enum attach_mode mode;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		CHECK_INT(attach_mode__parse(modes[i], &mode), 0);
		CHECK_STR(attach_mode__name(mode), modes[i]);
		CHECK(strstr(ATTACH_MODES, modes[i]));
	}
	CHECK_INT(attach_mode__parse("lin", &mode), -EINVAL);
	CHECK_INT(attach_mode__parse("", &mode), -EINVAL);
}

static void test_telling(void)
{
	struct attach_probe probes[] = {
		{ .program = "unlink_enter", .mode = ATTACH_PERF, .function = "do_unlinkat",
		  .why = "link: no BPF perf link before Linux 5.15" },
		{ .program = "unlink_exit", .mode = ATTACH_LINK, .function = "vfs_x.isra.0", .is_return = true,
		  .why = "renamed by the compiler" },
		{ .program = "fexit", .mode = ATTACH_FENTRY, .function = "odd\"name", .is_return = true },
	};
	struct attach attach = { .probes = probes, .probes_count = 3 };
	char line[512], *json;

	attach_probe__describe(&probes[0], line, sizeof(line));
	CHECK_STR(line, "unlink_enter: kprobe on do_unlinkat, mode perf (link: no BPF perf link before Linux 5.15)");
	attach_probe__describe(&probes[1], line, sizeof(line));
	CHECK_STR(line, "unlink_exit: kretprobe on vfs_x.isra.0, mode link (renamed by the compiler)");
	attach_probe__describe(&probes[2], line, sizeof(line));
	CHECK_STR(line, "fexit: fexit on odd\"name, mode fentry");
	json = attach__json(&attach);
	CHECK_STR(json, ",\"probes\":["
		  "{\"program\":\"unlink_enter\",\"kind\":\"kprobe\",\"function\":\"do_unlinkat\",\"mode\":\"perf\","
		  "\"why\":\"link: no BPF perf link before Linux 5.15\"},"
		  "{\"program\":\"unlink_exit\",\"kind\":\"kretprobe\",\"function\":\"vfs_x.isra.0\",\"mode\":\"link\","
		  "\"why\":\"renamed by the compiler\"},"
		  "{\"program\":\"fexit\",\"kind\":\"fexit\",\"function\":\"odd\\\"name\",\"mode\":\"fentry\",\"why\":null}]");
	free(json);
	attach.probes_count = 0;
	json = attach__json(&attach);
	CHECK_STR(json, ",\"probes\":[]");
	free(json);
}

int main(void)
{
	test_names();
	test_modes();
	test_telling();
	return check_done();
}
